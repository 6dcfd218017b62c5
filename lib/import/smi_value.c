// SPDX-License-Identifier: GPL-2.0-or-later
/* smi_value.c - values of nvidia-smi -q in its words, to fields. */
#include "base/compat.h"
#include "import/smi_value.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "snapshot/windows.h"

/* ---- texts that are no values */

/* As nvidia-smi words what NVML returned, in brackets or without (drivers 352 to 610). */
static const struct { const char *text; enum val_state state; const char *why; } no_values[] = {
	{ "N/A", VAL_UNSUPPORTED, "N/A" },
	{ "Not Supported", VAL_UNSUPPORTED, "N/A" },
	{ "Not Available", VAL_UNSUPPORTED, "N/A" },
	{ "Requested functionality has been deprecated", VAL_UNSUPPORTED, "NVML_ERROR_DEPRECATED" },
	{ "Function Not Found", VAL_UNSUPPORTED, "NVML_ERROR_FUNCTION_NOT_FOUND" },
	{ "Unknown Error", VAL_ERROR, "NVML_ERROR_UNKNOWN" },
	{ "ERR!", VAL_ERROR, "NVML_ERROR_UNKNOWN" },
	{ "GPU is lost", VAL_LOST, "NVML_ERROR_GPU_IS_LOST" },
	{ "GPU requires reset", VAL_ERROR, "NVML_ERROR_RESET_REQUIRED" },
	{ "Insufficient Permissions", VAL_DENIED, "NVML_ERROR_NO_PERMISSION" },
	{ "Insufficient External Power", VAL_ERROR, "NVML_ERROR_INSUFFICIENT_POWER" },
	{ "Unable to communicate with GPU because it is insufficiently powered", VAL_ERROR, "NVML_ERROR_INSUFFICIENT_POWER" },
	/* Older drivers break the sentence after these words: "… module detected an issue with GPU interrupts". */
	{ "The NVIDIA kernel", VAL_ERROR, "NVML_ERROR_IRQ_ISSUE" },
	{ "Interrupt Request Issue", VAL_ERROR, "NVML_ERROR_IRQ_ISSUE" },
	{ "Not Found", VAL_ERROR, "NVML_ERROR_NOT_FOUND" },
};

bool smi_is_no_value(const char *text, struct val_head *ret)
{
	size_t len = strlen(text);

	if (!len) {
		*ret = (struct val_head){ .state = VAL_UNSUPPORTED, .why = "empty" };
		return true;
	}
	if (*text == '[' && text[len - 1] == ']')
		text++;
	for (size_t i = 0; i < ARRAY_SIZE(no_values); i++) {
		if (strncmp(text, no_values[i].text, strlen(no_values[i].text)) != 0)
			continue;
		*ret = (struct val_head){ .state = no_values[i].state, .why = no_values[i].why };
		return true;
	}
	return false;
}

/* ---- numbers and words */

/* A number at the beginning, with the unit that must follow where one is given. */
static bool take_number(const char *text, const char *unit, double *ret)
{
	size_t len = strspn(text, "-0123456789.");
	char digits[32];

	if (!len || len >= sizeof(digits))
		return false;
	memcpy(digits, text, len);
	digits[len] = '\0';
	text += len;
	text += strspn(text, " ");
	if (*digits == '-') {
		if (parse_f64(digits + 1, ret))
			return false;
		*ret = -*ret;
	} else if (parse_f64(digits, ret)) {
		return false;
	}
	return !unit || !strncmp(text, unit, strlen(unit));
}

enum form {
	FORM_TEXT, FORM_NUMBER, FORM_LANES, FORM_MIB, FORM_KB_PER_S, FORM_WATT, FORM_MHZ, FORM_CELSIUS, FORM_PERCENT,
	FORM_MICROSECONDS, FORM_YES, FORM_ENABLED, FORM_STATE, FORM_HYPHENS,
};

/* Of those that are numbers: the unit that follows, and how many of the field's are one of it. */
static const struct { const char *unit; double factor; } scales[] = {
	[FORM_NUMBER] = { NULL, 1 },	   [FORM_LANES] = { "x", 1 },	      [FORM_MIB] = { "MiB", 1024 * 1024 },
	[FORM_KB_PER_S] = { "KB/s", 1000 }, [FORM_WATT] = { "W", 1000 },	      [FORM_MHZ] = { "MHz", 1 },
	[FORM_CELSIUS] = { "C", 1 },	   [FORM_PERCENT] = { "%", 1 },	      [FORM_MICROSECONDS] = { "us", 1e-6 },
};

