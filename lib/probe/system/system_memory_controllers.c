// SPDX-License-Identifier: GPL-2.0-or-later
/* system_memory_controllers.c - counters of memory errors (EDAC, Documentation/ABI/testing/sysfs-devices-edac). */
#include "base/compat.h"
#include "probe/system/system_internal.h"

#include "base/text.h"
#include "probe/read.h"

#define CONTROLLERS "/sys/devices/system/edac/mc"

static bool is_numbered(const char *name, const char *prefix)
{
	uint64_t number;

	return !strncmp(name, prefix, strlen(prefix)) && !parse_u64(name + strlen(prefix), &number);
}

/* A controller's modules are its folders dimmN, or rankN where the driver cannot tell modules. */
static bool is_module(const char *name)
{
	return is_numbered(name, "dimm") || is_numbered(name, "rank");
}

/* One uncorrected error weighs more than any number of corrected ones. */
struct module_errors {
	uint64_t uncorrected, corrected;
};

static struct module_errors read_module(struct probe_env *env, struct arena *arena, const char *controller,
					const char *module)
{
	const char *folder = arena_printf(arena, CONTROLLERS "/%s/%s", controller, module);

	return (struct module_errors){
		.uncorrected = u64_or(read_u64(env, arena, "%s/dimm_ue_count", folder), 0),
		.corrected = u64_or(read_u64(env, arena, "%s/dimm_ce_count", folder), 0),
	};
}

static bool is_worse(struct module_errors a, struct module_errors b)
{
	return a.uncorrected != b.uncorrected ? a.uncorrected > b.uncorrected : a.corrected > b.corrected;
}

static struct val_str find_worst(struct probe_env *env, struct arena *arena, const char *controller)
{
	struct module_errors worst = { 0 };
	struct name_list names = { 0 };
	struct val_str label = no_str(VAL_ABSENT, "no module counts errors of its own");
	int error = root_list(env->root, &names, CONTROLLERS "/%s", controller);

	if (error)
		label = no_str(state_of_errno(error), name_of_errno(error));
	for (size_t i = 0; i < names.nr; i++) {
		struct module_errors errors;

		if (!is_module(names.names[i]))
			continue;
		errors = read_module(env, arena, controller, names.names[i]);
		if (!is_worse(errors, worst))
			continue;
		worst = errors;
		label = read_str(env, arena, CONTROLLERS "/%s/%s/dimm_label", controller, names.names[i]);
		if (!is_known(label))
			label = val_str(arena_strdup(arena, names.names[i]));
	}
	name_list_release(&names);
	return label;
}

static void read_controller(struct probe_env *env, struct snapshot *facts, const char *name)
{
	struct arena *arena = &facts->arena;
	struct memory_controller *controller =
		list_element(arena, facts, memory_controllers, memory_controller, name);

	controller->name = read_str(env, arena, CONTROLLERS "/%s/mc_name", name);
	controller->corrected_errors = read_u64(env, arena, CONTROLLERS "/%s/ce_count", name);
	controller->uncorrected_errors = read_u64(env, arena, CONTROLLERS "/%s/ue_count", name);
	controller->counting_s = read_u64(env, arena, CONTROLLERS "/%s/seconds_since_reset", name);
	controller->worst_module = no_str(VAL_ABSENT, "no errors");
	if (u64_or(controller->corrected_errors, 0) || u64_or(controller->uncorrected_errors, 0))
		controller->worst_module = find_worst(env, arena, name);
}

void system_memory_controllers_read(struct probe_env *env, struct snapshot *facts)
{
	struct name_list names = { 0 };
	int error = root_list(env->root, &names, CONTROLLERS);

	for (size_t i = 0; i < names.nr; i++) {
		if (is_numbered(names.names[i], "mc"))
			read_controller(env, facts, names.names[i]);
	}
	name_list_release(&names);
	facts->listed.memory_controllers = listed_of(env, facts->nr_memory_controllers, error);
}
