// SPDX-License-Identifier: GPL-2.0-or-later
/* What probes may write: of a record that they fill field by field, each field has a probe that fills it. */
#include "base/compat.h"
#include "probe/probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "probe/probe_table.h"
#include "snapshot/snapshot.h"

/* Is the field at path, or something above it, in a probe's list? */
static bool is_provided(const char *path)
{
	for (const struct probe *const *probe = probes; *probe; probe++) {
		for (const char *const *p = (*probe)->provides; *p; p++) {
			size_t len = strlen(*p);

			if (!strncmp(path, *p, len) && (!path[len] || path[len] == '.'))
				return true;
		}
	}
	return false;
}

/* Is there a probe that may write something below path? */
static bool is_divided(const char *path)
{
	for (const struct probe *const *probe = probes; *probe; probe++) {
		for (const char *const *p = (*probe)->provides; *p; p++) {
			size_t len = strlen(path);

			if (!strncmp(*p, path, len) && (*p)[len] == '.')
				return true;
		}
	}
	return false;
}

/* What a list's elements go by: whoever may write to an element may write it. */
static bool is_key(const struct field *field)
{
	return field->offset == 0 && field->kind == FIELD_STR && !strcmp(field->name, "key");
}

/* What no probe reads: another tool's verdict, or its words for what lies between GPUs. */
static bool is_of_dumps(const char *path)
{
	static const char *const dumped[] = { "rocm.init", "rocm.gpus", "gpus.diagnostics", "gpus.paths",
					      "gpus.pci.link_is_narrowed", "disks.self_assessment",
					      "network_interfaces.counted_s", "network_interfaces.link_trouble",
					      "disks.pending_sectors", "disks.unreadable_sectors", "disks.self_test",
					      "gpus.power_limit_asked" };

	return text_is_any(path, dumped, ARRAY_SIZE(dumped));
}

/* Returns the number of fields below record that no probe may write; names them on the way. */
static size_t count_forgotten(const struct record *record, const char *path)
{
	size_t ret = 0;

	for (size_t i = 0; i < record->nr; i++) {
		const struct field *field = &record->fields[i];
		STRBUF_AUTO below = STRBUF_INIT;

		strbuf_addf(&below, "%s%s%s", path, *path ? "." : "", field->name);
		if (is_provided(below.buf) || is_key(field) || is_of_dumps(below.buf))
			continue;
		if (is_divided(below.buf)) {
			ret += count_forgotten(field->record, below.buf);
		} else if (*path) {
			print_error("%s: no probe may write it; a worker that does is told to be garbled\n", below.buf);
			ret++;
		}
	}
	return ret;
}

static void each_field_has_its_probe(void **state)
{
	(void)state;
	assert_false(is_provided("gpus.nothing_of_the_kind"));
	assert_int_equal(count_forgotten(&record_snapshot, ""), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(each_field_has_its_probe) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
