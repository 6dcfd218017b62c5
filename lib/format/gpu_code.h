/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gpu_code.h - the GPU code inside a shared library: where its section is, and for which GPUs it was compiled. Pure.
 *
 * NVIDIA's compiler puts code into section .nv_fatbin as a row of blobs, each a head of 16 bytes (u32 magic 0xBA55ED50,
 * u16 version 1, u16 16, u64 size of what follows) and entries: u16 kind (1 PTX, 2 machine code), u16, u32 size of its
 * head, u64 size of its payload, and at byte 28 a u32, the architecture (90 for sm_90). NVIDIA documents none of it:
 * whatever looks otherwise is refused, never guessed. AMD's is documented (LLVM, "Clang Offload Bundler"): section
 * .hip_fatbin holds bundles, which name their targets.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compat.h"

enum {
	ELF_HEAD_BYTES = 64,		/* of a 64-bit file, and of a section 64 as well */
	FATBIN_BLOB_HEAD_BYTES = 16,
	FATBIN_ENTRY_HEAD_BYTES = 32,	/* as much of it as is read */
	FATBIN_ALIGN_BYTES = 8,
};

struct elf_sections {
	uint64_t offset;		/* of the table of sections */
	size_t nr, names;		/* names: the number of the section with their names */
};
struct elf_section {
	uint32_t name;			/* where its name begins among the names */
	uint64_t offset, size;
};

/* 0, or -EINVAL: not a 64-bit little-endian ELF file, or one without sections. */
int elf_sections_parse(const unsigned char *head, size_t len, struct elf_sections *ret) MUST_CHECK;
/* 0, or -EINVAL: it takes no room in the file, or reaches out of a file of that size. */
int elf_section_parse(const unsigned char *head, uint64_t file_bytes, struct elf_section *ret) MUST_CHECK;

enum fatbin_kind { FATBIN_PTX = 1, FATBIN_ELF = 2 };
struct fatbin_entry {
	enum fatbin_kind kind;
	unsigned architecture;		/* 90 */
	uint64_t bytes;			/* head and payload: the next begins there */
};

/* Size of the entries of the blob that begins here, or -EINVAL: none begins here. */
int fatbin_blob_parse(const unsigned char *head, uint64_t *ret_bytes) MUST_CHECK;
/* 0, or -EINVAL: not an entry, or one that does not fit into what is left of its blob. */
int fatbin_entry_parse(const unsigned char *head, uint64_t bytes_left, struct fatbin_entry *ret) MUST_CHECK;

/*
 * The next target of an uncompressed bundle of AMD's, of which the first len bytes are in hand: "gfx942:sramecc+" as
 * *ret, its length in *ret_len. *at is 0 at first. 1: one more; 0: no more, *ret_bytes then says where the bundle ends;
 * -EINVAL: no bundle; -EOPNOTSUPP: a compressed one; -ENOBUFS: more of it must be in hand.
 */
int hip_bundle_next(const unsigned char *bytes, size_t len, size_t *at, const char **ret, size_t *ret_len,
		    uint64_t *ret_bytes) MUST_CHECK;