/* Where the word for a field differs from nvidia-smi's by more than letters and hyphens. */
static const struct { const char *smi, *field; } words[] = {
	{ "reset", "reset-gpu" },	     { "gpu-reset", "reset-gpu" },   { "reboot", "reboot-node" },
	{ "node-reboot", "reboot-node" },     { "node-reboot-required", "reboot-node" },
	{ "pass-through", "passthrough" },
};

static const char *hyphens(struct arena *arena, const char *text)
{
	char *ret = arena_small_letters(arena, text, strlen(text));

	for (char *at = ret; *at; at++)
		if (*at == ' ' || *at == '_')
			*at = '-';
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(ret, words[i].smi))
			return words[i].field;
	return ret;
}

/* People write arrows and remarks behind a value: its first word counts. */
static bool first_word_is(const char *text, const char *word)
{
	size_t len = strcspn(text, " <(");

	return len == strlen(word) && !strncasecmp(text, word, len);
}

static bool put_bool(struct reading *reading, struct dump_line *line, struct val_bool *to, const char *text,
		     const char *yes, const char *no)
{
	if (!first_word_is(text, yes) && !first_word_is(text, no))
		return false;
	put(reading, line, *to, val_bool(first_word_is(text, yes)));
	return true;
}

static bool put_number(struct reading *reading, struct dump_line *line, const struct field *field, void *member,
		       const char *text, enum form form)
{
	double number;

	if (!take_number(text, scales[form].unit, &number))
		return false;
	number *= scales[form].factor;
	if (field->kind == FIELD_F64) {
		struct val_f64 *to = member;

		put(reading, line, *to, val_f64(number));
		return true;
	}
	if (number < 0 || number > 1e18)
		return false;
	struct val_u64 *to = member;

	put(reading, line, *to, val_u64((uint64_t)(number + 0.5)));
	return true;
}

static bool put_text(struct reading *reading, struct dump_line *line, struct val_str *to, const char *text)
{
	put(reading, line, *to, val_str(arena_strdup(reading->arena, text)));
	return true;
}

static bool put_value(struct reading *reading, struct dump_line *line, const struct field *field, void *member,
		      const char *text, enum form form)
{
	struct val_head head, *to = member;

	if (smi_is_no_value(text, &head)) {
		to->state = head.state;
		to->why = head.why;
		to->from = value_from(reading->part->number, line->number);
		line->is_taken = true;
		return true;
	}
	switch (form) {
	case FORM_TEXT:
		return put_text(reading, line, member, text);
	case FORM_HYPHENS:
		return put_text(reading, line, member, hyphens(reading->arena, text));
	case FORM_YES:
		return put_bool(reading, line, member, text, "Yes", "No");
	case FORM_ENABLED:
		return put_bool(reading, line, member, text, "Enabled", "Disabled");
	case FORM_STATE:
		return *text == 'P' && put_number(reading, line, field, member, text + 1, FORM_NUMBER);
	default:
		return put_number(reading, line, field, member, text, form);
	}
}

/* ---- the table */

static const struct smi_key {
	size_t offset;			/* in struct gpu */
	const struct record *record;
	unsigned field;
	enum form form;
	const char *paths[2];		/* by enum smi_output */
} keys[] = {
#define OFFSET_nvml_gpu offsetof(struct gpu, nvml)
#define OFFSET_throttle offsetof(struct gpu, throttle)
#define KEY(of, name, form_, text, xml) { OFFSET_##of, &record_##of, FIELD_##of##_##name, FORM_##form_, { text, xml } },
#include "import/smi_keys.def"
};

/* Does a path end with these names? */
static bool path_ends(const char *path, const char *end)
{
	size_t len = strlen(path), end_len = end ? strlen(end) : 0;

	return end && len >= end_len && !strcmp(path + len - end_len, end) &&
	       (len == end_len || path[len - end_len - 1] == '/');
}

static bool take_key(struct reading *reading, struct gpu *gpu, enum smi_output output, const char *path,
		     const char *value, struct dump_line *line)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct field *field = &keys[i].record->fields[keys[i].field];

		if (path_ends(path, keys[i].paths[output]))
			return put_value(reading, line, field, (char *)gpu + keys[i].offset + field->offset, value,
					 keys[i].form);
	}
	return false;
}

