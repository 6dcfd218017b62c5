// SPDX-License-Identifier: GPL-2.0-or-later
/* diff_words.c - texts of many words, and lists of texts: what stands on one side only. */
#include "base/compat.h"
#include "eval/diff/diff_internal.h"

/* What names the kernel's own files changes with its version, which is told. */
static bool is_noise(const char *word)
{
	return diff_is_search_variable(word) || !strncmp(word, "BOOT_IMAGE=", strlen("BOOT_IMAGE=")) ||
	       !strncmp(word, "initrd=", strlen("initrd="));
}

static void split(struct arena *arena, const char *text, struct strs *ret)
{
	static const char spaces[] = " \t\n";

	for (const char *at = text + strspn(text, spaces); *at; at += strspn(at, spaces)) {
		size_t len = strcspn(at, spaces);

		ret->v = arena_grow(arena, ret->v, ret->nr, sizeof(*ret->v));
		ret->v[ret->nr++] = arena_strndup(arena, at, len);
		at += len;
	}
}

static int order_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char **sorted(struct arena *arena, const struct strs *texts)
{
	const char **ret = arena_alloc(arena, (texts->nr + 1) * sizeof(*ret));

	if (texts->nr)
		memcpy(ret, texts->v, texts->nr * sizeof(*ret));
	qsort(ret, texts->nr, sizeof(*ret), order_texts);
	return ret;
}

static void add_word(struct strbuf *out, const char *word)
{
	if (!is_noise(word))
		strbuf_addf(out, "%s%s", out->len ? " " : "", word);
}

/* NULL where nothing is left. */
static const char *kept(struct arena *arena, const struct strbuf *text)
{
	return text->len ? arena_strdup(arena, text->buf) : NULL;
}

void diff_series(struct differ *d, const struct strs *before, const struct strs *after, struct difference *item)
{
	const char **a = sorted(d->arena, before), **b = sorted(d->arena, after);
	STRBUF_AUTO gone = STRBUF_INIT;
	STRBUF_AUTO come = STRBUF_INIT;
	size_t i = 0, k = 0;

	while (i < before->nr || k < after->nr) {
		int order = i == before->nr ? 1 : k == after->nr ? -1 : strcmp(a[i], b[k]);

		if (order < 0)
			add_word(&gone, a[i]);
		if (order > 0)
			add_word(&come, b[k]);
		i += order <= 0;
		k += order >= 0;
	}
	item->before = kept(d->arena, &gone);
	item->after = kept(d->arena, &come);
}

void diff_words(struct differ *d, struct difference *item)
{
	struct strs before = { .nr = 0 }, after = { .nr = 0 };

	split(d->arena, item->before, &before);
	split(d->arena, item->after, &after);
	diff_series(d, &before, &after, item);
}
