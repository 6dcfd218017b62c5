/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * library.h - a shared library that may be missing, opened by one table.
 *
 * No vendor or system library is linked: gpudiag must start on the most
 * broken node, and a library that is not there is a fact, not a crash. A
 * probe lists what it calls; library_open() fills the pointers:
 *
 *	static struct pci_access *(*alloc)(void);
 *	static int (*fill)(struct pci_dev *, int);
 *
 *	static const struct library_symbol symbols[] = {
 *		{ .name = "pci_alloc", .fallback = NULL, .required = true, .to = LIBRARY_TO(alloc) },
 *		{ .name = "pci_fill_info", .fallback = NULL, .required = false, .to = LIBRARY_TO(fill) },
 *		{ .name = NULL },
 *	};
 *	static const char *const names[] = { "libpci.so.3", NULL };
 *	char why[LIBRARY_WHY_BYTES];
 *
 *	sink_step(sink, "dlopen libpci.so.3");
 *	err = library_open(names, symbols, NULL, why);
 *
 * A symbol that is not required and not there leaves its pointer NULL: the
 * caller says "unsupported" for what it cannot ask. One missing symbol must
 * not lose a whole vendor, so require only what nothing works without.
 *
 * Loading runs the library's constructors, which may hang or crash: call it
 * in a worker and after sink_step().
 */
#pragma once

#include <stdbool.h>

#include "base/compat.h"

struct library_symbol {
	const char *name;	/* NULL ends the table */
	const char *fallback;	/* an older name of the same call, tried when `name` is missing; or NULL */
	bool required;
	void **to;		/* where the address goes; NULL is written for a missing one */
};

/* The place of a pointer to a function or a variable, as the table holds it. */
#define LIBRARY_TO(pointer) ((void **)(void *)&(pointer))

#define LIBRARY_WHY_BYTES 256

/* The variable that tells a worker the driver's root (--driver-root); unset or empty: there is none. */
#define LIBRARY_DRIVER_ROOT "GPUDIAG_DRIVER_ROOT"
const char *library_driver_root(void);

/* Debian's folder for libraries of this kind of machine. */
#if defined(__x86_64__)
#define LIBRARY_MULTIARCH "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define LIBRARY_MULTIARCH "aarch64-linux-gnu"
#else
#define LIBRARY_MULTIARCH "powerpc64le-linux-gnu"
#endif

/* Where distributions place libraries below a root; ends with NULL. */
enum { LIBRARY_FOLDERS = 5 };
extern const char *const library_folders[LIBRARY_FOLDERS + 1];

/*
 * Opens the first of `names` (ends with NULL; a bare name is searched as the
 * loader does, one with a slash is a path) that loads, with RTLD_NOW and
 * RTLD_LOCAL, and fills the pointers of `symbols`. The library stays loaded
 * for the life of the process: unloading a driver's library is how processes
 * die at exit. *ret_handle, where not NULL, gets the handle for further
 * dlsym() calls.
 *
 * 0 and why "" on success. Otherwise `why` is a phrase for people and no
 * pointer of the table is changed:
 *	-ENOENT   none of the names is installed ("libpci.so.3: not installed")
 *	-ELIBBAD  it is there and cannot be loaded: a damaged file, one of
 *	          another architecture, a link that leads nowhere, a library that
 *	          it needs is missing; the loader's words are given
 *	-ENOSYS   it lacks a required symbol ("libpci.so.3: no symbol pci_alloc")
 * Where several names fail, -ELIBBAD wins over -ENOENT: what is there and
 * broken says more than what is not.
 */
int library_open(const char *const *names, const struct library_symbol *symbols, void **ret_handle,
		 char why[LIBRARY_WHY_BYTES]) MUST_CHECK;