/* ---- sums: ECC errors by memory, throttling by kind */

static void add_part(struct smi_sum *sum, const char *value, double factor, struct dump_line *line)
{
	double number;

	if (take_number(value, NULL, &number) && number >= 0 && number <= 1e18) {
		sum->value += (uint64_t)(number * factor + 0.5);
		sum->has_part = true;
	} else {
		sum->lacks_part = true;
	}
	sum->line = line;
	line->is_taken = true;
}

/* Is a section of that name on the path? */
static bool is_below(const char *path, const char *section)
{
	size_t len = strlen(section);

	for (const char *at = path; at; at = strchr(at, '/')) {
		at += *at == '/' ? 1 : 0;
		if (!strncmp(at, section, len) && at[len] == '/')
			return true;
	}
	return false;
}

/* Which generation a line is of shows in its words; facts of GPUs from Kepler on. */
static bool take_ecc(struct smi_gpu *at, const char *path, const char *value, struct dump_line *line)
{
	static const char *const text_names[] = {
		"single bit/total", "double bit/total", "double bit/device memory",
		"sram correctable", "dram correctable", "sram uncorrectable", "sram uncorrectable parity",
		"sram uncorrectable sec-ded", "dram uncorrectable",
	};
	static const char *const xml_names[] = {
		"single_bit/total", "double_bit/total", "double_bit/device_memory",
		"sram_correctable", "dram_correctable", "sram_uncorrectable", "sram_uncorrectable_parity",
		"sram_uncorrectable_secded", "dram_uncorrectable",
	};
	int era = is_below(path, "volatile") ? 0 : is_below(path, "aggregate") ? 1 : -1;

	for (size_t i = 0; era >= 0 && i < ARRAY_SIZE(text_names); i++) {
		if (!path_ends(path, text_names[i]) && !path_ends(path, xml_names[i]))
			continue;
		if (i == 0 || i == 3 || i == 4)
			add_part(&at->corrected[era], value, 1, line);
		if (i == 1 || i >= 5)
			add_part(&at->uncorrected[era], value, 1, line);
		if (i == 2 || i == 8)
			add_part(&at->dram_uncorrected[era], value, 1, line);
		if (i >= 5 && i <= 7)
			add_part(&at->sram_uncorrected[era], value, 1, line);
		return true;
	}
	return false;
}

static void put_sum(struct reading *reading, const struct smi_sum *sum, struct val_u64 *to, uint64_t divisor)
{
	if (!sum->line)
		return;
	*to = sum->has_part && !sum->lacks_part ? val_u64(sum->value / divisor) : no_u64(VAL_UNSUPPORTED, "N/A");
	to->from = value_from(reading->part->number, sum->line->number);
}

static void put_sums(struct reading *reading, const struct smi_gpu *at)
{
	struct nvml_gpu *nvml = &at->gpu->nvml;

	put_sum(reading, &at->corrected[0], &nvml->ecc_corrected, 1);
	put_sum(reading, &at->corrected[1], &nvml->ecc_corrected_lifetime, 1);
	put_sum(reading, &at->uncorrected[0], &nvml->ecc_uncorrected, 1);
	put_sum(reading, &at->uncorrected[1], &nvml->ecc_uncorrected_lifetime, 1);
	put_sum(reading, &at->dram_uncorrected[0], &nvml->dram_uncorrected, 1);
	put_sum(reading, &at->sram_uncorrected[0], &nvml->sram_uncorrected, 1);
	put_sum(reading, &at->sram_uncorrected[1], &nvml->sram_uncorrected_lifetime, 1);
	put_sum(reading, &at->thermal_us, &at->gpu->throttle.thermal_total_s, 1000000);
}

static bool take_thermal_time(struct smi_gpu *at, const char *path, const char *value, struct dump_line *line)
{
	static const char *const names[] = {
		"reasons counters/sw thermal slowdown", "reasons counters/hw thermal slowdown",
		"clocks_event_reasons_counters_sw_therm_slowdown", "clocks_event_reasons_counters_hw_therm_slowdown",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!path_ends(path, names[i]))
			continue;
		add_part(&at->thermal_us, value, 1, line);
		return true;
	}
	return false;
}

/* ---- throttle reasons: a line each, to the mask of nvmlClocksEventReasons */

