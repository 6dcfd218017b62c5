// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "format/nfs_stats.h"

#include "base/text_scan.h"
#include "format/proc_text.h"

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return line + (*line == '\n');
}

/* nr numbers of a line, after white space. False: the line has fewer. */
static bool read_numbers(const char *line, uint64_t *numbers, size_t nr)
{
	bool fits = true;

	for (size_t i = 0; i < nr; i++) {
		line += strspn(line, " \t");
		if (!scan_u64(&line, 10, &numbers[i], &fits))
			return false;
	}
	return fits;
}

static bool word_is(const char *word, size_t len, const char *text)
{
	return len == strlen(text) && !memcmp(word, text, len);
}

/*
 * "device server:/export mounted on /data with fstype nfs4 statvers=1.1"; blanks in names are \040. False: of another
 * file system, or none ("no device mounted on …").
 */
static bool parse_device(struct arena *arena, const char *line, struct nfs_mount *ret)
{
	static const char *const before_point[] = { "mounted", "on" }, *const before_type[] = { "with", "fstype" };
	const char *word;
	size_t len;

	*ret = (struct nfs_mount){ .read_bytes = no_u64(VAL_ABSENT, "no bytes in its statistics") };
	ret->written_bytes = ret->read_bytes;
	word = scan_word(&line, &len);
	if (!word_is(word, len, "device"))
		return false;
	word = scan_word(&line, &len);
	ret->device = unescaped(arena, word, len);
	for (size_t i = 0; i < ARRAY_SIZE(before_point); i++) {
		word = scan_word(&line, &len);
		if (!word_is(word, len, before_point[i]))
			return false;
	}
	word = scan_word(&line, &len);
	ret->point = unescaped(arena, word, len);
	for (size_t i = 0; i < ARRAY_SIZE(before_type); i++) {
		word = scan_word(&line, &len);
		if (!word_is(word, len, before_type[i]))
			return false;
	}
	word = scan_word(&line, &len);
	return (word_is(word, len, "nfs") || word_is(word, len, "nfs4")) && *ret->point;
}

/* "bytes: …" of the mount, and after its head "READ: …" of one kind of request. */
static void parse_statistic(const char *line, bool is_operation, struct nfs_mount *ret)
{
	enum { NORMAL_READ, NORMAL_WRITTEN, DIRECT_READ, DIRECT_WRITTEN, SERVER_READ, SERVER_WRITTEN, NR_BYTES };
	enum { OPERATIONS, SENDINGS, TIMEOUTS, SENT, RECEIVED, QUEUE_MS, ROUND_TRIP_MS, EXECUTE_MS, NR_COUNTS };
	uint64_t numbers[NR_COUNTS];
	size_t len;
	const char *name = scan_word(&line, &len);

	if (!is_operation) {
		if (word_is(name, len, "bytes:") && read_numbers(line, numbers, NR_BYTES)) {
			ret->read_bytes = val_u64(numbers[SERVER_READ]);
			ret->written_bytes = val_u64(numbers[SERVER_WRITTEN]);
		}
		return;
	}
	if (!len || name[len - 1] != ':' || !read_numbers(line, numbers, NR_COUNTS))
		return;
	ret->has_operations = true;
	ret->operations += numbers[OPERATIONS];
	ret->timeouts += numbers[TIMEOUTS];
	ret->round_trip_ms += numbers[ROUND_TRIP_MS];
	ret->execute_ms += numbers[EXECUTE_MS];
	if (word_is(name, len, "READ:") || word_is(name, len, "READ_PLUS:"))
		ret->reads += numbers[OPERATIONS];
}

/* What follows the mount's first line, up to the next one's. */
static const char *parse_statistics(const char *line, struct nfs_mount *ret)
{
	static const char head[] = "per-op statistics";
	bool is_operation = false;

	for (; *line == ' ' || *line == '\t' || *line == '\n'; line = next_line(line)) {
		const char *at = line + strspn(line, " \t");

		if (!strncmp(at, head, strlen(head)))
			is_operation = true;
		else
			parse_statistic(at, is_operation, ret);
	}
	return line;
}

/* Mounts of one export share the client's counters. */
static bool is_counted(const struct nfs_mounts *mounts, const struct nfs_mount *mount)
{
	for (size_t i = 0; i < mounts->nr; i++) {
		const struct nfs_mount *other = &mounts->items[i];

		if (!strcmp(other->device, mount->device) && other->operations == mount->operations &&
		    other->execute_ms == mount->execute_ms && other->has_operations && mount->has_operations &&
		    u64_or(other->read_bytes, 0) == u64_or(mount->read_bytes, 0))
			return true;
	}
	return false;
}

void nfs_stats_parse(struct nfs_mounts *ret, struct arena *arena, const char *mountstats, size_t most)
{
	struct nfs_mount mount;

	*ret = (struct nfs_mounts){ .nr = 0 };
	for (const char *line = mountstats; *line;) {
		bool is_nfs = parse_device(arena, line, &mount);

		line = next_line(line);
		if (!is_nfs)
			continue;
		line = parse_statistics(line, &mount);
		if (is_counted(ret, &mount))
			continue;
		if (ret->nr == most) {
			ret->left_out++;
			continue;
		}
		ret->items = arena_grow(arena, ret->items, ret->nr, sizeof(*ret->items));
		ret->items[ret->nr++] = mount;
	}
}
