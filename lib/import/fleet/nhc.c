// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nhc.c - LBNL's Node Health Check with the checks that sites add, in its log and as Slurm's reason to drain a node:
 * "ERROR:  nhc:  Health check failed:  check_gpu_count: Expected to see 8 but found 7. FaultCode: NHC2009".
 */
#include "base/compat.h"
#include "import/amd/amd_value.h"
#include "import/fleet/node_check.h"
#include "import/program/dcgm_result.h"
#include "import/program/slurm_later.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MAX_WORDS = 300, MAX_NUMBER = 64 };

/* Behind what introduces a check that failed, or NULL. */
static const char *past_failed(const char *text)
{
	static const char *const frames[] = { "Health check failed:", "Node Health Check failed.", "Reason=NHC:",
					      "REASON=NHC:" };
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

/*
 * How much of what follows a name is the check's: up to " FaultCode: NHC2019", or to who set the reason, "
 * [root@2026-…]".
 */
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
	static const char *const words[] = { "GPU", "GPUs", "NVIDIA", "nvidia-smi", "NVSMI", "NVLink", "NVLinks", "ECC",
					     "Xid", "Xids", "CUDA", "DCGM", "dcgmi", "ROCm", "rocm-smi", "amd-smi",
					     "XGMI", "NCCL", "RCCL" };
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
	static const char *const names[] = { "gpu", "nvidia", "check_nv_", "nvsmi", "nvlink", "_ecc", "xid", "cuda",
					     "dcgm", "rocm", "xgmi", "nccl", "rccl" };
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

/*
 * Behind what joins a number to GPU: "GPU 3", "GPU#3", "GPU_3", "GPU id: 3"; NULL: "gpu012" is a host, "gpu:8" so many.
 */
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
		.test = arena_printf(reading->arena, "NHC's " "%.*s", (int)(past_name(at) - at), at),
		.gpu = DCGM_NO_GPU,
		.status = "pass",
	};

	dcgm_put_result(reading, line, &result);
}

static void read_nhc(struct reading *reading, struct dump_line *line, const char *at)
{
	static const char *const of_amd[] = { "amd", "rocm", "xgmi", "rccl" };
	const char *end = past_name(at), *words = words_at(reading->arena, end);
	const char *test = arena_printf(reading->arena, "NHC's " "%.*s", (int)(end - at), at);
	size_t row;
	bool is_amd = text_find_row(test, of_amd, sizeof(*of_amd), ARRAY_SIZE(of_amd), true, &row) ||
		      (words && text_find_row(words, of_amd, sizeof(*of_amd), ARRAY_SIZE(of_amd), true, &row));
	int number = sole_number(words);
	struct amd_gpu gpu;
	const struct dcgm_result result = {
		.test = test, .words = words, .gpu = number,
		.status = words && strstr(words, "not found or not runnable") ? "warn" : "fail",
	};

	if (number == DCGM_NO_GPU || !is_amd) {
		dcgm_put_result(reading, line, &result);
		return;
	}
	amd_gpu_begin(reading, &gpu, line, (uint64_t)number, NULL);
	dcgm_put_result_of(reading, line, &result, gpu.gpu);
}

/*
 * A log of NHC has one check again and again, and its newest line counts: what passed further down is over. Of one
 * host, as far as the lines tell: in front of them some logs have it.
 */
struct later_passes {
	const char *of[256];	/* of a check that failed more are not over */
	size_t nr;
};

/* Of what stands before a log's words, what its lines have each otherwise: times, "nhc[123]:" and how it went. */
static bool is_of_line(const char *word, size_t len)
{
	static const char *const words[] = { "ERROR:", "SUCCESS:", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun" };

	if (strspn(word, "0123456789:.,-+/TZ[]") >= len || (len > 2 && !strncmp(word + len - 2, "]:", 2)) ||
	    (len == 3 && month_by_name(word)))
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
	return passes->nr && strstr(text, "Health check failed:") &&
	       has_passed(passes, host_and_check(arena, text, name));
}

static void note_pass(struct arena *arena, struct later_passes *passes, const char *text, const char *name)
{
	const char *of = host_and_check(arena, text, name);

	if (of && !has_passed(passes, of) && passes->nr < ARRAY_SIZE(passes->of))
		passes->of[passes->nr++] = of;
}

/* Of a node that gets jobs Slurm keeps the reason. */
static bool is_of_node_in_use(const struct reading *reading, const struct dump_line *line, struct slurm_later **later)
{
	bool is_in_use = false;
	const char *node;

	if (!strstr(line->text, "Reason=NHC:"))
		return false;
	node = slurm_node_of_reason(reading, line, &is_in_use);
	return is_in_use || slurm_are_in_use_later(reading, later, node, line);
}

/* From the end. */
void nhc_read(struct reading *reading)
{
	struct later_passes passes = { .nr = 0 };
	struct slurm_later *later = NULL;

	for (size_t i = reading->part->nr_lines; i; i--) {
		struct dump_line *line = &reading->part->lines[i - 1];
		const char *check = failed_check(line->text);

		if (check &&
		    (is_over(reading->arena, &passes, line->text, check) || is_of_node_in_use(reading, line, &later))) {
			line->is_taken = true;
		} else if (check) {
			read_nhc(reading, line, check);
		} else if ((check = passed_check(line->text))) {
			note_pass(reading->arena, &passes, line->text, check);
			read_passed(reading, line, check);
		}
	}
}

bool nhc_is_in(const char *text)
{
	return failed_check(text) || passed_check(text);
}
