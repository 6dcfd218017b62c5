// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/arena.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/strbuf.h"

/* The sanitizers end the process at a size that cannot be had. */
#if defined(__SANITIZE_ADDRESS__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif
#ifndef HAS_SANITIZER
#define HAS_SANITIZER 0
#endif

static jmp_buf failed;
static size_t failed_size;

static void note_failure(size_t size_bytes)
{
	failed_size = size_bytes;
	longjmp(failed, 1);
}

static void allocates(void **state)
{
	unsigned char *zeroed;
	char *copy;

	(void)state;
	free(xmalloc(0));
	free(xcalloc(0, 8));
	free(xcalloc(8, 0));
	zeroed = xcalloc(3, 5);
	for (int i = 0; i < 15; i++)
		assert_int_equal(zeroed[i], 0);
	zeroed = xrealloc(zeroed, 0);
	assert_non_null(zeroed);
	free(zeroed);
	copy = xstrdup("");
	assert_string_equal(copy, "");
	copy = xrealloc(copy, 100);
	assert_string_equal(copy, "");
	free(copy);
}

/* A size that is not to be had reaches the handler and no caller. */
static void tells_of_failure(void **state)
{
	volatile size_t huge = SIZE_MAX / 2 - 1;
	void (*before)(size_t size_bytes) = alloc_failed;
	volatile int nr = 0;

	(void)state;
	if (HAS_SANITIZER)
		skip();
	alloc_failed = note_failure;
	if (!setjmp(failed)) {
		free(xmalloc(huge));
		nr = 100;
	}
	if (++nr == 1 && !setjmp(failed)) {
		free(xcalloc(huge, huge));
		nr = 100;
	}
	if (++nr == 2 && !setjmp(failed)) {
		struct arena arena = { 0 };

		arena_alloc(&arena, SIZE_MAX / 4);
		nr = 100;
	}
	alloc_failed = before;
	assert_int_equal(nr, 2);
	assert_true(failed_size > 0);
}

static bool is_zero(const void *memory, size_t size_bytes)
{
	const unsigned char *byte = memory;

	while (size_bytes && !*byte) {
		byte++;
		size_bytes--;
	}
	return !size_bytes;
}

static void arena_gives_zeroed_aligned_memory(void **state)
{
	static const size_t sizes[] = { 0, 1, 7, 8, 15, 16, 17, 100, 4095, 4096, 4097, 16383, 16384, 16385, 100000 };
	struct arena arena = { 0 };
	struct {
		unsigned char *at;
		size_t size;
	} pieces[600];
	size_t nr = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		size_t size = sizes[i * 7 % ARRAY_SIZE(sizes)];
		unsigned char *at = arena_alloc(&arena, size);

		assert_non_null(at);
		assert_int_equal((uintptr_t)at % alignof(max_align_t), 0);
		assert_true(is_zero(at, size));
		memset(at, (int)(i % 255 + 1), size);
		pieces[nr].at = at;
		pieces[nr++].size = size;
	}
	/* no piece lies in another */
	for (size_t i = 0; i < nr; i++) {
		for (size_t j = 0; j < pieces[i].size; j++)
			assert_int_equal(pieces[i].at[j], i % 255 + 1);
	}
	arena_release(&arena);
	assert_null(arena.blocks);
	arena_release(&arena);
	assert_true(is_zero(arena_alloc(&arena, 50), 50));
	arena_release(&arena);
}

static void arena_grows_arrays(void **state)
{
	struct arena arena = { 0 };
	uint32_t *array = NULL;
	char *other = NULL;

	(void)state;
	for (size_t nr = 0; nr < 5000; nr++) {
		array = arena_grow(&arena, array, nr, sizeof(*array));
		array[nr] = (uint32_t)nr;
		other = arena_strdup(&arena, "between");
	}
	for (uint32_t i = 0; i < 5000; i++)
		assert_int_equal(array[i], i);
	assert_string_equal(other, "between");
	arena_release(&arena);
}

static void arena_copies_strings(void **state)
{
	struct arena arena = { 0 };
	STRBUF_AUTO sb = STRBUF_INIT;
	char *text, *cut, *nul;

	(void)state;
	text = arena_strdup(&arena, "gpudiag");
	cut = arena_strndup(&arena, "gpudiag", 3);
	nul = arena_strndup(&arena, "a\0b", 3);
	assert_string_equal(arena_strdup(&arena, ""), "");
	assert_string_equal(arena_strndup(&arena, "x", 0), "");
	assert_string_equal(text, "gpudiag");
	assert_string_equal(cut, "gpu");
	assert_memory_equal(nul, "a\0b", 4);
	assert_string_equal(arena_printf(&arena, "%s-%d", "gpu", 3), "gpu-3");
	assert_string_equal(arena_printf(&arena, "%s", ""), "");
	strbuf_addchars(&sb, 'x', 50000);
	assert_string_equal(arena_printf(&arena, "%s", sb.buf), sb.buf);
	arena_release(&arena);
}

