// SPDX-License-Identifier: GPL-2.0-or-later
/* redact.c - the walk over a snapshot: first what is to be found, then the replacing. */
#include "base/compat.h"
#include "snapshot/redact.h"

#include "base/text.h"
#include "snapshot/redact_internal.h"

enum {
	MIN_TERM = 3,		/* letters of a value that is looked for in other texts */
	MIN_UNMISTAKABLE = 8,	/* a value this long is no word of a model's name */
	MAC_DIGITS = 12,
};

struct redaction {
	struct arena *arena;
	const struct redact_options *options;
	struct terms terms;
	struct terms vocabulary;	/* words of drivers and models: pseudonyms are not used */
};

/* ---- fields whose text has a form of its own */

enum text_form {
	FORM_VALUE, FORM_DISKS, FORM_PATH, FORM_COMMAND_LINE, FORM_VARIABLE, FORM_ARGUMENT, FORM_PORT, FORM_ANYTHING,
};

static enum text_form form_of(const struct field *field)
{
#define IS(record, name) (field == &record_##record.fields[FIELD_##record##_##name])
	if (IS(run, lock_folder) || IS(cgroup, path) || IS(gpu_process, cgroup))
		return FORM_PATH;
	if (IS(disk_array, key) || IS(disk_array, failed))
		return FORM_DISKS;
	if (IS(host, kernel_command_line))
		return FORM_COMMAND_LINE;
	if (IS(host, environment))
		return FORM_VARIABLE;
	if (IS(run, argv))
		return FORM_ARGUMENT;
	if (IS(network_interface, key))
		return FORM_PORT;
	if (IS(probe_run, output) || IS(ocl_device, build_log) || IS(collective_test, complaint) ||
	    IS(collective_test, last_line))
		return FORM_ANYTHING;
	return FORM_VALUE;
#undef IS
}

static bool is_public(const struct field *field)
{
	return field->privacy == PRIVACY_PUBLIC;
}

static bool is_common(const struct redact_options *options, const char *text)
{
	for (const char *const *word = options->common_words; word && *word; word++)
		if (!strcmp(*word, text))
			return true;
	return !*text;
}

const char *redact_pseudonym(struct arena *arena, const struct redact_options *options, const char *text)
{
	return is_common(options, text) ? text : pseudonym_of(arena, options->key, text);
}

/* ---- the walk */

/* Called for each field of each record. member is what the struct holds there. */
typedef void visit_fn(struct redaction *r, const struct field *field, void *member);

static void walk(struct redaction *r, const struct record *record, char *base, visit_fn *visit)
{
	for (size_t i = 0; i < record->nr; i++) {
		const struct field *field = &record->fields[i];
		char *member = base + field->offset;

		if (field->kind == FIELD_RECORD) {
			walk(r, field->record, member, visit);
		} else if (field->kind == FIELD_LIST) {
			size_t nr = *(size_t *)(void *)(base + field->offset_nr);
			char *element = *(char **)(void *)member;

			for (size_t k = 0; k < nr; k++, element += field->record->size)
				walk(r, field->record, element, visit);
		} else {
			visit(r, field, member);
		}
	}
}

/* ---- what is looked for */

static bool is_in_vocabulary(const struct redaction *r, const char *text)
{
	for (size_t i = 0; i < r->vocabulary.nr; i++)
		if (!strcmp(r->vocabulary.items[i].text, text))
			return true;
	return false;
}

static void learn_word(struct redaction *r, const char *text, size_t len)
{
	const char *word = arena_strndup(r->arena, text, len);

	if (len >= MIN_TERM && (len < MIN_UNMISTAKABLE || !strpbrk(word, "0123456789")) && !is_in_vocabulary(r, word)) {
		r->vocabulary.items =
			arena_grow(r->arena, r->vocabulary.items, r->vocabulary.nr, sizeof(*r->vocabulary.items));
		r->vocabulary.items[r->vocabulary.nr++] = (struct term){ .text = word, .len = len };
	}
}

static void learn_parts(struct redaction *r, const char *text, const char *separators)
{
	for (const char *at = text + strspn(text, separators); *at; at += strspn(at, separators)) {
		size_t len = strcspn(at, separators);

		if (len < MIN_UNMISTAKABLE)
			learn_word(r, at, len);
		at += len;
	}
}

/* Words that checks and people read: public values of one word, with its parts, and the words of names of products. */
static void learn(struct redaction *r, const struct field *field, void *member)
{
	const struct val_str *value = member;

	/* What a probe was sent to is named again where it belongs, and may be somebody's folder. */
	if (field->kind != FIELD_STR || !is_public(field) || !is_known(*value) ||
	    field == &record_probe_run.fields[FIELD_probe_run_target])
		return;
	if (!strpbrk(value->v_, " \t\n"))
		learn_word(r, value->v_, strlen(value->v_));
	if (!strpbrk(value->v_, " \t\n/"))
		learn_parts(r, value->v_, "-.,:");
	else if (field->class == CLASS_IDENTITY && strcmp(field->name, "key") != 0)
		learn_parts(r, value->v_, " \t\n,;:/()[]");
}

