// SPDX-License-Identifier: GPL-2.0-or-later
/* What probe "upgrade" makes of a tree: kernels, DKMS, Secure Boot, nouveau, reboots. */
#include "base/compat.h"
#include "probe/upgrade/upgrade_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/tree.h"

#define OLD "6.1.0-9-amd64"
#define NEW "6.1.0-28-amd64"
#define EFIVARS "sys/firmware/efi/efivars"
#define SECURE_BOOT EFIVARS "/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define MOK_LIST EFIVARS "/MokListRT-605dab50-e046-4300-abb6-3dd810dd8b23"

static const struct installed_kernel *kernel_of(const char *release)
{
	return list_find(&facts, installed_kernels, installed_kernel, release);
}

static const char *state_of_build(const char *key)
{
	const struct module_build *build = list_find(&facts, module_builds, module_build, key);

	return !build ? "(none)" : str_or(build->state, "?");
}

static void kernels_are_those_with_modules(void **state)
{
	(void)state;
	put_text("lib/modules/" OLD "/modules.dep", "updates/dkms/nvidia-current.ko.xz: a.ko\nkernel/nouveau.ko:\n");
	put_text("lib/modules/" NEW "/modules.dep", "kernel/drm.ko:\n");
	put_text("lib/modules/6.1.0-7-amd64/updates/dkms/nvidia.ko", "left behind");
	put_text("boot/vmlinuz-" NEW, "");
	put_text("usr/src/linux-headers-" NEW "/Makefile", "");
	put_link("lib/modules/" NEW "/build", "/usr/src/linux-headers-" NEW);
	put_link("lib/modules/" OLD "/build", "/usr/src/linux-headers-" OLD);
	upgrade_kernels_read(&env, &facts);
	assert_int_equal(facts.nr_installed_kernels, 2);
	assert_true(bool_or(kernel_of(NEW)->has_image, false));
	assert_true(bool_or(kernel_of(NEW)->has_headers, false));
	assert_int_equal(kernel_of(NEW)->nvidia_file.state, VAL_ABSENT);
	assert_false(bool_or(kernel_of(NEW)->has_nouveau, true));
	assert_false(bool_or(kernel_of(OLD)->has_image, true));
	/* A link that leads nowhere. */
	assert_false(bool_or(kernel_of(OLD)->has_headers, true));
	assert_string_equal(str_or(kernel_of(OLD)->nvidia_file, ""), "updates/dkms/nvidia-current.ko.xz");
	assert_int_equal(kernel_of(OLD)->nvidia_is_signed.state, VAL_UNSUPPORTED);
	assert_true(bool_or(kernel_of(OLD)->has_nouveau, false));
}

static void an_initramfs_is_where_distributions_put_it(void **state)
{
	static const char *const others[] = { "boot/initramfs-6.1.0-9-amd64.img", "boot/initrd-6.1.0-9-amd64",
					      "efi/EFI/Linux/0a1b-6.1.0-9-amd64.efi" };

	(void)state;
	put_text("etc/machine-id", "0a1b\n");
	put_text("lib/modules/" OLD "/modules.dep", "");
	put_text("lib/modules/" NEW "/modules.dep", "");
	put_text("boot/initrd.img-" NEW, "1234");
	upgrade_kernels_read(&env, &facts);
	assert_true(bool_or(kernel_of(NEW)->has_initramfs, false));
	assert_int_equal(u64_or(kernel_of(NEW)->initramfs_bytes, 0), 4);
	assert_int_equal(kernel_of(NEW)->initramfs_behind_s.state, VAL_UNSUPPORTED);
	assert_false(bool_or(kernel_of(OLD)->has_initramfs, true));
	assert_int_equal(kernel_of(OLD)->initramfs_bytes.state, VAL_ABSENT);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		put_text(others[i], "");
		facts.nr_installed_kernels = 0;
		upgrade_kernels_read(&env, &facts);
		assert_true(bool_or(kernel_of(OLD)->has_initramfs, false));
		assert_int_equal(u64_or(kernel_of(OLD)->initramfs_bytes, 1), 0);
		unlink(scratch(others[i]));
	}
}

