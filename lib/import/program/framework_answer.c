// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/framework_answer.h"

#include "import/dump/error_put.h"

#include "base/text.h"
#include "base/text_scan.h"

enum {
	LINES_BELOW = 8,	/* of warnings, in which the answer may come */
	LINES_AGAIN = 200,	/* in which it may be asked again, and find one */
	MOST_CHARACTERS = 200,	/* of a line: more is no question */
};

static const struct question {
	const char *text, *none;
	bool is_label;		/* a program prints it, and the answer in the same line */
} questions[] = {
	{ "cuda.is_available()", "False", false }, { "xpu.is_available()", "False", false },
	{ "cuda.device_count()", "0", false }, { "xpu.device_count()", "0", false },
	{ "tf.test.is_gpu_available()", "False", false }, { "list_physical_devices('GPU')", "[]", false },
	{ "list_physical_devices(\"GPU\")", "[]", false }, { "tf.test.gpu_device_name()", "''", false },
	{ "jax.devices()", "[CpuDevice(id=0)]", false }, { "jax.local_devices()", "[CpuDevice(id=0)]", false },
	{ "jax.default_backend()", "'cpu'", false }, { "CUDA.functional()", "false", false },
	{ "mx.context.num_gpus()", "0", false },
	{ "CUDA available", "False", true }, { "CUDA Available", "False", true }, { "CUDA is available", "False", true },
	{ "GPU available", "False", true }, { "cuda available", "False", true },
};

static const struct question *question_in(const char *text)
{
	/* collect_env's, which says as much of a machine without GPUs, is told where it lists one. */
	static const char other[] = "Is CUDA available";
	size_t row;

	if (strnlen(text, MOST_CHARACTERS + 1) > MOST_CHARACTERS || strstr(text, other) ||
	    !text_find_row(text, &questions[0].text, sizeof(*questions), ARRAY_SIZE(questions), false, &row))
		return NULL;
	return &questions[row];
}

/* With the names of modules before it: "torch.cuda.is_available()". */
static const char *begin_of(const char *text, const struct question *question)
{
	const char *at = strstr(text, question->text);

	while (!question->is_label && at > text && (is_letter_or_digit(at[-1]) || strchr("._", at[-1])))
		at--;
	return at;
}

/* A prompt, or the question alone: no source that asks it. */
static bool is_asked(const char *text, const char *begin)
{
	static const char *const prompts[] = { ">>> ", "In [", "julia> ", "print(" };
	const char *first = past_blanks(text);

	return begin == first || text_begins_any(first, prompts, ARRAY_SIZE(prompts));
}

/* Behind "Out[2]: ". */
static const char *past_out(const char *text)
{
	const char *end = text_begins(text, "Out[") ? strstr(text, "]: ") : NULL;

	return end ? end + strlen("]: ") : text;
}

static bool says(const char *text, const char *answer)
{
	const char *at = past_out(past_blanks(text));

	return text_begins(at, answer) && !*past_blanks(at + strlen(answer));
}

/* "…: False", "… = 0", "… False": the rest of a line that has both. */
static bool has_answer_behind(const char *behind, const char *answer)
{
	static const char signs[] = ")\"' :=->";

	behind += strspn(behind, signs);
	return text_begins(behind, answer) && (!behind[strlen(answer)] || behind[strlen(answer)] == ',');
}

static bool is_next_prompt(const char *text)
{
	static const char *const prompts[] = { ">>> ", "In [", "julia> ", "$ " };

	return text_begins_any(past_blanks(text), prompts, ARRAY_SIZE(prompts));
}

static bool is_none(const struct dump_line *lines, size_t nr, const struct question *question)
{
	const char *text = lines->text, *behind = strstr(text, question->text) + strlen(question->text);

	if (question->is_label)
		return *behind == ':' && has_answer_behind(behind, question->none);
	if (!is_asked(text, begin_of(text, question)))
		return false;
	if (has_answer_behind(behind, question->none))
		return true;
	for (size_t i = 1; i < nr && i <= LINES_BELOW && !is_next_prompt(lines[i].text); i++)
		if (says(lines[i].text, question->none))
			return true;
	return false;
}

/* Whoever repaired it asks once more. */
static bool is_found_later(const struct dump_line *lines, size_t nr, const struct question *question)
{
	for (size_t i = 1; i < nr && i < LINES_AGAIN; i++)
		if (question_in(lines[i].text) == question && !is_none(&lines[i], nr - i, question))
			return true;
	return false;
}

bool framework_answer_begins(const struct dump_line *lines, size_t nr)
{
	const struct question *question = question_in(lines->text);

	return question && is_none(lines, nr, question);
}

void framework_answer_read(struct reading *reading, struct dump_line *lines, size_t nr)
{
	const struct question *question = question_in(lines->text);
	const char *begin = begin_of(lines->text, question);
	size_t len = (size_t)(strstr(lines->text, question->text) - begin) + strlen(question->text);

	if (!is_found_later(lines, nr, question))
		program_error_put(reading, lines, "none",
				  arena_printf(reading->arena, "%.*s: %s", (int)len, begin, question->none), NULL);
	lines->is_taken = true;
	for (size_t i = 1; i < nr && i <= LINES_BELOW && !is_next_prompt(lines[i].text); i++)
		if (says(lines[i].text, question->none))
			lines[i].is_taken = true;
}
