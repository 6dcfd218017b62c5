// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gpu_burn.c - gpu-burn, which multiplies the same matrices again and again and compares: a line of progress with what
 * each GPU had by then, and at its end who was "OK" and who "FAULTY". One whose process died is FAULTY too: the
 * program's own affair, or the GPU's.
 */
#include "base/compat.h"
#include "import/dump/readers.h"
#include "import/program/dcgm_result.h"

#include "base/text.h"
#include "base/text_scan.h"

static const char test[] = "gpu-burn";

/*
 * "50.0%  proc'd: … (… Gflop/s) - …   errors: 0 - 22148 (WARNING!)   temps: 65 C - 70 C ": what stands behind
 * "errors:".
 */
static const char *errors_of(const char *text)
{
	const char *at = strstr(text, "proc'd: ");

	at = at ? strstr(at, "errors: ") : NULL;
	return at ? at + strlen("errors: ") : NULL;
}

/* "Tested 2 GPUs:" */
static bool is_summary(const char *text)
{
	const char *at = scan_behind(text, "Tested ");
	uint64_t nr;
	bool fits = true;

	return at && scan_u64(&at, 10, &nr, &fits) && fits && !strncmp(past_blanks(at), "GPU", 3);
}

enum dump_begins gpu_burn_begins(const struct dump_line *lines, size_t nr)
{
	(void)nr;
	return errors_of(lines->text) || is_summary(lines->text) ? BEGINS_MORE : BEGINS_NOT;
}

static void put_status(struct reading *reading, struct dump_line *line, int gpu, const char *status, const char *words)
{
	const struct dcgm_result result = { .test = test, .gpu = gpu, .status = status, .words = words };

	if (gpu < DCGM_MAX_GPUS)
		dcgm_put_result(reading, line, &result);
}

/*
 * "0 - 22148 (WARNING!) - -1 (DIED!)"; each time errors since the line before are told. So many that their number ran
 * over are "-524288000  (WARNING!)".
 */
static void read_progress(struct reading *reading, struct dump_line *line, const char *at)
{
	line->is_taken = true;
	for (int gpu = 0; gpu < DCGM_MAX_GPUS; gpu++) {
		bool is_negative = *at == '-', fits = true;
		uint64_t errors;

		at += is_negative;
		if (!scan_u64(&at, 10, &errors, &fits) || !fits)
			return;
		at = past_blanks(at);
		if (is_negative && text_begins(at, "(WARNING!)"))
			put_status(reading, line, gpu, "fail", "errors without number");
		else if (is_negative || text_begins(at, "(DIED!)"))
			put_status(reading, line, gpu, "warn", "its process died");
		else if (errors)
			put_status(reading, line, gpu, "fail",
				   arena_printf(reading->arena, "%llu errors", (unsigned long long)errors));
		else
			put_status(reading, line, gpu, "pass", NULL);
		at += *at == '(' ? strcspn(at, ")") + 1 : 0;
		at = past_blanks(at);
		if (!text_begins(at, "- "))
			return;
		at += 2;
	}
}

/* "GPU 1: FAULTY": alone it does not tell whether the process died. */
static void read_verdict(struct reading *reading, struct dump_line *line)
{
	const char *at = scan_behind(line->text, "GPU ");
	uint64_t gpu;
	bool fits = true;

	if (!at || !scan_u64(&at, 10, &gpu, &fits) || !fits || gpu >= DCGM_MAX_GPUS || *at++ != ':')
		return;
	at = past_blanks(at);
	if (!strcmp(at, "FAULTY"))
		put_status(reading, line, (int)gpu, "warn", "FAULTY");
	else if (!strcmp(at, "OK"))
		put_status(reading, line, (int)gpu, "pass", NULL);
}

void gpu_burn_read(struct reading *reading)
{
	for (size_t i = 0; i < reading->part->nr_lines; i++) {
		struct dump_line *line = &reading->part->lines[i];
		const char *errors = errors_of(line->text);

		line->is_taken |= is_summary(line->text);
		if (!errors)
			read_verdict(reading, line);
		/* One line has several where the carriage returns between them were lost. */
		for (; errors; errors = errors_of(errors))
			read_progress(reading, line, errors);
	}
}
