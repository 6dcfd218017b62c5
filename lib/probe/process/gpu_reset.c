// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/process/gpu_reset.h"

#include "base/text.h"
#include "probe/process/proc_stat.h"
#include "probe/read.h"
#include "sys/clock.h"

enum {
	ARGUMENTS_BYTES = 1024,		/* a reset has a few words */
	LOOKS = 10, LOOK_NS = 50000000,	/* at one that sleeps uninterruptibly, which a reset does for moments */
};

static const struct reset_program {
	const char *comm;
	const char *options[2];
	bool has_commands;		/* whose options are theirs: "nvidia-smi nvlink -r 0" clears counters */
	struct gpu_reset resets;
} programs[] = {
	{ "nvidia-smi", { "-r", "--gpu-reset" }, true, { "nvidia", "NVIDIA's GPUs" } },
	{ "xpu-smi", { "--reset" }, false, { "xe", "Intel's GPUs" } },
	{ "xpumcli", { "--reset" }, false, { "xe", "Intel's GPUs" } },
};

static const struct reset_program *find_program(const char *comm)
{
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		if (!strcmp(programs[i].comm, comm))
			return &programs[i];
	return NULL;
}

bool gpu_reset_is_program(const char *comm)
{
	return find_program(comm);
}

static bool is_option(const struct reset_program *program, const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(program->options); i++)
		if (program->options[i] && !strcmp(program->options[i], word))
			return true;
	return false;
}

struct gpu_reset gpu_reset_by_arguments(const char *comm, const char *arguments, size_t len)
{
	const struct reset_program *program = find_program(comm);
	size_t nr = 0;

	/* A word that is cut at the end is none. */
	for (size_t at = 0; program && memchr(arguments + at, '\0', len - at); at += strlen(arguments + at) + 1, nr++) {
		const char *word = arguments + at;

		if (nr == 1 && program->has_commands && *word != '-')
			break;
		if (nr && is_option(program, word))
			return program->resets;
	}
	return (struct gpu_reset){ NULL, NULL };
}

static bool sleeps_for_good(struct probe_env *env, uint64_t pid)
{
	struct proc_stat stat;

	for (unsigned look = 0; look < LOOKS; look++) {
		if (proc_stat_read(env->root, &stat, "/proc/%llu/stat", (unsigned long long)pid))
			return true;
		if (stat.state != 'D')
			return false;
		if (!root_is_live(env->root))
			return true;
		clock_sleep_ns(LOOK_NS);
	}
	return true;
}

struct gpu_reset gpu_reset_by_program(struct probe_env *env, uint64_t pid, const char *comm)
{
	char arguments[ARGUMENTS_BYTES];
	size_t len;

	if (sleeps_for_good(env, pid) || root_read_bytes(env->root, arguments, sizeof(arguments), &len,
							 "/proc/%llu/cmdline", (unsigned long long)pid))
		return (struct gpu_reset){ NULL, NULL };
	return gpu_reset_by_arguments(comm, arguments, len);
}

/* ---- by files */

static bool ends_with(const char *text, const char *end)
{
	const size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && !strcmp(text + len - end_len, end);
}

/* Class 0x03, a display, or 0x12, an accelerator. */
static bool is_gpu(struct probe_env *env, struct arena *arena, const char *address)
{
	const char *class = str_or(read_str(env, arena, "/sys/bus/pci/devices/%s/class", address), "");

	return !strncmp(class, "0x03", strlen("0x03")) || !strncmp(class, "0x12", strlen("0x12"));
}

static struct gpu_reset reset_on_bus(struct probe_env *env, struct arena *arena, const char *name)
{
	static const struct {
		const char *vendor, *driver;
	} makers[] = { { "0x10de", "nvidia" }, { "0x1002", "amdgpu" }, { "0x8086", "xe" } };
	const char *end = name + strlen(name) - strlen("/reset"), *begin = end;
	const char *address, *vendor;

	while (begin > name && begin[-1] != '/')
		begin--;
	address = arena_strndup(arena, begin, (size_t)(end - begin));
	if (!is_gpu(env, arena, address))
		return (struct gpu_reset){ NULL, NULL };
	vendor = str_or(read_str(env, arena, "/sys/bus/pci/devices/%s/vendor", address), "");
	for (size_t i = 0; i < ARRAY_SIZE(makers); i++)
		if (!strcmp(makers[i].vendor, vendor))
			return (struct gpu_reset){ makers[i].driver, arena_printf(arena, "GPU %s", address) };
	return (struct gpu_reset){ NULL, NULL };
}

struct gpu_reset gpu_reset_by_file(struct probe_env *env, struct arena *arena, const char *name)
{
	if (strncmp(name, "/sys/", strlen("/sys/")) != 0)
		return (struct gpu_reset){ NULL, NULL };
	/* amdgpu_debugfs_gpu_recover: reading it resets, and comes back when that is done. */
	if (ends_with(name, "/amdgpu_gpu_recover"))
		return (struct gpu_reset){ "amdgpu", "AMD's GPUs" };
	/* The same of any function of the bus, by writing it (drivers/pci/pci-sysfs.c). */
	if (!strncmp(name, "/sys/devices/", strlen("/sys/devices/")) && ends_with(name, "/reset"))
		return reset_on_bus(env, arena, name);
	return (struct gpu_reset){ NULL, NULL };
}
