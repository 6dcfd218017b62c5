// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "format/json_broken.h"

#include "base/text.h"

bool is_broken_json(const struct json_error *error)
{
	static const char *const sure[] = {
		"value expected", "key expected after the comma", "key expected, in double quotes", "':' expected",
		"',' or '}' expected", "',' or ']' expected", "text after the end", "unknown escape in string",
		"control character in string", "digit expected", "ends too early", "begins with a byte order mark"
	};

	return text_is_any(error->what, sure, ARRAY_SIZE(sure));
}

bool is_broken_as_yaml(const char *text, size_t len, const struct json_error *error)
{
	static const char *const sure[] = { "',' or '}' expected", "',' or ']' expected", "text after the end",
					    "ends too early" };

	while (len && strchr(" \t\r\n", text[len - 1]))
		len--;
	/* One that was cut short is broken in any form. */
	return text_is_any(error->what, sure, ARRAY_SIZE(sure)) || (len && text[0] == '{' && text[len - 1] != '}');
}
