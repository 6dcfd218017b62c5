// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/library.h"

#include <dlfcn.h>
#include <errno.h>

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

static int open_first(const char *const *names, void **ret_handle, const char **ret_name, char *why)
{
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
			says = "the loader gives no reason";
		if (!is_not_installed(names[i], says)) {
			snprintf(why, LIBRARY_WHY_BYTES, "%s", says);
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
