// SPDX-License-Identifier: GPL-2.0-or-later
/* test_gpu_code.c - heads of GPU code inside a library: those of its compilers, and those of nobody. */
#include "base/compat.h"
#include "format/gpu_code.h"

#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void put(unsigned char *at, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (unsigned char)(value >> 8 * i);
}

static void test_blob(void **state)
{
	unsigned char head[FATBIN_BLOB_HEAD_BYTES] = { 0 };
	uint64_t bytes;

	(void)state;
	assert_int_equal(fatbin_blob_parse(head, &bytes), -EINVAL);
	put(head, 0xBA55ED50, 4);
	put(head + 4, 1, 2);
	put(head + 6, 16, 2);
	put(head + 8, 4711, 8);
	assert_int_equal(fatbin_blob_parse(head, &bytes), 0);
	assert_int_equal(bytes, 4711);
	put(head + 4, 2, 2);	/* a version that nobody has seen */
	assert_int_equal(fatbin_blob_parse(head, &bytes), -EINVAL);
}

static void entry(unsigned char *head, unsigned kind, unsigned head_bytes, uint64_t payload, unsigned architecture)
{
	memset(head, 0, FATBIN_ENTRY_HEAD_BYTES);
	put(head, kind, 2);
	put(head + 4, head_bytes, 4);
	put(head + 8, payload, 8);
	put(head + 28, architecture, 4);
}

static void test_entry(void **state)
{
	unsigned char head[FATBIN_ENTRY_HEAD_BYTES];
	struct fatbin_entry ret;

	(void)state;
	entry(head, 2, 64, 100, 90);
	assert_int_equal(fatbin_entry_parse(head, 164, &ret), 0);
	assert_int_equal(ret.kind, FATBIN_ELF);
	assert_int_equal(ret.architecture, 90);
	assert_int_equal(ret.bytes, 164);
	entry(head, 1, 64, 0, 120);
	assert_int_equal(fatbin_entry_parse(head, 64, &ret), 0);
	assert_int_equal(ret.kind, FATBIN_PTX);
}

/* Each of them read on would lead out of the section, or round in it for ever. */
static void test_entries_of_lies(void **state)
{
	unsigned char head[FATBIN_ENTRY_HEAD_BYTES];
	struct fatbin_entry ret;

	(void)state;
	entry(head, 2, 64, 100, 90);
	assert_int_equal(fatbin_entry_parse(head, 163, &ret), -EINVAL);
	entry(head, 2, 64, UINT64_MAX, 90);
	assert_int_equal(fatbin_entry_parse(head, 1000, &ret), -EINVAL);
	entry(head, 2, 0, 0, 90);
	assert_int_equal(fatbin_entry_parse(head, 1000, &ret), -EINVAL);
	entry(head, 2, UINT32_MAX, 0, 90);
	assert_int_equal(fatbin_entry_parse(head, 1000, &ret), -EINVAL);
	entry(head, 3, 64, 100, 90);
	assert_int_equal(fatbin_entry_parse(head, 1000, &ret), -EINVAL);
	entry(head, 2, 64, 100, 0);
	assert_int_equal(fatbin_entry_parse(head, 1000, &ret), -EINVAL);
	entry(head, 2, 64, 100, 1000);
	assert_int_equal(fatbin_entry_parse(head, 1000, &ret), -EINVAL);
}

