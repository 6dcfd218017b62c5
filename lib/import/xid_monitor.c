// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/xid_monitor.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/dcgm_result.h"
#include "import/event_line.h"
#include "import/readers.h"

/* Of values that were never read DCGM has the largest numbers. */
#define FIRST_BLANK UINT64_C(0x7ffffff0)

/* ---- dcgmi dmon -e 230 */

/* "#Entity   GPUTL   XIDER": by which word of a row, whose GPU takes two; 0: it has none. */
static size_t xid_column(const char *text)
{
	size_t nr = 1, len;

	text = past_blanks(text);
	if (!text_begins(text, "#Entity"))
		return 0;
	for (const char *word = scan_word(&text, &len); len; word = scan_word(&text, &len), nr++)
		if (len == strlen("XIDER") && !strncmp(word, "XIDER", len))
			return nr;
	return 0;
}

/* "GPU 1      97      120" */
static bool take_row(const struct xid_monitor *at, const char *text, struct xid_report *ret)
{
	bool fits = true;
	size_t len = 1;

	text = past_blanks(text);
	if (!at->column || !text_begins(text, "GPU "))
		return false;
	text = past_blanks(text + strlen("GPU "));
	if (!scan_u64(&text, 10, &ret->index, &fits) || !fits || ret->index >= DCGM_MAX_GPUS)
		return false;
	for (size_t i = 2; i < at->column && len; i++)
		scan_word(&text, &len);
	text = past_blanks(text);
	return scan_u64(&text, 10, &ret->xid, &fits) && fits && (!*text || *text == ' ');
}

/* ---- metrics of dcgm-exporter and of nvidia_gpu_exporter, which has fields of nvidia-smi: NAME{label="value",…} NUMBER */

static const char smi_index[] = "nvidia_smi_index{";

static const char *metric_labels(const char *text)
{
	text = past_blanks(text);
	if (text_begins(text, "DCGM_"))
		text += strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
	else if (text_begins(text, "nvidia_smi_"))
		text += strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789");
	else
		return NULL;
	return *text == '{' ? text : NULL;
}

/* The value of a label in the arena, or NULL. */
static const char *label(struct arena *arena, const char *labels, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = labels; (at = strstr(at, name)); at++)
		if (strchr("{, ", at[-1]) && !strncmp(at + len, "=\"", 2))
			return arena_strndup(arena, at + len + 2, strcspn(at + len + 2, "\""));
	return NULL;
}

/* "79", "79.000000", "1.048576e+06". Nothing but a time stands behind the number: an alert's rule compares it. */
static bool metric_number(const char *labels, double *ret)
{
	const char *at = strrchr(labels, '}');
	size_t len;
	char number[32];

	at = at ? past_blanks(at + 1) : "";
	len = strspn(at, "0123456789.e+");
	if (!len || len >= sizeof(number))
		return false;
	snprintf(number, sizeof(number), "%.*s", (int)len, at);
	if (parse_f64(number, ret) || *ret >= (double)FIRST_BLANK)
		return false;
	at = past_blanks(at + len);
	return !at[strspn(at, "0123456789.")];
}

static bool metric_value(const char *labels, uint64_t *ret)
{
	double value;

	if (!metric_number(labels, &value))
		return false;
	*ret = (uint64_t)value;
	return true;
}

static bool is_metric(const char *text)
{
	const char *labels = metric_labels(text);
	uint64_t value;

	return labels && metric_value(labels, &value);
}

/* Of several machines, as a database of metrics lists them, the first is told of. */
static bool is_of_host(struct arena *arena, struct xid_monitor *at, const char *labels)
{
	const char *host = label(arena, labels, "Hostname");

	host = host ? host : label(arena, labels, "instance");
	at->host = at->host ? at->host : host;
	return !host || !strcmp(host, at->host);
}

