// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * watch_words.c - feeds recorded series to the judge of gpudiag watch, as tests/watch/series.py writes them:
 *
 *	watch_words FOLDER	judges those of FOLDER/expect.tsv and prints the confusion matrix. Exit status 1 where less
 *				than 0.9 of them are judged right, where a healthy load is accused or a near miss hits
 *	watch_words -t FILE [PID]	prints each tick's headline, and the story
 */
#include "base/compat.h"

#include <inttypes.h>

#include "base/json.h"
#include "eval/load/load.h"
#include "sys/clock.h"

enum { MAX_LINE_BYTES = 16 << 20 };

struct verdict {
	enum bottleneck last;		/* of the main line, at the end */
	bool was[NR_BOTTLENECKS];	/* shown by any GPU, at any time */
	unsigned unfilled;
	uint64_t ticks;
	double ms;
	int exit_status;
};

static char line[MAX_LINE_BYTES];

static bool die(const char *path, const char *what)
{
	fprintf(stderr, "watch_words: %s: %s\n", path, what);
	exit(64);
}

/* A line's object under that name; the document outlives it. */
static const cJSON *object_of(struct json_doc *doc, const char *path, const char *name)
{
	struct json_error error;

	if (json_parse(line, strlen(line), 0, doc, &error))
		die(path, error.what);
	return json_member(doc->root, name) ? json_member(doc->root, name) : (die(path, name), NULL);
}

static void read_snapshot(FILE *file, const char *path, struct snapshot *ret)
{
	struct merge_unknown unknown = { .nr = 0 };
	struct json_error error;
	struct json_doc doc;

	memset(ret, 0, sizeof(*ret));
	if (!fgets(line, sizeof(line), file))
		die(path, "no lines");
	if (snapshot_load_object(ret, &doc, object_of(&doc, path, "snapshot"), &unknown, &error))
		die(path, error.what);
	json_release(&doc);
}

static bool read_tick(FILE *file, const char *path, struct tick *ret)
{
	struct json_error error;
	struct json_doc doc;

	memset(ret, 0, sizeof(*ret));
	if (!fgets(line, sizeof(line), file))
		return false;
	if (tick_merge(ret, &doc, object_of(&doc, path, "tick"), NULL, &error))
		die(path, error.what);
	json_release(&doc);
	return true;
}

static void look(const struct load_view *view, struct verdict *ret)
{
	ret->ticks = view->ticks;
	ret->last = view->nr_groups ? view->groups[0].word : BOTTLENECK_NOT_JUDGED;
	for (size_t i = 0; i < view->nr_groups; i++) {
		ret->was[view->groups[i].word] = true;
		ret->unfilled += strchr(view->groups[i].sentence, '{') || strstr(view->groups[i].sentence, "(null)");
	}
}

static void print_tick(const struct load_view *view)
{
	printf("%4" PRIu64 " s", view->at_ns / UINT64_C(1000000000));
	for (size_t i = 0; i < view->nr_groups; i++) {
		const struct load_group *group = &view->groups[i];

		printf("%s[%s, %s] %s\n", i ? "       " : "  ", bottleneck_defs[group->word].word,
		       load_confidence_name(group->confidence), group->sentence);
		for (size_t k = 0; k < group->nr_shown; k++)
			printf("           %s: %s\n", group->shown[k].what, group->shown[k].text);
		for (size_t k = 0; k < group->nr_ruled_out; k++)
			printf("           not the %s: %s\n", group->ruled_out[k].what, group->ruled_out[k].text);
		if (group->next)
			printf("           next: %s %s\n", group->next, group->command ? group->command : "");
	}
	printf("       %s%s%s\n", view->host.disk, view->trouble ? "; " : "", view->trouble ? view->trouble : "");
}

static void judge_series(const char *path, uint64_t pid, bool is_told, struct verdict *ret)
{
	FILE *file = fopen(path, "r");
	struct snapshot sealed;
	struct tick tick;
	struct load *load;

	*ret = (struct verdict){ .last = BOTTLENECK_NOT_JUDGED };
	if (!file)
		die(path, "cannot be opened");
	read_snapshot(file, path, &sealed);
	load = load_new(&sealed, &policy_built_in, pid);
	while (read_tick(file, path, &tick)) {
		uint64_t begin_ns = clock_now_ns();

		load_add(load, &tick);
		ret->ms += (double)(clock_now_ns() - begin_ns) / 1e6;
		tick_release(&tick);
		look(load_now(load), ret);
		if (is_told)
			print_tick(load_now(load));
	}
	ret->exit_status = load_story(load)->exit_status;
	if (is_told)
		printf("exit %d: %s\n", ret->exit_status, load_story(load)->headline);
	load_free(load);
	snapshot_release(&sealed);
	fclose(file);
}

/* ---- a folder */

static bool is_one_of(const char *word, const char *words)
{
	size_t len = strlen(word);

	for (const char *at = words; *at; at += strcspn(at, "|"), at += *at == '|')
		if (!strncmp(at, word, len) && (!at[len] || at[len] == '|'))
			return true;
	return false;
}

