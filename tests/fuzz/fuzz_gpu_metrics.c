// SPDX-License-Identifier: GPL-2.0-or-later
/* fuzz_gpu_metrics.c - amdgpu's table of measurements, and its levels of clocks from the same bytes as text. */
#include "base/compat.h"

#include "base/strbuf.h"
#include "format/amdgpu_metrics.h"
#include "probe/amd/amdgpu_dpm.h"
#include "tests/fuzz/fuzz.h"

/* The table as it came, and as one whose size is right: seldom met by chance. */
static void decode(const uint8_t *data, size_t size)
{
	struct amdgpu_metrics metrics;
	const char *why;
	int error = amdgpu_metrics_decode(data, size, &metrics, &why);

	if (error && !*why)
		abort();	/* refused without a word */
	if (!error && !amdgpu_metrics_version(&metrics))
		abort();
	for (size_t at = offsetof(struct amdgpu_metrics, edge_c); at < sizeof(metrics); at += sizeof(union any_value)) {
		struct val_head head;

		memcpy(&head, (const char *)&metrics + at, sizeof(head));
		if (head.state == VAL_UNSET || (error && head.state == VAL_OK))
			abort();	/* nobody said why, or a value of a table that is none */
	}
}

static void decode_sized(const uint8_t *data, size_t size)
{
	static const uint16_t sizes[] = { 80, 96, 104, 120, 288, 360, 1664, 2208, 3872, 128, 152, 168, 264 };
	uint8_t table[4096] = { 0 };
	size_t len = size < sizeof(table) ? size : sizeof(table);

	memcpy(table, data, len);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		table[0] = (uint8_t)sizes[i];
		table[1] = (uint8_t)(sizes[i] >> 8);
		decode(table, sizeof(table));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	STRBUF_AUTO text = STRBUF_INIT;

	decode(data, size);
	if (size >= 4)
		decode_sized(data, size);
	strbuf_add(&text, data, size);
	amdgpu_dpm_clock(text.buf);
	amdgpu_dpm_link(text.buf);
	return 0;
}