/* Which number lines of nvidia_smi_index give each UUID. */
static void list_numbers(struct arena *arena, struct xid_monitor *at)
{
	for (size_t i = 0; at->part && i < at->part->nr_lines && at->nr_numbers < ARRAY_SIZE(at->numbers); i++) {
		const char *text = past_blanks(at->part->lines[i].text), *uuid;
		uint64_t index;

		if (!text_begins(text, smi_index) || !metric_value(metric_labels(text), &index) || index >= DCGM_MAX_GPUS)
			continue;
		uuid = label(arena, metric_labels(text), "uuid");
		if (!uuid)
			continue;
		at->numbers[at->nr_numbers].uuid = uuid;
		at->numbers[at->nr_numbers++].index = index;
	}
	at->is_listed = true;
}

static uint64_t number_of(struct arena *arena, struct xid_monitor *at, const char *uuid)
{
	if (!at->is_listed)
		list_numbers(arena, at);
	for (size_t i = 0; i < at->nr_numbers; i++)
		if (!strcmp(at->numbers[i].uuid, uuid))
			return at->numbers[i].index;
	return UINT64_MAX;
}

static bool identify(struct arena *arena, struct xid_monitor *at, const char *labels, struct xid_report *ret)
{
	const char *address = label(arena, labels, "pci_bus_id"), *index = label(arena, labels, "gpu");
	const char *uuid = label(arena, labels, "uuid");

	ret->address = address ? dump_address(arena, address) : NULL;
	ret->uuid = label(arena, labels, "UUID");
	if (!index || parse_u64(index, &ret->index) || ret->index >= DCGM_MAX_GPUS)
		ret->index = UINT64_MAX;
	/* nvidia_gpu_exporter leaves out "GPU-". */
	if (uuid && !ret->uuid) {
		ret->index = number_of(arena, at, uuid);
		ret->uuid = arena_printf(arena, "%s%s", text_begins(uuid, "GPU-") ? "" : "GPU-", uuid);
	}
	return ret->address || ret->index != UINT64_MAX;
}

static bool take_metric(struct arena *arena, struct xid_monitor *at, const char *text, struct xid_report *ret)
{
	const char *labels = metric_labels(text), *xid;
	uint64_t value;

	if (!labels || !metric_value(labels, &value) || !is_of_host(arena, at, labels) || !identify(arena, at, labels, ret))
		return false;
	text = past_blanks(text);
	ret->xid = text_begins(text, "DCGM_FI_DEV_XID_ERRORS{") ? value : 0;
	/* A count of one Xid. */
	xid = label(arena, labels, "xid");
	if (text_begins(text, "DCGM_EXP_XID_ERRORS_COUNT{") && value && xid && parse_u64(xid, &ret->xid))
		ret->xid = 0;
	return true;
}

static const struct metric {
	const char *name;
	size_t member;
	bool is_bool;
} metrics[] = {
	{ "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{", offsetof(struct gpu, nvml.ecc_uncorrected), false },
	{ "DCGM_FI_DEV_ECC_DBE_AGG_TOTAL{", offsetof(struct gpu, nvml.ecc_uncorrected_lifetime), false },
	{ "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL{", offsetof(struct gpu, nvml.ecc_corrected), false },
	{ "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS{", offsetof(struct gpu, nvml.rows_remapped_uncorrected), false },
	{ "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS{", offsetof(struct gpu, nvml.rows_remapped_corrected), false },
	{ "DCGM_FI_DEV_ROW_REMAP_FAILURE{", offsetof(struct gpu, nvml.remap_failed), true },
	{ "DCGM_FI_DEV_ROW_REMAP_PENDING{", offsetof(struct gpu, nvml.remap_pending), true },
	{ "DCGM_FI_DEV_RETIRED_PENDING{", offsetof(struct gpu, nvml.retirement_pending), true },
	{ "nvidia_smi_ecc_errors_uncorrected_volatile_total{", offsetof(struct gpu, nvml.ecc_uncorrected), false },
	{ "nvidia_smi_ecc_errors_uncorrected_aggregate_total{", offsetof(struct gpu, nvml.ecc_uncorrected_lifetime), false },
	{ "nvidia_smi_ecc_errors_corrected_volatile_total{", offsetof(struct gpu, nvml.ecc_corrected), false },
	{ "nvidia_smi_remapped_rows_uncorrectable{", offsetof(struct gpu, nvml.rows_remapped_uncorrected), false },
	{ "nvidia_smi_remapped_rows_correctable{", offsetof(struct gpu, nvml.rows_remapped_corrected), false },
	{ "nvidia_smi_remapped_rows_failure{", offsetof(struct gpu, nvml.remap_failed), true },
	{ "nvidia_smi_remapped_rows_pending{", offsetof(struct gpu, nvml.remap_pending), true },
	{ "nvidia_smi_retired_pages_pending{", offsetof(struct gpu, nvml.retirement_pending), true },
};

