// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gpu_files.c - probe "gpu-files": what the driver of one GPU tells of it in
 * files. One worker for each GPU, as these files answer from inside the
 * driver and hang with it.
 */
#include "base/compat.h"

#include "probe/gpu_nodes.h"
#include "probe/pci_function.h"
#include "probe/probe_table.h"
#include "probe/proc_file.h"
#include "probe/read.h"
#include "snapshot/under_test.h"

#define NOT_LISTED "the driver does not list this GPU"

/* Before it was first opened the driver writes question marks. */
static struct val_str once_opened(struct val_str value)
{
	if (is_known(value) && strchr(str_or(value, ""), '?'))
		return no_str(VAL_ABSENT, "not known before the driver opened the GPU");
	return value;
}

static struct val_str firmware_of(struct val_str value)
{
	return str_is(value, "N/A") ? no_str(VAL_ABSENT, "runs none") : value;
}

static struct val_bool yes_or_no(struct arena *arena, struct val_str value)
{
	if (!is_known(value))
		return no_bool(value.state, value.why);
	if (str_is(value, "Yes") || str_is(value, "No"))
		return val_bool(str_is(value, "Yes"));
	return no_bool(VAL_ERROR, arena_printf(arena, "reads \"%.40s\"", str_or(value, "")));
}

/* A card as whoever reads its files has to know it. */
struct card {
	struct probe_env *env;
	struct sink *sink;
	struct arena arena;
	enum val_state untouched;	/* VAL_UNSET: its files may be read */
	const char *why;
};

/*
 * What amdgpu answers instead of a value: EPERM while the card sleeps, EBUSY
 * while it is reset, the others where this card has no such thing
 * (Linux 7.2 drivers/gpu/drm/amd/pm/amdgpu_pm.c).
 */
static struct val_head amdgpu_reason(struct card *card, enum val_state state, const char *why)
{
	static const char *const unsupported[] = { "EINVAL", "ENODEV", "ENODATA", "EOPNOTSUPP" };
	struct pci_function now = { 0 };

	if (!strcmp(why, "EBUSY"))
		return (struct val_head){ .state = VAL_ERROR, .why = "EBUSY: the driver resets the GPU" };
	for (size_t i = 0; i < ARRAY_SIZE(unsupported); i++)
		if (!strcmp(why, unsupported[i]))
			return (struct val_head){ .state = VAL_UNSUPPORTED, .why = why };
	if (!strcmp(why, "EPERM")) {
		/* It fell asleep since we looked. */
		now.runtime_status = read_str(card->env, &card->arena, PCI_DEVICES "/%s/power/runtime_status",
					      card->env->target);
		if (pci_function_is_asleep(&card->arena, &now, &why))
			state = VAL_ASLEEP;
	}
	return (struct val_head){ .state = state, .why = why };
}

static void step_file(const struct card *card, const char *file)
{
	char call[96];

	snprintf(call, sizeof(call), "read %s of %s", file, card->env->target);
	sink_step(card->sink, call);
}

static struct val_str read_text(struct card *card, const char *file)
{
	struct val_str value;
	struct val_head head;

	if (card->untouched != VAL_UNSET)
		return no_str(card->untouched, card->why);
	step_file(card, file);
	value = read_str(card->env, &card->arena, PCI_DEVICES "/%s/%s", card->env->target, file);
	if (is_known(value))
		return value;
	head = amdgpu_reason(card, value.state, value.why);
	return no_str(head.state, head.why);
}

static struct val_u64 read_bytes(struct card *card, const char *file)
{
	struct val_u64 value;
	struct val_head head;

	if (card->untouched != VAL_UNSET)
		return no_u64(card->untouched, card->why);
	step_file(card, file);
	value = read_u64(card->env, &card->arena, PCI_DEVICES "/%s/%s", card->env->target, file);
	if (is_known(value))
		return value;
	head = amdgpu_reason(card, value.state, value.why);
	return no_u64(head.state, head.why);
}

