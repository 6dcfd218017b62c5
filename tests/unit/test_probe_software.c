// SPDX-License-Identifier: GPL-2.0-or-later
/* Which software is installed, and the module that would be loaded next: what probe "system" makes of their files. */
#include "base/compat.h"
#include "probe/system/module_file.h"
#include "probe/system/system_internal.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/tree.h"

static const char *version_of(const char *key)
{
	const struct software *software = list_find(&facts, software, software, key);

	return !software ? "(none)" : str_or(software->version, val_state_name(software->version.state));
}

static void packages_are_known_by_their_names(void **state)
{
	(void)state;
	assert_string_equal(software_of_package("nvidia-fabricmanager-550"), "fabric-manager");
	assert_string_equal(software_of_package("nvidia-fabricmanager"), "fabric-manager");
	assert_null(software_of_package("nvidia-fabricmanager-dev-550"));
	assert_null(software_of_package("nvidia-fabricmanager-"));
	assert_string_equal(software_of_package("libnvidia-nscq-525"), "nscq");
	assert_string_equal(software_of_package("libnvidia-nscq"), "nscq");
	assert_null(software_of_package("libnvidia-nscq-dev"));
	assert_string_equal(software_of_package("libnvsdm"), "nvsdm");
	assert_string_equal(software_of_package("libnvsdm-575"), "nvsdm");
	assert_null(software_of_package("libnvsdm-dev"));
	assert_string_equal(software_of_package("nvidia-imex-570"), "imex");
	assert_string_equal(software_of_package("nvlsm"), "nvlsm");
	assert_string_equal(software_of_package("cuda-toolkit-12-4"), "cuda-toolkit");
	assert_null(software_of_package("cuda-toolkit-12-4-config-common"));
	assert_null(software_of_package("cuda-toolkit-config-common"));
	assert_string_equal(software_of_package("nvidia-driver-550-server-open"), "nvidia-driver");
	assert_null(software_of_package("libnccl-dev"));
	assert_null(software_of_package(""));
}

static void versions_are_their_makers(void **state)
{
	(void)state;
	assert_string_equal(upstream_version(&facts.arena, "550.54.14-0ubuntu0.22.04.1"), "550.54.14");
	assert_string_equal(upstream_version(&facts.arena, "1:3.3.7"), "3.3.7");
	assert_string_equal(upstream_version(&facts.arena, "2.21.5-1+cuda12.4"), "2.21.5");
	assert_string_equal(upstream_version(&facts.arena, ""), "");
}

static void only_what_is_installed_counts(void **state)
{
	(void)state;
	put_text("var/lib/dpkg/status",
		 "Package: libnccl2\nStatus: install ok installed\nVersion: 2.21.5-1+cuda12.4\nDescription: a\n b\n\n"
		 "Package: rocm-core\nStatus: deinstall ok config-files\nVersion: 6.1.0-1\n\n"
		 "Package: nvidia-container-toolkit\nStatus: install ok half-installed\nVersion: 1.17.4-1\n\n"
		 "Package: datacenter-gpu-manager\nStatus: hold ok installed\nVersion: 1:3.3.7");
	system_packages_read(&env, &facts);
	assert_int_equal(facts.nr_software, 2);
	assert_string_equal(version_of("libnccl2"), "2.21.5");
	assert_string_equal(version_of("datacenter-gpu-manager"), "3.3.7");
	assert_true(u64_or(facts.listed.software, 0) == 2);
}

static void lines_and_files_longer_than_a_piece_are_read(void **state)
{
	STRBUF_AUTO text = STRBUF_INIT;

	(void)state;
	strbuf_addstr(&text, "Package: a\nDescription: ");
	strbuf_addchars(&text, 'x', 600 * 1024);
	strbuf_addstr(&text, "\n\nPackage: libnccl2\nStatus: install ok installed\nVersion: 2.18.3-1\n\n");
	put_file("var/lib/dpkg/status", text.buf, text.len);
	system_packages_read(&env, &facts);
	assert_string_equal(version_of("libnccl2"), "2.18.3");
}