static void what_is_written_later_is_ahead(void **state)
{
	struct stat initramfs = { .st_mtime = 1000 }, module = { .st_mtime = 4700 };

	(void)state;
	assert_int_equal(seconds_behind(&initramfs, &module), 3700);
	assert_int_equal(seconds_behind(&module, &initramfs), 0);
	assert_int_equal(seconds_behind(&module, &module), 0);
}

static void files_put_modules_into_an_initramfs(void **state)
{
	(void)state;
	assert_true(modules_file_has_nvidia("# list\n\next4\n nvidia NVreg_OpenRmEnableUnsupportedGpus=1\n"));
	assert_true(modules_file_has_nvidia("nvidia_drm"));
	assert_false(modules_file_has_nvidia("# nvidia\nnvidiafb\next4 nvidia\n"));
	assert_true(dracut_file_has_nvidia("add_drivers+=\" nvidia nvidia_modeset \"\n"));
	assert_true(dracut_file_has_nvidia("# first\nforce_drivers+=' ext4 nvidia-drm'\n"));
	assert_false(dracut_file_has_nvidia("omit_drivers+=\" nvidia nvidia_drm \"\n"));
	assert_false(dracut_file_has_nvidia("#add_drivers+=\" nvidia \"\nadd_drivers+=\" nvme \" # nvidia\n"));
	assert_false(dracut_file_has_nvidia("add_drivers+="));
	assert_false(dracut_file_has_nvidia(""));
	upgrade_initramfs_modules_read(&env, &facts.arena, &facts.upgrade);
	assert_int_equal(facts.upgrade.nvidia_in_initramfs_by.state, VAL_ABSENT);
	put_text("etc/dracut.conf.d/nvidia.conf~", "add_drivers+=\" nvidia \"\n");
	put_text("usr/lib/dracut/dracut.conf.d/99-nvidia.conf", "omit_drivers+=\" nvidia \"\n");
	upgrade_initramfs_modules_read(&env, &facts.arena, &facts.upgrade);
	assert_int_equal(facts.upgrade.nvidia_in_initramfs_by.state, VAL_ABSENT);
	put_text("etc/dracut.conf.d/nvidia.conf", "add_drivers+=\" nvidia \"\n");
	upgrade_initramfs_modules_read(&env, &facts.arena, &facts.upgrade);
	assert_string_equal(str_or(facts.upgrade.nvidia_in_initramfs_by, ""), "/etc/dracut.conf.d/nvidia.conf");
	put_text("etc/initramfs-tools/modules", "nvidia\n");
	upgrade_initramfs_modules_read(&env, &facts.arena, &facts.upgrade);
	assert_string_equal(str_or(facts.upgrade.nvidia_in_initramfs_by, ""), "/etc/initramfs-tools/modules");
}

/* One that cannot be read may be the one that does. */
static void a_file_that_cannot_be_read_may_put_modules_into_an_initramfs(void **state)
{
	(void)state;
	put_text("etc/dracut.conf.d/nvidia.conf/x", "");
	upgrade_initramfs_modules_read(&env, &facts.arena, &facts.upgrade);
	assert_int_equal(facts.upgrade.nvidia_in_initramfs_by.state, VAL_ERROR);
	put_text("usr/lib/dracut/dracut.conf.d/nvidia.conf", "add_drivers+=\" nvidia \"\n");
	upgrade_initramfs_modules_read(&env, &facts.arena, &facts.upgrade);
	assert_string_equal(str_or(facts.upgrade.nvidia_in_initramfs_by, ""),
			    "/usr/lib/dracut/dracut.conf.d/nvidia.conf");
}

#define CONTAINERD "run/containerd/io.containerd.runtime.v2.task/"
#define SECRET "HF_TOKEN=hf_do_not_tell"
#define REQUIRES "NVIDIA_REQUIRE_CUDA=cuda>=12.4 brand=tesla,driver>=535,driver<536"

