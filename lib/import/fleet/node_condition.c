// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * node_condition.c - conditions of Kubernetes nodes, about GPUs as cloud providers' monitors set them, and about the
 * rest of the node by its kubelet and node-problem-detector: a row of kubectl describe node, "  GPUMissing  True  Mon,
 * 10 … GPUMissing  …", type, status, reason and message of YAML or JSON, a line each, or a record of the log of
 * Amazon's agent, which sends it. A condition that names an Xid is the log's.
 */
#include "base/compat.h"
#include "import/dump/readers.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/dump/error_put.h"
#include "import/dump/whose_node.h"
#include "import/line/log_pieces.h"
#include "import/program/dcgm_result.h"

enum {
	MOST_LINES = 8, MAX_WORDS = 200,	/* of one condition of YAML, and what is told of it */
	MOST_BELOW = 512,			/* lines in which it may be over */
};

/*
 * Which, and the status that is bad. Azure's and Amazon's are checks of GPUs; key: what others are among errors of
 * services.
 */
static const struct { const char *type, *bad, *key; } conditions[] = {
	{ "GPUMissing", "True", NULL },
	{ "NVLinkStatusInactive", "True", NULL },
	{ "AcceleratedHardwareReady", "False", NULL },
	{ "Ready", "False", "node-not-ready" },
	{ "DiskPressure", "True", "node-fault" },
	{ "OutOfDisk", "True", "node-fault" },
	{ "KernelDeadlock", "True", "node-fault" },
	{ "ReadonlyFilesystem", "True", "node-fault" },
	{ "XfsShutdown", "True", "node-fault" },
	{ "MemoryPressure", "True", "node-trouble" },
	{ "PIDPressure", "True", "node-trouble" },
	{ "NetworkUnavailable", "True", "node-trouble" },
	{ "CorruptDockerOverlay2", "True", "node-trouble" },
	{ "FrequentKubeletRestart", "True", "node-trouble" },
	{ "FrequentDockerRestart", "True", "node-trouble" },
	{ "FrequentContainerdRestart", "True", "node-trouble" },
	{ "FrequentUnregisterNetDevice", "True", "node-trouble" },
	{ "KubeletUnhealthy", "True", "node-trouble" },
	{ "ContainerRuntimeUnhealthy", "True", "node-trouble" },
	{ "KubeletProblem", "True", "node-trouble" },
	{ "ContainerRuntimeProblem", "True", "node-trouble" },
	{ "FilesystemCorruptionProblem", "True", "node-trouble" },
};

/* Pods and others have a condition of that name, too; of a node it is the kubelet that reports, or did not. */
static bool is_of_node(size_t row, const char *text)
{
	static const char *const reasons[] = { "KubeletReady", "KubeletNotReady", "NodeStatusUnknown",
					       "NodeStatusNeverUpdated" };

	return strcmp(conditions[row].type, "Ready") != 0 || text_has_any(text, reasons, ARRAY_SIZE(reasons));
}

static const char *past_marks(const char *text)
{
	return text + strspn(text, " -");
}

/* Behind the name of a condition that a text begins with, or NULL; *ret is its row. */
static const char *past_type(const char *text, size_t *ret)
{
	for (*ret = 0; *ret < ARRAY_SIZE(conditions); ++*ret) {
		size_t len = strlen(conditions[*ret].type);

		if (text_begins(text, conditions[*ret].type) && (!text[len] || text[len] == ' ' || text[len] == '"'))
			return text + len;
	}
	return NULL;
}

/* Where the value of a key stands, "  status: \"True\"", "    \"status\": \"True\","; or NULL. */
static const char *value_at(const char *text, const char *key)
{
	const char *at = past_marks(text);

	at += *at == '"';
	if (!text_begins(at, key))
		return NULL;
	at += strlen(key);
	at += *at == '"';
	return *at == ':' ? at + 1 + strspn(at + 1, "\" '") : NULL;
}

static const char *value_of(struct arena *arena, const char *text, const char *key)
{
	const char *at = value_at(text, key);
	size_t len = at ? strnlen(at, MAX_WORDS) : 0;

	while (len && strchr("\"', ", at[len - 1]))
		len--;
	return at ? arena_strndup(arena, at, len) : NULL;
}

/*
 * Behind the two times of a row, "Wed, 10 Sep 2025 10:11:12 +0000   Wed, 10 Sep 2025 09:11:12 +0000   Reason
 * Message"; or NULL.
 */
static const char *past_times(const char *text)
{
	static const char form[] = "00:00:00 +0000 ";
	const char *last = NULL;

	for (const char *at = strchr(text, ':'); at && at >= text + 2; at = strchr(at + 1, ':')) {
		size_t i = 0;

		while (form[i] && (is_digit(form[i]) ? is_digit(at[(ptrdiff_t)i - 2])
						     : at[(ptrdiff_t)i - 2] == form[i] ||
							       (form[i] == '+' && at[(ptrdiff_t)i - 2] == '-')))
			i++;
		if (!form[i])
			last = at + i - 2;
	}
	return last ? past_blanks(last) : NULL;
}