static void look_for(struct redaction *r, const char *text)
{
	if (strlen(text) >= MIN_TERM && !is_common(r->options, text) && !is_in_vocabulary(r, text))
		terms_add(r->arena, &r->terms, r->options->key, text);
}

/* The name of whoever's home folder is named. */
static void look_for_homes(struct redaction *r, const char *text)
{
	static const char home[] = "/home/";

	for (const char *at = strstr(text, home); at; at = strstr(at, home)) {
		size_t len = strcspn(at += strlen(home), "/: \t\n\"'");

		look_for(r, arena_strndup(r->arena, at, len));
	}
}

/* Folders that are somebody's: a project's file system, a module tree. What stands in them keeps its name. */
static void look_for_folder(struct redaction *r, const char *path)
{
	/* Folders of every machine, and where a cloud's nodes have their driver. */
	static const char *const common[] = {
		"/bin/", "/boot/", "/dev/", "/etc/", "/home/kubernetes/", "/lib/", "/lib32/", "/lib64/", "/nix/",
		"/opt/", "/proc/", "/run/", "/sbin/", "/snap/", "/sys/", "/tmp/", "/usr/", "/var/",
	};
	const char *slash = strrchr(path, '/');

	if (path[0] != '/' || slash == path)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(common); i++)
		if (!strncmp(path, common[i], strlen(common[i])))
			return;
	terms_add_path(r->arena, &r->terms, r->options->key, arena_strndup(r->arena, path, (size_t)(slash - path)));
}

/* Where nothing better is known interfaces are named after hardware addresses: "enx78e7d1ea46da" (udev, rdma-core). */
static void look_for_address(struct redaction *r, const char *name)
{
	static const char hex[] = "0123456789abcdef";
	size_t letters = strcspn(name, "x");

	if (name[letters] == 'x' && letters <= 4 && strspn(name + letters + 1, hex) == strlen(name + letters + 1) &&
	    strlen(name + letters + 1) >= MAC_DIGITS)
		look_for(r, name);
}

/* What a port's key has of a machine's name. */
static void look_for_node(struct redaction *r, const char *port)
{
	const char *word;
	size_t at = 0, len;

	while ((word = port_word(port, &at, &len)))
		look_for(r, arena_strndup(r->arena, word, len));
}

/*
 * Pools have names that people gave them, and disks in them serial numbers for names. A pool that is called as a word
 * of every log, "data", is not looked for there.
 */
static void look_for_disks(struct redaction *r, const char *text)
{
	for (size_t len; len = strcspn(text, ","), *text; text += len + strspn(text + len, ", "))
		if (!redact_is_kernels_disk(text, len) &&
		    (len >= MIN_UNMISTAKABLE || strcspn(text, "0123456789_-") < len))
			look_for(r, arena_strndup(r->arena, text, len));
}

static void look_for_number(struct redaction *r, uint64_t number)
{
	if (number)
		look_for(r, arena_printf(r->arena, "%llu", (unsigned long long)number));
}

static void gather(struct redaction *r, const struct field *field, void *member)
{
	const union any_value *value = member;
	const struct strs *texts = member;
	bool is_secret = !is_public(field) && form_of(field) == FORM_VALUE;

	if (field_is_value(field) && value->head.why)
		look_for_homes(r, value->head.why);
	if (field->kind == FIELD_STRS)
		for (size_t i = 0; i < texts->nr; i++) {
			look_for_homes(r, texts->v[i]);
			if (is_secret)
				look_for(r, texts->v[i]);
		}
	if (!field_is_value(field) || value->head.state != VAL_OK)
		return;
	if (field->kind == FIELD_STR) {
		look_for_homes(r, value->str.v_);
		if (is_secret)
			look_for(r, value->str.v_);
		if (form_of(field) == FORM_DISKS)
			look_for_disks(r, value->str.v_);
		if (is_public(field)) {
			look_for_folder(r, value->str.v_);
			look_for_address(r, value->str.v_);
		}
		if (form_of(field) == FORM_PORT)
			look_for_node(r, value->str.v_);
	} else if (field->kind == FIELD_U64 && is_secret) {
		look_for_number(r, value->u64.v_);
	}
}