static const struct gpu_container *container_of(const char *id)
{
	return list_find(&facts, gpu_containers, gpu_container, id);
}

static void containers_with_gpus_say_what_they_ask_for(void **state)
{
	(void)state;
	put_text(CONTAINERD "k8s.io/0123456789abcdef/config.json",
		 "{\"process\": {\"env\": [\"PATH=/bin\", \"" SECRET "\", \"" REQUIRES "\"]}, \"annotations\": {"
		 "\"io.kubernetes.cri.container-name\": \"trainer\"},"
		 "\"linux\": {\"devices\": [{\"path\": \"/dev/null\"}, {\"path\": \"/dev/nvidia0\"}]}}");
	put_text(CONTAINERD "moby/1123456789abcdef/config.json",
		 "{\"process\": {\"env\": [\"NVIDIA_VISIBLE_DEVICES=all\"]}, \"hooks\": {\"prestart\": ["
		 "{\"path\": \"/usr/bin/nvidia-container-runtime-hook\"}]}}");
	/* An image of NVIDIA's that gets no GPU; one that NVIDIA's hook passes by; one that is gone. */
	put_text(CONTAINERD "k8s.io/2123456789abcdef/config.json",
		 "{\"process\": {\"env\": [\"NVIDIA_VISIBLE_DEVICES=all\", \"" REQUIRES "\"]}}");
	put_text(CONTAINERD "moby/3123456789abcdef/config.json",
		 "{\"process\": {\"env\": [\"NVIDIA_VISIBLE_DEVICES=void\"]}, \"hooks\": {\"prestart\": ["
		 "{\"path\": \"/usr/bin/nvidia-container-runtime-hook\"}]}}");
	put_text(CONTAINERD "moby/4123456789abcdef/log.json", "");
	put_text("run/containers/storage/overlay-containers/5123456789abcdef/userdata/config.json",
		 "{\"process\": {\"env\": [\"" REQUIRES "\", \"NVIDIA_DISABLE_REQUIRE=true\"]}, \"linux\": {"
		 "\"devices\": [{\"path\": \"/dev/nvidiactl\"}]}}");
	upgrade_containers_read(&env, &facts);
	assert_int_equal(facts.nr_gpu_containers, 3);
	assert_int_equal(u64_or(facts.listed.gpu_containers, 0), 3);
	assert_string_equal(str_or(container_of("0123456789ab")->requires_cuda, ""), strchr(REQUIRES, '=') + 1);
	assert_string_equal(str_or(container_of("0123456789ab")->name, ""), "trainer");
	assert_false(bool_or(container_of("0123456789ab")->has_hook, true));
	assert_true(bool_or(container_of("1123456789ab")->has_hook, false));
	assert_int_equal(container_of("1123456789ab")->requires_cuda.state, VAL_ABSENT);
	assert_int_equal(container_of("1123456789ab")->name.state, VAL_ABSENT);
	assert_int_equal(container_of("5123456789ab")->requires_cuda.state, VAL_ABSENT);
}

/* What CRI-O has not removed yet stays there: its pidfile tells whether it runs. */
static void a_container_that_ended_asks_for_nothing(void **state)
{
#define CRIO "run/containers/storage/overlay-containers/"
	static const char config[] = "{\"process\": {\"env\": [\"" REQUIRES "\"]}, \"linux\": {"
				     "\"devices\": [{\"path\": \"/dev/nvidiactl\"}]}}";

	(void)state;
	put_text(CRIO "5123456789abcdef/userdata/config.json", config);
	put_text(CRIO "5123456789abcdef/userdata/pidfile", "777");
	put_text(CRIO "6123456789abcdef/userdata/config.json", config);
	put_text(CRIO "6123456789abcdef/userdata/pidfile", "778");
	put_text("proc/777/comm", "python3\n");
	/* A recording without processes: nobody knows. */
	upgrade_containers_read(&env, &facts);
	assert_int_equal(facts.nr_gpu_containers, 2);
	facts.nr_gpu_containers = 0;
	put_text("proc/1/comm", "systemd\n");
	upgrade_containers_read(&env, &facts);
	assert_int_equal(facts.nr_gpu_containers, 1);
	assert_string_equal(str_or(facts.gpu_containers[0].key, ""), "5123456789ab");
#undef CRIO
}

