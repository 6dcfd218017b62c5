// SPDX-License-Identifier: GPL-2.0-or-later
/* fleet_labels.c - labels of nodes as kubectl prints them, and features of nodes as Slurm does. */
#include "base/compat.h"
#include "cmd/fleet_read.h"

#include "base/hostlist.h"
#include "base/json.h"
#include "base/text.h"
#include "cmd/cmd.h"

/* What is read, and the label that is wanted of it. */
struct labels {
	struct fleet *fleet;
	const char *label, *file;
	size_t nr_nodes, nr_labelled;
};

/* The label of one node, as far as its labels were looked through. */
struct choice {
	const char *key, *value, *hostname;
	bool is_exact;
};

static const char *behind_slash(const char *key)
{
	const char *slash = strrchr(key, '/');

	return slash ? slash + 1 : key;
}

/* A label that is called so in full goes before one that is called so behind its slash. */
static void choose(const struct labels *labels, unsigned line, struct choice *choice, const char *key,
		   const char *value)
{
	bool is_exact = !strcmp(key, labels->label);

	if (!strcmp(key, "kubernetes.io/hostname"))
		choice->hostname = value;
	if ((!is_exact && strcmp(behind_slash(key), labels->label) != 0) || choice->is_exact || !*value)
		return;
	/* Those of older versions stay beside those that replaced them, with the same value. */
	if (choice->value && !is_exact && strcmp(choice->value, value) != 0)
		die(EXIT_USAGE, "%s:%u: two labels are called %s: %s and %s", labels->file, line, labels->label,
		    choice->key, key);
	choice->key = key;
	choice->value = value;
	choice->is_exact = is_exact;
}

static void put(struct labels *labels, const char *node, const struct choice *choice)
{
	labels->nr_nodes++;
	if (!choice->value)
		return;
	labels->nr_labelled++;
	/* What a node calls itself need not be its name in the cluster. */
	if (!fleet_label(labels->fleet, labels->label, node, choice->value) && choice->hostname)
		(void)fleet_label(labels->fleet, labels->label, choice->hostname, choice->value);
}

static bool end(const struct labels *labels)
{
	if (!labels->nr_labelled)
		die(EXIT_USAGE, "%s: none of its %zu nodes has a label \"%s\"", labels->file, labels->nr_nodes,
		    labels->label);
	return true;
}

/* ---- kubectl get nodes -o json */

static const char *text_of(const struct labels *labels, const struct json_doc *doc, const cJSON *value, const char *key)
{
	if (!cJSON_IsString(value))
		die(EXIT_USAGE, "%s:%u: %s: text is expected", labels->file, json_line(doc, value), key);
	return value->valuestring;
}

static void take_node(struct labels *labels, const struct json_doc *doc, const cJSON *node)
{
	const cJSON *metadata = json_member(node, "metadata"), *name = json_member(metadata, "name");
	const cJSON *given = json_member(metadata, "labels");
	struct choice choice = { .key = NULL };

	if (!name)
		die(EXIT_USAGE, "%s:%u: a node without metadata.name", labels->file, json_line(doc, node));
	for (const cJSON *label = given ? given->child : NULL; label; label = label->next)
		choose(labels, json_line(doc, label), &choice, label->string,
		       text_of(labels, doc, label, label->string));
	put(labels, text_of(labels, doc, name, "metadata.name"), &choice);
}

static bool read_json(struct labels *labels, const struct strbuf *text)
{
	struct json_error error = { .line = 0 };
	struct json_doc doc;
	const cJSON *items;

	if (json_parse(text->buf, text->len, JSON_TWIN_KEYS, &doc, &error))
		die(EXIT_USAGE, "%s:%u: %s", labels->file, error.line, error.what);
	items = json_member(doc.root, "items");
	if (!cJSON_IsArray(items))
		die(EXIT_USAGE, "%s:1: no list of nodes: use kubectl get nodes -o json", labels->file);
	for (const cJSON *node = items->child; node; node = node->next)
		take_node(labels, &doc, node);
	json_release(&doc);
	return end(labels);
}

/* ---- lines */

/* The next line of *at, which ends in a NUL without white space before it; NULL behind the last. */
static char *next_line(char **at)
{
	char *line = *at, *last;

	if (!*line)
		return NULL;
	*at += strcspn(line, "\n");
	last = *at;
	if (**at)
		*(*at)++ = '\0';
	while (last > line && strchr(" \t\r", last[-1]))
		last--;
	*last = '\0';
	return line;
}

static bool ends_with_word(const char *line, const char *word)
{
	const char *space = strrchr(line, ' ');

	return space && !strcmp(space + 1, word);
}

