// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/nvidia/nvidia_branches.h"

#include "base/text.h"

/*
 * Newest first; of each CUDA the driver that its first release came with, which is the least it asks for. NVIDIA's CUDA
 * release notes, table "CUDA Toolkit and Corresponding Driver Versions".
 */
static const struct {
	const char *cuda;
	const char *driver_min;
} toolkits[] = {
	{ "13.3", "610.43.02" }, { "13.2", "595.45.04" }, { "13.1", "590.44.01" }, { "13.0", "580.65.06" },
	{ "12.9", "575.51.03" }, { "12.8", "570.26" },	  { "12.6", "560.28.03" }, { "12.5", "555.42.02" },
	{ "12.4", "550.54.14" }, { "12.3", "545.23.06" }, { "12.2", "535.54.03" }, { "12.1", "530.30.02" },
	{ "12.0", "525.60.13" }, { "11.8", "520.61.05" }, { "11.7", "515.43.04" }, { "11.6", "510.39.01" },
	{ "11.5", "495.29.05" }, { "11.4", "470.42.01" }, { "11.3", "465.19.01" }, { "11.2", "460.27.03" },
	{ "11.1", "455.23" },	 { "11.0", "450.36.06" }, { "10.2", "440.33" },	   { "10.1", "418.39" },
	{ "10.0", "410.48" },
};

/* NVIDIA's CUDA Compatibility, "Minor Version Compatibility". */
static const struct {
	unsigned major;
	const char *driver_min;
} majors[] = { { 13, "580" }, { 12, "525" }, { 11, "450" } };

/*
 * NVIDIA's "Supported Drivers and CUDA Toolkit Versions" of data centre drivers, in three editions: the PDF of March
 * 2021 (RN-08625-001), the page of branch 580 of August 2025 and that of branch 615 of September 2026. That of 2025
 * gave R580 until August 2028, which the later one shortened; and it said, without dates, which branches were over by
 * then. R470, R520, R530, R545, R555 and R590 stand in none of them: nothing is published.
 */
#define OVER_BY_2025 "2025-08 or before"
static const struct {
	const char *branch;
	const char *end_of_life;
} branches[] = {
	/* March 2021 */
	{ "418", "2022-03" }, { "440", "2020-11" }, { "450", "2023-07" }, { "460", "2022-01" },
	/* August 2025 */
	{ "410", OVER_BY_2025 }, { "455", OVER_BY_2025 }, { "465", OVER_BY_2025 }, { "495", OVER_BY_2025 },
	{ "510", OVER_BY_2025 }, { "515", OVER_BY_2025 }, { "525", OVER_BY_2025 }, { "550", OVER_BY_2025 },
	{ "560", OVER_BY_2025 }, { "565", OVER_BY_2025 }, { "575", OVER_BY_2025 }, { "570", "2026-02" },
	/* September 2026 */
	{ "535", "2026-06" }, { "580", "2028-06" }, { "595", "2027-03" }, { "610", "2026-08" },
};

/* The number before the first point. */
static bool is_of_branch(const char *version, const char *branch)
{
	size_t len = strcspn(branch, ".");

	return strcspn(version, ".") == len && !strncmp(version, branch, len);
}

const char *nvidia_driver_cuda(const char *driver_version, bool *ret_is_exact)
{
	*ret_is_exact = false;
	for (size_t i = 0; i < ARRAY_SIZE(toolkits); i++) {
		if (version_compare(driver_version, toolkits[i].driver_min) < 0)
			continue;
		*ret_is_exact = is_of_branch(driver_version, toolkits[i].driver_min);
		return toolkits[i].cuda;
	}
	return NULL;
}

const char *nvidia_driver_for_cuda_major(unsigned major)
{
	for (size_t i = 0; i < ARRAY_SIZE(majors); i++)
		if (majors[i].major == major)
			return majors[i].driver_min;
	return NULL;
}

/* "12.4.1" is of "12.4", and "12.40" is not. */
static bool is_release_of(const char *version, const char *cuda)
{
	size_t len = strlen(cuda);

	return !strncmp(version, cuda, len) && (!version[len] || version[len] == '.');
}

const char *nvidia_driver_for_cuda(const char *cuda_version)
{
	for (size_t i = 0; i < ARRAY_SIZE(toolkits); i++)
		if (is_release_of(cuda_version, toolkits[i].cuda))
			return toolkits[i].driver_min;
	return NULL;
}

const char *nvidia_driver_least_for_cuda(const char *cuda)
{
	for (size_t i = 0; i < ARRAY_SIZE(toolkits); i++)
		if (version_compare(toolkits[i].cuda, cuda) <= 0)
			return toolkits[i].driver_min;
	return NULL;
}

const char *nvidia_branch_end_of_life(const char *driver_version)
{
	for (size_t i = 0; i < ARRAY_SIZE(branches); i++)
		if (is_of_branch(driver_version, branches[i].branch))
			return branches[i].end_of_life;
	return NULL;
}

/* "2026-06" against "2026-11-21T…": the same form, so that texts compare as times do. */
bool nvidia_end_of_life_is_over(const char *end_of_life, const char *now)
{
	return strncmp(now, end_of_life, strlen("2026-06")) > 0;
}
