// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "snapshot/domain.h"

#include "base/text.h"
#include "base/text_scan.h"

/* RFC 3339 in UTC, with or without a fraction: "2026-11-20T15:02:07.123Z". */
static bool is_time(const char *text)
{
	static const char form[] = "dddd-dd-ddTdd:dd:dd";
	size_t i;

	for (i = 0; form[i]; i++)
		if (form[i] == 'd' ? !is_digit(text[i]) : text[i] != form[i])
			return false;
	text += i;
	if (*text == '.') {
		if (!is_digit(*++text))
			return false;
		while (is_digit(*text))
			text++;
	}
	return !strcmp(text, "Z");
}

/* In the form the kernel writes: lower case, four digits of domain or more. */
static bool is_pci_address(const char *text)
{
	struct pci_address address;

	if (parse_pci_address(text, &address))
		return false;
	for (; *text; text++)
		if (*text >= 'A' && *text <= 'F')
			return false;
	return true;
}

/* A dump may name GPUs by number alone, "gpu3", or by an address that is none, "gpu?". */
static bool is_gpu_key(const char *text)
{
	if (!strcmp(text, "gpu?"))
		return true;
	if (!strncmp(text, "gpu", 3) && text[3])
		return strspn(text + 3, "0123456789") == strlen(text + 3);
	return is_pci_address(text);
}

static bool is_opencl_key(const char *text)
{
	return !strncmp(text, "opencl:", strlen("opencl:")) && text[strlen("opencl:")];
}

/* How many bytes a name of letters, digits and hyphens between them takes; 0: there is none. */
static size_t name_len(const char *text)
{
	size_t len = 0;

	for (; (text[len] >= 'a' && text[len] <= 'z') || is_digit(text[len]) || text[len] == '-'; len++)
		if (text[len] == '-' && (!len || text[len - 1] == '-'))
			return 0;
	return len && text[len - 1] != '-' ? len : 0;
}

/* Names of checks: "pcie-width". */
static bool is_name(const char *text)
{
	size_t len = name_len(text);

	return len && !text[len];
}

/* A test, and what it was varied by: "h2d-pinned", "h2d-pinned/65536". */
static bool is_timing_key(const char *text)
{
	size_t len = name_len(text);

	return len && (!text[len] || (text[len] == '/' && is_name(text + len + 1)));
}

static bool is_level(const char *text)
{
	return text_is_among(text, (const char *const[]){ "read", "quick", "standard", "deep", NULL });
}

static bool is_opencl_type(const char *text)
{
	return text_is_among(text, (const char *const[]){ "auto", "gpu", "cpu", "all", NULL });
}

static bool is_touched(const char *text)
{
	return text_is_among(text, (const char *const[]){ "files", "library", "device", NULL });
}

#define FIELD(of, name) .record = &record_##of, .index = FIELD_##of##_##name
static const struct domain {
	const struct record *record;
	size_t index;
	bool (*holds)(const char *text);
	const char *expected;
} domains[] = {
	{ FIELD(run, taken_at), .holds = is_time, .expected = "a time as 2026-11-20T15:02:07Z" },
	{ FIELD(request, level), .holds = is_level, .expected = "read, quick, standard or deep" },
	{ FIELD(request, opencl_type), .holds = is_opencl_type, .expected = "auto, gpu, cpu or all" },
	{ FIELD(request, only_checks), .holds = is_name, .expected = "the name of a check" },
	{ FIELD(request, skip_checks), .holds = is_name, .expected = "the name of a check" },
	{ FIELD(probe_run, touches), .holds = is_touched, .expected = "files, library or device" },
	{ FIELD(gpu, key), .holds = is_gpu_key, .expected = "a PCI address as 0000:5d:00.0" },
	{ FIELD(hop, address), .holds = is_pci_address, .expected = "a PCI address as 0000:5d:00.0" },
	{ FIELD(holder, gpu), .holds = is_pci_address, .expected = "a PCI address as 0000:5d:00.0" },
	{ FIELD(device_node, gpu), .holds = is_pci_address, .expected = "a PCI address as 0000:5d:00.0" },
	{ FIELD(port, key), .holds = is_pci_address, .expected = "a PCI address as 0000:5d:00.0" },
	{ FIELD(ocl_device, key), .holds = is_opencl_key, .expected = "a key as opencl:nvidia.icd:0" },
	{ FIELD(ocl_device, pci_address), .holds = is_pci_address, .expected = "a PCI address as 0000:5d:00.0" },
	{ FIELD(timing, key), .holds = is_timing_key, .expected = "the name of a test, as h2d-pinned/65536" },
};
#undef FIELD

const char *domain_refuses(const struct field *field, const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(domains); i++) {
		const struct domain *domain = &domains[i];

		if (field == &domain->record->fields[domain->index])
			return domain->holds(text) ? NULL : domain->expected;
	}
	return NULL;
}