/* Is it a row of a table with its status behind the type, and times? */
static const char *row_status(const char *text, size_t *ret)
{
	const char *status = past_type(past_blanks(text), ret);

	if (!status || *status != ' ')
		return NULL;
	status = past_blanks(status);
	if (!text_begins(status, "True ") && !text_begins(status, "False ") && !text_begins(status, "Unknown "))
		return NULL;
	return past_times(status) && is_of_node(*ret, past_times(status)) ? status : NULL;
}

/*
 * One of a list: in YAML it begins with a dash, in JSON with the first of its keys. kubectl sorts them, the API does
 * not.
 */
struct typed {
	size_t row;
	const char *status, *reason, *message;
};

static bool begins_sorted(const char *text)
{
	return text_begins(past_blanks(text), "\"lastHeartbeatTime\":");
}

/* Others of its keys follow: where they are sorted it is the last. */
static bool begins_with_type(const char *text)
{
	size_t row;

	return text_begins(past_blanks(text), "\"type\":") && text[strlen(text) - 1] == ',' &&
	       past_type(value_at(text, "type"), &row);
}

static bool begins_object(const char *text)
{
	return begins_sorted(text) || begins_with_type(text);
}

static bool begins_element(const char *text)
{
	return text_begins(past_blanks(text), "- ") || begins_object(text);
}

static bool ends_object(const char *text)
{
	return *past_blanks(text) == '}';
}

/* With a key that may be a condition's first. */
static bool begins_condition(const char *text)
{
	static const char *const keys[] = { "- lastHeartbeatTime:", "- lastTransitionTime:", "- message:", "- type:" };

	return text_begins_any(past_blanks(text), keys, ARRAY_SIZE(keys));
}

/* How many lines are the element's that begins in the first. */
static size_t element_lines(const struct dump_line *lines, size_t nr)
{
	const bool is_by_type = begins_with_type(lines->text);
	size_t ret = 0;

	while (ret < nr && ret < MOST_LINES && !ends_object(lines[ret].text) &&
	       (is_by_type || (ret == 0) == begins_element(lines[ret].text)))
		ret++;
	return ret;
}

/* Is its type one of those? */
static bool has_known_type(const struct dump_line *lines, size_t nr, size_t *ret)
{
	bool is_known = false, is_ours = false;

	for (size_t i = 0; i < nr && !is_known; i++) {
		const char *type = value_at(lines[i].text, "type");

		is_known = type && past_type(type, ret);
	}
	for (size_t i = 0; i < nr && is_known; i++)
		is_ours |= is_of_node(*ret, lines[i].text);
	return is_ours;
}

/* false: it is none of those, or not whole. */
static bool take_typed(struct arena *arena, const struct dump_line *lines, size_t nr, struct typed *ret)
{
	*ret = (struct typed){ .row = 0 };
	nr = element_lines(lines, nr);
	for (size_t i = 0; i < nr; i++) {
		const char *text = lines[i].text;

		ret->status = ret->status ? ret->status : value_of(arena, text, "status");
		ret->reason = ret->reason ? ret->reason : value_of(arena, text, "reason");
		ret->message = ret->message ? ret->message : value_of(arena, text, "message");
	}
	return has_known_type(lines, nr, &ret->row) && ret->status && ret->reason;
}

/* The text of a key of a record, "Reason":"DCGMHealthCode4", or NULL. */
static const char *text_of(struct arena *arena, const char *record, const char *key)
{
	const char *at = strstr(record, key);

	if (!at)
		return NULL;
	at += strlen(key);
	return arena_strndup(arena, at, strcspn(at, "\"\\"));
}

/* What is fatal makes the condition a bad one; the agent sends its lesser findings as events. */
static bool is_sent(const char *text)
{
	return strstr(text, "\"conditionType\":\"AcceleratedHardwareReady\"") &&
	       strstr(text, "\"Severity\":\"Fatal\"") && strstr(text, "\"Reason\":\"");
}

enum dump_begins node_condition_begins(const struct dump_line *lines, size_t nr)
{
	size_t row;

	if (is_sent(lines->text) || row_status(lines->text, &row))
		return log_plugin_line(lines->text) ? BEGINS_NOT : BEGINS_MORE;
	/* Which it is stands below, where no reader of a line in a document looks. */
	if (begins_object(lines->text))
		return BEGINS_MORE;
	return begins_condition(lines->text) && has_known_type(lines, element_lines(lines, nr), &row) ? BEGINS_MORE
												      : BEGINS_NOT;
}

/* Who could not ask DCGM says nothing of a GPU. */
static const char *bad_status(const char *words)
{
	return strstr(words, "DCGMError") ? "warn" : "fail";
}

