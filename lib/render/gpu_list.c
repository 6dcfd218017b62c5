// SPDX-License-Identifier: GPL-2.0-or-later
/* gpu_list.c - the GPUs of a snapshot, a line each. */
#include "base/compat.h"
#include "render/render.h"

#include "eval/judge/subject.h"
#include "render/table.h"

enum { INDEX, ADDRESS, NAME, UUID, SERIAL, DRIVER, ROLE, NR_COLUMNS };

static const struct table_column columns[NR_COLUMNS] = {
	[INDEX] = { .head = "GPU", .right = true },
	[ADDRESS] = { .head = "address" },
	[NAME] = { .head = "name" },
	[UUID] = { .head = "UUID" },
	[SERIAL] = { .head = "serial" },
	[DRIVER] = { .head = "driver" },
	[ROLE] = { .head = "" },
};

/* The value, or in a word or two why it is unknown. */
static const char *cell(struct arena *arena, struct val_str value)
{
	switch (value.state) {
	case VAL_OK:
		return str_or(value, "");
	case VAL_ABSENT:
		return "none";
	case VAL_UNSUPPORTED:
		return "not supported";
	case VAL_DENIED:
		return "permission denied";
	case VAL_ASLEEP:
		return "suspended";
	case VAL_LOST:
		return "GPU lost";
	case VAL_TIMEOUT:
		return "timed out";
	case VAL_ERROR:
		return arena_printf(arena, "failed: %s", value.why ? value.why : "no reason");
	case VAL_SKIPPED:
		return "not collected";
	default:	/* nothing here tells it */
		return "-";
	}
}

static const char *driver(struct arena *arena, const struct snapshot *snapshot, const struct gpu *gpu)
{
	const char *name = cell(arena, gpu->pci.driver);
	const struct module *module = list_find(snapshot, modules, module, name);

	if (!module || !is_known(module->version))
		return name;
	return arena_printf(arena, "%s %s", name, str_or(module->version, ""));
}

static void add(struct table *table, const struct term_writer *term, const struct snapshot *snapshot,
		const struct gpu *gpu)
{
	enum gpu_role role = gpu_role(snapshot, gpu);
	const char *const cells[NR_COLUMNS] = {
		[INDEX] = arena_printf(table->arena, "%zu", gpu_number(snapshot, gpu)),
		[ADDRESS] = str_or(gpu->key, "?"),
		[NAME] = gpu_model(table->arena, gpu),
		[UUID] = cell(table->arena, gpu_uuid(snapshot, gpu)),
		[SERIAL] = cell(table->arena, gpu_serial(gpu)),
		[DRIVER] = driver(table->arena, snapshot, gpu),
		[ROLE] = role == GPU_ROLE_GPU ? "" : gpu_role_name(role),
	};

	table_add(table, term, cells);
}

/* Those under test come first, by their numbers. */
void render_gpu_list(struct strbuf *out, const struct snapshot *snapshot, const struct render_options *options)
{
	struct arena arena = { .blocks = NULL };
	struct term_writer term;
	struct table table;

	term_open(&term, out, options);
	table_open(&table, &arena, &term, columns, NR_COLUMNS, 0);
	for (int under_test = 1; under_test >= 0; under_test--)
		for (size_t i = 0; i < snapshot->nr_gpus; i++)
			if (gpu_is_under_test(snapshot, &snapshot->gpus[i]) == (bool)under_test)
				add(&table, &term, snapshot, &snapshot->gpus[i]);
	table_put(&table, &term);
	arena_release(&arena);
}
