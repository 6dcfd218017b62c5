// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvme.c - probe "nvme": the health log of one NVMe controller.
 *
 * Get Log Page by NVME_IOCTL_ADMIN_CMD (linux/nvme_ioctl.h): it reads, and a
 * controller that does not answer costs its timeout. It takes root; without
 * it there is the temperature, which the kernel's hwmon driver tells.
 */
#include "base/compat.h"
#include "probe/probe_table.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/nvme_log.h"
#include "probe/read.h"

#define NVME "/sys/class/nvme"

enum {
	GET_LOG_PAGE = 0x02, HEALTH_LOG = 0x02,
	ALL_NAMESPACES = -1,
	COMMAND_MS = 1500,
	MILLI = 1000,
};

/* 0 or -errno; a positive number is the controller's own status. */
static int get_health_log(const char *path, unsigned char log[NVME_HEALTH_LOG_BYTES])
{
	struct nvme_admin_cmd command = {
		.opcode = GET_LOG_PAGE, .nsid = (uint32_t)ALL_NAMESPACES, .addr = (uintptr_t)log,
		.data_len = NVME_HEALTH_LOG_BYTES, .timeout_ms = COMMAND_MS,
		/* The number of words, less one, above the page's number. */
		.cdw10 = HEALTH_LOG | (NVME_HEALTH_LOG_BYTES / 4 - 1) << 16,
	};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), status;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISCHR(st.st_mode))
		status = -ENODEV;
	else
		status = ioctl(fd, NVME_IOCTL_ADMIN_CMD, &command);
	if (status < 0)
		status = status == -1 ? -errno : status;
	close(fd);
	return status;
}

/* Of a folder that holds hwmonN, in millidegrees: of the controller as a whole. */
static struct val_f64 temperature_below(struct probe_env *env, struct arena *arena, const char *folder)
{
	struct val_f64 ret = no_f64(VAL_ABSENT, "no hwmon");
	struct name_list names = { 0 };

	if (root_list(env->root, &names, "%s", folder))
		return ret;
	for (size_t i = 0; i < names.nr && !is_known(ret); i++) {
		struct val_u64 milli;

		if (strncmp(names.names[i], "hwmon", strlen("hwmon")) != 0 || !strcmp(names.names[i], "hwmon"))
			continue;
		milli = read_u64(env, arena, "%s/%s/temp1_input", folder, names.names[i]);
		ret = is_known(milli) ? val_f64((double)u64_or(milli, 0) / MILLI) : no_f64(milli.state, milli.why);
	}
	name_list_release(&names);
	return ret;
}

/* Newer kernels have it beside the controller, older ones beside its PCI function. */
static struct val_f64 hwmon_temperature(struct probe_env *env, struct arena *arena, const char *name)
{
	struct val_f64 ret = temperature_below(env, arena, arena_printf(arena, NVME "/%s", name));

	return is_known(ret) ? ret : temperature_below(env, arena, arena_printf(arena, NVME "/%s/device/hwmon", name));
}

static void read_health(struct probe_env *env, struct arena *arena, const char *name, struct nvme_health *ret)
{
	unsigned char log[NVME_HEALTH_LOG_BYTES] = { 0 };
	int status;

	if (!root_is_live(env->root)) {
		nvme_health_set_unknown(ret, VAL_UNSUPPORTED, "not possible on a recording");
		return;
	}
	status = get_health_log(arena_printf(arena, "/dev/%s", name), log);
	if (!status)
		nvme_health_decode(log, ret);
	else if (status > 0)
		nvme_health_set_unknown(ret, VAL_UNSUPPORTED,
					arena_printf(arena, "NVMe status 0x%x", (unsigned)status));
	else
		nvme_health_set_unknown(ret, state_of_errno(status), name_of_errno(status));
}

static int run(struct probe_env *env, struct sink *sink)
{
	struct arena *arena = &sink->facts.arena;
	struct nvme_controller *controller =
		list_element(arena, &sink->facts, nvme_controllers, nvme_controller, env->target);
	char step[64];

	snprintf(step, sizeof(step), "NVME_IOCTL_ADMIN_CMD of /dev/%.32s", env->target);
	sink_step(sink, step);
	read_health(env, arena, env->target, &controller->health);
	if (!is_known(controller->health.temperature_c) && controller->health.temperature_c.state != VAL_LOST) {
		struct val_f64 temperature = hwmon_temperature(env, arena, env->target);

		if (is_known(temperature))
			controller->health.temperature_c = temperature;
	}
	return sink_end(sink, PROBE_OK, NULL);
}

/* A disk of another machine is that one's to watch. */
static void targets(const struct snapshot *snapshot, struct arena *arena, struct strs *ret)
{
	for (size_t i = 0; i < snapshot->nr_nvme_controllers; i++)
		if (str_is(snapshot->nvme_controllers[i].transport, "pcie"))
			strs_add(arena, ret, str_or(snapshot->nvme_controllers[i].key, ""));
}

const struct probe probe_nvme = {
	.name = "nvme",
	.help = "health log of an NVMe disk",
	.phase = PHASE_DEVICE_FILES,
	.touches = TOUCHES_FILES,
	.deadline_ms = 3000,
	.provides = (const char *const[]){ "nvme_controllers.health", NULL },
	.targets = targets,
	.run = run,
};