static const struct { const char *text, *xml; unsigned mask; } reason_keys[] = {
	{ "idle", "gpu_idle", 0x1 },
	{ "applications clocks setting", "applications_clocks_setting", 0x2 },
	{ "sw power cap", "sw_power_cap", 0x4 },
	{ "hw slowdown", "hw_slowdown", 0x8 },
	{ "sync boost", "sync_boost", 0x10 },
	{ "sw thermal slowdown", "sw_thermal_slowdown", 0x20 },
	{ "hw thermal slowdown", "hw_thermal_slowdown", 0x40 },
	{ "hw power brake slowdown", "hw_power_brake_slowdown", 0x80 },
	{ "display clock setting", "display_clocks_setting", 0x100 },
};

static const char *after_last_slash(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool take_reason(struct smi_gpu *at, const char *path, const char *value, struct dump_line *line)
{
	static const char *const prefixes[] = { "clocks_event_reason_", "clocks_throttle_reason_" };
	const char *name = after_last_slash(path);
	bool is_xml = false;

	if (strstr(path, "counters") || !(strstr(path, "event reasons/") || strstr(path, "throttle reasons/") ||
					 strstr(path, "event_reasons/") || strstr(path, "throttle_reasons/")))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i]))) {
			name += strlen(prefixes[i]);
			is_xml = true;
		}
	for (size_t i = 0; i < ARRAY_SIZE(reason_keys); i++) {
		if (strcmp(name, is_xml ? reason_keys[i].xml : reason_keys[i].text) != 0)
			continue;
		if (!first_word_is(value, "Active") && !first_word_is(value, "Not"))
			return false;
		if (first_word_is(value, "Active"))
			at->reasons |= reason_keys[i].mask;
		at->reasons_line = line;
		line->is_taken = true;
		return true;
	}
	return false;
}

/* ---- processes */

/* A process is over where the next begins. */
static void end_client(struct reading *reading, struct smi_gpu *at)
{
	const char *key;
	struct gpu_client *client;

	if (!is_known(at->client.pid))
		return;
	key = arena_printf(reading->arena, "%llu:%s", (unsigned long long)u64_or(at->client.pid, 0),
			   str_or(at->client.kind, "compute"));
	if (at->gpu_instance)
		key = arena_printf(reading->arena, "%s:%s/%s", key, at->gpu_instance,
				   at->compute_instance ? at->compute_instance : "0");
	client = list_element(reading->arena, at->gpu, clients, gpu_client, key);
	at->client.key = client->key;
	*client = at->client;
	at->client = (struct gpu_client){ .memory_bytes = { .state = VAL_UNSET } };
	at->gpu_instance = at->compute_instance = NULL;
	at->nr_clients++;
}

static bool take_client(struct reading *reading, struct smi_gpu *at, const char *path, const char *value,
			struct dump_line *line)
{
	const char *name = after_last_slash(path);
	double number;

	if (!strstr(path, "processes") || strstr(path, "accounted"))
		return false;
	if (!strcmp(name, "processes")) {
		/* "None", or N/A. */
		at->clients_line = first_word_is(value, "None") ? line : NULL;
	} else if (!strcmp(name, "process id") || !strcmp(name, "pid")) {
		end_client(reading, at);
		if (!take_number(value, NULL, &number) || number < 0)
			return false;
		put(reading, line, at->client.pid, val_u64((uint64_t)number));
		at->clients_line = line;
	} else if (!strcmp(name, "type")) {
		put(reading, line, at->client.kind, val_str(strchr(value, 'C') ? "compute" : "graphics"));
	} else if (!strcmp(name, "used gpu memory") || !strcmp(name, "used_memory")) {
		if (take_number(value, "MiB", &number) && number >= 0)
			put(reading, line, at->client.memory_bytes, val_u64((uint64_t)number << 20));
	} else if (!strcmp(name, "gpu instance id") || !strcmp(name, "gpu_instance_id")) {
		/* It stands before the process it belongs to. */
		end_client(reading, at);
		at->gpu_instance = is_digit(*value) ? arena_strdup(reading->arena, value) : NULL;
	} else if (!strcmp(name, "compute instance id") || !strcmp(name, "compute_instance_id")) {
		at->compute_instance = is_digit(*value) ? arena_strdup(reading->arena, value) : NULL;
	} else if (strcmp(name, "name") != 0 && strcmp(name, "process_name") != 0) {
		return false;
	}
	line->is_taken = true;
	return true;
}

