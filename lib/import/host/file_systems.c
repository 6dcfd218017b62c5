// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * file_systems.c - df in all its units, and df -i: the free space on the file systems of the operating system. What people mount
 * their data on may be full for good.
 *
 *	Filesystem      Size  Used Avail Use% Mounted on
 *	/dev/nvme0n1p2  871G  871G     0 100% /
 */
#include "base/compat.h"
#include "import/dump/readers.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MOST_WORDS = 16, ROOM_FOR_WORDS = 2 * MOST_WORDS };	/* of a line, and of a row that stands on two */

struct word {
	const char *text;
	size_t len;
};

/* Where the columns are that count; from the right of each row, as the first of them may have blanks in it. */
struct columns {
	size_t nr;		/* of a row, where "Mounted on" is one */
	size_t size, free;	/* of a row, from 0 */
	bool of_files;		/* df -i */
	uint64_t unit;		/* 0: each figure has its own */
};

static size_t words_of(const char *text, struct word *words)
{
	size_t nr = 0;

	while (nr < MOST_WORDS && (words[nr].text = scan_word(&text, &words[nr].len), words[nr].len))
		nr++;
	return nr;
}

static bool is_word(const struct word *word, const char *text)
{
	return strlen(text) == word->len && !memcmp(word->text, text, word->len);
}

static uint64_t multiple_of(char letter)
{
	static const char letters[] = "KMGTPE";
	const char *at = letter ? strchr(letters, letter == 'k' ? 'K' : letter) : NULL;

	return at ? UINT64_C(1) << (10 * (at - letters + 1)) : 0;
}

/* "1K-blocks", "1024-blocks", "1M-blocks", "1MB-blocks"; 0: it is no such head. */
static uint64_t block_bytes(const struct word *word)
{
	const char *at = word->text;
	uint64_t number, unit;
	bool fits = true;

	if (!scan_u64(&at, 10, &number, &fits) || !fits)
		return 0;
	unit = multiple_of(*at);
	if (unit)
		at++;
	if (*at == 'B')
		at++;
	return strncmp(at, "-blocks", strlen("-blocks")) != 0 || __builtin_mul_overflow(number, unit ? unit : 1, &number) ? 0 : number;
}

/* false: the line is no head of df. */
static bool head_of(const char *text, struct columns *ret)
{
	struct word words[MOST_WORDS];
	size_t nr = words_of(text, words), at;
	bool has_size, has_used, has_free, has_share;

	if (nr < 7 || !is_word(&words[0], "Filesystem") || !is_word(&words[nr - 2], "Mounted") || !is_word(&words[nr - 1], "on"))
		return false;
	at = is_word(&words[1], "Type") ? 2 : 1;
	if (nr != at + 6)
		return false;
	*ret = (struct columns){ .nr = nr - 1, .size = at, .free = at + 2, .of_files = is_word(&words[at], "Inodes") };
	ret->unit = ret->of_files ? 0 : block_bytes(&words[at]);
	has_size = ret->of_files || ret->unit || is_word(&words[at], "Size");
	has_used = is_word(&words[at + 1], ret->of_files ? "IUsed" : "Used");
	has_free = ret->of_files ? is_word(&words[at + 2], "IFree") :
		   is_word(&words[at + 2], "Avail") || is_word(&words[at + 2], "Available");
	has_share = words[at + 3].text[words[at + 3].len - 1] == '%' || is_word(&words[at + 3], "Capacity");
	return has_size && has_used && has_free && has_share;
}

enum dump_begins file_systems_begins(const struct dump_line *lines, size_t nr)
{
	struct columns columns;

	(void)nr;
	return head_of(lines->text, &columns) ? BEGINS_NEW : BEGINS_NOT;
}

/* "871G", "5,4G", "20K", "0"; false: it is none, as "-" where a file system has no such figure. */
static bool figure_of(const struct word *word, uint64_t unit, uint64_t *ret)
{
	char number[32];
	uint64_t multiple;
	double value;
	size_t len = 0;

	for (; len < word->len && len + 1 < sizeof(number) && (is_digit(word->text[len]) || strchr(".,", word->text[len])); len++)
		number[len] = word->text[len] == ',' ? '.' : word->text[len];
	number[len] = '\0';
	multiple = len == word->len ? 1 : len + 1 == word->len ? multiple_of(word->text[len]) : 0;
	if (!multiple || parse_f64(number, &value) || value < 0)
		return false;
	value *= (double)multiple * (double)(unit ? unit : 1);
	*ret = value < 1e18 ? (uint64_t)value : 0;
	return value < 1e18;
}

/* Those that a live node is asked about. */
static const char *room_of(const struct word *place)
{
	static const char *const folders[] = {
		"/", "/boot", "/usr", "/var", "/tmp", "/var/log", "/var/lib/docker", "/var/lib/containerd", "/var/lib/kubelet",
	};

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		if (is_word(place, folders[i]))
			return folders[i];
	return NULL;
}

/* An image of a file system has no free space, and nobody writes to it. */
static bool is_image(const struct word *words, size_t nr)
{
	static const char *const images[] = { "squashfs", "erofs", "composefs", "iso9660", "cramfs" };

	for (size_t i = 0; i < nr && i < 2; i++)
		if (text_word_is_any(words[i].text, words[i].len, images, ARRAY_SIZE(images)))
			return true;
	return text_begins(words[0].text, "/dev/loop");
}

/* How many lines a row takes: of a long name the rest stands on the next. 0: it is no row, so the output has ended. */
static size_t row_of(const struct dump_line *lines, size_t nr, const struct columns *columns,
		     struct word words[ROOM_FOR_WORDS])
{
	size_t nr_words = words_of(lines[0].text, words), nr_lines = 1;

	if (nr_words == 1 && nr > 1) {
		nr_words += words_of(lines[1].text, words + 1);
		nr_lines = 2;
	}
	if (nr_words < columns->nr)
		return 0;
	return *words[columns->nr - 1].text == '/' && strpbrk(words[columns->free + 1].text, "%-") ? nr_lines : 0;
}

static void take_row(struct reading *reading, struct dump_line *line, const struct columns *columns, const struct word *words)
{
	const char *folder = room_of(&words[columns->nr - 1]);
	uint64_t size, available;
	struct room *room;

	line->is_taken = true;
	if (!folder || is_image(words, columns->size) || !figure_of(&words[columns->size], columns->unit, &size) ||
	    !figure_of(&words[columns->free], columns->unit, &available))
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
	struct word words[ROOM_FOR_WORDS];
	struct columns columns;
	size_t nr_lines;

	if (!head_of(part->lines[0].text, &columns))
		return;
	part->lines[0].is_taken = true;
	for (size_t i = 1; i < part->nr_lines; i += nr_lines) {
		nr_lines = row_of(&part->lines[i], part->nr_lines - i, &columns, words);
		if (!nr_lines)
			return;
		part->lines[i].is_taken = true;
		take_row(reading, &part->lines[i + nr_lines - 1], &columns, words);
	}
}
