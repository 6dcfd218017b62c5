// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/strbuf.h"
#include "eval/facts/holders.h"
#include "eval/facts/upgrade.h"
#include "eval/judge/selection.h"
#include "snapshot/gpus.h"
#include "snapshot/node.h"
#include "snapshot/under_test.h"

/*
 * Services that keep NVIDIA's module in use all day, in the order in which they are stopped: what asks others first,
 * what serves all last. Program as the kernel cuts its name, and the unit that its package brings; "": a pod has it.
 */
static const struct service {
	const char *program, *unit, *name;
} services[] = {
	{ .program = "dcgm-exporter", .unit = "", .name = "dcgm-exporter" },
	{ .program = "nvidia-device-p", .unit = "", .name = "nvidia-device-plugin" },
	{ .program = "gpu-feature-dis", .unit = "", .name = "gpu-feature-discovery" },
	{ .program = "nv-hostengine", .unit = "nvidia-dcgm", .name = "nv-hostengine" },
	{ .program = "nvidia-imex", .unit = "nvidia-imex", .name = "nvidia-imex" },
	{ .program = "nv-fabricmanage", .unit = "nvidia-fabricmanager", .name = "nv-fabricmanager" },
	{ .program = "Xorg", .unit = "display-manager", .name = "Xorg" },
	{ .program = "gnome-shell", .unit = "display-manager", .name = "gnome-shell" },
	{ .program = "kwin_wayland", .unit = "display-manager", .name = "kwin_wayland" },
	{ .program = "nvidia-cuda-mps", .unit = "", .name = "the MPS daemon" },
	{ .program = "nvidia-persiste", .unit = "nvidia-persistenced", .name = "nvidia-persistenced" },
};

/* In the order in which they can be unloaded: each before those it uses. */
static const char *const unloaded[] = {
	"gdrdrv", "nv_peer_mem", "nvidia_fs", "nvidia_peermem", "nvidia_uvm", "nvidia_drm", "nvidia_modeset", "nvidia",
};

static void add_word(struct strbuf *words, const char *between, const char *word)
{
	strbuf_addf(words, "%s%s", words->len ? between : "", word);
}

static bool is_of_nvidia(const struct snapshot *snapshot, const struct holder *holder)
{
	const struct gpu *gpu = gpu_at(snapshot, str_or(holder->gpu, NULL));

	return !strncmp(str_or(holder->node, ""), "/dev/nvidia", strlen("/dev/nvidia")) ||
	       (gpu && str_is(gpu->pci.driver, "nvidia"));
}

/* Does that program run, or hold one of the driver's nodes? The kernel cuts names to 15 characters. */
static bool is_running(const struct snapshot *snapshot, const struct service *service)
{
	for (size_t i = 0; i < snapshot->nr_holders; i++)
		if (is_of_nvidia(snapshot, &snapshot->holders[i]) &&
		    str_is(snapshot->holders[i].comm, service->program))
			return true;
	for (size_t i = 0; i < snapshot->nr_daemons; i++)
		if (!strncmp(str_or(snapshot->daemons[i].comm, ""), service->program, strlen(service->program)))
			return true;
	return false;
}

/* {services} in words, {units} for systemctl. */
static size_t say_services(struct judgement *j)
{
	STRBUF_AUTO names = STRBUF_INIT;
	STRBUF_AUTO units = STRBUF_INIT;
	const char *last = "";
	size_t nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(services); i++) {
		if (!is_running(j->snapshot, &services[i]))
			continue;
		nr++;
		add_word(&names, ", ", services[i].name);
		if (*services[i].unit && strcmp(last, services[i].unit) != 0)
			add_word(&units, " ", last = services[i].unit);
	}
	if (!nr)
		return 0;
	derive_str(j, "services", arena_strdup(j->arena, names.buf), "/proc");
	phrase(j, "to_stop", nr == 1 ? arena_printf(j->arena, "%s must be stopped", names.buf) :
				       arena_printf(j->arena, "these must be stopped, in this order: %s", names.buf));
	if (units.len)
		derive_str(j, "units", arena_strdup(j->arena, units.buf), "units of NVIDIA's packages");
	return nr;
}

