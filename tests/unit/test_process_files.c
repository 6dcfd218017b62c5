// SPDX-License-Identifier: GPL-2.0-or-later
/* test_process_files.c - what is made of a process's files: memory of DRM clients, control groups, limits. */
#include "base/compat.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "probe/device/drm_fdinfo.h"
#include "probe/process/cgroup_path.h"
#include "probe/read.h"
#include "tests/unit/tree.h"

static struct arena arena;

static int release(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

/* ---- DRM clients */

static void assert_memory(const char *text, uint64_t bytes)
{
	struct drm_fdinfo info;

	assert_int_equal(drm_fdinfo_parse(text, &info), 0);
	assert_true(info.has_memory);
	assert_int_equal(info.memory_bytes, bytes);
}

static void each_driver_has_its_regions(void **state)
{
	(void)state;
	/* amdgpu of Linux 6.1: no resident, tabs after spaces */
	assert_memory("pos:\t0\ndrm-driver:\tamdgpu\ndrm-pdev:\t0000:43:00.0\ndrm-client-id:\t7\n"
		      "drm-memory-vram:\t1234 KiB\ndrm-memory-gtt: \t99999 KiB\ndrm-memory-cpu: \t5 KiB\n",
		      1234 * 1024);
	/* the same of 7.x: memory- is what resident- is */
	assert_memory("drm-driver:\tamdgpu\ndrm-memory-vram:\t64 MiB\ndrm-total-vram:\t96 MiB\n"
		      "drm-resident-vram:\t64 MiB\ndrm-resident-gtt:\t2 GiB\namd-evicted-vram:\t0 KiB\n",
		      64 << 20);
	assert_memory("drm-driver:\ti915\ndrm-total-system0:\t40 MiB\ndrm-resident-system0:\t40 MiB\n"
		      "drm-total-local0:\t80 MiB\ndrm-resident-local0:\t70 MiB\ndrm-resident-stolen-local0:\t4096\n",
		      (70 << 20) + 4096);
	assert_memory("drm-driver:\txe\ndrm-resident-system:\t1 MiB\ndrm-resident-gtt:\t1 MiB\n"
		      "drm-resident-vram0:\t512 KiB\ndrm-resident-vram1:\t1 GiB\n",
		      (UINT64_C(1) << 30) + (512 << 10));
	assert_memory("drm-driver:\tx\ndrm-total-vram0:\t3 KiB\n", 3072);
}

static void drivers_may_count_nothing(void **state)
{
	struct drm_fdinfo info;

	(void)state;
	assert_int_equal(drm_fdinfo_parse("pos:\t0\nflags:\t0100002\n", &info), -ENOMSG);
	assert_int_equal(drm_fdinfo_parse("", &info), -ENOMSG);
	/* i915 of Linux 6.1: engines only */
	assert_int_equal(drm_fdinfo_parse("drm-driver: i915\ndrm-client-id: 18\ndrm-engine-render: 12 ns\n", &info), 0);
	assert_false(info.has_memory);
	assert_true(info.has_client);
	assert_int_equal(info.client, 18);
	/* An integrated GPU has memory of the machine alone. */
	assert_int_equal(drm_fdinfo_parse("drm-driver:\txe\ndrm-resident-system:\t9 MiB\n", &info), 0);
	assert_false(info.has_memory);
	assert_false(info.has_client);
}

static void what_is_no_size_is_no_memory(void **state)
{
	static const char *const texts[] = {
		"drm-driver:\tx\ndrm-resident-vram:\tmuch\n", "drm-driver:\tx\ndrm-resident-vram:\n",
		"drm-driver:\tx\ndrm-resident-vram:\t-1 KiB\n", "drm-driver:\tx\ndrm-resident-vram:\t1 kB\n",
		"drm-driver:\tx\ndrm-resident-vram:\t18446744073709551615 KiB\n",
		"drm-driver:\tx\ndrm-resident-vram:\t99999999999999999999999999\n",
		"drm-driver:\tx\ndrm-resident-vram0:\t18446744073709551615\ndrm-resident-vram1:\t1\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct drm_fdinfo info;

		if (drm_fdinfo_parse(texts[i], &info) != -EINVAL)
			fail_msg("%s", texts[i]);
	}
}

/* ---- control groups */

#define ID "0b1c2d3e4f5061728394a5b6c7d8e9f00b1c2d3e4f5061728394a5b6c7d8e9f0"
#define UID "0b6b1f5e-1c2d-4e3f-8a9b-0c1d2e3f4a5b"
#define UID_ "0b6b1f5e_1c2d_4e3f_8a9b_0c1d2e3f4a5b"

static void assert_text(const char *text, const char *what, const char *got, const char *expected)
{
	if (strcmp(got ? got : "", expected))
		fail_msg("%s of %s: \"%s\", not \"%s\"", what, text, got ? got : "", expected);
}

static void assert_owner(const char *text, const char *job, const char *pod, const char *container)
{
	struct cgroup_owner owner;

	cgroup_owner_parse(text, &arena, &owner);
	assert_text(text, "job", owner.slurm_job, job);
	assert_text(text, "pod", owner.pod, pod);
	assert_text(text, "container", owner.container, container);
}

static void jobs_of_slurm(void **state)
{
	(void)state;
	assert_owner("0::/system.slice/slurmstepd.scope/job_4711/step_0/user/task_0\n", "4711", "", "");
	assert_owner("0::/system.slice/gpu17_slurmstepd.scope/job_12/step_batch/user/task_special\n", "12", "", "");
	assert_owner("0::/../../slurmstepd.scope/job_9/step_extern\n", "9", "", "");
	assert_owner("11:devices:/slurm/uid_1042/job_4711/step_0/task_3\n2:cpuset:/slurm/uid_1042/job_4711/step_0\n"
		     "1:name=systemd:/system.slice/slurmd.service\n", "4711", "", "");
	assert_owner("4:memory:/slurm_gpu17/uid_0/job_33/step_interactive\n", "33", "", "");
	assert_owner("0::/system.slice/slurmd.service\n", "", "", "");
	assert_owner("0::/system.slice/build.service/job_4711\n", "", "", "");
	assert_owner("0::/system.slice/slurmstepd.scope/job_x\n", "", "", "");
	assert_owner("0::/system.slice/slurmstepd.scope/job_\n", "", "", "");
	/* enroot and Docker below a job */
	assert_owner("0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_0/docker-" ID ".scope\n", "7", "",
		     "0b1c2d3e4f50");
}

static void pods_of_kubernetes(void **state)
{
	(void)state;
	assert_owner("0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_ ".slice/"
		     "cri-containerd-" ID ".scope\n", "", UID, "0b1c2d3e4f50");
	assert_owner("0::/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" ID ".scope/container\n", "", UID,
		     "0b1c2d3e4f50");
	assert_owner("0::/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/"
		     "kubelet-kubepods-besteffort-pod" UID_ ".slice/cri-containerd-" ID ".scope\n", "", UID,
		     "0b1c2d3e4f50");
	assert_owner("5:memory:/kubepods/burstable/pod" UID "/" ID "\n", "", UID, "0b1c2d3e4f50");
	assert_owner("5:memory:/kubepods/pod" UID "/" ID "\n", "", UID, "0b1c2d3e4f50");
	assert_owner("0::/system.slice/containerd.service/kubepods-burstable-pod" UID_ ".slice:cri-containerd:" ID
		     "\n", "", UID, "0b1c2d3e4f50");
	assert_owner("0::/../../kubepods-burstable-pod" UID_ ".slice/docker-" ID ".scope\n", "", UID, "0b1c2d3e4f50");
	/* static pods: the hash of their file */
	assert_owner("0::/kubepods/burstable/podd8f0a1b2c3d4e5f60718293a4b5c6d7e/" ID "\n", "",
		     "d8f0a1b2c3d4e5f60718293a4b5c6d7e", "0b1c2d3e4f50");
	assert_owner("0::/kubepods.slice/kubepods\\x2dburstable.slice/kubepods\\x2dburstable\\x2dpod" UID_
		     ".slice/cri\\x2dcontainerd\\x2d" ID ".scope\n", "", UID, "0b1c2d3e4f50");
	assert_owner("0::/system.slice/kubelet.service\n", "", "", "");
	assert_owner("0::/kubepods.slice/kubepods-burstable.slice\n", "", "", "");
	assert_owner("0::/kubepods/pod" UID "x/a\n", "", "", "");
	assert_owner("0::/user.slice/podman-1234.scope\n", "", "", "");
}

static void containers_without_pods(void **state)
{
	(void)state;
	assert_owner("0::/system.slice/docker-" ID ".scope\n", "", "", "0b1c2d3e4f50");
	assert_owner("12:pids:/docker/" ID "\n1:name=systemd:/docker/" ID "\n0::/system.slice/containerd.service\n", "",
		     "", "0b1c2d3e4f50");
	assert_owner("0::/machine.slice/libpod-" ID ".scope/container\n", "", "", "0b1c2d3e4f50");
	assert_owner("0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope\n", "", "",
		     "0b1c2d3e4f50");
	assert_owner("0::/ecs/0f1e2d3c4b5a69788796a5b4c3d2e1f0/" ID "\n", "", "", "0b1c2d3e4f50");
	/* What watches a container is not in it. */
	assert_owner("0::/machine.slice/libpod-conmon-" ID ".scope\n", "", "", "");
	assert_owner("0::/system.slice/crio-conmon-" ID ".scope\n", "", "", "");
	/* one digit short, one too many, capitals */
	assert_owner("0::/docker/b1c2d3e4f5061728394a5b6c7d8e9f00b1c2d3e4f5061728394a5b6c7d8e9f0\n", "", "", "");
	assert_owner("0::/docker/a" ID "\n", "", "", "");
	assert_owner("0::/docker/" ID "z\n", "", "", "");
}

static void the_hierarchy_that_tells_is_shown(void **state)
{
	struct cgroup_owner owner;

	(void)state;
	cgroup_owner_parse("0::/user.slice/user-0.slice/session-3.scope\n", &arena, &owner);
	assert_text("version 2", "path", owner.path, "/user.slice/user-0.slice/session-3.scope");
	cgroup_owner_parse("5:cpuset:/\n4:memory:/slurm/uid_1/job_2\n1:name=systemd:/system.slice\n0::/\n", &arena,
			   &owner);
	assert_text("both", "path", owner.path, "/slurm/uid_1/job_2");
	cgroup_owner_parse("4:memory:/\n0::/\n", &arena, &owner);
	assert_text("roots", "path", owner.path, "/");
	cgroup_owner_parse("", &arena, &owner);
	assert_text("nothing", "path", owner.path, "");
	assert_owner("0::\n:\n::\nx\n4:memory\n\n0:a:b\n", "", "", "");
}

/* ---- limits */

static void assert_limit(const char *text, enum val_state state, uint64_t bytes)
{
	struct val_u64 limit;

	assert_int_equal(tree_make(NULL), 0);
	if (text)
		put_text("proc/7/limits", text);
	limit = proc_memlock_limit(&env, &arena, "7");
	assert_string_equal(val_state_name(limit.state), val_state_name(state));
	assert_int_equal(u64_or(limit, 0), bytes);
	tree_remove(NULL);
}

static void no_limit_is_not_a_missing_one(void **state)
{
	(void)state;
	assert_limit("Limit                     Soft Limit           Hard Limit           Units     \n"
		     "Max processes             1031148              1031148              processes \n"
		     "Max locked memory         8388608              unlimited            bytes     \n",
		     VAL_OK, 8388608);
	assert_limit("Max locked memory         unlimited            unlimited            bytes     \n", VAL_ABSENT, 0);
	assert_limit("Max locked memory         0                    0                    bytes     \n", VAL_OK, 0);
	assert_limit("Max locked memory", VAL_ERROR, 0);
	assert_limit("Max open files            1024                 4096                 files\n", VAL_ERROR, 0);
	assert_limit("", VAL_ERROR, 0);
	assert_limit(NULL, VAL_ERROR, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_driver_has_its_regions),
		cmocka_unit_test(drivers_may_count_nothing),
		cmocka_unit_test(what_is_no_size_is_no_memory),
		cmocka_unit_test(jobs_of_slurm),
		cmocka_unit_test(pods_of_kubernetes),
		cmocka_unit_test(containers_without_pods),
		cmocka_unit_test(the_hierarchy_that_tells_is_shown),
		cmocka_unit_test(no_limit_is_not_a_missing_one),
	};

	return cmocka_run_group_tests(tests, NULL, release);
}
