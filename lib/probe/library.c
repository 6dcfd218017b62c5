// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

const char *const library_folders[LIBRARY_FOLDERS + 1] = {
	("/usr/lib/" LIBRARY_MULTIARCH), "/usr/lib64", "/lib64", "/lib", "", NULL,
};

const char *library_driver_root(void)
{
	const char *told = getenv(LIBRARY_DRIVER_ROOT);

	return told && *told ? told : NULL;
}

/* The loader says what it could not open; that it was the library itself tells "not installed" from "broken". */
static bool is_not_installed(const char *name, const char *loader_says)
{
	size_t len = strlen(name);

	return !strncmp(loader_says, name, len) && loader_says[len] == ':' &&
	       strstr(loader_says, "cannot open shared object file: No such file or directory");
}

/* A file by that path that the loader took for none; false: there is none. A link counts, whatever it leads to. */
static bool is_there(const char *path, char *why)
{
	struct stat link, file;

	if (lstat(path, &link))
		return false;
	if (stat(path, &file))
		snprintf(why, LIBRARY_WHY_BYTES, "%s: a link to a file that is not there", path);
	else
		snprintf(why, LIBRARY_WHY_BYTES, "%s: no library of this architecture (" LIBRARY_MULTIARCH ")", path);
	return true;
}

/*
 * The loader passes over what is of another machine or class, and says the
 * same of a link that leads nowhere: "No such file or directory".
 */
static bool is_passed_over(const char *name, char *why)
{
	char path[PATH_MAX];

	if (strchr(name, '/'))
		return is_there(name, why);
	for (size_t i = 0; library_folders[i]; i++) {
		/* /lib may be the folder of another class of libraries. */
		if (!*library_folders[i] || !strcmp(library_folders[i], "/lib") ||
		    snprintf(path, sizeof(path), "%s/%s", library_folders[i], name) >= PATH_MAX)
			continue;
		if (is_there(path, why))
			return true;
	}
	return false;
}

static int open_first(const char *const *names, void **ret_handle, const char **ret_name, char *why)
{
	char passed_over[LIBRARY_WHY_BYTES];
	int error = -ENOENT;

	snprintf(why, LIBRARY_WHY_BYTES, "no library named");
	for (size_t i = 0; names[i]; i++) {
		const char *says;

		dlerror();
		*ret_handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
		if (*ret_handle) {
			*ret_name = names[i];
			return 0;
		}
		says = dlerror();
		if (!says)
			says = "no reason from the loader";
		if (!is_not_installed(names[i], says)) {
			snprintf(why, LIBRARY_WHY_BYTES, "%s", says);
			error = -ELIBBAD;
		} else if (is_passed_over(names[i], passed_over)) {
			snprintf(why, LIBRARY_WHY_BYTES, "%s", passed_over);
			error = -ELIBBAD;
		} else if (error == -ENOENT) {
			snprintf(why, LIBRARY_WHY_BYTES, "%s: not installed", names[i]);
		}
	}
	return error;
}

static void *find_symbol(void *handle, const struct library_symbol *symbol)
{
	void *address = dlsym(handle, symbol->name);

	if (!address && symbol->fallback)
		address = dlsym(handle, symbol->fallback);
	return address;
}

int library_open(const char *const *names, const struct library_symbol *symbols, void **ret_handle,
		 char why[LIBRARY_WHY_BYTES])
{
	const struct library_symbol *symbol;
	const char *name;
	void *handle;
	int error = open_first(names, &handle, &name, why);

	if (error)
		return error;
	for (symbol = symbols; symbol->name; symbol++) {
		if (symbol->required && !find_symbol(handle, symbol)) {
			snprintf(why, LIBRARY_WHY_BYTES, "%s: no symbol %s", name, symbol->name);
			return -ENOSYS;
		}
	}
	for (symbol = symbols; symbol->name; symbol++) {
		void *address = find_symbol(handle, symbol);

		/* The pointer behind `to` is one to a function: its bytes are set, not its value as a void *. */
		memcpy(symbol->to, &address, sizeof(address));
	}
	if (ret_handle)
		*ret_handle = handle;
	why[0] = '\0';
	return 0;
}
