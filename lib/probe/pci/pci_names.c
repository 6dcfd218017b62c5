// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/pci/pci_names.h"

#include <pci/pci.h>
#include <setjmp.h>
#include <stdarg.h>

#include "base/alloc.h"
#include "base/text.h"
#include "probe/library.h"
#include "probe/paths.h"

static __typeof__(pci_alloc) *alloc_access;
static __typeof__(pci_cleanup) *cleanup_access;
static __typeof__(pci_lookup_name) *lookup_name;
static __typeof__(pci_load_name_list) *load_name_list;
static __typeof__(pci_set_name_list_path) *set_name_list_path;

static const struct library_symbol symbols[] = {
	{ .name = "pci_alloc", .fallback = NULL, .required = true, .to = LIBRARY_TO(alloc_access) },
	{ .name = "pci_cleanup", .fallback = NULL, .required = true, .to = LIBRARY_TO(cleanup_access) },
	{ .name = "pci_lookup_name", .fallback = NULL, .required = true, .to = LIBRARY_TO(lookup_name) },
	{ .name = "pci_load_name_list", .fallback = NULL, .required = false, .to = LIBRARY_TO(load_name_list) },
	{ .name = "pci_set_name_list_path", .fallback = NULL, .required = false,
	  .to = LIBRARY_TO(set_name_list_path) },
	{ .name = NULL, .fallback = NULL, .required = false, .to = NULL },
};

static const char *const library_names[] = { "libpci.so.3", NULL };

/* Where distributions put the list, below a recorded tree. */
static const char *const list_paths[] = { "/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids" };

struct pci_names {
	struct pci_access *access;
	const char *no_list;	/* why there is no list; NULL when there is one */
	const char *failure;	/* what libpci gave up with; NULL: it works */
};

/* libpci's callbacks carry no context. */
static jmp_buf escape;
static char last_words[200];

static PRINTF_LIKE(1, 2) NORETURN void on_error(char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(last_words, sizeof(last_words), format, args);
	va_end(args);
	last_words[strcspn(last_words, "\n")] = '\0';
	longjmp(escape, 1);
}

/* Its default prints to stderr. */
static PRINTF_LIKE(1, 2) void on_message(char *format, ...)
{
	(void)format;
}

/* Calls into libpci; false when it gave up in there. What it held then is lost, but this process is short-lived. */
static bool guarded(void (*call)(void *data), void *data)
{
	if (setjmp(escape))
		return false;
	call(data);
	return true;
}

/* A recorded machine's own list, so that its replay does not depend on where it is replayed. */
static void use_list_of_tree(struct pci_names *names, struct probe_env *env, struct arena *arena)
{
	STRBUF_AUTO path = STRBUF_INIT;
	char first;
	size_t len;

	if (root_is_live(env->root) || !set_name_list_path)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(list_paths); i++) {
		/* libpci knows of no tree: a link in it would lead out. */
		const char *inside = resolved_path(env, arena, list_paths[i]);

		/* Not only there but a file: libpci would wait at a fifo for ever. */
		if (!inside || root_read_bytes(env->root, &first, sizeof(first), &len, "%s", inside))
			continue;
		strbuf_addf(&path, "%s%s", env->root->path, inside);
		set_name_list_path(names->access, strbuf_detach(&path), 1);
		return;
	}
}

static void load_list(void *data)
{
	struct pci_names *names = data;

	if (load_name_list && !load_name_list(names->access))
		names->no_list = "cannot be read";
}

struct pci_names *pci_names_open(struct probe_env *env, struct sink *sink, struct arena *arena, const char **ret_why)
{
	char why[LIBRARY_WHY_BYTES];
	struct pci_names *names;

	sink_step(sink, "dlopen libpci.so.3");
	if (library_open(library_names, symbols, NULL, why)) {
		*ret_why = arena_strdup(arena, why);
		return NULL;
	}
	names = xcalloc(1, sizeof(*names));
	names->access = alloc_access();
	names->access->error = on_error;
	names->access->warning = on_message;
	names->access->debug = on_message;
	use_list_of_tree(names, env, arena);
	sink_step(sink, "pci_load_name_list");
	if (!guarded(load_list, names))
		names->failure = arena_printf(arena, "libpci gave up: %s", last_words);
	else if (names->no_list)
		names->no_list = arena_printf(arena, "%s: %s", names->access->id_file_name, names->no_list);
	sink_step(sink, "pci_lookup_name");
	return names;
}

void pci_names_close(struct pci_names *names)
{
	if (!names)
		return;
	if (!names->failure)
		cleanup_access(names->access);
	free(names);
}

struct lookup {
	struct pci_access *access;
	uint64_t vendor, device;
	char text[256];
	const char *model;	/* in text, or NULL */
};

/* A vendor's name with "Device 2330" is worth having, a mere "Device 10de:2330" is not. */
static void look_up(void *data)
{
	enum { SOME_VENDOR = PCI_LOOKUP_VENDOR | PCI_LOOKUP_NO_NUMBERS, WHOLE = PCI_LOOKUP_VENDOR | PCI_LOOKUP_DEVICE };
	struct lookup *lookup = data;
	int size = (int)sizeof(lookup->text);

	if (lookup_name(lookup->access, lookup->text, size, SOME_VENDOR, (int)lookup->vendor))
		lookup->model = lookup_name(lookup->access, lookup->text, size, WHOLE, (int)lookup->vendor,
					    (int)lookup->device);
}

struct val_str pci_names_model(struct pci_names *names, struct arena *arena, struct val_str vendor_id,
			       struct val_str device_id)
{
	struct lookup lookup = { .access = names->access };

	if (!is_known(vendor_id))
		return vendor_id;
	if (!is_known(device_id))
		return device_id;
	if (parse_u64(str_or(vendor_id, ""), &lookup.vendor) || parse_u64(str_or(device_id, ""), &lookup.device))
		return no_str(VAL_ERROR, "no PCI id");
	if (!names->failure && !guarded(look_up, &lookup))
		names->failure = arena_printf(arena, "libpci gave up: %s", last_words);
	if (names->failure)
		return no_str(VAL_ERROR, names->failure);
	if (!lookup.model)
		return no_str(VAL_ABSENT, names->no_list ? names->no_list : "not in pci.ids");
	return val_str(arena_strdup(arena, lookup.model));
}
