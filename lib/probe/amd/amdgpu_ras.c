// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * amdgpu_ras.c - errors that one AMD GPU counts, and pages of its memory that
 * were taken out of use (Linux 7.2 drivers/gpu/drm/amd/amdgpu/amdgpu_ras.c).
 *
 * Of most chips a read clears the hardware's counter; the driver adds it to
 * its own sum, so that nobody's count is lost.
 */
#include "base/compat.h"
#include "probe/amd/amdgpu_internal.h"

#include "base/text.h"
#include "probe/pci/pci_function.h"
#include "probe/read.h"
#include "sys/clock.h"

#define SUFFIX "_err_count"

enum { MAX_BLOCKS = 256 };	/* amdgpu has some 20 */

static struct val_u64 count_of(struct card *card, struct val_str text, const char *key)
{
	const char *value = proc_text_value(str_or(text, ""), key);
	char number[24];
	uint64_t count;

	if (!is_known(text))
		return no_u64(text.state, text.why);
	/* A driver that cannot ask answers with a sentence: "Query currently inaccessible". */
	if (!proc_text_value(str_or(text, ""), "ue"))
		return no_u64(VAL_ERROR, arena_printf(&card->arena, "reads \"%.40s\"", str_or(text, "")));
	if (!value)
		return no_u64(VAL_ABSENT, "not counted by this kernel");
	if (strcspn(value, "\r\n") >= sizeof(number))
		return no_u64(VAL_ERROR, arena_printf(&card->arena, "reads \"%.40s\"", value));
	snprintf(number, sizeof(number), "%.*s", (int)strcspn(value, "\r\n"), value);
	if (parse_u64(number, &count))
		return no_u64(VAL_ERROR, arena_printf(&card->arena, "reads \"%s\"", number));
	return val_u64(count);
}

/* False where the name is no block's. */
static bool read_block(struct card *card, struct amdgpu_files *files, const char *file)
{
	struct arena *arena = &card->sink->facts.arena;
	size_t len = strlen(file), suffix = strlen(SUFFIX);
	struct ras_block *block;
	struct val_str text;

	if (len <= suffix || strcmp(file + len - suffix, SUFFIX) != 0)
		return false;
	block = list_element(arena, files, ras, ras_block, arena_strndup(arena, file, len - suffix));
	text = card_text(card, arena_printf(&card->arena, "ras/%s", file));
	block->uncorrected = count_of(card, text, "ue");
	block->corrected = count_of(card, text, "ce");
	block->deferred = count_of(card, text, "de");
	return true;
}

static void read_blocks(struct card *card, struct amdgpu_files *files)
{
	struct name_list names = { 0 };
	int error = root_list(card->env->root, &names, PCI_DEVICES "/%s/ras", card->env->target);
	uint64_t nr = 0;

	if (card->untouched != VAL_UNSET) {
		files->ras_blocks = no_u64(card->untouched, card->why);
	} else if (error) {
		files->ras_blocks = no_u64(state_of_errno(error), name_of_errno(error));
	} else {
		for (size_t i = 0; i < names.nr && nr < MAX_BLOCKS; i++)
			nr += read_block(card, files, names.names[i]);
		files->ras_blocks = nr < MAX_BLOCKS ? val_u64(nr) : no_u64(VAL_ERROR, "more blocks than any chip has");
	}
	name_list_release(&names);
}

/* "0x000f7042 : 0x00001000 : R": taken out of use; P: is to be; F: could not be. */
struct bad_pages {
	uint64_t retired, pending, failed;
};

/* False where a line is none of these. */
static bool count_pages(const char *text, struct bad_pages *ret)
{
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		size_t len = strcspn(line, "\n");

		while (len && strchr(" \t\r", line[len - 1]))
			len--;
		if (!len)
			continue;
		if (len < 3 || line[len - 2] != ' ' || !memchr(line, ':', len))
			return false;
		switch (line[len - 1]) {
		case 'R':
			ret->retired++;
			break;
		case 'P':
			ret->pending++;
			break;
		case 'F':
			ret->failed++;
			break;
		default:
			return false;
		}
	}
	return true;
}

static void read_pages(struct card *card, struct amdgpu_files *files)
{
	STRBUF_AUTO text = STRBUF_INIT;
	struct val_head head = card_whole(card, "ras/gpu_vram_bad_pages", &text);
	struct bad_pages pages = { .retired = 0 };

	if (head.state == VAL_OK && !count_pages(text.buf, &pages))
		head = (struct val_head){ .state = VAL_ERROR, .why = "a line of it is no page" };
	if (head.state == VAL_OK) {
		files->bad_pages = val_u64(pages.retired);
		files->pending_bad_pages = val_u64(pages.pending);
		files->unretired_bad_pages = val_u64(pages.failed);
	} else {
		files->bad_pages = files->pending_bad_pages = files->unretired_bad_pages =
			no_u64(head.state, head.why);
	}
}

static bool has_failed(const struct amdgpu_files *files)
{
	bool failed = files->ras_blocks.state == VAL_ERROR || files->bad_pages.state == VAL_ERROR;

	for (size_t i = 0; i < files->nr_ras; i++)
		failed |= files->ras[i].uncorrected.state == VAL_ERROR;
	return failed;
}

/* A pass depends on it: read again before a failure is reported. A recording does not change. */
void amdgpu_read_ras(struct card *card, struct amdgpu_files *files)
{
	read_blocks(card, files);
	read_pages(card, files);
	if (!has_failed(files) || !root_is_live(card->env->root))
		return;
	clock_sleep_ns(PROBE_AGAIN_NS);
	files->nr_ras = 0;
	read_blocks(card, files);
	read_pages(card, files);
}
