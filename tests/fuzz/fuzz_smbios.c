// SPDX-License-Identifier: GPL-2.0-or-later
/* fuzz_smbios.c - the firmware's table: the address that is looked for, four bytes, then structures. */
#include "base/compat.h"

#include "format/smbios.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	STRBUF_AUTO label = STRBUF_INIT;
	struct pci_address address;

	if (size < 4)
		return 0;
	address = (struct pci_address){
		.domain = data[0], .bus = data[1], .device = data[2] >> 3, .function = data[2] & 7,
	};
	if (smbios_slot_label(data + 4, size - 4, &address, &label) && !label.len)
		abort();	/* a label that says nothing is none */
	return 0;
}
