// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "format/gpu_code.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

static const char bundle_magic[] = "__CLANG_OFFLOAD_BUNDLE__", compressed_magic[] = "CCOB";

static uint64_t little(const unsigned char *at, size_t bytes)
{
	uint64_t value = 0;

	for (size_t i = bytes; i > 0; i--)
		value = value << 8 | at[i - 1];
	return value;
}

int elf_sections_parse(const unsigned char *head, size_t len, struct elf_sections *ret)
{
	Elf64_Ehdr elf;

	if (len < sizeof(elf))
		return -EINVAL;
	memcpy(&elf, head, sizeof(elf));
	if (memcmp(elf.e_ident, ELFMAG, SELFMAG) || elf.e_ident[EI_CLASS] != ELFCLASS64 ||
	    elf.e_ident[EI_DATA] != ELFDATA2LSB || elf.e_shentsize != ELF_HEAD_BYTES || !elf.e_shnum ||
	    elf.e_shstrndx >= elf.e_shnum)
		return -EINVAL;
	*ret = (struct elf_sections){ .offset = elf.e_shoff, .nr = elf.e_shnum, .names = elf.e_shstrndx };
	return 0;
}

int elf_section_parse(const unsigned char *head, uint64_t file_bytes, struct elf_section *ret)
{
	Elf64_Shdr section;

	memcpy(&section, head, sizeof(section));
	if (section.sh_type == SHT_NOBITS || section.sh_offset > file_bytes ||
	    section.sh_size > file_bytes - section.sh_offset)
		return -EINVAL;
	*ret = (struct elf_section){ .name = section.sh_name, .offset = section.sh_offset, .size = section.sh_size };
	return 0;
}

int fatbin_blob_parse(const unsigned char *head, uint64_t *ret_bytes)
{
	if (little(head, 4) != 0xBA55ED50 || little(head + 4, 2) != 1 ||
	    little(head + 6, 2) != FATBIN_BLOB_HEAD_BYTES)
		return -EINVAL;
	*ret_bytes = little(head + 8, 8);
	return 0;
}

int fatbin_entry_parse(const unsigned char *head, uint64_t bytes_left, struct fatbin_entry *ret)
{
	uint64_t kind = little(head, 2), head_bytes = little(head + 4, 4), payload = little(head + 8, 8);
	uint64_t architecture = little(head + 28, 4);

	/* Between the first GPU that ran CUDA and numbers that NVIDIA is far from. */
	enum { LEAST_ARCHITECTURE = 10, MOST_ARCHITECTURE = 999 };

	if ((kind != FATBIN_PTX && kind != FATBIN_ELF) || head_bytes < FATBIN_ENTRY_HEAD_BYTES ||
	    head_bytes > bytes_left || payload > bytes_left - head_bytes ||
	    architecture < LEAST_ARCHITECTURE || architecture > MOST_ARCHITECTURE)
		return -EINVAL;
	*ret = (struct fatbin_entry){
		.kind = (enum fatbin_kind)kind, .architecture = (unsigned)architecture, .bytes = head_bytes + payload,
	};
	return 0;
}

/* "hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+"; the host's own entry has no GPU. */
static const char *target_of(const char *id, size_t len, size_t *ret_len)
{
	static const char mark[] = "--gfx";
	const char *at = memmem(id, len, mark, strlen(mark));

	if (!at)
		return NULL;
	at += strlen("--");
	*ret_len = (size_t)(id + len - at);
	return at;
}

int hip_bundle_next(const unsigned char *bytes, size_t len, size_t *at, const char **ret, size_t *ret_len,
		    uint64_t *ret_bytes)
{
	enum { FIRST_ENTRY = 32, ENTRY_BYTES = 24, MAX_ENTRIES = 256, MAX_ID_BYTES = 256 };
	uint64_t nr, entry = 0;
	size_t next = FIRST_ENTRY;

	if (len >= strlen(compressed_magic) && !memcmp(bytes, compressed_magic, strlen(compressed_magic)))
		return -EOPNOTSUPP;
	if (len < FIRST_ENTRY || memcmp(bytes, bundle_magic, strlen(bundle_magic)) != 0)
		return -EINVAL;
	nr = little(bytes + strlen(bundle_magic), 8);
	if (!nr || nr > MAX_ENTRIES)
		return -EINVAL;
	*ret_bytes = 0;
	for (; entry < nr; entry++) {
		uint64_t offset, size, id_bytes;
		const char *target;

		if (next + ENTRY_BYTES > len)
			return -ENOBUFS;
		offset = little(bytes + next, 8);
		size = little(bytes + next + 8, 8);
		id_bytes = little(bytes + next + 16, 8);
		if (id_bytes > MAX_ID_BYTES || offset > INT64_MAX || size > (uint64_t)INT64_MAX - offset)
			return -EINVAL;
		if (next + ENTRY_BYTES + id_bytes > len)
			return -ENOBUFS;
		target = target_of((const char *)bytes + next + ENTRY_BYTES, (size_t)id_bytes, ret_len);
		next += ENTRY_BYTES + (size_t)id_bytes;
		if (offset + size > *ret_bytes)
			*ret_bytes = offset + size;
		if (target && next > *at) {
			*at = next;
			*ret = target;
			return 1;
		}
	}
	/* One that ends before its own table would be read for ever. */
	return *ret_bytes >= next ? 0 : -EINVAL;
}