/* ---- ids of PCI: "0x233010DE" is device, then vendor; the XML leaves out 0x */

static bool take_ids(struct reading *reading, struct gpu *gpu, const char *path, const char *value,
		     struct dump_line *line)
{
	bool is_board = path_ends(path, "sub system id") || path_ends(path, "pci_sub_system_id");
	const char *at = value + (strncmp(value, "0x", 2) ? 0 : 2);
	uint64_t id;
	bool fits = true;

	if (!is_board && !path_ends(path, "pci/device id") && !path_ends(path, "pci_device_id"))
		return false;
	if (scan_u64(&at, 16, &id, &fits) != 8 || !fits)
		return false;
	if (is_board)
		put(reading, line, gpu->pci.subsystem_id,
		    val_str(arena_printf(reading->arena, "0x%04llx:0x%04llx", (unsigned long long)(id & 0xffff),
					 (unsigned long long)(id >> 16))));
	else
		put(reading, line, gpu->pci.device_id,
		    val_str(arena_printf(reading->arena, "0x%04llx", (unsigned long long)(id >> 16))));
	return true;
}

/* ---- fabric and utilisation, which are several fields or words */

static bool take_special(struct reading *reading, struct smi_gpu *at, const char *path, const char *value,
			 struct dump_line *line)
{
	struct nvml_gpu *nvml = &at->gpu->nvml;
	double number;

	if (path_ends(path, "utilization/gpu") || path_ends(path, "utilization/gpu_util")) {
		if (!take_number(value, "%", &number) || number < 0)
			return false;
		put(reading, line, at->gpu->use.busy_percent, val_f64(number));
		return true;
	}
	if (take_ids(reading, at->gpu, path, value, line))
		return true;
	/* How it went, which NVML has an error's text for where it went wrong: the value itself was read. */
	if (path_ends(path, "fabric/status") && *value && !first_word_is(value, "N/A")) {
		put(reading, line, nvml->fabric_status, val_str(first_word_is(value, "Success") ? "SUCCESS" : value));
		return true;
	}
	if ((path_ends(path, "fabric/clusteruuid")) && strspn(value, "0-") == strlen(value)) {
		put(reading, line, nvml->fabric_cluster, no_str(VAL_ABSENT, "all zero"));
		return true;
	}
	/* Which Linux has none of, as it has persistence. */
	if ((path_ends(path, "driver model/current") || path_ends(path, "driver_model/current_dm")) &&
	    (first_word_is(value, "WDDM") || first_word_is(value, "TCC") || first_word_is(value, "MCDM"))) {
		put(reading, line, nvml->persistence, no_bool(VAL_UNSUPPORTED, WINDOWS_DRIVER));
		return true;
	}
	if (path_ends(path, "product architecture") || path_ends(path, "gpu/product_architecture")) {
		struct val_head head;

		if (smi_is_no_value(value, &head))
			return false;
		put(reading, line, nvml->architecture,
		    val_str(arena_strndup(reading->arena, value, strcspn(value, " "))));
		return true;
	}
	return false;
}

bool smi_take(struct reading *reading, struct smi_gpu *at, enum smi_output output, const char *path, const char *value,
	      struct dump_line *line)
{
	if (smi_is_mig_device(path)) {
		smi_take_mig(reading, at, path, value, line);
		return true;
	}
	return take_client(reading, at, path, value, line) || take_special(reading, at, path, value, line) ||
	       smi_take_fabric_health(reading, at, path, value, line) || take_ecc(at, path, value, line) ||
	       take_thermal_time(at, path, value, line) ||
	       take_reason(at, path, value, line) || take_key(reading, at->gpu, output, path, value, line);
}

/* The worst that any value says of the GPU's health is its trouble, as it is of a call that NVML refuses. */
static void put_trouble(struct nvml_gpu *nvml)
{
	static const char prefix[] = "NVML_ERROR_";
	static const char *const fatal[] = { "GPU_IS_LOST", "RESET_REQUIRED", "INSUFFICIENT_POWER" };

	for (size_t worst = 0; worst < ARRAY_SIZE(fatal); worst++) {
		for (size_t i = 0; i < record_nvml_gpu.nr; i++) {
			const struct field *field = &record_nvml_gpu.fields[i];
			const struct val_head *head = (const void *)((const char *)nvml + field->offset);

			if (!field_is_value(field) || !head->why || strncmp(head->why, prefix, strlen(prefix)) != 0 ||
			    strcmp(head->why + strlen(prefix), fatal[worst]) != 0)
				continue;
			nvml->trouble = val_str(fatal[worst]);
			nvml->trouble.from = head->from;
			nvml->trouble_call = val_str(field->source);
			return;
		}
	}
	nvml->trouble = no_str(VAL_ABSENT, "none");
	nvml->trouble_call = no_str(VAL_ABSENT, "none");
}

