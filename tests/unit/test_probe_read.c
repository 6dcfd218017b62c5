// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs beside one: it times deadlines. */
/* What probes make of files: values with their states, lines of /proc, configuration space, stacks. */
#include "base/compat.h"
#include "probe/read.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "format/pci_config.h"
#include "probe/device/group_name.h"
#include "probe/library.h"
#include "probe/pci/pci_function.h"
#include "probe/process/proc_stat.h"
#include "probe/process/task_driver.h"
#include "tests/unit/tree.h"

static int make_all(void **state)
{
	return tree_make(state) || mkdir(scratch("sys"), 0755) ? -1 : 0;
}

static void put(const char *text)
{
	assert_true(scratch_write("sys/file", text, strlen(text)));
}

static void assert_u64(struct val_u64 value, enum val_state state, const char *why)
{
	assert_string_equal(val_state_name(value.state), val_state_name(state));
	assert_string_equal(value.why ? value.why : "", why);
}

static void assert_str(struct val_str value, enum val_state state, const char *why)
{
	assert_string_equal(val_state_name(value.state), val_state_name(state));
	assert_string_equal(value.why ? value.why : "", why);
}

static void errno_becomes_a_state(void **state)
{
	(void)state;
	assert_int_equal(state_of_errno(-ENOENT), VAL_ABSENT);
	assert_int_equal(state_of_errno(-ENOTDIR), VAL_ABSENT);
	assert_int_equal(state_of_errno(-EACCES), VAL_DENIED);
	assert_int_equal(state_of_errno(-EPERM), VAL_DENIED);
	assert_int_equal(state_of_errno(-ENODATA), VAL_UNSUPPORTED);
	assert_int_equal(state_of_errno(-EOPNOTSUPP), VAL_UNSUPPORTED);
	assert_int_equal(state_of_errno(-ENXIO), VAL_UNSUPPORTED);
	assert_int_equal(state_of_errno(-ENODEV), VAL_LOST);
	assert_int_equal(state_of_errno(-EIO), VAL_ERROR);
	assert_string_equal(name_of_errno(-EACCES), "EACCES");
	assert_string_equal(name_of_errno(-ENOTSUP), "EOPNOTSUPP");
	assert_string_equal(name_of_errno(-4096), "unnamed errno");
}

static void numbers_are_read_whole(void **state)
{
	(void)state;
	put("16\n");
	assert_u64(read_u64(&env, &facts.arena, "/sys/file"), VAL_OK, "");
	assert_int_equal(u64_or(read_u64(&env, &facts.arena, "/%s/%s", "sys", "file"), 0), 16);
	put("0x10de\n");
	assert_int_equal(u64_or(read_u64(&env, &facts.arena, "/sys/file"), 0), 0x10de);
	put("18446744073709551615");
	assert_true(u64_or(read_u64(&env, &facts.arena, "/sys/file"), 0) == UINT64_MAX);
}

static void what_is_no_number_is_quoted(void **state)
{
	(void)state;
	put("");
	assert_u64(read_u64(&env, &facts.arena, "/sys/file"), VAL_ABSENT, "empty");
	put(" \n\n");
	assert_u64(read_u64(&env, &facts.arena, "/sys/file"), VAL_ABSENT, "empty");
	put("Unknown\n");
	assert_u64(read_u64(&env, &facts.arena, "/sys/file"), VAL_ERROR, "reads \"Unknown\"");
	put("-1\n");
	assert_u64(read_u64(&env, &facts.arena, "/sys/file"), VAL_ERROR, "reads \"-1\"");
	put("18446744073709551616");
	assert_u64(read_u64(&env, &facts.arena, "/sys/file"), VAL_ERROR, "reads \"18446744073709551616\"");
	put("0123456789012345678901234567890123456789x");
	assert_u64(read_u64(&env, &facts.arena, "/sys/file"), VAL_ERROR,
		   "reads \"0123456789012345678901234567890123456789\" …");
	assert_true(scratch_write("sys/file", "16\0\xff", 4));
	assert_u64(read_u64(&env, &facts.arena, "/sys/file"), VAL_ERROR, "reads \"16\xef\xbf\xbd\xef\xbf\xbd\"");
}

