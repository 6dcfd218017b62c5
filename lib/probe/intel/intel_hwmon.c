// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * intel_hwmon.c - sensors and power limits of i915 and xe (Linux 7.2
 * Documentation/ABI/testing/sysfs-driver-intel-i915-hwmon and -xe-hwmon).
 *
 * i915 has one sensor, temp1, and one set of limits. xe begins at temp2, the
 * package, then temp3, the memory; its power1 and energy1 are of the card and
 * power2 and energy2 of the package, and a card has either or both.
 */
#include "base/compat.h"
#include "probe/intel/intel.h"

#include <errno.h>

#include "probe/pci/pci_function.h"
#include "probe/read.h"

enum { PATH_BYTES = 96, MAX_FANS = 3, MAX_FAN_RPM = 50000 };
#define MIN_C (-55.0)			/* what electronics are made for, and a little beyond what destroys them */
#define MAX_C 200.0
#define MAX_MW 5000000u			/* of one card */
#define NO_HWMON "the driver has no hwmon folder"

struct val_f64 intel_temperature(struct arena *arena, struct val_str text)
{
	const char *word = str_or(text, "");
	long milli;
	char *end;

	if (!is_known(text))
		return no_f64(text.state, text.why);
	errno = 0;
	milli = strtol(word, &end, 10);
	if (errno || end == word || *end || (double)milli < MIN_C * 1000 || (double)milli > MAX_C * 1000)
		return no_f64(VAL_ERROR, arena_printf(arena, "reads \"%.40s\"", word));
	return val_f64((double)milli / 1000);
}

static struct val_str read_sensor(struct card *card, const struct intel_paths *places, const char *file)
{
	char path[PATH_BYTES];

	if (!*places->hwmon)
		return no_str(VAL_ABSENT, NO_HWMON);
	snprintf(path, sizeof(path), "%s%s", places->hwmon, file);
	return card_text(card, path);
}

static struct val_f64 read_temperature(struct card *card, const struct intel_paths *places, const char *file)
{
	return intel_temperature(&card->arena, read_sensor(card, places, file));
}

static struct val_u64 read_number(struct card *card, const struct intel_paths *places, const char *file)
{
	char path[PATH_BYTES];

	if (!*places->hwmon)
		return no_u64(VAL_ABSENT, NO_HWMON);
	snprintf(path, sizeof(path), "%s%s", places->hwmon, file);
	return card_number(card, path);
}

/* The first of these files that names a limit, microwatts; 0 is a limit turned off. files ends with NULL. */
static struct val_u64 read_limit(struct card *card, const struct intel_paths *places, const char *const *files)
{
	struct val_u64 first = { .state = VAL_UNSET };

	for (; *files; files++) {
		struct val_u64 limit = read_number(card, places, *files);

		if (u64_or(limit, 0) / 1000 > MAX_MW)
			return no_u64(VAL_ERROR, arena_printf(&card->arena, "%s reads %llu", *files,
							      (unsigned long long)u64_or(limit, 0)));
		if (u64_or(limit, 0))
			return val_u64(u64_or(limit, 0) / 1000);
		if (is_known(limit))
			limit = no_u64(VAL_ABSENT, "turned off");
		if (first.state == VAL_UNSET || (first.state == VAL_ABSENT && limit.state != VAL_ABSENT))
			first = limit;
	}
	return first;
}

static struct val_u64 fastest_fan(struct card *card, const struct intel_paths *places)
{
	struct val_u64 fastest = { .state = VAL_UNSET };
	char file[24];

	for (int number = 1; number <= MAX_FANS; number++) {
		struct val_u64 fan;

		snprintf(file, sizeof(file), "fan%d_input", number);
		fan = read_number(card, places, file);
		if (u64_or(fan, 0) > MAX_FAN_RPM)
			fan = no_u64(VAL_ERROR, arena_printf(&card->arena, "reads %llu",
							     (unsigned long long)u64_or(fan, 0)));
		if (fastest.state == VAL_UNSET || (!is_known(fastest) && is_known(fan)) ||
		    (is_known(fan) && u64_or(fan, 0) > u64_or(fastest, 0)))
			fastest = fan;
	}
	return fastest;
}

static bool is_i915(struct card *card, const struct intel_paths *places)
{
	return str_is(read_str(card->env, &card->arena, PCI_DEVICES "/%s/%sname", card->env->target, places->hwmon),
		      "i915");
}

void intel_read_sensors(struct card *card, const struct intel_paths *places, struct intel_files *ret)
{
	bool i915 = *places->hwmon && is_i915(card, places);

	ret->temperature_c = read_temperature(card, places, i915 ? "temp1_input" : "temp2_input");
	ret->temperature_max_c = read_temperature(card, places, "temp2_crit");
	if (ret->temperature_max_c.state == VAL_ABSENT)
		ret->temperature_max_c = read_temperature(card, places, "temp2_max");
	ret->temperature_shutdown_c = read_temperature(card, places, "temp2_emergency");
	ret->memory_temperature_c = read_temperature(card, places, "temp3_input");
	ret->memory_temperature_max_c = read_temperature(card, places, "temp3_crit");
	ret->fan_rpm = fastest_fan(card, places);
	ret->power_limit_mw = read_limit(card, places, (const char *const[]){
		"power1_max", "power1_cap", "power2_max", "power2_cap", NULL });
	ret->power_default_mw = read_limit(card, places, (const char *const[]){
		"power1_rated_max", "power2_rated_max", NULL });
	ret->power_critical_mw = read_limit(card, places, (const char *const[]){ "power1_crit", "power2_crit", NULL });
}
