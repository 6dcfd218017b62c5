// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/machines.h"

#include "base/text_scan.h"

struct differ {
	struct arena *arena;
	const struct dump_parts *parts;
};

/* "ticket.txt:12 (nvidia-smi -q)" */
static const char *place(const struct differ *differ, uint32_t from)
{
	const unsigned source = value_from_source(from);
	const struct dump_part *part = source && source <= differ->parts->nr ? &differ->parts->v[source - 1] : NULL;

	/* Of a tree there is no line. */
	if (part && !value_from_line(from))
		return arena_printf(differ->arena, "%s (%s)", part->file, dump_source(part->kind)->title);
	return part ? arena_printf(differ->arena, "%s:%u (%s)", part->file, value_from_line(from),
				   dump_source(part->kind)->title) : "?";
}

static const char *told(const struct differ *differ, const char *what, struct val_str a, struct val_str b)
{
	return arena_printf(differ->arena, "two machines: %s is %s in %s, and %s in %s; give the files of one at a time", what,
			    str_or(a, ""), place(differ, a.from), str_or(b, ""), place(differ, b.from));
}

static bool is_ip(const char *name)
{
	return !name[strspn(name, "0123456789.")];
}

/* "node7" and "node7.example.org" are one, "10.0.0.1" and "10.0.0.2" are not; whose an address is a name does not tell. */
static bool same_host(const char *a, const char *b)
{
	size_t len_a = strcspn(a, "."), len_b = strcspn(b, ".");

	if (is_ip(a) || is_ip(b))
		return !is_ip(a) || !is_ip(b) || !strcmp(a, b);
	return len_a == len_b && !strncasecmp(a, b, len_a);
}

/* People blot them out: "GPU-XXXXXXXX-…", "0000000000000", "N/A". What is left has other digits than one. */
static bool is_identity(struct val_str value)
{
	const char *text = str_or(value, "");
	bool differs = false;
	const char *first;

	text += !strncmp(text, "GPU-", 4) ? 4 : 0;
	first = text + strcspn(text, "0123456789abcdefABCDEF");
	if (!*first || strlen(text) < 8)
		return false;
	for (const char *at = text; *at; at++) {
		if (hex_digit(*at) < 0 && *at != '-')
			return false;
		differs = differs || (*at != '-' && *at != *first);
	}
	return differs;
}

static struct val_str identity(struct val_str value)
{
	return is_identity(value) ? value : (struct val_str){ .state = VAL_UNSET };
}

enum card_match dump_cards_match(const struct gpu *a, const struct gpu *b)
{
	return cards_match(identity(a->nvml.serial), identity(a->nvml.uuid), identity(b->nvml.serial), identity(b->nvml.uuid));
}

static const char *gpus_differ(const struct differ *differ, const struct gpu *a, const struct gpu *b)
{
	const char *key = str_or(a->key, "");

	if (dump_cards_match(a, b) != CARDS_OTHER)
		return NULL;
	if (is_identity(a->nvml.uuid) && is_identity(b->nvml.uuid) &&
	    strcasecmp(str_or(a->nvml.uuid, ""), str_or(b->nvml.uuid, "")) != 0)
		return told(differ, arena_printf(differ->arena, "the UUID of GPU %s", key), a->nvml.uuid, b->nvml.uuid);
	return told(differ, arena_printf(differ->arena, "the serial number of GPU %s", key), a->nvml.serial, b->nvml.serial);
}

const char *machines_differ(struct arena *arena, const struct dump_parts *parts, const struct snapshot *base,
			    const struct snapshot *part)
{
	const struct differ differ = { .arena = arena, .parts = parts };
	const char *a = str_or(base->host.name, ""), *b = str_or(part->host.name, "");
	const char *ret = NULL;

	if (*a && *b && !same_host(a, b))
		return told(&differ, "the host name", base->host.name, part->host.name);
	for (size_t i = 0; i < base->nr_gpus && !ret; i++)
		for (size_t k = 0; k < part->nr_gpus && !ret; k++)
			if (!strcmp(str_or(base->gpus[i].key, ""), str_or(part->gpus[k].key, "")))
				ret = gpus_differ(&differ, &base->gpus[i], &part->gpus[k]);
	return ret;
}

/* A GPU, and the first part below a prompt that told of it. */
struct machine_host {
	const char *key;
	const struct dump_part *part;
};

static const char *hosts_differ(struct arena *arena, const struct dump_part *a, const struct dump_part *b)
{
	return arena_printf(arena, "two machines: the host is %s in %s:%u (%s), and %s in %s:%u (%s); give the files of one at a time",
			    a->host.text, a->file, a->host.line, dump_source(a->kind)->title,
			    b->host.text, b->file, b->host.line, dump_source(b->kind)->title);
}

/* The first part that told of the GPU where the same names the machine; this one, if none did before. */
static const struct dump_part *first_part(struct arena *arena, struct machine_hosts *hosts, const char *key,
					  const struct dump_part *part)
{
	for (size_t i = 0; i < hosts->nr; i++)
		if (hosts->v[i].part->host.by == part->host.by && !strcmp(hosts->v[i].key, key))
			return hosts->v[i].part;
	hosts->v = arena_grow(arena, hosts->v, hosts->nr, sizeof(*hosts->v));
	hosts->v[hosts->nr++] = (struct machine_host){ .key = arena_strdup(arena, key), .part = part };
	return part;
}

/* The host of a guest gives the card away: what both tell is of one. */
static bool is_for_guest(const struct gpu *gpu)
{
	return str_is(gpu->pci.driver, "vfio-pci");
}

static bool is_same_card(const struct snapshot *base, const struct gpu *gpu)
{
	const struct gpu *known = list_find(base, gpus, gpu, str_or(gpu->key, ""));

	return known && (dump_cards_match(known, gpu) == CARDS_SAME || is_for_guest(known) || is_for_guest(gpu));
}

const char *machines_of_prompts_differ(struct arena *arena, struct machine_hosts *hosts, const struct snapshot *base,
				       const struct dump_part *part, const struct snapshot *told)
{
	for (size_t i = 0; part->host.text && i < told->nr_gpus; i++) {
		const struct dump_part *first = first_part(arena, hosts, str_or(told->gpus[i].key, ""), part);

		if (!same_host(first->host.text, part->host.text) && !is_same_card(base, &told->gpus[i]))
			return hosts_differ(arena, first, part);
	}
	return NULL;
}