static void what_is_not_there_says_why(void **state)
{
	(void)state;
	assert_u64(read_u64(&env, &facts.arena, "/sys/none"), VAL_ABSENT, "ENOENT");
	assert_str(read_str(&env, &facts.arena, "/sys/file/below"), VAL_ABSENT, "ENOTDIR");
	assert_str(read_str(&env, &facts.arena, "/sys"), VAL_ERROR, "EISDIR");
	assert_str(read_str(&env, &facts.arena, "/%0*d", 5000, 0), VAL_ERROR, "ENAMETOOLONG");
	assert_str(read_link_name(&env, &facts.arena, "/sys/none"), VAL_ABSENT, "ENOENT");
	assert_str(read_link_name(&env, &facts.arena, "/sys/file"), VAL_ERROR, "EINVAL");
}

static void texts_are_trimmed_and_clean(void **state)
{
	(void)state;
	put("NVIDIA H100 80GB \t\n\n");
	assert_string_equal(str_or(read_str(&env, &facts.arena, "/sys/file"), ""), "NVIDIA H100 80GB");
	put("a\xff" "b");
	assert_string_equal(str_or(read_str(&env, &facts.arena, "/sys/file"), ""), "a\xef\xbf\xbd" "b");
	assert_int_equal(symlink("../../bus/pci/drivers/nvidia", scratch("sys/driver")), 0);
	assert_string_equal(str_or(read_link_name(&env, &facts.arena, "/sys/driver"), ""), "nvidia");
	assert_int_equal(symlink("bare", scratch("sys/bare")), 0);
	assert_string_equal(str_or(read_link_name(&env, &facts.arena, "/sys/bare"), ""), "bare");
}

static void lists_of_cpus_are_checked(void **state)
{
	(void)state;
	assert_string_equal(str_or(checked_cpulist(&facts.arena, val_str("0-3,8")), ""), "0-3,8");
	assert_str(checked_cpulist(&facts.arena, val_str("0-x")), VAL_ERROR, "reads \"0-x\"");
	assert_str(checked_cpulist(&facts.arena, no_str(VAL_DENIED, "EACCES")), VAL_DENIED, "EACCES");
}

