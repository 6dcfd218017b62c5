// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * node_check.c - verdicts of programs that look after nodes: LBNL's Node Health Check (NHC) with the checks that sites add,
 * also as Slurm's reason to drain a node; the ROCm Validation Suite (RVS); and the health that AMD's metrics exporter tells.
 */
#include "base/compat.h"
#include "import/amd_value.h"
#include "import/dcgm_result.h"
#include "import/layout.h"
#include "import/readers.h"

#include "base/text.h"
#include "base/text_scan.h"

/* Whose test it is stands before its name; dcgm_diag.c goes by that. */
#define NODE_CHECK_NHC "NHC's "
#define NODE_CHECK_RVS "RVS's "
#define NODE_CHECK_EXPORTER "the metrics exporter's "

enum { MAX_WORDS = 300, MAX_NUMBER = 64 };

/* ---- NHC: "ERROR:  nhc:  Health check failed:  check_gpu_count: Expected to see 8 but found 7. FaultCode: NHC2009" */

/* Behind what introduces a check that failed, or NULL. */
static const char *past_failed(const char *text)
{
	static const char *const frames[] = { "Health check failed:", "Node Health Check failed.", "Reason=NHC:", "REASON=NHC:" };
	const char *last = NULL, *at = past_blanks(text);

	if (text_begins(at, "NHC: "))
		last = at + strlen("NHC: ");
	at = strstr(text, " NHC: check_");
	if (at)
		last = at + strlen(" NHC: ");
	for (size_t i = 0; i < ARRAY_SIZE(frames); i++) {
		at = strstr(text, frames[i]);
		if (at && at + strlen(frames[i]) > (last ? last : text))
			last = at + strlen(frames[i]);
	}
	if (!last)
		return NULL;
	last = past_blanks(last);
	return text_begins(last, "Check ") ? past_blanks(last + strlen("Check ")) : last;
}

/* Behind the name of a check, NULL: there is none. */
static const char *past_name(const char *text)
{
	size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return text_begins(text, "check_") && len > strlen("check_") ? text + len : NULL;
}

/* How much of what follows a name is the check's: up to " FaultCode: NHC2019", or to who set the reason, " [root@2026-…]". */
static size_t words_len(const char *text)
{
	const char *end = strstr(text, " FaultCode:");
	size_t len = strnlen(text, MAX_WORDS);

	if (end && (size_t)(end - text) < len)
		len = (size_t)(end - text);
	for (end = text; (end = strstr(end, " [")) && (size_t)(end - text) < len; end++)
		if (end[2 + strcspn(end + 2, " @]")] == '@')
			return (size_t)(end - text);
	return len;
}

static bool is_word_char(char c)
{
	return is_letter_or_digit(c) || c == '-' || c == '_';
}

/* Of one word between blanks; what names a host, a path or an address of the web has GPU in it by chance. */
static bool is_gpu_word(const char *word, size_t len)
{
	static const char *const words[] = { "GPU", "GPUs", "NVIDIA", "nvidia-smi", "NVSMI", "NVLink", "NVLinks", "ECC", "Xid",
					     "Xids", "CUDA", "DCGM", "dcgmi", "ROCm", "rocm-smi", "amd-smi", "XGMI", "NCCL",
					     "RCCL" };
	size_t own = 0;

	while (len && strchr("('\"", *word))
		word++, len--;
	if (text_begins(word, "/dev/nvidia"))
		return true;
	while (own < len && is_word_char(word[own]))
		own++;
	if (memchr(word, '/', len) || memchr(word, '@', len) || (own + 1 < len && word[own] == '.'))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (own == strlen(words[i]) && !strncasecmp(word, words[i], own))
			return true;
	return own >= 4 && text_begins(word, "GPU_") && strspn(word + 4, "0123456789") == own - 4;
}

/* Of GPUs, by the check's name or by what it says. Others look at disks, memory and services. */
static bool is_about_gpus(const char *name)
{
	static const char *const names[] = { "gpu", "nvidia", "check_nv_", "nvsmi", "nvlink", "_ecc", "xid", "cuda", "dcgm", "rocm",
					     "xgmi", "nccl", "rccl" };
	const char *words = past_name(name), *end;
	size_t row, len;
	const char *at = text_find_row(name, names, sizeof(*names), ARRAY_SIZE(names), true, &row);

	if (at && at < words)
		return true;
	if (*words != ':')
		return false;
	for (at = words + 1, end = words + words_len(words); at < end; ) {
		const char *word = scan_word(&at, &len);

		if (word < end && is_gpu_word(word, len))
			return true;
	}
	return false;
}