/* "key=value,key=value" */
static void choose_among(const struct labels *labels, unsigned number, struct choice *choice, char *list)
{
	if (!strcmp(list, "<none>"))
		return;
	for (char *pair; (pair = strsep(&list, ","));) {
		char *value = strchr(pair, '=');

		if (!value)
			die(EXIT_USAGE, "%s:%u: \"%s\" is no label, KEY=VALUE", labels->file, number, pair);
		*value++ = '\0';
		choose(labels, number, choice, pair, value);
	}
}

/* `kubectl get nodes --show-labels`: the name is the first word of a line, the labels are the last. */
static bool read_table(struct labels *labels, char *at)
{
	unsigned number = 1;

	for (char *line; (line = next_line(&at)); number++) {
		struct choice choice = { .key = NULL };
		char *last = strrchr(line, ' ');

		if (number == 1 || !*line)
			continue;
		if (!last)
			die(EXIT_USAGE, "%s:%u: a node without a LABELS column", labels->file, number);
		choose_among(labels, number, &choice, last + 1);
		line[strcspn(line, " \t")] = '\0';
		put(labels, line, &choice);
	}
	return end(labels);
}

/* ---- features of Slurm */

struct featured {
	struct labels *labels;
	struct choice choice;
};

static void put_featured(void *to, const char *node)
{
	const struct featured *featured = to;

	put(featured->labels, node, &featured->choice);
}

/* Of a node's features, "h100,rack7,ib", the one that begins with the label's name. */
static void take_features(struct labels *labels, unsigned number, const char *nodes, char *features)
{
	struct featured featured = { .labels = labels };
	const char *why;

	for (char *feature; (feature = strsep(&features, ","));) {
		if (!text_begins(feature, labels->label))
			continue;
		if (featured.choice.value)
			die(EXIT_USAGE, "%s:%u: two features begin with %s: %s and %s", labels->file, number,
			    labels->label, featured.choice.value, feature);
		featured.choice.value = feature;
	}
	if (hostlist_expand(nodes, put_featured, &featured, &why))
		die(EXIT_USAGE, "%s:%u: %s", labels->file, number, why);
}

/* What follows a key on a line, as a text of its own. */
static char *value_behind(char *line, const char *key)
{
	char *at = strstr(line, key);

	if (!at)
		return NULL;
	at += strlen(key);
	at[strcspn(at, " \t")] = '\0';
	return at;
}

/* `scontrol -o show node`: a line for each node. */
static bool read_scontrol(struct labels *labels, char *at)
{
	unsigned number = 1;

	for (char *line; (line = next_line(&at)); number++) {
		char *features;

		if (!*line)
			continue;
		/* From the right, as each value is cut off. */
		features = value_behind(line, " AvailableFeatures=");
		if (!text_begins(line, "NodeName=") || !features)
			die(EXIT_USAGE,
			    "%s:%u: NodeName= and AvailableFeatures= are expected: use scontrol -o show node",
			    labels->file, number);
		take_features(labels, number, value_behind(line, "NodeName="), features);
	}
	return end(labels);
}

/* `sinfo -N -o "%N %f"` */
static bool read_sinfo(struct labels *labels, char *at)
{
	unsigned number = 1;

	for (char *line; (line = next_line(&at)); number++) {
		char *features = line + strcspn(line, " \t");

		if (number == 1 || !*line)
			continue;
		if (!*features)
			die(EXIT_USAGE, "%s:%u: a node and its features are expected", labels->file, number);
		*features++ = '\0';
		take_features(labels, number, line, features + strspn(features, " \t"));
	}
	return end(labels);
}

bool fleet_read_node_labels(struct fleet *fleet, const char *label, const char *file, struct strbuf *text)
{
	struct labels labels = { .fleet = fleet, .label = label, .file = file };
	STRBUF_AUTO first = STRBUF_INIT;
	char *at, *header;

	if (text->buf[strspn(text->buf, " \t\r\n")] == '{')
		return read_json(&labels, text);
	strbuf_add(&first, text->buf, strcspn(text->buf, "\n"));
	at = first.buf;
	header = next_line(&at);
	if (!header)
		return false;
	if (text_begins(header, "NAME ") && ends_with_word(header, "LABELS"))
		return read_table(&labels, text->buf);
	if (text_begins(header, "NodeName="))
		return read_scontrol(&labels, text->buf);
	if (text_begins(header, "NODELIST ") && strstr(header, "FEATURES"))
		return read_sinfo(&labels, text->buf);
	return false;
}