static void a_container_that_cannot_be_read_is_none_that_was_seen(void **state)
{
	(void)state;
	put_text(CONTAINERD "k8s.io/0123456789abcdef/config.json", "{\"process\": {\"env\": 7}, \"linux\": []}");
	put_text(CONTAINERD "k8s.io/1123456789abcdef/config.json", "{\"process\":");
	put_text(CONTAINERD "k8s.io/2123456789abcdef/config.json",
		 "{\"process\": {\"env\": [\"NVIDIA_REQUIRE_CUDA=$(cat /etc/shadow)\", 5]}, \"linux\": {\"devices\": ["
		 "{\"path\": \"/dev/nvidia-uvm\"}, 3, {\"path\": 4}]}}");
	put_text(CONTAINERD "k8s.io/3123456789abcdef/config.json",
		 "{\"process\": {\"env\": [\"NVIDIA_REQUIRE_CUDA=cuda>=12.4 my-password\"]}, \"linux\": {\"devices\": ["
		 "{\"path\": \"/dev/nvidia0\"}]}}");
	upgrade_containers_read(&env, &facts);
	assert_int_equal(facts.nr_gpu_containers, 2);
	assert_int_equal(container_of("2123456789ab")->requires_cuda.state, VAL_ERROR);
	assert_int_equal(container_of("3123456789ab")->requires_cuda.state, VAL_ERROR);
	assert_int_equal(facts.listed.gpu_containers.state, VAL_ERROR);
}

/* ctr run … my-test-number-1: what is no number is not cut. */
static void containers_with_names_for_ids_are_kept_apart(void **state)
{
	static const char of_12[] = "{\"process\": {\"env\": [\"NVIDIA_REQUIRE_CUDA=cuda>=12.4\"]}, \"linux\": {"
		"\"devices\": [{\"path\": \"/dev/nvidia0\"}]}}";

	(void)state;
	put_text(CONTAINERD "default/my-test-number-1/config.json", of_12);
	put_text(CONTAINERD "default/my-test-number-2/config.json", of_12);
	upgrade_containers_read(&env, &facts);
	assert_int_equal(facts.nr_gpu_containers, 2);
	assert_non_null(container_of("my-test-number-2"));
}

static void a_huge_container_hides_no_other(void **state)
{
	char *huge = test_malloc((2 << 20) + 1);

	(void)state;
	memset(huge, ' ', 2 << 20);
	huge[2 << 20] = '\0';
	put_text(CONTAINERD "k8s.io/0123456789abcdef/config.json", huge);
	test_free(huge);
	put_text(CONTAINERD "k8s.io/1123456789abcdef/config.json",
		 "{\"linux\": {\"devices\": [{\"path\": \"/dev/nvidia0\"}]}}");
	upgrade_containers_read(&env, &facts);
	assert_int_equal(facts.nr_gpu_containers, 1);
	assert_int_equal(facts.listed.gpu_containers.state, VAL_ERROR);
}

static void a_node_without_containers_has_none(void **state)
{
	(void)state;
	upgrade_containers_read(&env, &facts);
	assert_true(is_known(facts.listed.gpu_containers));
	assert_int_equal(facts.nr_gpu_containers, 0);
}