/* Where the name stands, or NULL: it is no failure of a GPU's check, or it quotes the kernel's own line. */
static const char *failed_check(const char *text)
{
	const char *at = past_failed(text);

	return at && past_name(at) && is_about_gpus(at) && !strstr(text, "Xid (PCI:") ? at : NULL;
}

/* Behind the name's colon. Without a colon columns follow. */
static const char *words_at(struct arena *arena, const char *text)
{
	size_t len;

	if (*text != ':')
		return NULL;
	text += strspn(text, ": ");
	len = words_len(text);
	while (len && strchr(". ", text[len - 1]))
		len--;
	return len ? arena_strndup(arena, text, len) : NULL;
}

/* Behind what joins a number to GPU: "GPU 3", "GPU#3", "GPU_3", "GPU id: 3"; NULL: "gpu012" is a host, "gpu:8" so many. */
static const char *past_joint(const char *text)
{
	const char *at = text + strspn(text, " #_");

	if (!strncasecmp(at, "id", 2))
		at += 2 + strspn(at + 2, " #_:");
	return at > text ? at : NULL;
}

/* The one GPU that the words name: "GPU id 3: …", "GPU 3 has …"; where they name two it is of neither alone. */
static int sole_number(const char *words)
{
	int ret = DCGM_NO_GPU;

	for (const char *at = words; at && (at = strcasestr(at, "GPU")); at++) {
		const char *number = past_joint(at + strlen("GPU"));
		bool fits = true;
		uint64_t value;

		if (!number || (*number == '0' && is_digit(number[1])))
			continue;
		if (at > words && (is_word_char(at[-1]) || strchr("./", at[-1])))
			continue;
		if (!scan_u64(&number, 10, &value, &fits) || !fits || value >= MAX_NUMBER)
			continue;
		if (is_word_char(*number) || (*number == '.' && is_word_char(number[1])))
			continue;
		if (ret != DCGM_NO_GPU && ret != (int)value)
			return DCGM_NO_GPU;
		ret = (int)value;
	}
	return ret;
}

/* "SUCCESS:  nhc:  Health check passed:  check_gpu_count: Expected 8 and found 8": where the name stands, or NULL. */
static const char *passed_check(const char *text)
{
	static const char words[] = "Health check passed:";
	const char *at = strstr(text, words);

	at = at ? past_blanks(at + strlen(words)) : NULL;
	return at && past_name(at) && is_about_gpus(at) ? at : NULL;
}

/* Of the node: of each GPU of which it says so another line might say the opposite. */
static void read_passed(struct reading *reading, struct dump_line *line, const char *at)
{
	const struct dcgm_result result = {
		.test = arena_printf(reading->arena, NODE_CHECK_NHC "%.*s", (int)(past_name(at) - at), at), .gpu = DCGM_NO_GPU,
		.status = "pass",
	};

	dcgm_put_result(reading, line, &result);
}

static struct gpu *amd_gpu(struct reading *reading, struct dump_line *line, uint64_t number)
{
	struct gpu *gpu = reading_gpu_by_index(reading, number);

	put(reading, line, gpu->amdgpu.index, val_u64(number));
	put(reading, line, gpu->pci.vendor_id, val_str("0x1002"));
	put(reading, line, gpu->pci.driver, val_str("amdgpu"));
	return gpu;
}

static void read_nhc(struct reading *reading, struct dump_line *line, const char *at)
{
	static const char *const of_amd[] = { "amd", "rocm", "xgmi", "rccl" };
	const char *end = past_name(at), *words = words_at(reading->arena, end);
	const char *test = arena_printf(reading->arena, NODE_CHECK_NHC "%.*s", (int)(end - at), at);
	size_t row;
	bool is_amd = text_find_row(test, of_amd, sizeof(*of_amd), ARRAY_SIZE(of_amd), true, &row) ||
		      (words && text_find_row(words, of_amd, sizeof(*of_amd), ARRAY_SIZE(of_amd), true, &row));
	int number = sole_number(words);
	const struct dcgm_result result = {
		.test = test, .words = words, .gpu = number,
		.status = words && strstr(words, "not found or not runnable") ? "warn" : "fail",
	};

	if (number == DCGM_NO_GPU || !is_amd)
		dcgm_put_result(reading, line, &result);
	else
		dcgm_put_result_of(reading, line, &result, amd_gpu(reading, line, (uint64_t)number));
}

/*
 * A log of NHC has one check again and again, and its newest line counts: what passed further down is over. Of one host, as
 * far as the lines tell: in front of them some logs have it.
 */