/* "gpu-17.cluster.example.org" also stands as "gpu-17", and its domain behind other names. */
static void gather_host_name(struct redaction *r, const struct snapshot *snapshot)
{
	const char *name = str_or(snapshot->host.name, "");
	size_t first = strcspn(name, ".");

	if (!name[first])
		return;
	look_for(r, arena_strndup(r->arena, name, first));
	look_for(r, name + first + 1);
}

/* ---- replacing */

static const char *replaced(struct redaction *r, const char *text, bool is_free_text)
{
	return terms_replace(r->arena, &r->terms, r->options->key, text, is_free_text);
}

/* place is that in a series. */
static const char *secret(struct redaction *r, const struct field *field, const char *text, size_t place)
{
	const uint8_t *key = r->options->key;

	switch (form_of(field)) {
	case FORM_DISKS:
		return redact_disks(r->arena, key, text);
	case FORM_PATH:
		return redact_path(r->arena, key, text);
	case FORM_COMMAND_LINE:
		return replaced(r, redact_command_line(r->arena, text), true);
	case FORM_VARIABLE:
		return replaced(r, redact_variable(r->arena, key, text), true);
	case FORM_ARGUMENT:
		return replaced(r, redact_argument(r->arena, text, place), true);
	case FORM_PORT:
		return replaced(r, redact_port(r->arena, key, text), false);
	case FORM_ANYTHING:
		return arena_printf(r->arena, "redacted, %zu bytes", strlen(text));
	default:
		return redact_pseudonym(r->arena, r->options, text);
	}
}

static void replace_series(struct redaction *r, const struct field *field, struct strs *texts)
{
	for (size_t i = 0; i < texts->nr; i++)
		texts->v[i] = is_public(field) ? replaced(r, texts->v[i], false) : secret(r, field, texts->v[i], i);
}

/* Numbers with a fraction and truth have no pseudonym: such a value would have to go. */
static void withhold(union any_value *value)
{
	value->head = (struct val_head){ .state = VAL_DENIED, .why = "redacted" };
}

static void replace_value(struct redaction *r, const struct field *field, void *member)
{
	struct val_head *head = member;
	struct val_str *text = member;
	struct val_u64 *number = member;

	if (head->why)
		head->why = replaced(r, head->why, true);
	if (head->state != VAL_OK)
		return;
	if (field->kind == FIELD_STR)
		text->v_ = is_public(field) && form_of(field) == FORM_VALUE ? replaced(r, text->v_, false) :
			   secret(r, field, text->v_, 0);
	else if (field->kind == FIELD_U64 && !is_public(field))
		number->v_ = number->v_ ? pseudonym_of_number(r->options->key, number->v_) : 0;
	else if (!is_public(field))
		withhold(member);
}

static void replace(struct redaction *r, const struct field *field, void *member)
{
	if (field->kind == FIELD_STRS)
		replace_series(r, field, member);
	else if (field->kind == FIELD_F64S && !is_public(field))
		*(struct f64s *)member = (struct f64s){ .nr = 0 };
	else if (field_is_value(field))
		replace_value(r, field, member);
}

/* Of elements of any record: each begins with its key. */
static int compare_keys(const void *a, const void *b)
{
	const struct val_str *left = a, *right = b;

	return key_compare(left->v_, right->v_);
}

/* A key may have changed, and lists are kept in the order of their keys. */
static void sort_lists(const struct record *record, char *base)
{
	for (size_t i = 0; i < record->nr; i++) {
		const struct field *field = &record->fields[i];
		char *element = base + field->offset;
		size_t nr = 1;

		if (field->kind != FIELD_RECORD && field->kind != FIELD_LIST)
			continue;
		if (field->kind == FIELD_LIST) {
			nr = *(size_t *)(void *)(base + field->offset_nr);
			element = *(char **)(void *)(base + field->offset);
			if (nr)
				qsort(element, nr, field->record->size, compare_keys);
		}
		for (; nr--; element += field->record->size)
			sort_lists(field->record, element);
	}
}

void snapshot_redact(struct snapshot *snapshot, const struct redact_options *options)
{
	struct redaction r = { .arena = &snapshot->arena, .options = options };
	char *base = (char *)snapshot;

	if (bool_or(snapshot->run.redacted, false))
		return;
	if (options->rewrite_log)
		options->rewrite_log(snapshot, options);
	else
		snapshot->nr_log_lines = 0;
	walk(&r, &record_snapshot, base, learn);
	for (const char *const *word = options->vocabulary; word && *word; word++)
		learn_word(&r, *word, strlen(*word));
	walk(&r, &record_snapshot, base, gather);
	gather_host_name(&r, snapshot);
	terms_sort(&r.terms);
	walk(&r, &record_snapshot, base, replace);
	sort_lists(&record_snapshot, base);
	snapshot->run.redacted = val_bool(true);
}