static void a_signature_stands_at_the_end(void **state)
{
	static const char mark[] = "~Module signature appended~\n";

	(void)state;
	put_text("lib/modules/" OLD "/modules.dep", "a/nvidia.ko:\n");
	put_text("lib/modules/" OLD "/a/nvidia.ko", "a module that is not signed at all");
	put_text("lib/modules/" NEW "/modules.dep", "a/nvidia.ko:\n");
	put_file("lib/modules/" NEW "/a/nvidia.ko", mark, strlen(mark));
	put_text("lib/modules/6.9.1/modules.dep", "a/nvidia.ko:\n");
	put_text("lib/modules/6.9.1/a/nvidia.ko", "cut");
	upgrade_kernels_read(&env, &facts);
	assert_false(bool_or(kernel_of(OLD)->nvidia_is_signed, true));
	assert_true(bool_or(kernel_of(NEW)->nvidia_is_signed, false));
	assert_int_equal(kernel_of("6.9.1")->nvidia_is_signed.state, VAL_ERROR);
	assert_int_equal(kernel_of("6.9.1")->nvidia_version.state, VAL_ERROR);
}

static void dkms_tells_what_it_built(void **state)
{
	(void)state;
	put_text("var/lib/dkms/nvidia/550.54.14/" NEW "/x86_64/module/nvidia.ko", "");
	put_text("var/lib/dkms/nvidia/550.54.14/" OLD "/x86_64/module/nvidia.ko", "");
	put_text("var/lib/dkms/nvidia/550.54.14/6.2.0/x86_64/log/make.log", "");
	put_link("var/lib/dkms/nvidia/kernel-" NEW "-x86_64", "550.54.14/" NEW "/x86_64");
	put_text("var/lib/dkms/amdgpu/6.7.0/x", "");
	put_link("var/lib/dkms/amdgpu/6.7.0/source", "/usr/src/amdgpu-6.7.0");
	put_text("var/lib/dkms/zfs/2.2/" NEW "/x86_64/module/zfs.ko", "");
	put_text("var/lib/dkms/nvidia/570.86.15/build/make.log",
		 "DKMS (dkms-3.0.11) make.log for nvidia/570.86.15 for kernel " NEW " (x86_64)\n"
		 "a warning: of no account\nnv.c:5:9: error: no such member\n"
		 "make: *** [Makefile:82: modules] Error 2\n");
	put_text("var/lib/dkms/nvidia/575.1/build/make.log",
		 "DKMS make.log for nvidia-575.1 for kernel " NEW " (x86_64)\nmake -j8\n");
	upgrade_builds_read(&env, &facts);
	assert_string_equal(state_of_build("nvidia/550.54.14/" NEW), "installed");
	assert_string_equal(state_of_build("nvidia/550.54.14/" OLD), "built");
	assert_string_equal(state_of_build("nvidia/550.54.14/6.2.0"), "(none)");
	assert_string_equal(state_of_build("nvidia/570.86.15/" NEW), "failed");
	assert_string_equal(state_of_build("nvidia/575.1/" NEW), "unfinished");
	assert_string_equal(state_of_build("amdgpu/6.7.0"), "added");
	assert_int_equal(facts.nr_module_builds, 5);
	assert_string_equal(str_or(list_find(&facts, module_builds, module_build, "nvidia/570.86.15/" NEW)->error, ""),
			    "nv.c:5:9: error: no such member");
}

static void no_dkms_is_no_builds(void **state)
{
	(void)state;
	upgrade_builds_read(&env, &facts);
	assert_true(is_known(facts.listed.module_builds));
	assert_int_equal(facts.nr_module_builds, 0);
	assert_null(make_log_kernel(&facts.arena, ""));
	assert_null(make_log_kernel(&facts.arena, "DKMS make.log for nvidia for kernel "));
	assert_null(make_log_error(&facts.arena, "all is well\n"));
}

