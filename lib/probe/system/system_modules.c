// SPDX-License-Identifier: GPL-2.0-or-later
/* system_modules.c - kernel modules that drive GPUs or move their data. */
#include "base/compat.h"
#include "probe/system/system_internal.h"

#include "format/nvidia_text.h"
#include "probe/read.h"
#include "probe/system/module_file.h"

#define MODULES "/sys/module"
#define NVIDIA_VERSION "/proc/driver/nvidia/version"
#define NVIDIA_PARAMETERS "/proc/driver/nvidia/params"

/* By name; one that ends in _ stands for all that begin so. */
static const char *const module_names[] = {
	/* GPUs */
	"nvidia", "nvidia_", "nouveau", "nova_core", "amdgpu", "amdkcl", "amdkfd", "radeon", "i915", "xe", "habanalabs",
	"vfio_pci", "vfio_pci_core", "nvgrace_gpu_vfio_pci", "xe_vfio_pci",
	/* their memory, given to network cards */
	"gdrdrv", "nv_peer_mem", "nvidia_fs", "amdp2p", "ib_peer_mem", "knem", "xpmem",
	/* RDMA */
	"ib_core", "ib_uverbs", "rdma_cm", "rdma_ucm", "mlx4_core", "mlx4_ib", "mlx5_core", "mlx5_ib", "irdma", "i40iw",
	"bnxt_re", "qedr", "cxgb4", "efa", "erdma", "mana_ib", "ionic_rdma", "hfi1", "rdma_rxe", "siw",
};

static bool is_wanted(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(module_names); i++) {
		size_t len = strlen(module_names[i]);

		if (!strncmp(name, module_names[i], len) && (!name[len] || module_names[i][len - 1] == '_'))
			return true;
	}
	return false;
}

static void read_module(struct probe_env *env, struct snapshot *facts, const char *name)
{
	struct arena *arena = &facts->arena;
	struct module *module = list_element(arena, facts, modules, module, name);

	module->version = checked_version(arena, read_str(env, arena, MODULES "/%s/version", name));
	module->source_version = read_str(env, arena, MODULES "/%s/srcversion", name);
	module->taint = read_str(env, arena, MODULES "/%s/taint", name);
	/* The kernel writes an empty line where there is none. */
	if (module->taint.state == VAL_ABSENT && !strcmp(module->taint.why, "empty"))
		module->taint = val_str("");
	module->users = read_u64(env, arena, MODULES "/%s/refcnt", name);
}

/* Without ModifyDeviceFiles nobody makes its nodes; without NVLink no switch is served (NVIDIA's nv-reg.h). */
static void read_parameters(struct probe_env *env, struct arena *arena, struct module *nvidia)
{
	static const char *const names[] = { "ModifyDeviceFiles", "NvLinkDisable" };
	PROC_TEXT_AUTO file = PROC_TEXT_INIT;

	proc_text_read(env, &file, 0, NVIDIA_PARAMETERS);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct val_str value = proc_text_str(&file, arena, names[i]);

		if (is_known(value))
			strs_add(arena, &nvidia->parameters, arena_printf(arena, "%s=%s", names[i], str_or(value, "")));
	}
}

/*
 * NVIDIA's own word. It also speaks for the module where /sys/module does not:
 * in containers that hide it, and where a distribution packs the module under
 * another name (nvidia_current).
 */
static void read_nvidia(struct probe_env *env, struct snapshot *facts)
{
	struct arena *arena = &facts->arena;
	struct val_str text = read_str(env, arena, NVIDIA_VERSION), version;
	struct module *nvidia = list_find(facts, modules, module, "nvidia");

	if (nvidia)
		nvidia->version = checked_driver_version(arena, nvidia->version);
	if (is_known(text)) {
		nvidia = list_element(arena, facts, modules, module, "nvidia");
		nvidia_version_parse(arena, str_or(text, ""), &version, &nvidia->flavour);
		if (!is_known(nvidia->version))
			nvidia->version = version;
	} else if (nvidia) {
		nvidia->flavour = no_str(text.state, text.why);
	}
	if (!nvidia)
		return;
	nvidia->disk_version = checked_version(arena, module_disk_version(env, arena, "nvidia"));
	read_parameters(env, arena, nvidia);
}

void system_modules_read(struct probe_env *env, struct snapshot *facts)
{
	struct name_list names = { 0 };
	int error = root_list(env->root, &names, MODULES);

	for (size_t i = 0; i < names.nr; i++) {
		if (is_wanted(names.names[i]))
			read_module(env, facts, names.names[i]);
	}
	name_list_release(&names);
	read_nvidia(env, facts);
	facts->listed.modules = listed_of(env, facts->nr_modules, error);
}