static void what_is_no_version_is_quoted(void **state)
{
	static const char *const words[] = { "550.54.14", "2.13.0g", "6.2.0-66", "0.5.0-k", "96.00.74.00.01", "v2" };
	static const char *const none[] = { "???", "Unknown", "5 50", "550\x01", "550.54.14\xef\xbf\xbd" };
	static const char *const no_driver[] = { "???", "550.54.", "550..14", "2.13.0g", "550.54.14 x" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		assert_string_equal(str_or(checked_version(&facts.arena, val_str(words[i])), ""), words[i]);
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		assert_int_equal(checked_version(&facts.arena, val_str(none[i])).state, VAL_ERROR);
	for (size_t i = 0; i < ARRAY_SIZE(no_driver); i++)
		assert_int_equal(checked_driver_version(&facts.arena, val_str(no_driver[i])).state, VAL_ERROR);
	assert_string_equal(str_or(checked_driver_version(&facts.arena, val_str("550.54.14")), ""), "550.54.14");
	assert_str(checked_driver_version(&facts.arena, val_str("???")), VAL_ERROR, "reads \"???\"");
	assert_str(checked_version(&facts.arena, no_str(VAL_ABSENT, "ENOENT")), VAL_ABSENT, "ENOENT");
	assert_str(checked_driver_version(&facts.arena, no_str(VAL_DENIED, "EACCES")), VAL_DENIED, "EACCES");
}

static void lines_of_proc_have_keys(void **state)
{
	PROC_TEXT_AUTO file = PROC_TEXT_INIT;

	(void)state;
	put("MemTotal:  16 kB\nMemTotalX: 1 kB\nUid:\t1000\t0\nempty:\nPRETTY_NAME=\"x y\" \n"
	    "huge 18014398509481985\nbad 1x\n");
	proc_text_read(&env, &file, 0, "/sys/file");
	assert_int_equal(u64_or(proc_text_u64(&file, &facts.arena, "MemTotal", 1024), 0), 16384);
	assert_int_equal(u64_or(proc_text_u64(&file, &facts.arena, "Uid", 1), 0), 1000);
	assert_string_equal(str_or(proc_text_str(&file, &facts.arena, "PRETTY_NAME"), ""), "\"x y\"");
	assert_u64(proc_text_u64(&file, &facts.arena, "Mem", 1), VAL_ABSENT, "no Mem there");
	assert_u64(proc_text_u64(&file, &facts.arena, "empty", 1), VAL_ABSENT, "no empty there");
	assert_u64(proc_text_u64(&file, &facts.arena, "huge", 1024), VAL_ERROR, "reads \"18014398509481985\"");
	assert_u64(proc_text_u64(&file, &facts.arena, "bad", 1), VAL_ERROR, "reads \"1x\"");
	proc_text_read(&env, &file, 12, "/sys/file");
	assert_string_equal(file.text.buf, "MemTotal:  1");
	proc_text_read(&env, &file, 0, "/sys/none");
	assert_u64(proc_text_u64(&file, &facts.arena, "MemTotal", 1), VAL_ABSENT, "ENOENT");
}

static void stat_lines_hold_any_name(void **state)
{
	struct proc_stat stat;

	(void)state;
	assert_int_equal(proc_stat_parse("30 (a) S 1 (b) D 7 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 12 0 99\n", &stat),
			 0);
	assert_string_equal(stat.comm, "a) S 1 (b");
	assert_int_equal(stat.state, 'D');
	assert_int_equal(stat.parent, 7);
	assert_int_equal(stat.threads, 12);
	assert_false(stat.is_kernel_thread);
	assert_int_equal(proc_stat_parse("2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 1", &stat), 0);
	assert_true(stat.is_kernel_thread);
	assert_int_equal(proc_stat_parse("", &stat), -EINVAL);
	assert_int_equal(proc_stat_parse("2 (no end", &stat), -EINVAL);
	assert_int_equal(proc_stat_parse("2 )x(", &stat), -EINVAL);
	assert_int_equal(proc_stat_parse("2 (x)", &stat), -EINVAL);
	assert_int_equal(proc_stat_parse("2 (x) S 1 2", &stat), -EINVAL);
}

/* A header with a capability list: power management at 0x40, then what the test puts at 0x60. */
static void make_config(unsigned char config[PCI_CONFIG_BYTES])
{
	memset(config, 0, PCI_CONFIG_BYTES);
	config[0x06] = 0x10;
	config[0x34] = 0x40;
	config[0x40] = 0x01;
	config[0x41] = 0x60;
	config[0x60] = 0x10;
	config[0x62] = 0x42;	/* version 2, root port */
}

static void config_space_names_the_port(void **state)
{
	unsigned char config[PCI_CONFIG_BYTES];

	(void)state;
	make_config(config);
	assert_string_equal(str_or(pci_config_port_type(&facts.arena, config, 256), ""), "root-port");
	config[0x62] = 0x02;
	assert_string_equal(str_or(pci_config_port_type(&facts.arena, config, 256), ""), "endpoint");
	config[0x62] = 0xd2;
	assert_str(pci_config_port_type(&facts.arena, config, 256), VAL_ERROR, "reads type 13");
	assert_str(pci_config_port_type(&facts.arena, config, 64), VAL_DENIED,
		   "needs root: 64 bytes of configuration space");
	assert_str(pci_config_port_type(&facts.arena, config, 10), VAL_ERROR,
		   "less than 64 bytes of configuration space");
	assert_false(bool_or(pci_config_all_ones(config, 64), true));
	assert_int_equal(pci_config_all_ones(config, 63).state, VAL_ERROR);
	memset(config, 0xff, sizeof(config));
	assert_true(bool_or(pci_config_all_ones(config, 64), false));
	assert_str(pci_config_port_type(&facts.arena, config, 64), VAL_LOST, "configuration space reads as all ones");
}

static void config_space_tells_identity_and_link(void **state)
{
	unsigned char config[PCI_CONFIG_EXTENDED_BYTES] = { 0 };
	struct pci_function pci = { 0 };

	(void)state;
	make_config(config);
	memcpy(config, "\xde\x10\x30\x23", 4);
	memcpy(config + 0x08, "\xa1\x00\x02\x03", 4);
	memcpy(config + 0x2c, "\xde\x10\xc1\x16", 4);
	memcpy(config + 0x6c, "\x05\x01", 2);		/* able: 32 GT/s, 16 lanes */
	memcpy(config + 0x72, "\x84\x00", 2);		/* runs: 16 GT/s, 8 lanes */
	pci_config_identity(&facts.arena, config, 64, &pci);
	assert_string_equal(str_or(pci.vendor_id, ""), "0x10de");
	assert_string_equal(str_or(pci.device_id, ""), "0x2330");
	assert_string_equal(str_or(pci.class_code, ""), "0x030200");
	assert_string_equal(str_or(pci.revision, ""), "0xa1");
	assert_string_equal(str_or(pci.subsystem_id, ""), "0x10de:0x16c1");
	pci_config_link(&facts.arena, config, 256, &pci);
	assert_int_equal(u64_or(pci.link_width, 0), 8);
	assert_int_equal(u64_or(pci.link_width_able, 0), 16);
	assert_int_equal(u64_or(pci.link_speed_mtps, 0), 16000);
	assert_int_equal(u64_or(pci.link_speed_able_mtps, 0), 32000);
	memcpy(config + 0x72, "\xff\xff", 2);
	pci_config_link(&facts.arena, config, 256, &pci);
	assert_u64(pci.link_width, VAL_LOST, "reads 63: the device does not answer");
	assert_u64(pci.link_speed_mtps, VAL_LOST, "reads 63: the device does not answer");
	assert_int_equal(pci_config_secondary_bus(config, 256), -1);
	config[0x0e] = 0x81;
	config[0x19] = 0x5d;
	assert_int_equal(pci_config_secondary_bus(config, 256), 0x5d);
	assert_int_equal(pci_config_acs_redirects(config, 256).state, VAL_ABSENT);
	memcpy(config + 0x100, "\x01\x00\x02\x20", 4);
	memcpy(config + 0x200, "\x0d\x00\x01\x00\x00\x00\x04\x00", 8);
	assert_true(bool_or(pci_config_acs_redirects(config, sizeof(config)), false));
}

static void capability_lists_may_lead_nowhere(void **state)
{
	unsigned char config[PCI_CONFIG_BYTES];

	(void)state;
	make_config(config);
	config[0x41] = 0x40;	/* a circle */
	assert_str(pci_config_port_type(&facts.arena, config, 256), VAL_ABSENT, "no PCI Express capability");
	config[0x41] = 0x10;	/* into the header */
	assert_str(pci_config_port_type(&facts.arena, config, 256), VAL_ABSENT, "no PCI Express capability");
	config[0x41] = 0xfc;	/* the very end */
	assert_str(pci_config_port_type(&facts.arena, config, 256), VAL_ABSENT, "no PCI Express capability");
	config[0xfc] = 0x10;
	config[0xfe] = 0x52;
	assert_string_equal(str_or(pci_config_port_type(&facts.arena, config, 256), ""), "upstream-port");
	make_config(config);
	config[0x06] = 0;	/* no list at all */
	assert_str(pci_config_port_type(&facts.arena, config, 256), VAL_ABSENT, "no PCI Express capability");
}

static void sleepers_are_known_by_either_state(void **state)
{
	struct pci_function function = { .runtime_status = val_str("active"), .power_state = val_str("D0") };
	const char *why = NULL;

	(void)state;
	assert_false(pci_function_is_asleep(&facts.arena, &function, &why));
	function.power_state = val_str("D3cold");
	assert_true(pci_function_is_asleep(&facts.arena, &function, &why));
	assert_string_equal(why, "power_state D3cold");
	function.runtime_status = val_str("suspending");
	assert_true(pci_function_is_asleep(&facts.arena, &function, &why));
	assert_string_equal(why, "runtime_status suspending");
	function.power_state = function.runtime_status = no_str(VAL_ABSENT, "ENOENT");
	assert_false(pci_function_is_asleep(&facts.arena, &function, &why));
}

static void assert_waits(const char *stack, const char *wchan, enum task_waits waits, const char *driver)
{
	const char *found = "";

	assert_int_equal(task_driver(stack, wchan, &found), waits);
	assert_string_equal(found, driver);
}

static void stacks_name_the_driver(void **state)
{
	(void)state;
	assert_waits("down_write, _nv04rm [nvidia], nvidia_ioctl [nvidia]", NULL, WAITS_IN_DRIVER, "nvidia");
	assert_waits("schedule, uvm_va_space_down [nvidia_uvm]", NULL, WAITS_IN_DRIVER, "nvidia");
	assert_waits("kfd_ioctl_alloc [amdgpu]", NULL, WAITS_IN_DRIVER, "amdgpu");
	assert_waits("i915_gem_wait", NULL, WAITS_IN_DRIVER, "i915");
	assert_waits("xe_exec_queue_kill [xe]", NULL, WAITS_IN_DRIVER, "xe");
	assert_waits(NULL, "os_acquire_semaphore", WAITS_IN_DRIVER, "nvidia");
	assert_waits("dma_fence_default_wait, ttm_bo_wait [ttm]", "0", WAITS_FOR_GPU, "");
	assert_waits("io_schedule, folio_wait_bit, do_syscall_64", "io_schedule", WAITS_ELSEWHERE, "");
	assert_waits("xe_like_name [xfs], worker_thread", NULL, WAITS_ELSEWHERE, "");
	assert_waits("xen_wait, kthread", NULL, WAITS_ELSEWHERE, "");
	assert_waits(NULL, "rpc_wait_bit_killable", WAITS_ELSEWHERE, "");
	assert_waits(NULL, "do_exit", WAITS_UNKNOWN, "");
	assert_waits(NULL, NULL, WAITS_UNKNOWN, "");
	assert_waits("", NULL, WAITS_UNKNOWN, "");
}

static void libraries_are_opened_by_table(void **state)
{
	static __typeof__(cos) *cosine;
	static void *nothing = &nothing;
	const struct library_symbol found[] = {
		{ .name = "no_such_symbol", .fallback = "cos", .required = true, .to = LIBRARY_TO(cosine) },
		{ .name = "no_such_symbol", .fallback = NULL, .required = false, .to = LIBRARY_TO(nothing) },
		{ .name = NULL, .fallback = NULL, .required = false, .to = NULL },
	};
	const struct library_symbol missing[] = {
		{ .name = "no_such_symbol", .fallback = NULL, .required = true, .to = LIBRARY_TO(nothing) },
		{ .name = NULL, .fallback = NULL, .required = false, .to = NULL },
	};
	const char *const maths[] = { "libno-such-thing.so.9", "libm.so.6", NULL };
	const char *const absent[] = { "libno-such-thing.so.9", NULL };
	const char *broken[] = { scratch("sys/broken.so"), "libno-such-thing.so.9", NULL };
	char why[LIBRARY_WHY_BYTES];
	void *handle = NULL;

	(void)state;
	assert_int_equal(library_open(maths, missing, NULL, why), -ENOSYS);
	assert_string_equal(why, "libm.so.6: no symbol no_such_symbol");
	assert_ptr_equal(nothing, &nothing);
	assert_int_equal(library_open(maths, found, &handle, why), 0);
	assert_string_equal(why, "");
	assert_non_null(handle);
	assert_null(nothing);
	assert_true(cosine(0) == 1);
	assert_int_equal(library_open(absent, found, NULL, why), -ENOENT);
	assert_string_equal(why, "libno-such-thing.so.9: not installed");
	assert_true(scratch_write("sys/broken.so", "not ELF", 7));
	assert_int_equal(library_open(broken, found, NULL, why), -ELIBBAD);
	assert_non_null(strstr(why, "broken.so"));
}

static void groups_have_names(void **state)
{
	static const char text[] = "root:x:0:\n\n:x:5:\nno number:x\nvideo:x:44:anna,bert\n+nis::44:\n"
				   "wide:x:44294967296:\nrender:!:107:\nlast:*:4294967294:me";

	(void)state;
	assert_string_equal(str_or(group_name(&facts.arena, text, 0), "?"), "root");
	assert_string_equal(str_or(group_name(&facts.arena, text, 44), "?"), "video");
	assert_string_equal(str_or(group_name(&facts.arena, text, 107), "?"), "render");
	assert_string_equal(str_or(group_name(&facts.arena, text, 4294967294U), "?"), "last");
	assert_str(group_name(&facts.arena, text, 5), VAL_ABSENT, "no such group in /etc/group");
	assert_str(group_name(&facts.arena, text, 1), VAL_ABSENT, "no such group in /etc/group");
	assert_str(group_name(&facts.arena, "", 0), VAL_ABSENT, "no such group in /etc/group");
	assert_str(group_name(&facts.arena, "name:\nname", 0), VAL_ABSENT, "no such group in /etc/group");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_have_names),
		cmocka_unit_test(errno_becomes_a_state),
		cmocka_unit_test(numbers_are_read_whole),
		cmocka_unit_test(what_is_no_number_is_quoted),
		cmocka_unit_test(what_is_not_there_says_why),
		cmocka_unit_test(texts_are_trimmed_and_clean),
		cmocka_unit_test(lists_of_cpus_are_checked),
		cmocka_unit_test(what_is_no_version_is_quoted),
		cmocka_unit_test(lines_of_proc_have_keys),
		cmocka_unit_test(stat_lines_hold_any_name),
		cmocka_unit_test(config_space_names_the_port),
		cmocka_unit_test(config_space_tells_identity_and_link),
		cmocka_unit_test(capability_lists_may_lead_nowhere),
		cmocka_unit_test(sleepers_are_known_by_either_state),
		cmocka_unit_test(stacks_name_the_driver),
		cmocka_unit_test(libraries_are_opened_by_table),
	};

	return cmocka_run_group_tests(tests, make_all, tree_remove);
}
