// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/sample/proc_numbers.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>

#include "base/alloc.h"
#include "base/text.h"

int compare_numbers(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

static int open_recorded(struct proc_numbers *ret, const struct root *root, const char *path)
{
	struct name_list names = { 0 };
	int error = root_list(root, &names, "%s", path);

	if (error)
		return error;
	ret->numbers = xcalloc(names.nr + 1, sizeof(*ret->numbers));
	for (size_t i = 0; i < names.nr; i++)
		ret->nr += names.names[i][0] != '0' && !parse_u64(names.names[i], &ret->numbers[ret->nr]);
	name_list_release(&names);
	qsort(ret->numbers, ret->nr, sizeof(*ret->numbers), compare_numbers);
	return 0;
}

int proc_numbers_open(struct proc_numbers *ret, const struct root *root, const char *path_format, ...)
{
	char path[PATH_MAX];
	va_list args;

	*ret = (struct proc_numbers){ .folder = NULL };
	va_start(args, path_format);
	vsnprintf(path, sizeof(path), path_format, args);
	va_end(args);
	if (!root_is_live(root))
		return open_recorded(ret, root, path);
	ret->folder = opendir(path);
	return ret->folder ? 0 : -errno;
}

bool proc_numbers_next(struct proc_numbers *numbers, uint64_t *ret)
{
	const struct dirent *entry;

	if (numbers->numbers) {
		if (numbers->at == numbers->nr)
			return false;
		*ret = numbers->numbers[numbers->at++];
		return true;
	}
	while (numbers->folder && (entry = readdir(numbers->folder)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && !parse_u64(entry->d_name, ret))
			return true;
	return false;
}

void proc_numbers_close(struct proc_numbers *numbers)
{
	if (numbers->folder)
		closedir(numbers->folder);
	free(numbers->numbers);
	*numbers = (struct proc_numbers){ .folder = NULL };
}
