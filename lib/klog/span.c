// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "klog/span.h"

#include "base/text.h"

bool span_take_u64(struct span *span, uint64_t *ret)
{
	const char *at = span->at;
	uint64_t value = 0;

	while (at < span->end && is_digit(*at) && at - span->at < 20)
		value = value * 10 + (uint64_t)(*at++ - '0');
	if (at == span->at || at - span->at > 19)
		return false;
	span->at = at;
	*ret = value;
	return true;
}

/* So many hexadecimal digits at the beginning, 17 at most: one too many. */
static size_t scan_hex(struct span span, uint64_t *ret)
{
	size_t nr = 0;
	int digit;

	*ret = 0;
	while (nr < 17 && span.at + nr < span.end && (digit = hex_digit(span.at[nr])) >= 0) {
		*ret = *ret << 4 | (unsigned)digit;
		nr++;
	}
	return nr;
}

bool span_take_hex(struct span *span, uint64_t *ret)
{
	struct span at = *span;
	size_t nr;

	if (!span_take(&at, "0x"))
		span_take(&at, "0X");
	nr = scan_hex(at, ret);
	if (!nr || nr > 16)
		return false;
	span->at = at.at + nr;
	return true;
}

/* A field of an address, of least to most digits and up to max. */
static bool take_field(struct span *span, size_t least, size_t most, uint64_t max, unsigned *ret)
{
	uint64_t value;
	size_t nr = scan_hex(*span, &value);

	if (nr < least || nr > most || value > max)
		return false;
	span->at += nr;
	*ret = (unsigned)value;
	return true;
}

static char *put_hex(char *ret, unsigned value, unsigned digits)
{
	for (unsigned i = digits; i--; value >>= 4)
		ret[i] = "0123456789abcdef"[value & 0xf];
	return ret + digits;
}

/* As snprintf() would by "%04x:%02x:%02x.%x", which took a quarter of a log's judging. */
void span_put_pci(char ret[PCI_TEXT_BYTES], unsigned domain, unsigned bus, unsigned device, unsigned function)
{
	unsigned digits = 4;

	while (digits < 8 && domain >> (4 * digits))
		digits++;
	ret = put_hex(ret, domain, digits);
	*ret++ = ':';
	ret = put_hex(ret, bus, 2);
	*ret++ = ':';
	ret = put_hex(ret, device, 2);
	*ret++ = '.';
	ret = put_hex(ret, function, 1);
	*ret = '\0';
}

bool span_take_pci(struct span *span, char ret[PCI_TEXT_BYTES])
{
	struct span at = *span, before_function;
	unsigned domain, bus, device, function = 0;

	span_take(&at, "PCI:");
	if (!take_field(&at, 4, 8, UINT32_MAX, &domain) || !span_take(&at, ":") ||
	    !take_field(&at, 2, 2, 0xff, &bus) || !span_take(&at, ":") || !take_field(&at, 2, 2, 0x1f, &device))
		return false;
	before_function = at;
	if (!span_take(&at, ".") || !take_field(&at, 1, 1, 7, &function)) {
		at = before_function;
		function = 0;
	}
	if (at.at < at.end && hex_digit(*at.at) >= 0)
		return false;
	span_put_pci(ret, domain, bus, device, function);
	span->at = at.at;
	return true;
}

void span_copy(struct span span, char *ret, size_t size)
{
	size_t len = span_len(span);

	if (len >= size)
		len = utf8_floor(span.at, size - 1);
	/* An empty span has no address. */
	if (len)
		memcpy(ret, span.at, len);
	ret[len] = '\0';
}