struct matrix {
	size_t nr[NR_BOTTLENECKS][NR_BOTTLENECKS], cases, right, accused, hits, unfilled;
	double worst_ms;
};

static enum bottleneck word_of(const char *words)
{
	size_t len = strcspn(words, "|");

	for (enum bottleneck i = 0; i < NR_BOTTLENECKS; i++)
		if (strlen(bottleneck_defs[i].word) == len && !strncmp(bottleneck_defs[i].word, words, len))
			return i;
	die(words, "no such word");
	return BOTTLENECK_NOT_JUDGED;
}

static bool was_accused(const struct verdict *verdict)
{
	for (enum bottleneck i = 0; i < NR_BOTTLENECKS; i++)
		if (verdict->was[i] && bottleneck_defs[i].counts != COUNTS_NOTHING)
			return true;
	return verdict->exit_status == 1 || verdict->exit_status == 2;
}

static void count_case(struct matrix *matrix, const char *folder, const char *name, const char *words,
		       const char *never, bool is_healthy, uint64_t pid)
{
	struct verdict verdict;
	const char *word;
	char path[4096];
	bool hit = false;

	snprintf(path, sizeof(path), "%s/%s.jsonl", folder, name);
	judge_series(path, pid, false, &verdict);
	word = bottleneck_defs[verdict.last].word;
	for (enum bottleneck i = 0; i < NR_BOTTLENECKS; i++)
		hit |= verdict.was[i] && is_one_of(bottleneck_defs[i].word, never);
	matrix->cases++;
	matrix->nr[word_of(words)][is_one_of(word, words) ? word_of(words) : verdict.last]++;
	matrix->right += is_one_of(word, words);
	matrix->accused += is_healthy && was_accused(&verdict);
	matrix->hits += hit;
	matrix->unfilled += verdict.unfilled;
	if (verdict.ticks && verdict.ms / (double)verdict.ticks > matrix->worst_ms)
		matrix->worst_ms = verdict.ms / (double)verdict.ticks;
	if (!is_one_of(word, words) || hit || (is_healthy && was_accused(&verdict)) || verdict.unfilled)
		printf("%s: %s, expected %s%s%s%s\n", name, word, words, hit ? ", a near miss was hit" : "",
		       is_healthy && was_accused(&verdict) ? ", a healthy load was accused" : "",
		       verdict.unfilled ? ", a sentence has an empty place" : "");
}

static void print_matrix(const struct matrix *matrix)
{
	printf("%-20s judged as\n", "expected");
	for (enum bottleneck i = 0; i < NR_BOTTLENECKS; i++) {
		size_t sum = 0;

		for (enum bottleneck k = 0; k < NR_BOTTLENECKS; k++)
			sum += matrix->nr[i][k];
		if (!sum)
			continue;
		printf("%-20s %zu of %zu", bottleneck_defs[i].word, matrix->nr[i][i], sum);
		for (enum bottleneck k = 0; k < NR_BOTTLENECKS; k++)
			if (k != i && matrix->nr[i][k])
				printf(", %zu %s", matrix->nr[i][k], bottleneck_defs[k].word);
		putchar('\n');
	}
	printf("diagonal %.3f of %zu series (goal 0.9), %zu healthy loads accused, %zu near misses hit, slowest %.2f ms a tick\n",
	       (double)matrix->right / (double)matrix->cases, matrix->cases, matrix->accused, matrix->hits,
	       matrix->worst_ms);
}

static int judge_folder(const char *folder)
{
	static struct matrix matrix;
	char path[4096], row[1024];
	FILE *file;

	snprintf(path, sizeof(path), "%s/expect.tsv", folder);
	file = fopen(path, "r");
	if (!file)
		die(path, "cannot be opened");
	while (fgets(row, sizeof(row), file)) {
		char *at = row, *field[5];

		row[strcspn(row, "\n")] = '\0';
		for (size_t i = 0; i < ARRAY_SIZE(field); i++)
			if (!(field[i] = strsep(&at, "\t")))
				die(path, "a row has less than five fields");
		count_case(&matrix, folder, field[0], field[1], field[2], !strcmp(field[3], "healthy"),
			   strtoull(field[4], NULL, 10));
	}
	fclose(file);
	if (!matrix.cases)
		die(path, "no rows");
	print_matrix(&matrix);
	return (double)matrix.right < 0.9 * (double)matrix.cases || matrix.accused || matrix.hits || matrix.unfilled;
}

int main(int argc, char **argv)
{
	struct verdict verdict;

	if (argc >= 3 && !strcmp(argv[1], "-t")) {
		judge_series(argv[2], argc > 3 ? strtoull(argv[3], NULL, 10) : 0, true, &verdict);
		return 0;
	}
	if (argc != 2) {
		fputs("usage: watch_words FOLDER | -t FILE [PID]\n", stderr);
		return 64;
	}
	return judge_folder(argv[1]);
}