/* Why its clocks are lowered, as a mask with the library's bits. */
static void put_reasons(struct reading *reading, struct dump_line *line, struct gpu *gpu)
{
	static const char *const reasons[] = {
		"DCGM_FI_DEV_CLOCK_THROTTLE_REASONS{", "DCGM_FI_DEV_CLOCKS_EVENT_REASONS{",
		"nvidia_smi_clocks_throttle_reasons_active{", "nvidia_smi_clocks_event_reasons_active{",
	};
	uint64_t mask;

	if (!text_begins_any(past_blanks(line->text), reasons, ARRAY_SIZE(reasons)) ||
	    !metric_value(metric_labels(line->text), &mask))
		return;
	put(reading, line, gpu->nvml.handle, val_str("ok"));
	put(reading, line, gpu->nvml.clock_reasons, val_str(arena_printf(reading->arena, "0x%llx", (unsigned long long)mask)));
}

/* What lowers the clocks of an idle GPU is another matter than of one at work. */
static void put_use(struct reading *reading, struct dump_line *line, struct gpu *gpu)
{
	static const struct { const char *name; double percent; } uses[] = {
		{ "DCGM_FI_DEV_GPU_UTIL{", 1 }, { "nvidia_smi_utilization_gpu_ratio{", 100 },
	};
	double value;

	for (size_t i = 0; i < ARRAY_SIZE(uses); i++)
		if (text_begins(past_blanks(line->text), uses[i].name) && metric_number(metric_labels(line->text), &value) &&
		    value * uses[i].percent <= 100)
			put(reading, line, gpu->use.busy_percent, val_f64(value * uses[i].percent));
}

static void put_metric(struct reading *reading, struct dump_line *line, struct gpu *gpu)
{
	const char *text = past_blanks(line->text);
	uint64_t value;

	put_reasons(reading, line, gpu);
	put_use(reading, line, gpu);
	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++) {
		void *member = (char *)gpu + metrics[i].member;

		if (!text_begins(text, metrics[i].name) || !metric_value(metric_labels(text), &value))
			continue;
		put(reading, line, gpu->nvml.handle, val_str("ok"));
		if (metrics[i].is_bool)
			put(reading, line, *(struct val_bool *)member, val_bool(value != 0));
		else
			put(reading, line, *(struct val_u64 *)member, val_u64(value));
	}
}

/*
 * ---- conditions and events of Kubernetes nodes: "ErrorCode:79 GPU:3 … Recommended Action=RESTART_VM;" of NVSentinel
 */

static const char error_code[] = "ErrorCode:", action[] = "Recommended Action=";

/* A line may be as long as a file: of each code no more is looked at than what is about it, up to the next. */
static const char *found_before(const char *text, const char *end, const char *words)
{
	return memmem(text, (size_t)(end - text), words, strlen(words));
}

/* What stands behind it up to the blank, or NULL. */
static const char *entity(struct arena *arena, const char *text, const char *end, const char *name)
{
	const char *at = found_before(text, end, name);

	return at ? arena_strndup(arena, at + strlen(name), strcspn(at + strlen(name), " ;\"")) : NULL;
}

static bool is_entity(const char *text)
{
	return text_begins(text, " GPU:") || text_begins(text, " PCI:") || text_begins(text, " GPU_UUID:");
}

