// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * file_systems.c - df in all its units, and df -i: the free space on the file systems of the operating system. What
 * people mount their data on may be full for good.
 *
 *	Filesystem      Size  Used Avail Use% Mounted on
 *	/dev/nvme0n1p2  871G  871G     0 100% /
 */
#include "base/compat.h"
#include "import/dump/readers.h"

#include "base/text.h"
#include "import/host/sized_word.h"

enum { MOST_WORDS = 16, ROOM_FOR_WORDS = 2 * MOST_WORDS };	/* of a line, and of a row that stands on two */

/*
 * What a head says of the rows below. Their first column may have blanks in it, so they are counted from the share on.
 */
struct columns {
	size_t nr_names;	/* columns before the size: the file system, and with -T its type */
	bool of_files;		/* df -i */
	uint64_t unit;		/* of a figure without a letter */
};

static bool is_word(const struct text_word *word, const char *text)
{
	return strlen(text) == word->len && !memcmp(word->text, text, word->len);
}

/* "1K-blocks", "1024-blocks", "1M-blocks", "1MB-blocks"; 0: it is no such head. */
static uint64_t block_bytes(const struct text_word *word)
{
	const char *at = word->text;
	uint64_t number, unit;
	bool fits = true;

	if (!scan_u64(&at, 10, &number, &fits) || !fits)
		return 0;
	unit = size_unit_take(&at);
	return !text_begins(at, "-blocks") || __builtin_mul_overflow(number, unit ? unit : 1, &number) ? 0 : number;
}

/* false: the line is no head of df. */
static bool head_of(const char *text, struct columns *ret)
{
	struct text_word words[MOST_WORDS];
	size_t nr = scan_words(text, words, MOST_WORDS), at;
	bool has_size, has_used, has_free, has_share;

	if (nr < 7 || !is_word(&words[0], "Filesystem") || !is_word(&words[nr - 2], "Mounted") ||
	    !is_word(&words[nr - 1], "on"))
		return false;
	at = is_word(&words[1], "Type") ? 2 : 1;
	if (nr != at + 6)
		return false;
	*ret = (struct columns){ .nr_names = at, .of_files = is_word(&words[at], "Inodes") };
	ret->unit = ret->of_files ? 0 : block_bytes(&words[at]);
	has_size = ret->of_files || ret->unit || is_word(&words[at], "Size");
	has_used = is_word(&words[at + 1], ret->of_files ? "IUsed" : "Used");
	has_free = ret->of_files ? is_word(&words[at + 2], "IFree") :
		   is_word(&words[at + 2], "Avail") || is_word(&words[at + 2], "Available");
	has_share = words[at + 3].text[words[at + 3].len - 1] == '%' || is_word(&words[at + 3], "Capacity");
	if (!ret->unit)
		ret->unit = 1;
	return has_size && has_used && has_free && has_share;
}

enum dump_begins file_systems_begins(const struct dump_line *lines, size_t nr)
{
	struct columns columns;

	(void)nr;
	return head_of(lines->text, &columns) ? BEGINS_NEW : BEGINS_NOT;
}

/* Those that a live node is asked about. */
static const char *room_of(const struct text_word *place)
{
	static const char *const folders[] = {
		"/", "/boot", "/usr", "/var", "/tmp", "/var/log", "/var/lib/docker", "/var/lib/containerd",
		"/var/lib/kubelet",
	};

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		if (is_word(place, folders[i]))
			return folders[i];
	return NULL;
}

/* An image of a file system has no free space, and nobody writes to it. */
static bool is_image(const struct text_word *words, size_t nr)
{
	static const char *const images[] = { "squashfs", "erofs", "composefs", "iso9660", "cramfs" };
	static const char *const devices[] = { "/dev/loop", "/dev/ram", "/dev/sr", "/dev/mapper/live-" };

	for (size_t i = 0; i < nr && i < 2; i++)
		if (text_word_is_any(words[i].text, words[i].len, images, ARRAY_SIZE(images)))
			return true;
	return text_begins_any(words[0].text, devices, ARRAY_SIZE(devices));
}

