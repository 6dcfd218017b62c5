// SPDX-License-Identifier: GPL-2.0-or-later
/* amdgpu_sensors.c - hwmon of one AMD GPU. Only the labels say which number is which sensor. */
#include "base/compat.h"
#include "probe/amd/amdgpu_internal.h"

#include "base/text.h"
#include "probe/device/hwmon.h"
#include "probe/read.h"

/*
 * What no sensor measures. -273.15 is the driver's dummy for a hysteresis, 255
 * and 65535 what an unfilled register gives; no board takes 10 kW.
 */
enum {
	COLDEST_C = -60,
	HOTTEST_C = 200,
	MAX_POWER_MW = 10000000,
	MAX_FAN_RPM = 60000,
	HZ_PER_MHZ = 1000000,
	MAX_SENSORS = 8,	/* of one kind; amdgpu has three temperatures */
};

struct hwmon {
	struct card *card;
	struct val_str folder;		/* "hwmon/hwmon3/" */
};

/* Lists a folder of the kernel's; no driver is asked. */
static struct val_str find_folder(struct card *card)
{
	char folder[HWMON_BYTES];
	int error;

	if (card->untouched != VAL_UNSET)
		return no_str(card->untouched, card->why);
	error = hwmon_find(card->env->root, card->env->target, NULL, folder);
	if (error)
		return no_str(state_of_errno(error), name_of_errno(error));
	return *folder ? val_str(arena_strdup(&card->arena, folder)) : no_str(VAL_ABSENT, "no sensors");
}

static struct val_str read_file(const struct hwmon *hwmon, const char *name)
{
	if (!is_known(hwmon->folder))
		return hwmon->folder;
	return card_text(hwmon->card, arena_printf(&hwmon->card->arena, "%s%s", str_or(hwmon->folder, ""), name));
}

static const char *implausible(const struct hwmon *hwmon, const char *text)
{
	return arena_printf(&hwmon->card->arena, "reads \"%.40s\"", text);
}

/* A driver that has no such sensor gives 0 for it. */
static struct val_f64 read_c(const struct hwmon *hwmon, const char *kind, unsigned number)
{
	struct val_str text =
		read_file(hwmon, arena_printf(&hwmon->card->arena, "temp%u_%s", number, kind));
	double millidegrees;

	if (!is_known(text))
		return no_f64(text.state, text.why);
	if (parse_f64(str_or(text, ""), &millidegrees) || millidegrees < COLDEST_C * 1000.0 ||
	    millidegrees > HOTTEST_C * 1000.0)
		return no_f64(VAL_ERROR, implausible(hwmon, str_or(text, "")));
	if (millidegrees == 0)
		return no_f64(VAL_UNSUPPORTED, "reads 0");
	return val_f64(millidegrees / 1000);
}

/* In steps of what the file counts in; most: of them. */
static struct val_u64 read_number(const struct hwmon *hwmon, const char *name, uint64_t step, uint64_t most)
{
	struct val_str text = read_file(hwmon, name);
	uint64_t number;

	if (!is_known(text))
		return no_u64(text.state, text.why);
	if (parse_u64(str_or(text, ""), &number) || number / step > most)
		return no_u64(VAL_ERROR, implausible(hwmon, str_or(text, "")));
	return val_u64(number / step);
}

/* The file has microwatts. */
static struct val_u64 read_mw(const struct hwmon *hwmon, const char *name)
{
	return read_number(hwmon, name, 1000, MAX_POWER_MW);
}

/* A limit of 0 is none. */
static struct val_u64 read_limit_mw(const struct hwmon *hwmon, const char *name)
{
	struct val_u64 limit = read_mw(hwmon, name);

	return is_known(limit) && !u64_or(limit, 1) ? no_u64(VAL_UNSUPPORTED, "reads 0") : limit;
}