static void secure_boot_is_the_fifth_byte(void **state)
{
	(void)state;
	put_file(SECURE_BOOT, "\6\0\0\0\1", 5);
	put_text("sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	put_text("sys/module/module/parameters/sig_enforce", "Y\n");
	upgrade_secure_boot_read(&env, &facts.arena, &facts.upgrade);
	assert_true(bool_or(facts.upgrade.secure_boot, false));
	assert_true(str_is(facts.upgrade.lockdown, "integrity"));
	assert_true(bool_or(facts.upgrade.signatures_enforced, false));
	assert_int_equal(facts.upgrade.signing_key.state, VAL_ABSENT);
}

static void bytes_of_another_form_are_no_answer(void **state)
{
	(void)state;
	put_file(SECURE_BOOT, "\6\0\0\0\7", 5);
	put_text("sys/kernel/security/lockdown", "a[b]c\n");
	put_text("sys/module/module/parameters/sig_enforce", "maybe\n");
	upgrade_secure_boot_read(&env, &facts.arena, &facts.upgrade);
	assert_int_equal(facts.upgrade.lockdown.state, VAL_ERROR);
	assert_int_equal(facts.upgrade.secure_boot.state, VAL_ERROR);
	assert_int_equal(facts.upgrade.signatures_enforced.state, VAL_ERROR);
	put_file(SECURE_BOOT, "\6\0", 2);
	upgrade_secure_boot_read(&env, &facts.arena, &facts.upgrade);
	assert_int_equal(facts.upgrade.secure_boot.state, VAL_ERROR);
}

static void a_key_is_enrolled_where_the_list_has_it(void **state)
{
	char key[100], list[300];

	(void)state;
	memset(key, 'k', sizeof(key));
	key[0] = 0x30;
	memset(list, 0, sizeof(list));
	put_file("opt/keys/mok.der", key, sizeof(key));
	put_text("etc/dkms/framework.conf", "# mok_certificate=/a\nmok_certificate=\"/opt/keys/mok.der\"\n");
	put_file(MOK_LIST, list, sizeof(list));
	upgrade_secure_boot_read(&env, &facts.arena, &facts.upgrade);
	assert_string_equal(str_or(facts.upgrade.signing_key, ""), "/opt/keys/mok.der");
	assert_false(bool_or(facts.upgrade.signing_key_enrolled, true));
	memcpy(list + 47, key, sizeof(key));
	put_file(MOK_LIST, list, sizeof(list));
	upgrade_secure_boot_read(&env, &facts.arena, &facts.upgrade);
	assert_true(bool_or(facts.upgrade.signing_key_enrolled, false));
	put_text("opt/keys/mok.der", "-----BEGIN CERTIFICATE-----");
	upgrade_secure_boot_read(&env, &facts.arena, &facts.upgrade);
	assert_int_equal(facts.upgrade.signing_key_enrolled.state, VAL_ERROR);
}

static void what_keeps_a_module_off(void **state)
{
	(void)state;
	assert_true(modprobe_keeps_off("# a\nblacklist nvidiafb\n  blacklist nouveau\n", "nouveau"));
	assert_true(modprobe_keeps_off("install nouveau /bin/false", "nouveau"));
	assert_true(modprobe_keeps_off("options nouveau a=1 modeset=0\n", "nouveau"));
	assert_true(modprobe_keeps_off("alias nouveau off\n", "nouveau"));
	assert_false(modprobe_keeps_off("#blacklist nouveau\nblacklist nouveau2\nblacklist\nnouveau\n", "nouveau"));
	assert_false(modprobe_keeps_off("options nouveau modeset=1\ninstall nouveau /sbin/modprobe -i nouveau\n",
					"nouveau"));
	assert_true(command_line_keeps_off("ro modprobe.blacklist=a,nouveau quiet", "nouveau"));
	assert_true(command_line_keeps_off("module_blacklist=nouveau", "nouveau"));
	assert_true(command_line_keeps_off("nouveau.modeset=0", "nouveau"));
	assert_false(command_line_keeps_off("rd.driver.blacklist=nouveau modprobe.blacklist=nouveau2,a", "nouveau"));
	assert_false(command_line_keeps_off("nouveau.modeset=1", "nouveau"));
	assert_false(command_line_keeps_off("", "nouveau"));
}

static void a_file_hides_one_of_its_name(void **state)
{
	(void)state;
	put_text("usr/lib/modprobe.d/nvidia.conf", "blacklist nouveau\n");
	put_text("etc/modprobe.d/nvidia.conf", "");
	put_text("etc/modprobe.d/old.conf.bak", "blacklist nouveau\n");
	upgrade_nouveau_read(&env, &facts.arena, &facts.upgrade);
	assert_int_equal(facts.upgrade.nouveau_kept_off_by.state, VAL_ABSENT);
	put_text("usr/lib/modprobe.d/other.conf", "blacklist nouveau\n");
	upgrade_nouveau_read(&env, &facts.arena, &facts.upgrade);
	assert_string_equal(str_or(facts.upgrade.nouveau_kept_off_by, ""), "/usr/lib/modprobe.d/other.conf");
}

static void a_system_tells_its_kind(void **state)
{
	(void)state;
	put_text("etc/os-release", "NAME=x\nID=\"rhel\"\nVARIANT_ID=coreos\n");
	put_text("run/ostree-booted", "");
	put_text("run/nvidia/validations/.driver-ctr-ready", "");
	upgrade_system_read(&env, &facts.arena, &facts.upgrade);
	assert_true(str_is(facts.upgrade.os_id, "rhel"));
	assert_true(str_is(facts.upgrade.os_variant, "coreos"));
	assert_true(bool_or(facts.upgrade.is_ostree, false));
	assert_true(is_known(facts.upgrade.driver_container));
	assert_int_equal(facts.upgrade.installer.state, VAL_ABSENT);
}

static void packages_that_ask_for_a_reboot_are_named_once(void **state)
{
	(void)state;
	put_text("run/reboot-required", "*** System restart required ***\n");
	put_text("run/reboot-required.pkgs", "libc6\nlinux-base\nlibc6\n\n");
	upgrade_reboot_read(&env, &facts.arena, &facts.upgrade);
	assert_string_equal(str_or(facts.upgrade.reboot_required_by, ""), "/run/reboot-required");
	assert_int_equal(facts.upgrade.reboot_packages.nr, 2);
}

static void a_recording_has_no_file_systems(void **state)
{
	struct root live = ROOT_LIVE;
	struct probe_env here = { .root = &live, .lock_fd = -1 };

	(void)state;
	upgrade_disk_space_read(&env, &facts);
	assert_int_equal(facts.listed.rooms.state, VAL_UNSUPPORTED);
	upgrade_disk_space_read(&here, &facts);
	assert_true(u64_or(facts.listed.rooms, 0) >= 1);
	assert_non_null(list_find(&facts, rooms, room, "/"));
}

int main(void)
{
#define IN_A_TREE(test) cmocka_unit_test_setup_teardown(test, tree_make, tree_remove)
	const struct CMUnitTest tests[] = {
		IN_A_TREE(kernels_are_those_with_modules),
		IN_A_TREE(containers_with_gpus_say_what_they_ask_for),
		IN_A_TREE(a_container_that_ended_asks_for_nothing),
		IN_A_TREE(a_container_that_cannot_be_read_is_none_that_was_seen),
		IN_A_TREE(containers_with_names_for_ids_are_kept_apart),
		IN_A_TREE(a_huge_container_hides_no_other),
		IN_A_TREE(a_node_without_containers_has_none),
		IN_A_TREE(an_initramfs_is_where_distributions_put_it),
		IN_A_TREE(what_is_written_later_is_ahead),
		IN_A_TREE(files_put_modules_into_an_initramfs),
		IN_A_TREE(a_file_that_cannot_be_read_may_put_modules_into_an_initramfs),
		IN_A_TREE(a_signature_stands_at_the_end),
		IN_A_TREE(dkms_tells_what_it_built),
		IN_A_TREE(no_dkms_is_no_builds),
		IN_A_TREE(secure_boot_is_the_fifth_byte),
		IN_A_TREE(bytes_of_another_form_are_no_answer),
		IN_A_TREE(a_key_is_enrolled_where_the_list_has_it),
		IN_A_TREE(what_keeps_a_module_off),
		IN_A_TREE(a_file_hides_one_of_its_name),
		IN_A_TREE(a_system_tells_its_kind),
		IN_A_TREE(packages_that_ask_for_a_reboot_are_named_once),
		IN_A_TREE(a_recording_has_no_file_systems),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
