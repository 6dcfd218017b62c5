// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/device/hwmon.h"

#include "base/strbuf.h"
#include "probe/pci/pci_function.h"

enum { FOLDER_CHARS = 24 };	/* "hwmon3", and much more than the kernel counts to */

static bool is_called(const struct root *root, const char *address, const char *folder, const char *const *names)
{
	STRBUF_AUTO name = STRBUF_INIT;

	if (!names)
		return true;
	if (root_read(root, &name, PCI_DEVICES "/%s/hwmon/%s/name", address, folder))
		return false;
	strbuf_rtrim(&name);
	while (*names && strcmp(name.buf, *names) != 0)
		names++;
	return *names;
}

int hwmon_find(const struct root *root, const char *address, const char *const *names, char ret[HWMON_BYTES])
{
	struct name_list folders;
	int error;

	ret[0] = '\0';
	error = root_list(root, &folders, PCI_DEVICES "/%s/hwmon", address);
	if (error)
		return error;
	for (size_t i = 0; i < folders.nr && !*ret; i++) {
		const char *folder = folders.names[i];

		if (!strncmp(folder, "hwmon", strlen("hwmon")) && strlen(folder) <= FOLDER_CHARS &&
		    is_called(root, address, folder, names))
			snprintf(ret, HWMON_BYTES, "hwmon/%.*s/", FOLDER_CHARS, folder);
	}
	name_list_release(&folders);
	return 0;
}