/* What to unload, of what is loaded. */
static void say_modules(struct judgement *j)
{
	STRBUF_AUTO words = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(unloaded); i++)
		if (list_find(j->snapshot, modules, module, unloaded[i]))
			add_word(&words, " ", unloaded[i]);
	derive_str(j, "unload", arena_strdup(j->arena, words.buf), "/sys/module");
}

/* Whoever holds a GPU that is judged gpu-drained names, and judges by what he has of it. */
static bool is_told_by_drained(const struct snapshot *snapshot, const struct holding *holding)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];

		if (gpu_is_under_test(snapshot, gpu) && gpu_role(snapshot, gpu) != GPU_ROLE_PASSED_THROUGH &&
		    is_known(gpu->pci.driver) && (holding->may_be_any || holding_has(holding, str_or(gpu->key, ""))))
			return true;
	}
	return false;
}

/* Other programs: their work ends when the driver goes. {beside}: there are some, which another check names. */
static size_t say_others(struct judgement *j)
{
	enum { MAX_NAMED = 3 };
	struct holding_list holdings;
	STRBUF_AUTO words = STRBUF_INIT;
	size_t nr = 0, nr_told = 0;
	bool drained = gate_check_is_selected(&j->snapshot->request, "gpu-drained");

	holdings_of(j->arena, j->snapshot, &holdings);
	for (size_t i = 0; i < holdings.nr; i++) {
		if (!is_of_nvidia(j->snapshot, &holdings.items[i].all) || holder_is_idle(&holdings.items[i].all))
			continue;
		if (drained && is_told_by_drained(j->snapshot, &holdings.items[i]))
			nr_told++;
		else if (nr++ < MAX_NAMED)
			add_word(&words, ", ", holding_words(j->arena, &holdings.items[i]));
	}
	if (nr > MAX_NAMED)
		strbuf_addf(&words, " and %zu more", nr - MAX_NAMED);
	if (nr)
		derive_str(j, "others", arena_strdup(j->arena, words.buf), "/proc/PID/fd");
	phrase(j, "beside", nr_told ? " except the GPUs' jobs (gpu-drained)" : "");
	return nr;
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	const struct module *nvidia = nvidia_module(snapshot);
	const char *why = not_of_packages(j->arena, snapshot), *hidden;
	size_t nr_services, nr_others;

	if (why || !is_known(snapshot->request.to_driver) || !nvidia) {
		skip_check(j, why				       ? why :
			      !is_known(snapshot->request.to_driver)   ? "no other driver requested (--to-driver)" :
									 "NVIDIA's module is not loaded");
		return;
	}
	need(j, processes, &snapshot->processes, seen);
	want(j, module, nvidia, users);
	say_modules(j);
	nr_services = say_services(j);
	nr_others = say_others(j);
	hidden = holders_hidden(j->arena, snapshot);
	phrase(j, "hidden", hidden ? arena_printf(j->arena, " There may be more: %s.", hidden) : "");
	if (nr_services)
		finding_add(j, MODULE_HOLDERS_SERVICES);
	if (nr_others)
		finding_add(j, MODULE_HOLDERS_WORK);
	if (!nr_services && !nr_others && hidden)
		unknown(j, arena_printf(j->arena, "the module's users are not visible: %s", hidden));
}

const struct check check_module_holders = {
	.name = "module-holders",
	.title = "Module users",
	.doc = "Before another driver is put on (--to-driver): which services and programs must be stopped, in which "
	       "order, before NVIDIA's module can be unloaded and another loaded without a reboot? Notes only. "
	       "Programs on a GPU under test are reported by gpu-drained only.",
	.per = SUBJECT_NODE,
	.says = "NVIDIA's module is not in use{beside}",
	.may_emit = IDS(MODULE_HOLDERS_SERVICES, MODULE_HOLDERS_WORK),
	.eval = eval,
};