static void without_dpkg_files_alone_tell(void **state)
{
	(void)state;
	put_text("usr/bin/nvidia-ctk", "x");
	put_text("usr/local/cuda-10.2/version.txt", "CUDA Version 10.2.89\n");
	put_text("usr/local/cuda-12.4/version.json", "{\"cuda\": {\"name\": \"CUDA SDK\", \"version\": \"12.4.1\"}}");
	put_text("usr/local/cuda-12.8/compat/libcuda.so.570.86.15", "x");
	put_text("usr/local/cuda-9/version.json", "{}");
	put_text("opt/rocm-6.1.0/.info/version", "6.1.0-82\n");
	put_text("usr/lib64/libnccl.so.2", "x");
	put_text("usr/lib64/libnccl.so.2.21.5", "x");
	assert_int_equal(symlink("cuda-12.4", scratch("usr/local/cuda")), 0);
	system_packages_read(&env, &facts);
	system_software_read(&env, &facts);
	assert_int_equal(facts.listed.software.state, VAL_UNSUPPORTED);
	assert_int_equal(facts.nr_software, 6);
	assert_string_equal(version_of("/usr/bin/nvidia-ctk"), "absent");
	assert_string_equal(version_of("/usr/local/cuda-10.2/version.txt"), "10.2.89");
	assert_string_equal(version_of("/usr/local/cuda-12.4/version.json"), "12.4.1");
	assert_string_equal(version_of("/usr/local/cuda-9/version.json"), "error");
	assert_string_equal(version_of("/opt/rocm-6.1.0/.info/version"), "6.1.0");
	assert_string_equal(version_of("/usr/lib64/libnccl.so.2.21.5"), "2.21.5");
}

static void assert_cdi(const char *text, const char *version, const char *kind)
{
	const char *found = cdi_driver_version(&facts.arena, text);

	assert_string_equal(found ? found : "(none)", version);
	found = cdi_kind(&facts.arena, text);
	assert_string_equal(found ? found : "(none)", kind);
}

static void cdi_files_name_the_driver(void **state)
{
	(void)state;
	assert_cdi("kind: nvidia.com/gpu\n  path: /usr/lib64/libcuda.so.550.54.14\n", "550.54.14", "nvidia.com/gpu");
	assert_cdi("{\"cdiVersion\":\"0.5.0\",\"kind\":\"nvidia.com/gpu\",\"x\":\"/a/libnvidia-ml.so.535.54.03\"}",
		   "535.54.03", "nvidia.com/gpu");
	/* A compatibility package beside it, and the loader's link. */
	assert_cdi("/cuda/compat/libcuda.so.570.86.15 libnvidia-ml.so.1 libnvidia-ml.so.550.54.14", "550.54.14",
		   "(none)");
	assert_cdi("kind: amd.com/gpu\n  path: /dev/kfd\n", "(none)", "amd.com/gpu");
	assert_cdi("mankind\nkind\nnvidia.com/gpu", "(none)", "(none)");
	assert_cdi("", "(none)", "(none)");
}

static void only_cdi_files_are_read(void **state)
{
	(void)state;
	put_text("etc/cdi/nvidia.yaml", "kind: nvidia.com/gpu\nlibcuda.so.550.54.14");
	put_text("etc/cdi/nvidia.yaml.bak", "kind: nvidia.com/gpu\nlibcuda.so.535.54.03");
	put_text("etc/cdi/rdma.json", "{\"kind\": \"mellanox.com/nic\"}");
	system_cdi_read(&env, &facts);
	assert_int_equal(facts.nr_cdi_specs, 1);
	assert_string_equal(str_or(facts.cdi_specs[0].key, ""), "/etc/cdi/nvidia.yaml");
	assert_int_equal(facts.cdi_specs[0].paths.state, VAL_UNSUPPORTED);
	assert_true(u64_or(facts.listed.cdi_specs, 0) == 1);
}
static void a_recording_lacks_files_of_cdi_only_beside_their_like(void **state)
{
	const struct cdi_spec *spec;

	(void)state;
	put_text(
		"etc/cdi/nvidia.yaml",
		"kind: nvidia.com/gpu\ncontainerEdits:\n  deviceNodes:\n  - path: /dev/nvidia0\n"
		"  - path: /dev/nvidia1\n  - path: /dev/dri/card1\n  mounts:\n  - hostPath: /lib/libcuda.so.535.54.03\n"
		"  - hostPath: /lib/libother.so.1\n  - hostPath: relative\n");
	put_text("etc/cdi/amd.json", "{\"kind\": \"amd.com/gpu\",\n \"devices\": [");
	put_text("dev/nvidia0", "");
	put_text("lib/libcuda.so.550.54.14", "x");
	system_cdi_read(&env, &facts);
	assert_int_equal(facts.nr_cdi_specs, 2);
	spec = &facts.cdi_specs[1];
	assert_true(u64_or(spec->paths, 0) == 6);
	assert_int_equal(spec->paths_gone.nr, 2);
	assert_string_equal(spec->paths_gone.v[0], "/dev/nvidia1");
	assert_string_equal(spec->paths_gone.v[1], "/lib/libcuda.so.535.54.03");
	spec = &facts.cdi_specs[0];
	assert_int_equal(spec->driver_version.state, VAL_ABSENT);
	assert_true(u64_or(spec->broken_line, 0) == 2);
	assert_true(is_known(spec->broken));
}