/* The sensor of that label, 0: none. *none: why. The files are numbered without gaps but for the first. */
static unsigned find_label(const struct hwmon *hwmon, const char *prefix, const char *label, struct val_head *none)
{
	*none = (struct val_head){ .state = hwmon->folder.state, .why = hwmon->folder.why };
	if (!is_known(hwmon->folder))
		return 0;
	*none = (struct val_head){ .state = VAL_ABSENT, .why = "no sensor bears that label" };
	for (unsigned number = 1; number <= MAX_SENSORS; number++) {
		struct val_str text =
			read_file(hwmon, arena_printf(&hwmon->card->arena, "%s%u_label", prefix, number));

		if (str_is(text, label))
			return number;
		if (text.state != VAL_OK && text.state != VAL_ABSENT)
			*none = (struct val_head){ .state = text.state, .why = text.why };
		else if (text.state == VAL_ABSENT && number > 1)
			break;
	}
	return 0;
}

/* A place that is measured: what it has now, where it slows the card, where it turns it off. */
struct place {
	struct val_f64 now_c, slows_c, off_c;
};

static struct place read_place(const struct hwmon *hwmon, const char *label)
{
	struct val_head none;
	unsigned number = find_label(hwmon, "temp", label, &none);
	struct val_f64 no_value = no_f64(none.state, none.why);

	if (!number)
		return (struct place){ .now_c = no_value, .slows_c = no_value, .off_c = no_value };
	return (struct place){
		.now_c = read_c(hwmon, "input", number),
		.slows_c = read_c(hwmon, "crit", number),
		.off_c = read_c(hwmon, "emergency", number),
	};
}

static void read_temperatures(const struct hwmon *hwmon, struct amdgpu_files *files)
{
	struct place edge = read_place(hwmon, "edge"), junction = read_place(hwmon, "junction");
	struct place memory = read_place(hwmon, "mem");
	/* MI300 is of several chips and has no edge. */
	const struct place *chip = edge.now_c.state == VAL_ABSENT ? &junction : &edge;

	files->temperature_c = chip->now_c;
	files->temperature_max_c = chip->slows_c;
	files->temperature_shutdown_c = chip->off_c;
	files->hotspot_c = junction.now_c;
	files->hotspot_max_c = junction.slows_c;
	files->memory_temperature_c = memory.now_c;
	files->memory_temperature_max_c = memory.slows_c;
}

static struct val_u64 read_clock(const struct hwmon *hwmon, const char *label)
{
	struct val_head none;
	unsigned number = find_label(hwmon, "freq", label, &none);

	if (!number)
		return no_u64(none.state, none.why);
	return read_number(hwmon, arena_printf(&hwmon->card->arena, "freq%u_input", number), HZ_PER_MHZ,
			   UINT16_MAX - 1);
}

void amdgpu_read_sensors(struct card *card, struct amdgpu_files *files, struct amdgpu_sensors *ret)
{
	struct hwmon hwmon = { .card = card, .folder = find_folder(card) };

	read_temperatures(&hwmon, files);
	/* Either may be missing: 6.1 has the average alone, others what is taken now alone. */
	files->power_mw = read_mw(&hwmon, "power1_average");
	if (!is_known(files->power_mw) && card->untouched == VAL_UNSET) {
		struct val_u64 now = read_mw(&hwmon, "power1_input");

		if (is_known(now) || files->power_mw.state == VAL_ABSENT)
			files->power_mw = now;
	}
	files->power_limit_mw = read_limit_mw(&hwmon, "power1_cap");
	files->power_default_mw = read_limit_mw(&hwmon, "power1_cap_default");
	files->power_min_mw = read_mw(&hwmon, "power1_cap_min");
	files->power_max_mw = read_limit_mw(&hwmon, "power1_cap_max");
	files->fan_rpm = read_number(&hwmon, "fan1_input", 1, MAX_FAN_RPM);
	ret->clock_mhz = read_clock(&hwmon, "sclk");
	ret->memory_clock_mhz = read_clock(&hwmon, "mclk");
}