static const char unknown_error[] = "NVML_ERROR_UNKNOWN";
#define IS_UNKNOWN_ERROR(value) ((value).state == VAL_ERROR && (value).why && !strcmp((value).why, unknown_error))

/*
 * Of values that have nothing to do with one another more than one cannot be read: the driver reaches the GPU no more, as
 * in the table. Fan and power alone, or both, are no trouble of the GPU: a third one has to fail.
 */
static void judge_mute(struct nvml_gpu *nvml)
{
	const bool has_sensor = IS_UNKNOWN_ERROR(nvml->fan_percent) || IS_UNKNOWN_ERROR(nvml->power_mw) ||
				IS_UNKNOWN_ERROR(nvml->power_instant_mw);
	const bool failed[] = {
		has_sensor, IS_UNKNOWN_ERROR(nvml->temperature_c), IS_UNKNOWN_ERROR(nvml->performance_state),
		IS_UNKNOWN_ERROR(nvml->clock_mhz), IS_UNKNOWN_ERROR(nvml->vram_used_bytes),
	};
	size_t nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(failed); i++)
		nr += failed[i] ? 1 : 0;
	if (nr < 2 || !is_known(nvml->handle))
		return;
	nvml->handle.state = VAL_ERROR;
	nvml->handle.why = unknown_error;
}

void smi_gpu_end(struct reading *reading, struct smi_gpu *at)
{
	struct nvml_gpu *nvml = &at->gpu->nvml;

	end_client(reading, at);
	put_sums(reading, at);
	smi_mig_end(reading, at);
	if (at->reasons_line) {
		nvml->clock_reasons = val_str(arena_printf(reading->arena, "0x%llx", (unsigned long long)at->reasons));
		nvml->clock_reasons.from = value_from(reading->part->number, at->reasons_line->number);
	}
	if (at->clients_line) {
		nvml->clients = val_u64(at->nr_clients);
		nvml->clients.from = value_from(reading->part->number, at->clients_line->number);
	}
	put_trouble(nvml);
	judge_mute(nvml);
}

/* ---- the head */

/* "12.4", "610.43.02 [Deprecated; …]": digits and dots. */
static bool put_version(struct reading *reading, struct dump_line *line, struct val_str *to, const char *value)
{
	size_t len = strspn(value, "0123456789.");

	if (!len)
		return false;
	put(reading, line, *to, val_str(arena_strndup(reading->arena, value, len)));
	return true;
}

bool smi_take_head(struct reading *reading, enum smi_output output, const char *path, const char *value,
		   struct dump_line *line)
{
	struct nvml *nvml = &reading->snapshot->nvml;
	bool is_text = output == SMI_TEXT;
	double number;

	if (path_ends(path, is_text ? "driver version" : "driver_version") || path_ends(path, "kmd version") ||
	    path_ends(path, "kmd_version")) {
		put(reading, line, nvml->init, val_str("ok"));
		return put_version(reading, line, &nvml->driver_version, value);
	}
	if (path_ends(path, is_text ? "cuda version" : "cuda_version") || path_ends(path, "cuda umd version") ||
	    path_ends(path, "cuda_umd_version"))
		return put_version(reading, line, &nvml->cuda_version, value);
	if (path_ends(path, is_text ? "attached gpus" : "attached_gpus") && take_number(value, NULL, &number)) {
		put(reading, line, nvml->gpus, val_u64((uint64_t)number));
		return true;
	}
	return false;
}

void smi_number_gpus(struct snapshot *snapshot)
{
	if (!is_known(snapshot->nvml.gpus) || u64_or(snapshot->nvml.gpus, 0) != snapshot->nr_gpus)
		return;
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		struct val_u64 *index = &snapshot->gpus[i].nvml.index;

		*index = val_u64(i);
		index->from = snapshot->gpus[i].nvml.handle.from;
	}
}
