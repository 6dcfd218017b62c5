// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "snapshot/card.h"

#include <string.h>
#include <strings.h>

static bool are_known(struct val_str a, struct val_str b)
{
	return is_known(a) && is_known(b);
}

static bool are_equal(struct val_str a, struct val_str b)
{
	return !strcasecmp(str_or(a, ""), str_or(b, ""));
}

enum card_match cards_match(struct val_str serial_a, struct val_str uuid_a, struct val_str serial_b,
			    struct val_str uuid_b)
{
	const bool have_serials = are_known(serial_a, serial_b);

	if (have_serials && !are_equal(serial_a, serial_b))
		return CARDS_OTHER;
	if (!are_known(uuid_a, uuid_b) || strlen(str_or(uuid_a, "")) != strlen(str_or(uuid_b, "")))
		return have_serials ? CARDS_SAME : CARDS_UNTOLD;
	if (are_equal(uuid_a, uuid_b))
		return CARDS_SAME;
	return have_serials ? CARDS_UNTOLD : CARDS_OTHER;
}
