// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/nvidia/nvidia_targets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static const char *architecture(const char *device_id, const char *told)
{
	struct gpu gpu = { .nr_clients = 0 };
	const struct nvidia_architecture *found;

	gpu.pci.vendor_id = val_str("0x10de");
	if (device_id)
		gpu.pci.device_id = val_str(device_id);
	if (told)
		gpu.nvml.architecture = val_str(told);
	found = nvidia_architecture_of(&gpu);
	return found ? found->name : "(none)";
}

static void device_ids_tell_the_architecture(void **state)
{
	(void)state;
	assert_string_equal(architecture("0x1db1", NULL), "Volta");	/* V100 SXM2 */
	assert_string_equal(architecture("0x15f8", NULL), "Pascal");	/* P100 */
	assert_string_equal(architecture("0x17fd", NULL), "Maxwell");	/* M40 */
	assert_string_equal(architecture("0x102d", NULL), "Kepler");	/* K80 */
	assert_string_equal(architecture("0x1091", NULL), "Fermi");	/* M2090 */
	assert_string_equal(architecture("0x1eb8", NULL), "Turing");	/* T4 */
	assert_string_equal(architecture("0x20b2", NULL), "Ampere");	/* A100 */
	assert_string_equal(architecture("0x2236", NULL), "Ampere");	/* A10 */
	assert_string_equal(architecture("0x2330", NULL), "Hopper");	/* H100 */
	assert_string_equal(architecture("0x2684", NULL), "Ada");	/* RTX 4090 */
	assert_string_equal(architecture("0x2901", NULL), "Blackwell");	/* B200 */
	assert_string_equal(architecture("0x2b85", NULL), "Blackwell");	/* RTX 5090 */
	assert_string_equal(architecture("0x3182", NULL), "Blackwell");	/* B300 */
}

static enum nvidia_flavours flavours(const char *device_id, const char *told)
{
	struct gpu gpu = { .nr_clients = 0 };

	gpu.pci.vendor_id = val_str("0x10de");
	gpu.pci.device_id = val_str(device_id);
	if (told)
		gpu.nvml.architecture = val_str(told);
	return nvidia_architecture_of(&gpu)->flavours;
}

static void a_hopper_beside_a_grace_has_the_open_module_only(void **state)
{
	(void)state;
	assert_int_equal(flavours("0x2330", NULL), FLAVOURS_BOTH);	/* H100 */
	assert_int_equal(flavours("0x2330", "Hopper"), FLAVOURS_BOTH);
	assert_int_equal(flavours("0x2342", NULL), FLAVOURS_OPEN);	/* GH200 */
	assert_int_equal(flavours("0x2348", "Hopper"), FLAVOURS_OPEN);
	assert_int_equal(flavours("0x2901", "Blackwell"), FLAVOURS_OPEN);
	assert_int_equal(flavours("0x1db1", "Volta"), FLAVOURS_PROPRIETARY);
}

static void what_is_not_known_is_not_guessed(void **state)
{
	struct gpu other = { .nr_clients = 0 };

	(void)state;
	assert_string_equal(architecture("0x3e00", NULL), "(none)");
	assert_string_equal(architecture(NULL, NULL), "(none)");
	assert_string_equal(architecture("nonsense", NULL), "(none)");
	/* The library knows a name that the table lacks: the device id is no better witness. */
	assert_string_equal(architecture("0x2330", "14"), "(none)");
	assert_string_equal(architecture("0x3e00", "Hopper"), "Hopper");
	other.pci.vendor_id = val_str("0x1002");
	other.pci.device_id = val_str("0x2330");
	assert_null(nvidia_architecture_of(&other));
}

static void a_branch_is_one_of_those_there_are(void **state)
{
	(void)state;
	assert_int_equal(nvidia_branch_of("550.54.14"), 550);
	assert_int_equal(nvidia_branch_of("580"), 580);
	assert_int_equal(nvidia_branch_of("557.10"), 0);
	assert_int_equal(nvidia_branch_of("5500.1"), 0);
	assert_int_equal(nvidia_branch_of(""), 0);
	assert_int_equal(nvidia_branch_of("550x"), 0);
	assert_int_equal(nvidia_branch_of("-550.1"), 0);
	assert_int_equal(nvidia_newest_branch(), 620);
}

static void a_branch_alone_is_any_of_its_versions(void **state)
{
	(void)state;
	assert_true(nvidia_version_is("580.95.05", "580.95.05"));
	assert_true(nvidia_version_is("580.95.05", "580.95.5"));
	assert_false(nvidia_version_is("580.95.05", "580.65.06"));
	assert_true(nvidia_version_is("580.95.05", "580"));
	assert_false(nvidia_version_is("575.57.08", "580"));
	assert_false(nvidia_version_is("5800.1", "580"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(device_ids_tell_the_architecture),
		cmocka_unit_test(a_hopper_beside_a_grace_has_the_open_module_only),
		cmocka_unit_test(what_is_not_known_is_not_guessed),
		cmocka_unit_test(a_branch_is_one_of_those_there_are),
		cmocka_unit_test(a_branch_alone_is_any_of_its_versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