#define RELEASE "6.8.0-48-generic"
#define MODULES "lib/modules/" RELEASE

/* A file with the sections that a module has: none, .modinfo, names. */
static void put_module(const char *path, const char *information, size_t len)
{
	static const char names[] = "\0.modinfo\0.shstrtab";
	struct {
		Elf64_Ehdr header;
		char information[64];
		char names[32];
		Elf64_Shdr sections[3];
	} file = { .header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64 }, .e_shnum = 3, .e_shstrndx = 2 } };

	memcpy(file.information, information, len);
	memcpy(file.names, names, sizeof(names));
	file.header.e_shentsize = sizeof(file.sections[0]);
	file.header.e_shoff = (Elf64_Off)((const char *)file.sections - (const char *)&file);
	file.sections[1] = (Elf64_Shdr){ .sh_name = 1, .sh_size = len, .sh_offset = sizeof(file.header) };
	file.sections[2] = (Elf64_Shdr){ .sh_name = 10, .sh_size = sizeof(names),
					 .sh_offset = sizeof(file.header) + sizeof(file.information) };
	put_file(path, &file, sizeof(file));
}

static void assert_on_disk(const char *version)
{
	struct val_str found = module_disk_version(&env, &facts.arena, "nvidia");

	assert_string_equal(str_or(found, val_state_name(found.state)), version);
}

static void the_modules_file_tells_its_version(void **state)
{
	static const char information[] = "srcversion=5\0version=550.144.03\0license=NVIDIA";

	(void)state;
	assert_on_disk("absent");
	put_text("proc/sys/kernel/osrelease", RELEASE "\n");
	assert_on_disk("absent");
	put_text(MODULES "/modules.dep", "updates/dkms/nvidia-uvm.ko: updates/dkms/nvidia.ko\n");
	assert_on_disk("absent");
	put_text(MODULES "/modules.dep", "a/nvidia-uvm.ko: updates/dkms/nvidia.ko\nupdates/dkms/nvidia.ko: a/drm.ko\n");
	assert_on_disk("absent");
	put_module(MODULES "/updates/dkms/nvidia.ko", information, sizeof(information));
	assert_on_disk("550.144.03");
	put_text(MODULES "/updates/dkms/nvidia.ko", "no module at all, and long enough for the header that one has");
	assert_on_disk("error");
	put_module(MODULES "/updates/dkms/nvidia.ko", "license=NVIDIA", 15);
	assert_on_disk("absent");
}

static void of_a_compressed_file_dkms_tells(void **state)
{
	(void)state;
	put_text("proc/sys/kernel/osrelease", RELEASE "\n");
	put_text(MODULES "/modules.dep", "updates/dkms/nvidia.ko.zst: a/drm.ko\n");
	assert_on_disk("unsupported");
	put_text("var/lib/dkms/nvidia/550.144.03/x", "");
	assert_int_equal(symlink("550.144.03/" RELEASE "/x86_64",
				 scratch("var/lib/dkms/nvidia/kernel-" RELEASE "-x86_64")), 0);
	assert_on_disk("550.144.03");
}

static void modinfo_is_read_within_its_bounds(void **state)
{
	(void)state;
	assert_null(modinfo_value(&facts.arena, "", 0, "version"));
	assert_null(modinfo_value(&facts.arena, "srcversion=1", 12, "version"));
	assert_string_equal(modinfo_value(&facts.arena, "version=550.54.14xxxx", 17, "version"), "550.54.14");
}

int main(void)
{
#define IN_A_TREE(test) cmocka_unit_test_setup_teardown(test, tree_make, tree_remove)
	const struct CMUnitTest tests[] = {
		IN_A_TREE(packages_are_known_by_their_names),
		IN_A_TREE(versions_are_their_makers),
		IN_A_TREE(only_what_is_installed_counts),
		IN_A_TREE(lines_and_files_longer_than_a_piece_are_read),
		IN_A_TREE(without_dpkg_files_alone_tell),
		IN_A_TREE(cdi_files_name_the_driver),
		IN_A_TREE(only_cdi_files_are_read),
		IN_A_TREE(a_recording_lacks_files_of_cdi_only_beside_their_like),
		IN_A_TREE(the_modules_file_tells_its_version),
		IN_A_TREE(of_a_compressed_file_dkms_tells),
		IN_A_TREE(modinfo_is_read_within_its_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