/*
 * "10.0.0.1:/images/el9" of a node without disks, which writes elsewhere; and "/dev/dm-0", all of which is used: a
 * volume that somebody writes to has a name in /dev/mapper, and one that is checked while it is read (dm-verity) has
 * none.
 */
static bool is_root_of_image(const struct text_word *device, uint64_t size, uint64_t used)
{
	return memmem(device->text, device->len, ":/", strlen(":/")) ||
	       (text_begins(device->text, "/dev/dm-") && used == size);
}

/* "100%", or "-" of a file system that has no figures. */
static bool is_share(const struct text_word *word)
{
	size_t nr_digits = 0;

	while (nr_digits < word->len && is_digit(word->text[nr_digits]))
		nr_digits++;
	return is_word(word, "-") || (nr_digits && nr_digits + 1 == word->len && word->text[nr_digits] == '%');
}

/* The place of the share, behind so many words at least, before the folder; 0: the words are no row. */
static size_t share_of(const struct text_word *words, size_t nr, size_t nr_before)
{
	for (size_t i = nr_before; i + 1 < nr; i++)
		if (is_share(&words[i]) && *words[i + 1].text == '/')
			return i;
	return 0;
}

struct row {
	struct text_word words[ROOM_FOR_WORDS];
	size_t share;		/* its place: size, used and available stand before it, the folder behind it */
	size_t nr_lines;
};

enum { NR_FIGURES = 3 };

/* Of a long name the rest of the row stands on the next line. false: it is no row, so the output has ended. */
static bool row_of(const struct dump_line *lines, size_t nr, const struct columns *columns, struct row *ret)
{
	size_t nr_words = scan_words(lines[0].text, ret->words, MOST_WORDS), nr_below;

	ret->nr_lines = 1;
	ret->share = share_of(ret->words, nr_words, columns->nr_names + NR_FIGURES);
	if (ret->share || nr < 2 || (nr_words != 1 && !text_begins(lines[0].text, "/")))
		return ret->share;
	nr_below = scan_words(lines[1].text, ret->words + nr_words, MOST_WORDS);
	ret->nr_lines = 2;
	ret->share = share_of(ret->words + nr_words, nr_below, columns->nr_names - 1 + NR_FIGURES);
	ret->share += ret->share ? nr_words : 0;
	return ret->share;
}

static void take_row(struct reading *reading, struct dump_line *line, const struct columns *columns,
		     const struct row *row)
{
	const struct text_word *free_now = &row->words[row->share - 1],
			       *size_word = &row->words[row->share - NR_FIGURES];
	const char *folder = room_of(&row->words[row->share + 1]);
	uint64_t size, used, available;
	struct room *room;

	line->is_taken = true;
	if (!folder || is_image(row->words, row->share - NR_FIGURES) || !sized_word(size_word, columns->unit, &size) ||
	    !sized_word(&row->words[row->share - 2], columns->unit, &used) ||
	    !sized_word(free_now, columns->unit, &available))
		return;
	if (!strcmp(folder, "/") && is_root_of_image(row->words, size, used))
		return;
	room = list_element(reading->arena, reading->snapshot, rooms, room, folder);
	if (!columns->of_files) {
		put(reading, line, room->size_bytes, val_u64(size));
		put(reading, line, room->available_bytes, val_u64(available));
	} else if (size) {
		put(reading, line, room->available_files, val_u64(available));
	}
}

void file_systems_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	struct columns columns;
	struct row row;

	if (!head_of(part->lines[0].text, &columns))
		return;
	part->lines[0].is_taken = true;
	for (size_t i = 1; i < part->nr_lines; i += row.nr_lines) {
		if (!row_of(&part->lines[i], part->nr_lines - i, &columns, &row))
			return;
		part->lines[i].is_taken = true;
		take_row(reading, &part->lines[i + row.nr_lines - 1], &columns, &row);
	}
}