/* "DiskPressure True: KubeletHasDiskPressure: kubelet has disk pressure"; in a row reason and message are columns. */
static void put_trouble(struct reading *reading, struct dump_line *line, size_t row, const char *words)
{
	size_t reason_len = strcspn(words, ": ");
	const char *message = words + reason_len + strspn(words + reason_len, ": ");

	program_error_put(reading, line, conditions[row].key, conditions[row].type,
			  arena_printf(reading->arena, "%s: %.*s%s%s", conditions[row].type, (int)reason_len, words,
				       *message ? ": " : "", message));
}

static bool is_bad_status(size_t row, const char *status)
{
	return text_begins(status, conditions[row].bad) ||
	       (!strcmp(conditions[row].type, "Ready") && text_begins(status, "Unknown"));
}

/* Does a line tell that a condition is not so? */
static bool tells_good(struct arena *arena, const struct dump_line *lines, size_t nr, size_t row)
{
	size_t other;
	const char *status = row_status(lines->text, &other);
	struct typed typed;

	if (!status && begins_element(lines->text) && take_typed(arena, lines, nr, &typed)) {
		other = typed.row;
		status = typed.status;
	}
	return status && other == row && !is_bad_status(row, status) && !text_begins(status, "Unknown");
}

static bool is_of_same_node(const struct line_node *a, const struct line_node *b)
{
	return a->name && b->name && a->told_by != b->told_by && a->len == b->len && !strncmp(a->name, b->name, a->len);
}

/* Another description of the same node, further down in the text, tells that it is so no more. */
static bool is_over(struct reading *reading, const struct dump_line *line, size_t row)
{
	const struct line_node node = node_of_line(reading, reading->part, line);
	const struct dump_part *end = reading->parts ? reading->parts->v + reading->parts->nr : reading->part + 1;
	size_t nr_lines = 0;

	for (const struct dump_part *part = reading->part;
	     node.name && part < end && !strcmp(part->file, reading->part->file); part++) {
		if (part->kind != DUMP_NODE_CONDITION)
			continue;
		for (size_t i = part == reading->part ? (size_t)(line - part->lines) + 1 : 0; i < part->nr_lines; i++) {
			struct line_node other;

			if (++nr_lines > MOST_BELOW)
				return false;
			if (!tells_good(reading->arena, &part->lines[i], part->nr_lines - i, row))
				continue;
			other = node_of_line(reading, part, &part->lines[i]);
			if (is_of_same_node(&node, &other))
				return true;
		}
	}
	return false;
}

static void put_condition(struct reading *reading, struct dump_line *line, size_t row, bool is_bad, const char *words)
{
	const struct dcgm_result result = {
		.test = arena_printf(reading->arena, "the node's condition %s", conditions[row].type),
		.gpu = DCGM_NO_GPU,
		.words = is_bad ? words : NULL, .status = is_bad ? bad_status(words) : "pass",
	};

	line->is_taken = true;
	if (is_bad && (line_is_of_others(reading, reading->part, line) || is_over(reading, line, row)))
		return;
	if (conditions[row].key) {
		if (is_bad)
			put_trouble(reading, line, row, words);
		return;
	}
	/* The log has those: "NvidiaXID79Error". */
	if (!is_bad || !log_plugin_line(words))
		dcgm_put_result(reading, line, &result);
}

static void read_row(struct reading *reading, struct dump_line *line)
{
	size_t row;
	const char *status = row_status(line->text, &row);
	bool is_bad;

	if (!status)
		return;
	is_bad = is_bad_status(row, status);
	if (is_bad || !text_begins(status, "Unknown"))
		put_condition(
			reading, line, row, is_bad,
			arena_strndup(reading->arena, past_times(status), strnlen(past_times(status), MAX_WORDS)));
}

static void read_typed(struct reading *reading, struct dump_line *lines, size_t nr)
{
	struct typed typed;
	const char *words;

	if (!begins_element(lines->text) || !take_typed(reading->arena, lines, nr, &typed))
		return;
	words = arena_printf(reading->arena, "%s%s%s", typed.reason, typed.message ? ": " : "",
			     typed.message ? typed.message : "");
	if (!strcmp(typed.status, "True") || !strcmp(typed.status, "False") || is_bad_status(typed.row, typed.status))
		put_condition(reading, lines, typed.row, is_bad_status(typed.row, typed.status), words);
}

static void read_sent(struct reading *reading, struct dump_line *line)
{
	const char *reason, *message;
	size_t row;

	if (!is_sent(line->text) || !past_type("AcceleratedHardwareReady", &row))
		return;
	reason = text_of(reading->arena, line->text, "\"Reason\":\"");
	message = text_of(reading->arena, line->text, "\"Message\":\"");
	put_condition(reading, line, row, true,
		      message ? arena_printf(reading->arena, "%s: %s", reason, message) : reason);
}

void node_condition_read(struct reading *reading)
{
	for (size_t i = 0; i < reading->part->nr_lines; i++) {
		read_sent(reading, &reading->part->lines[i]);
		read_row(reading, &reading->part->lines[i]);
		read_typed(reading, &reading->part->lines[i], reading->part->nr_lines - i);
	}
}