static void test_elf(void **state)
{
	Elf64_Ehdr elf = { .e_shentsize = 64, .e_shnum = 3, .e_shstrndx = 2, .e_shoff = 512 };
	Elf64_Shdr section = { .sh_name = 7, .sh_type = SHT_PROGBITS, .sh_offset = 100, .sh_size = 50 };
	struct elf_sections sections;
	struct elf_section ret;

	(void)state;
	memcpy(elf.e_ident, ELFMAG, SELFMAG);
	elf.e_ident[EI_CLASS] = ELFCLASS64;
	elf.e_ident[EI_DATA] = ELFDATA2LSB;
	assert_int_equal(elf_sections_parse((unsigned char *)&elf, sizeof(elf), &sections), 0);
	assert_int_equal(sections.offset, 512);
	assert_int_equal(sections.nr, 3);
	assert_int_equal(elf_sections_parse((unsigned char *)&elf, sizeof(elf) - 1, &sections), -EINVAL);
	elf.e_shstrndx = 3;
	assert_int_equal(elf_sections_parse((unsigned char *)&elf, sizeof(elf), &sections), -EINVAL);
	assert_int_equal(elf_section_parse((unsigned char *)&section, 150, &ret), 0);
	assert_int_equal(ret.offset, 100);
	assert_int_equal(elf_section_parse((unsigned char *)&section, 149, &ret), -EINVAL);
	section.sh_size = UINT64_MAX;
	assert_int_equal(elf_section_parse((unsigned char *)&section, 150, &ret), -EINVAL);
}

/* Two targets behind the host's own entry, which has none. */
static size_t bundle(unsigned char *bytes, const char *const *ids, size_t nr)
{
	size_t at = 32;

	memcpy(bytes, "__CLANG_OFFLOAD_BUNDLE__", 24);
	put(bytes + 24, nr, 8);
	for (size_t i = 0; i < nr; i++) {
		put(bytes + at, 4096 * (i + 1), 8);
		put(bytes + at + 8, 1000, 8);
		put(bytes + at + 16, strlen(ids[i]), 8);
		memcpy(bytes + at + 24, ids[i], strlen(ids[i]));
		at += 24 + strlen(ids[i]);
	}
	return at;
}

static void test_bundle(void **state)
{
	static const char *const ids[] = {
		"host-x86_64-unknown-linux--", "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-",
		"hipv4-amdgcn-amd-amdhsa--gfx942",
	};
	unsigned char bytes[512] = { 0 };
	size_t len = bundle(bytes, ids, 3), at = 0, target_len;
	const char *target;
	uint64_t end;

	(void)state;
	assert_int_equal(hip_bundle_next(bytes, len, &at, &target, &target_len, &end), 1);
	assert_memory_equal(target, "gfx90a:sramecc+:xnack-", 22);
	assert_int_equal(target_len, 22);
	assert_int_equal(hip_bundle_next(bytes, len, &at, &target, &target_len, &end), 1);
	assert_memory_equal(target, "gfx942", 6);
	assert_int_equal(hip_bundle_next(bytes, len, &at, &target, &target_len, &end), 0);
	assert_int_equal(end, 3 * 4096 + 1000);
}

static void test_bundles_of_lies(void **state)
{
	static const char *const ids[] = { "hipv4-amdgcn-amd-amdhsa--gfx942" };
	unsigned char bytes[512] = { 0 };
	size_t len = bundle(bytes, ids, 1), at = 0, target_len;
	const char *target;
	uint64_t end;

	(void)state;
	assert_int_equal(hip_bundle_next((const unsigned char *)"CCOB", 4, &at, &target, &target_len, &end),
			 -EOPNOTSUPP);
	assert_int_equal(hip_bundle_next(bytes, 31, &at, &target, &target_len, &end), -EINVAL);
	assert_int_equal(hip_bundle_next(bytes, len - 1, &at, &target, &target_len, &end), -ENOBUFS);
	put(bytes + 32, UINT64_MAX, 8);
	assert_int_equal(hip_bundle_next(bytes, len, &at, &target, &target_len, &end), -EINVAL);
	put(bytes + 32, 0, 8);
	put(bytes + 40, 0, 8);
	assert_int_equal(hip_bundle_next(bytes, len, &at, &target, &target_len, &end), 1);
	/* It would end before its own table, and be read for ever. */
	assert_int_equal(hip_bundle_next(bytes, len, &at, &target, &target_len, &end), -EINVAL);
	put(bytes + 24, 100000, 8);
	at = 0;
	assert_int_equal(hip_bundle_next(bytes, len, &at, &target, &target_len, &end), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blob), cmocka_unit_test(test_entry), cmocka_unit_test(test_entries_of_lies),
		cmocka_unit_test(test_elf), cmocka_unit_test(test_bundle), cmocka_unit_test(test_bundles_of_lies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