/* That it is freed the sanitizers see. */
static void arena_adopts_memory(void **state)
{
	struct arena arena = { .blocks = NULL };
	char *memory = strdup("its own"), *other = strdup("another");
	const char *copy;

	(void)state;
	arena_adopt(&arena, memory);
	copy = arena_strdup(&arena, "a copy");
	arena_adopt(&arena, other);
	assert_string_equal(arena_strdup(&arena, "beside it"), "beside it");
	assert_string_equal(memory, "its own");
	assert_string_equal(copy, "a copy");
	arena_release(&arena);
	assert_null(arena.blocks);
}

static void strbuf_begins_empty(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	char *text;

	(void)state;
	assert_string_equal(sb.buf, "");
	assert_int_equal(sb.len, 0);
	strbuf_reset(&sb);
	strbuf_rtrim(&sb);
	strbuf_addstr(&sb, "");
	strbuf_add(&sb, NULL, 0);
	strbuf_addf(&sb, "%s", "");
	assert_string_equal(sb.buf, "");
	strbuf_release(&sb);
	strbuf_release(&sb);
	assert_string_equal(sb.buf, "");
	text = strbuf_detach(&sb);
	assert_string_equal(text, "");
	free(text);
	assert_string_equal(strbuf_empty, "");
}

static void strbuf_adds(void **state)
{
	STRBUF_AUTO sb = STRBUF_INIT;
	char *text;

	(void)state;
	strbuf_addstr(&sb, "GPU");
	strbuf_addch(&sb, ' ');
	strbuf_addf(&sb, "%d (%s)", 3, "0000:5d:00.0");
	strbuf_addchars(&sb, '.', 3);
	strbuf_addchars(&sb, '-', 0);
	assert_string_equal(sb.buf, "GPU 3 (0000:5d:00.0)...");
	assert_int_equal(sb.len, strlen(sb.buf));
	strbuf_setlen(&sb, 5);
	assert_string_equal(sb.buf, "GPU 3");
	text = strbuf_detach(&sb);
	assert_string_equal(text, "GPU 3");
	assert_string_equal(sb.buf, "");
	assert_int_equal(sb.len, 0);
	free(text);
	strbuf_addstr(&sb, "again");
	strbuf_reset(&sb);
	assert_string_equal(sb.buf, "");
	strbuf_add(&sb, "a\0b", 3);
	assert_int_equal(sb.len, 3);
	assert_memory_equal(sb.buf, "a\0b", 4);
}

static void strbuf_grows(void **state)
{
	STRBUF_AUTO sb = STRBUF_INIT;
	STRBUF_AUTO big = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < 100000; i++) {
		strbuf_addch(&sb, (char)('a' + i % 26));
		assert_int_equal(sb.buf[sb.len], '\0');
	}
	assert_int_equal(sb.len, 100000);
	for (size_t i = 0; i < sb.len; i++)
		assert_int_equal(sb.buf[i], 'a' + i % 26);
	strbuf_addf(&big, "%s|%s", sb.buf, sb.buf);
	assert_int_equal(big.len, 200001);
	strbuf_grow(&big, 1000000);
	assert_true(big.size >= big.len + 1000001);
	assert_int_equal(strlen(big.buf), 200001);
}

static void strbuf_trims(void **state)
{
	static const struct {
		const char *text, *trimmed;
	} cases[] = {
		{ "a \t\r\n", "a" }, { " a b ", " a b" }, { " \n", "" }, { "a", "a" }, { "a\v", "a\v" },
	};
	STRBUF_AUTO sb = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		strbuf_reset(&sb);
		strbuf_addstr(&sb, cases[i].text);
		strbuf_rtrim(&sb);
		assert_string_equal(sb.buf, cases[i].trimmed);
	}
	strbuf_reset(&sb);
	strbuf_add(&sb, "a\0", 2);
	strbuf_rtrim(&sb);
	assert_int_equal(sb.len, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allocates),
		cmocka_unit_test(tells_of_failure),
		cmocka_unit_test(arena_gives_zeroed_aligned_memory),
		cmocka_unit_test(arena_grows_arrays),
		cmocka_unit_test(arena_copies_strings),
		cmocka_unit_test(arena_adopts_memory),
		cmocka_unit_test(strbuf_begins_empty),
		cmocka_unit_test(strbuf_adds),
		cmocka_unit_test(strbuf_grows),
		cmocka_unit_test(strbuf_trims),
	};

	return cmocka_run_group_tests_name("arena_strbuf", tests, NULL, NULL);
}