/* The next code with whom it is about behind it, or NULL; *ret_end is where the code ends. */
static const char *error_code_in(const char *text, const char **ret_end)
{
	for (const char *at = text; (at = strstr(at, error_code)); at++) {
		const char *code = at + strlen(error_code);
		size_t len = strspn(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

		if (len && is_entity(code + len) && xid_report_is_code(code)) {
			*ret_end = code + len;
			return code;
		}
	}
	return NULL;
}

/* The kernel's own line tells more, where it is there. */
static bool has_error_code(const char *text)
{
	const char *end;

	return error_code_in(text, &end) && !strstr(text, "Xid (PCI:");
}

/* What was said of it, between the names of the GPU and what is to be done. */
static const char *words_of(struct arena *arena, const char *text, const char *end)
{
	const char *to = found_before(text, end, action);

	while (is_entity(text))
		text += 1 + strcspn(text + 1, " ;");
	text = past_blanks(text);
	to = to ? to : end;
	while (to > text && strchr(" ;", to[-1]))
		to--;
	return to > text ? arena_strndup(arena, text, (size_t)(to - text)) : NULL;
}

/* Nothing is to be done about what is no failure. */
static bool is_mild(const char *text, const char *end)
{
	const char *asked = found_before(text, end, action);

	return asked && text_begins(asked + strlen(action), "NONE");
}

static bool take_error_code(struct arena *arena, struct xid_monitor *at, struct xid_report *ret)
{
	const char *text, *code = at->has_codes ? error_code_in(at->rest, &text) : NULL;
	const char *end = code ? strstr(text, error_code) : NULL, *address, *index;

	if (!code)
		return false;
	end = end ? end : text + strlen(text);
	at->rest = end;
	address = entity(arena, text, end, " PCI:");
	index = entity(arena, text, end, " GPU:");
	ret->address = address ? dump_address(arena, address) : NULL;
	ret->uuid = entity(arena, text, end, " GPU_UUID:");
	if (!index || parse_u64(index, &ret->index) || ret->index >= DCGM_MAX_GPUS)
		ret->index = UINT64_MAX;
	xid_report_code(arena, arena_strndup(arena, code, (size_t)(text - code)), words_of(arena, text, end), is_mild(text, end), ret);
	return true;
}

/*
 * ---- the log of nv-hostengine: "[[Health]] Detected a WARNING in health system Thermal: 'Detected … in GPU 2. Verify …'"
 */

static const char health_system[] = " in health system ";

/* Where the words begin, or NULL. */
static const char *health_words(const char *text)
{
	const char *at = strstr(text, health_system), *words = at ? strstr(at, ": '") : NULL;

	return words && strstr(text, "Detected a ") ? words + strlen(": '") : NULL;
}

/* Its first sentence, in which "GPU 0's NvLink link 3" may stand: the quote that ends all is the last. */
static const char *health_sentence(struct arena *arena, const char *words)
{
	const char *end = strrchr(words, '\'');
	size_t len = strcspn(words, ".");

	if (end && (size_t)(end - words) < len)
		len = (size_t)(end - words);
	return arena_strndup(arena, words, len);
}

static bool take_health(struct arena *arena, const char *text, struct xid_report *ret)
{
	const char *words = health_words(text), *name;
	int gpu;

	if (!words)
		return false;
	name = strstr(text, health_system) + strlen(health_system);
	ret->words = health_sentence(arena, words);
	ret->xid = xid_report_words(ret->words);
	ret->error = ret->xid ? NULL : arena_strndup(arena, name, strcspn(name, ":"));
	ret->is_mild = !strstr(text, "Detected a FAILURE");
	gpu = dcgm_gpu_of_words(ret->words);
	ret->index = gpu == DCGM_NO_GPU ? UINT64_MAX : (uint64_t)gpu;
	return true;
}

/* Which of DCGM's categories a name is of: enum dcgmErrorCategory_enum. */
static int category_of(const char *name)
{
	static const struct { const char *word; int category; } words[] = {
		{ "THERMAL", 9 }, { "TEMP", 9 }, { "POWER", 14 }, { "DBE", 10 }, { "SBE", 10 }, { "RETIRED", 10 }, { "REMAP", 10 },
		{ "UNCONTAINED", 10 }, { "INFOROM", 10 }, { "SRAM", 10 }, { "PCI_REPLAY", 12 }, { "FALLEN_OFF", 10 },
		{ "UNCORRECTABLE", 10 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strstr(name, words[i].word))
			return words[i].category;
	return 0;
}

static void put_error(struct reading *reading, struct dump_line *line, const struct xid_report *report)
{
	struct dcgm_result result = {
		.test = report->error, .words = report->words, .category = category_of(report->error),
		.gpu = report->index == UINT64_MAX ? DCGM_NO_GPU : (int)report->index,
		.status = report->is_mild ? "warn" : "fail",
	};

	if (report->index == UINT64_MAX && report->address)
		dcgm_put_result_of(reading, line, &result, reading_nvidia_gpu(reading, line, report->address));
	else
		dcgm_put_result(reading, line, &result);
}

/*
 * ---- a condition that a device plugin sets on its node, as kubectl describe shows it: XidCriticalError, True, and in
 * its reason {"79":true}
 */

static const char condition[] = "XidCriticalError ";

static const char *reasons_of(const char *text)
{
	text = past_blanks(text);
	if (!text_begins(text, condition) || !text_begins(past_blanks(text + strlen(condition)), "True "))
		return NULL;
	return strstr(text, "{\"");
}

static bool take_condition(struct xid_monitor *at, struct xid_report *ret)
{
	for (const char *number = at->rest; (number = strchr(number, '"')); number++) {
		const char *end = number + 1;
		bool fits = true;

		if (!scan_u64(&end, 10, &ret->xid, &fits) || !fits || !text_begins(end, "\":true"))
			continue;
		at->rest = end;
		return true;
	}
	return false;
}

/*
 * ---- Redfish's log of a board's controller, which has its own names of the modules: "The resource property GPU_SXM_3 Driver
 * Event Message has detected errors of type '[…] XID 79 …'."
 */

static const char driver_event[] = " Driver Event Message";

/* Where the module's name begins, or NULL. */
static const char *module_in(const char *text, uint64_t *ret)
{
	const char *event = strstr(text, driver_event), *xid = event ? strstr(event, " XID ") : NULL, *name = event;
	bool fits = true;

	if (!xid)
		return NULL;
	while (name > text && name[-1] != ' ' && name[-1] != '"')
		name--;
	xid += strlen(" XID ");
	return text_begins(name, "GPU_") && scan_u64(&xid, 10, ret, &fits) && fits ? name : NULL;
}

static bool take_redfish(struct arena *arena, const char *text, struct xid_report *ret)
{
	const char *name = module_in(text, &ret->xid);

	if (name)
		ret->uuid = arena_strndup(arena, name, (size_t)(strstr(name, driver_event) - name));
	return name != NULL;
}

/*
 * ---- a history that was taken out of a log: "Mar 10 21:38:13  Xid 79 (PCI:0000:46:00): GPU has fallen off the bus". Without
 * its time it may be a sentence.
 */

/* Is there a time, 21:38:13, at the beginning and nothing else but its date? */
static bool is_time(const char *text, const char *end)
{
	size_t colons = 0;

	for (const char *at = text; at < end; at++)
		colons += *at == ':' && at > text && is_digit(at[-1]) && is_digit(at[1]);
	return colons >= 2 && end - text <= 36;
}

/* Where the address begins, or NULL. */
static const char *listed_xid(const char *text, uint64_t *ret)
{
	const char *at = strstr(text, "Xid "), *number = at ? at + strlen("Xid ") : NULL;
	bool fits = true;

	if (!at || !is_time(text, at) || !scan_u64(&number, 10, ret, &fits) || !fits || !text_begins(number, " (PCI:"))
		return NULL;
	return number + strlen(" (PCI:");
}

static bool take_listed(struct arena *arena, const char *text, struct xid_report *ret)
{
	const char *address = listed_xid(text, &ret->xid);

	if (!address)
		return false;
	ret->address = dump_address(arena, arena_printf(arena, "%.*s.0", (int)strcspn(address, "). "), address));
	return ret->address != NULL;
}

/* ---- all of them */

enum dump_begins xid_monitor_begins(const struct dump_line *lines, size_t nr)
{
	uint64_t xid;

	(void)nr;
	if (event_line_is(lines->text) || module_in(lines->text, &xid) || listed_xid(lines->text, &xid))
		return BEGINS_MORE;
	if (xid_column(lines->text))
		return BEGINS_NEW;
	return is_metric(lines->text) || has_error_code(lines->text) || reasons_of(lines->text) ||
			       health_words(lines->text) ? BEGINS_MORE : BEGINS_NOT;
}

/* Whom a line is about, and its Xid: 0 where it has another value, or none. */
static bool next_report(struct arena *arena, struct xid_monitor *at, const struct dump_line *line,
			struct xid_report *ret)
{
	bool is_first = at->line != line;

	*ret = (struct xid_report){ .index = UINT64_MAX };
	if (is_first) {
		at->line = line;
		at->rest = line->text;
		at->has_reasons = reasons_of(line->text) != NULL;
		at->has_codes = has_error_code(line->text);
		if (text_begins(past_blanks(line->text), "#"))
			at->column = xid_column(line->text);
	}
	return (is_first && (take_row(at, line->text, ret) || take_metric(arena, at, line->text, ret) ||
			     event_line_take(arena, &at->events, line, ret) || take_redfish(arena, line->text, ret) ||
			     take_health(arena, line->text, ret) || take_listed(arena, line->text, ret))) ||
	       (at->has_reasons ? take_condition(at, ret) : take_error_code(arena, at, ret));
}

bool xid_monitor_next(struct arena *arena, struct xid_monitor *at, const struct dump_line *line, struct xid_report *ret)
{
	while (next_report(arena, at, line, ret))
		if (ret->xid)
			return true;
	return false;
}

const char *xid_monitor_text(struct arena *arena, const struct xid_report *xid)
{
	unsigned long long code = xid->xid;

	if (xid->address)
		return arena_printf(arena, "Xid %llu reported of PCI:%s", code, xid->address);
	if (xid->index != UINT64_MAX)
		return arena_printf(arena, "Xid %llu reported of GPU %llu", code, (unsigned long long)xid->index);
	return arena_printf(arena, "XidCriticalError: Xid=%llu on Device=%s", code, xid->uuid ? xid->uuid : "");
}

static struct gpu *gpu_of(struct reading *reading, struct dump_line *line, const struct xid_report *report)
{
	struct gpu *gpu = report->address ? reading_nvidia_gpu(reading, line, report->address) : NULL;

	if (!gpu && report->index == UINT64_MAX)
		return NULL;
	gpu = gpu ? gpu : dcgm_gpu(reading, line, (int)report->index);
	if (report->index != UINT64_MAX)
		put(reading, line, gpu->nvml.index, val_u64(report->index));
	if (report->uuid && !strncmp(report->uuid, "GPU-", 4))
		put(reading, line, gpu->nvml.uuid, val_str(report->uuid));
	return gpu;
}

struct gpu *xid_report_put(struct reading *reading, struct dump_line *line, const struct xid_report *report)
{
	struct gpu *gpu = gpu_of(reading, line, report);

	if (report->error)
		put_error(reading, line, report);
	return gpu;
}

void xid_monitor_read(struct reading *reading)
{
	struct xid_monitor at = { .part = reading->part, .events.part = reading->part };
	struct xid_report report;

	for (size_t i = 0; i < reading->part->nr_lines; i++) {
		struct dump_line *line = &reading->part->lines[i];

		line->is_taken = xid_column(line->text) > 0 || reasons_of(line->text);
		while (next_report(reading->arena, &at, line, &report)) {
			struct gpu *gpu = xid_report_put(reading, line, &report);

			if (gpu && !report.error && metric_labels(line->text))
				put_metric(reading, line, gpu);
		}
	}
}