/* Drivers wake a card that sleeps before they answer, amdgpu in kernels up to 6.x: then its files are not read. */
static void look_whether_asleep(struct card *card)
{
	struct pci_function now = { 0 };

	now.runtime_status = read_str(card->env, &card->arena, PCI_DEVICES "/%s/power/runtime_status",
				      card->env->target);
	now.power_state = read_str(card->env, &card->arena, PCI_DEVICES "/%s/power_state", card->env->target);
	if (pci_function_is_asleep(&card->arena, &now, &card->why))
		card->untouched = VAL_ASLEEP;
	else if (!pci_function_may_sleep(&card->arena, &now, &card->untouched, &card->why))
		card->untouched = VAL_UNSET;
}

static void set_no_nvidia(struct nvidia_files *files, enum val_state state, const char *why)
{
	files->model = files->uuid = files->vbios = files->firmware = no_str(state, why);
	files->minor = no_u64(state, why);
	files->excluded = no_bool(state, why);
}

/* The driver wakes a GPU that sleeps before it answers (nv-procfs.c of its open modules). */
static void read_nvidia(struct card *card, struct nvidia_files *files)
{
	struct probe_env *env = card->env;
	struct arena *arena = &card->arena;
	PROC_FILE_AUTO information = PROC_FILE_INIT;
	char path[160];

	look_whether_asleep(card);
	if (card->untouched != VAL_UNSET) {
		set_no_nvidia(files, card->untouched, card->why);
		return;
	}
	snprintf(path, sizeof(path), NVIDIA_GPUS "/%.64s/information", env->target);
	sink_step(card->sink, path);
	proc_file_read(env, &information, 0, path);
	if (information.state == VAL_ABSENT)
		information.why = NOT_LISTED;
	files->model = proc_file_str(&information, arena, "Model");
	files->uuid = once_opened(proc_file_str(&information, arena, "GPU UUID"));
	files->vbios = once_opened(proc_file_str(&information, arena, "Video BIOS"));
	files->firmware = firmware_of(proc_file_str(&information, arena, "GPU Firmware"));
	files->minor = proc_file_u64(&information, arena, "Device Minor", 1);
	files->excluded = yes_or_no(arena, proc_file_str(&information, arena, "GPU Excluded"));
}

static void read_amdgpu(struct card *card, struct amdgpu_files *files)
{
	look_whether_asleep(card);
	files->serial = read_text(card, "serial_number");
	files->unique_id = read_text(card, "unique_id");
	files->vbios = read_text(card, "vbios_version");
	files->product = read_text(card, "product_name");
	files->vram_total_bytes = read_bytes(card, "mem_info_vram_total");
	files->vram_used_bytes = read_bytes(card, "mem_info_vram_used");
	files->visible_vram_bytes = read_bytes(card, "mem_info_vis_vram_total");
}

static int run(struct probe_env *env, struct sink *sink)
{
	struct gpu *gpu = list_element(&sink->facts.arena, &sink->facts, gpus, gpu, env->target);
	struct val_str driver = read_link_name(env, &sink->facts.arena, PCI_DEVICES "/%s/driver", env->target);
	struct card card = { .env = env, .sink = sink };
	int status;

	if (str_is(driver, "nvidia"))
		read_nvidia(&card, &gpu->nvidia);
	else if (str_is(driver, "amdgpu"))
		read_amdgpu(&card, &gpu->amdgpu);
	status = sink_end(sink, PROBE_OK, NULL);
	arena_release(&card.arena);
	return status;
}

static void targets(const struct snapshot *snapshot, struct arena *arena, struct strs *ret)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];

		if (gpu_role(snapshot, gpu) != GPU_ROLE_NOT_OURS &&
		    (str_is(gpu->pci.driver, "nvidia") || str_is(gpu->pci.driver, "amdgpu")))
			strs_add(arena, ret, str_or(gpu->key, ""));
	}
}

const struct probe probe_gpu_files = {
	.name = "gpu-files",
	.help = "identity and memory of a GPU, as its driver tells them in files; leaves what sleeps alone",
	.phase = PHASE_DEVICE_FILES,
	.touches = TOUCHES_FILES,
	.live_only = false,
	.takes_driver_root = false,
	.target_is_prefix = false,
	.deadline_ms = 2000,
	.provides = (const char *const[]){ "gpus.nvidia", "gpus.amdgpu", NULL },
	.targets = targets,
	.environment = NULL,
	.run = run,
};