struct later_passes {
	const char *of[256];	/* of a check that failed more are not over */
	size_t nr;
};

/* Of what stands before a log's words, what its lines have each otherwise: times, "nhc[123]:" and how it went. */
static bool is_of_line(const char *word, size_t len)
{
	static const char *const words[] = { "ERROR:", "SUCCESS:", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Jan", "Feb",
					     "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };

	if (strspn(word, "0123456789:.,-+/TZ[]") >= len || (len > 2 && !strncmp(word + len - 2, "]:", 2)))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (len == strlen(words[i]) && text_begins(word, words[i]))
			return true;
	return false;
}

/* "node7 nhc: check_ecc"; NULL: no log has as much in front. */
static const char *host_and_check(struct arena *arena, const char *text, const char *name)
{
	const char *at = text, *end = strstr(text, "Health check "), *ret = "";
	size_t len;

	if (end && end - text > MAX_WORDS)
		return NULL;
	for (const char *word; end && (word = scan_word(&at, &len)) < end && len;)
		if (!is_of_line(word, len))
			ret = arena_printf(arena, "%s%.*s ", ret, (int)len, word);
	return arena_printf(arena, "%s%.*s", ret, (int)(past_name(name) - name), name);
}

static bool has_passed(const struct later_passes *passes, const char *of)
{
	for (size_t i = 0; of && i < passes->nr; i++)
		if (!strcmp(passes->of[i], of))
			return true;
	return false;
}

/* Slurm's reason stays until somebody takes it away. */
static bool is_over(struct arena *arena, const struct later_passes *passes, const char *text, const char *name)
{
	return passes->nr && strstr(text, "Health check failed:") && has_passed(passes, host_and_check(arena, text, name));
}

static void note_pass(struct arena *arena, struct later_passes *passes, const char *text, const char *name)
{
	const char *of = host_and_check(arena, text, name);

	if (of && !has_passed(passes, of) && passes->nr < ARRAY_SIZE(passes->of))
		passes->of[passes->nr++] = of;
}

/* From the end. */
static void read_nhc_lines(struct reading *reading)
{
	struct later_passes passes = { .nr = 0 };

	for (size_t i = reading->part->nr_lines; i; i--) {
		struct dump_line *line = &reading->part->lines[i - 1];
		const char *check = failed_check(line->text);

		if (check && is_over(reading->arena, &passes, line->text, check)) {
			line->is_taken = true;
		} else if (check) {
			read_nhc(reading, line, check);
		} else if ((check = passed_check(line->text))) {
			note_pass(reading->arena, &passes, line->text, check);
			read_passed(reading, line, check);
		}
	}
}

/* ---- RVS: "[RESULT] [ 52.6] [gpustress-9000-sgemm] [GPU:: 50599] … met: FALSE", older "… gst 50599 pass: FALSE" */

static const char *const failures[] = { "pass: FALSE", "met: FALSE", "CRC-32 mismatch detected" };
static const char *const passes[] = { "pass: TRUE", "met: TRUE" };

/* "RVS-PEBB: internal error, src: 0   dst: 2   current size: 1024 status -1": the module did not come to a result. */
static bool is_rvs_error(const char *text)
{
	text = past_blanks(text);
	return text_begins(text, "RVS-") && strstr(text, ": internal error, ");
}

static bool is_rvs(const char *text)
{
	size_t row;

	if (!strstr(text, "[RESULT]"))
		return false;
	return text_find_row(text, failures, sizeof(*failures), ARRAY_SIZE(failures), false, &row) ||
	       text_find_row(text, passes, sizeof(*passes), ARRAY_SIZE(passes), false, &row);
}

/* Its number of the GPU is the kernel's, which nothing else shows: it stays in the words. */
static const char *rvs_gpu(struct arena *arena, const char *text)
{
	static const char *const modules[] = { "[GPU:: ", "] gst ", "] iet ", "] pebb ", "] pbqt ", "] peqt ", "] babel ", "] mem " };
	size_t row;
	const char *at = text_find_row(text, modules, sizeof(*modules), ARRAY_SIZE(modules), false, &row);
	size_t digits;

	if (!at)
		return "";
	at = past_blanks(at + strlen(modules[row]));
	digits = strspn(at, "0123456789");
	return digits ? arena_printf(arena, "GPU id %.*s, ", (int)digits, at) : "";
}

/* The action, in the brackets behind those of the time. */
static const char *rvs_action(struct arena *arena, const char *text)
{
	const char *at = strstr(text, "[RESULT]") + strlen("[RESULT]");

	for (; (at = strchr(at, '[')); at++) {
		size_t len = strcspn(at + 1, "]");

		if (len && at[1 + len] && strspn(at + 1, " 0123456789.") < len && !text_begins(at, "[GPU::"))
			return arena_strndup(arena, at + 1, len);
	}
	return "test";
}

static void read_rvs_error(struct reading *reading, struct dump_line *line)
{
	const char *module = past_blanks(line->text) + strlen("RVS-");
	const char *words = strchr(module, ':');
	const struct dcgm_result result = {
		.test = arena_printf(reading->arena, NODE_CHECK_RVS "%.*s", (int)(words - module), module), .gpu = DCGM_NO_GPU,
		.words = arena_strdup(reading->arena, past_blanks(words + 1)), .status = "warn",
	};

	dcgm_put_result(reading, line, &result);
}

static void read_rvs(struct reading *reading, struct dump_line *line)
{
	const char *text = line->text, *gpu = rvs_gpu(reading->arena, text);
	size_t row;
	const char *failure = text_find_row(text, failures, sizeof(*failures), ARRAY_SIZE(failures), false, &row);
	const struct dcgm_result result = {
		.test = arena_printf(reading->arena, NODE_CHECK_RVS "%s", rvs_action(reading->arena, text)), .gpu = DCGM_NO_GPU,
		.words = failure ? arena_printf(reading->arena, "%s%s", gpu, failures[row]) : NULL,
		.status = failure ? "fail" : "pass",
	};

	dcgm_put_result(reading, line, &result);
}

/*
 * Its summary: "| gpustress-120000-bf16 | gst | FAIL |" below "| ID - Node ID - BDF | 0 - 2 - 0000:cc:00.0 |". Of several GPUs
 * it does not say which.
 */
struct summary_row {
	const char *action, *status;
};

/* The three cells of a row; false: it has not as many, or is of no module. */
static bool summary_row(struct arena *arena, const char *text, struct summary_row *ret)
{
	static const char *const modules[] = { "gst", "iet", "pebb", "pbqt", "peqt", "pesm", "babel", "mem", "rcqt", "gpup", "gm",
					       "tst" };
	const char *cells[4];

	if (layout_cells(arena, text, cells, ARRAY_SIZE(cells)) != 3 || text[strlen(text) - 1] != '|')
		return false;
	*ret = (struct summary_row){ cells[0], cells[2] };
	return text_is_any(cells[1], modules, ARRAY_SIZE(modules)) &&
	       (text_begins(cells[2], "PASS") || text_begins(cells[2], "FAIL"));
}

static bool is_summary(const char *text)
{
	return strstr(text, "ROCm Validation Suite (RVS) Summary") != NULL;
}

/* The address of the only GPU of the part's summaries, or NULL; *ret_line has it. */
static const char *summary_address(const struct reading *reading, struct dump_line **ret_line)
{
	static const char words[] = "ID - Node ID - BDF";
	const char *address = NULL;

	for (size_t i = 0; i < reading->part->nr_lines; i++) {
		const char *at = strstr(reading->part->lines[i].text, words), *told = at ? strrchr(at + strlen(words), '-') : NULL;

		if (!told)
			continue;
		told = past_blanks(told + 1);
		told = dump_address(reading->arena, arena_strndup(reading->arena, told, strcspn(told, " |")));
		if (!told || (address && strcmp(told, address) != 0))
			return NULL;
		address = told;
		*ret_line = &reading->part->lines[i];
	}
	return address;
}

/* One from that line to the end of the part. */
static void read_summary(struct reading *reading, size_t first)
{
	struct dump_line *gpu_line = NULL;
	const char *address = summary_address(reading, &gpu_line);

	for (size_t i = first; i < reading->part->nr_lines; i++) {
		struct dump_line *line = &reading->part->lines[i];
		struct gpu *gpu = NULL;
		struct dcgm_result result;
		struct summary_row row;

		if (!summary_row(reading->arena, line->text, &row))
			continue;
		result = (struct dcgm_result){
			.test = arena_printf(reading->arena, NODE_CHECK_RVS "%s", row.action), .status = row.status,
		};
		if (address && (gpu = reading_gpu(reading, address)))
			put(reading, gpu_line, gpu->pci.vendor_id, val_str("0x1002"));
		dcgm_put_result_of(reading, line, &result, gpu);
	}
}

/* ---- AMD's device-metrics-exporter: gpu_health{gpu_id="3",hostname="node7"} 0 */

/* The value behind the labels of that metric of a GPU, which may have AMD's prefix, or NULL. */
static const char *exporter_value(const char *text, const char *metric, uint64_t *ret_gpu)
{
	const char *at;
	bool fits = true;

	text = past_blanks(text);
	text += text_begins(text, "amd_") ? strlen("amd_") : 0;
	if (!text_begins(text, metric) || !(at = strstr(text + strlen(metric), "gpu_id=\"")))
		return NULL;
	at += strlen("gpu_id=\"");
	if (!scan_u64(&at, 10, ret_gpu, &fits) || !fits || *at != '"' || *ret_gpu >= MAX_NUMBER || !(at = strrchr(at, '}')))
		return NULL;
	return past_blanks(at + 1);
}

/* 1: well, 0: not; what has another prefix counts otherwise. */
static bool exporter_health(const char *text, uint64_t *ret_gpu, bool *ret_is_well)
{
	const char *at = exporter_value(text, "gpu_health{", ret_gpu);

	if (!at)
		return false;
	*ret_is_well = *at == '1';
	return (*at == '0' || *at == '1') && (!at[1] || at[1] == ' ');
}

/* gpu_ecc_uncorrect_total{gpu_id="3",…} 2 */
static const char *exporter_errors(const char *text, uint64_t *ret_gpu)
{
	const char *at = exporter_value(text, "gpu_ecc_uncorrect_total{", ret_gpu), *end = at ? at + strspn(at, "0123456789") : NULL;

	return at && (!*end || *end == ' ') ? at : NULL;
}

/* Metrics of several hosts have a GPU 0 each, which would be one here: then none is read. */
static bool exporter_has_one_host(const struct dump_part *part)
{
	static const char label[] = "hostname=\"";
	const char *host = NULL;
	size_t len = 0;

	for (size_t i = 0; i < part->nr_lines; i++) {
		const char *text = part->lines[i].text, *at;
		uint64_t number;
		bool is_well;

		if (!exporter_health(text, &number, &is_well) && !exporter_errors(text, &number))
			continue;
		at = strstr(text, label);
		if (!at)
			continue;
		at += strlen(label);
		if (host && (strncmp(host, at, len) != 0 || at[len] != '"'))
			return false;
		host = at;
		len = strcspn(at, "\"");
	}
	return true;
}

static void read_errors(struct reading *reading, struct dump_line *line, uint64_t number, const char *count)
{
	struct amd_gpu gpu;

	amd_gpu_begin(reading, &gpu, line, number, NULL);
	amd_take_total(&gpu, arena_strndup(reading->arena, count, strspn(count, "0123456789")), line);
	amd_gpu_end(reading, &gpu);
}

static void read_health(struct reading *reading, struct dump_line *line, uint64_t number, bool is_well)
{
	const struct dcgm_result result = {
		.test = NODE_CHECK_EXPORTER "gpu_health", .status = is_well ? "pass" : "fail", .words = is_well ? NULL : "unhealthy",
	};

	dcgm_put_result_of(reading, line, &result, amd_gpu(reading, line, number));
}

/* ---- all of them */

enum dump_begins node_check_begins(const struct dump_line *lines, size_t nr)
{
	uint64_t number;
	bool is_well;

	(void)nr;
	if (failed_check(lines->text) || passed_check(lines->text) || is_rvs(lines->text) ||
	    is_rvs_error(lines->text) || is_summary(lines->text))
		return BEGINS_MORE;
	if (exporter_errors(lines->text, &number))
		return BEGINS_MORE;
	return exporter_health(lines->text, &number, &is_well) ? BEGINS_MORE : BEGINS_NOT;
}

void node_check_read(struct reading *reading)
{
	size_t summary = reading->part->nr_lines;
	bool is_of_one_host = exporter_has_one_host(reading->part);

	read_nhc_lines(reading);
	for (size_t i = 0; i < reading->part->nr_lines; i++) {
		struct dump_line *line = &reading->part->lines[i];
		const char *count;
		uint64_t number;
		bool is_well;

		if (is_summary(line->text) && i < summary)
			summary = i;
		if (is_rvs(line->text))
			read_rvs(reading, line);
		else if (is_rvs_error(line->text))
			read_rvs_error(reading, line);
		else if (is_of_one_host && exporter_health(line->text, &number, &is_well))
			read_health(reading, line, number, is_well);
		else if (is_of_one_host && (count = exporter_errors(line->text, &number)))
			read_errors(reading, line, number, count);
	}
	if (summary < reading->part->nr_lines)
		read_summary(reading, summary);
}
