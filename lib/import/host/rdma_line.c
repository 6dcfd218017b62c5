// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/host/rdma_line.h"

#include "base/text.h"
#include "base/text_scan.h"

/* ---- states */

/* What tools say, letters only and small, and what /sys has for it. */
struct word {
	const char *said, *is;
};

static const struct word states[] = {
	{ "active", "active" }, { "portactive", "active" },
	{ "init", "init" }, { "portinit", "init" }, { "initializing", "init" }, { "initialize", "init" },
	{ "armed", "armed" }, { "portarmed", "armed" }, { "down", "down" }, { "portdown", "down" },
};

static const struct word physical_states[] = {
	{ "linkup", "linkup" }, { "polling", "polling" }, { "disabled", "disabled" }, { "sleep", "sleep" },
	{ "portconfigurationtraining", "portconfigurationtraining" },
	{ "portconfigurationtrainning", "portconfigurationtraining" }, { "armed", "portconfigurationtraining" },
	{ "linkerrorrecovery", "linkerrorrecovery" }, { "linkerrorrecover", "linkerrorrecovery" },
	{ "phytest", "phy test" },
};

static const char *word_for(const char *text, const struct word *words, size_t nr)
{
	char said[32];
	size_t len = 0;

	text = past_blanks(text);
	if (is_digit(*text) && text[1] == ':')
		text += 2;
	for (; *text && *text != '('; text++) {
		if (*text == ' ' || *text == '_')
			continue;
		if (!is_letter_or_digit(*text) || len == sizeof(said) - 1)
			return NULL;
		said[len++] = (char)(*text | 0x20);
	}
	said[len] = '\0';
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(said, words[i].said))
			return words[i].is;
	return NULL;
}

const char *rdma_state(const char *text)
{
	return word_for(text, states, ARRAY_SIZE(states));
}

const char *rdma_physical_state(const char *text)
{
	return word_for(text, physical_states, ARRAY_SIZE(physical_states));
}

/* ---- names */

static bool is_of_name(char c)
{
	return is_letter_or_digit(c) || c == '_' || c == '-' || c == '.';
}

static size_t name_len(const char *text)
{
	size_t len = 0;

	while (is_of_name(text[len]))
		len++;
	return len;
}

static bool take_number(const char **at, uint64_t *ret)
{
	bool fits = true;

	return scan_u64(at, 10, ret, &fits) && fits && *ret > 0 && *ret < UINT8_MAX;
}

/* "mlx5_0/1", also "mlx5_0/1:" */
static bool take_port(struct arena *arena, const char **at, struct rdma_line *ret)
{
	size_t len = name_len(*at);
	const char *number = *at + len + 1;

	if (!len || (*at)[len] != '/' || !take_number(&number, &ret->port))
		return false;
	number += *number == ':';
	if (*number != ' ')
		return false;
	ret->device = arena_strndup(arena, *at, len);
	*at = number;
	return true;
}

/* ---- rdma link */

/* Words go in pairs: a name and its value. Only InfiniBand has addresses of a subnet manager's. */
static void take_pairs(struct arena *arena, const char *at, struct rdma_line *ret)
{
	size_t len, value_len;

	for (const char *name; name = scan_word(&at, &len), len; ) {
		const char *value = scan_word(&at, &value_len);
		const char *text = arena_strndup(arena, value, value_len);

		name = arena_strndup(arena, name, len);
		if (!strcmp(name, "state"))
			ret->state = rdma_state(text);
		else if (!strcmp(name, "physical_state"))
			ret->physical_state = rdma_physical_state(text);
		else if (!strcmp(name, "netdev"))
			ret->netdev = text;
		else if (!strcmp(name, "sm_lid"))
			ret->is_infiniband = true;
	}
}

/* "link mlx5_0/1 state …"; older ones begin with numbers, "2/1: mlx5_0/1: state …". */
static bool read_link(struct arena *arena, const char *text, struct rdma_line *ret)
{
	const char *at = past_blanks(text);

	if (!strstr(at, " state ") || !strstr(at, " physical_state "))
		return false;
	if (text_begins(at, "link "))
		at = past_blanks(at + strlen("link "));
	else if (is_digit(*at) && at[strspn(at, "0123456789")] == '/')
		at = past_blanks(at + strcspn(at, " "));
	else
		return false;
	if (!take_port(arena, &at, ret))
		return false;
	take_pairs(arena, at, ret);
	return ret->state || ret->physical_state;
}

/* ---- ibdev2netdev */

/* " (Up)" */
static const char *netdev_state(const char *text)
{
	text = past_blanks(text);
	return !strcmp(text, "(Up)") ? "up" : !strcmp(text, "(Down)") ? "down" : NULL;
}

/* "mlx5_0", or with -v "0000:12:00.0 mlx5_0 (MT4129 - MCX755106AS) ConnectX-7 HHHL adapter card fw 28.39.1002". */
static bool read_device(struct arena *arena, const char *text, const char *end, struct rdma_line *ret)
{
	const char *at = past_blanks(text);
	const char *address = dump_address(arena, at);
	size_t len;

	if (address)
		at = past_blanks(at + strcspn(at, " "));
	len = name_len(at);
	if (!len || at + len > end)
		return false;
	ret->device = arena_strndup(arena, at, len);
	ret->address = address;
	at = past_blanks(at + len);
	if (address && text_begins(at, "(MT"))
		ret->type = arena_strndup(arena, at + 1, name_len(at + 1));
	return address || at >= end;
}

static bool read_netdev(struct arena *arena, const char *text, struct rdma_line *ret)
{
	const char *arrow = strstr(text, " ==> "), *port = NULL, *at;
	size_t len;

	for (at = text; arrow && (at = strstr(at, " port ")) && at < arrow; at++)
		port = at;
	if (!port || !read_device(arena, text, port, ret))
		return false;
	at = port + strlen(" port ");
	if (!take_number(&at, &ret->port))
		return false;
	at = past_blanks(at);
	if (*at == '(')
		ret->state = rdma_state(arena_strndup(arena, at + 1, strcspn(at + 1, ")")));
	else if (at != arrow + 1)
		return false;
	at = past_blanks(arrow + strlen(" ==> "));
	len = name_len(at);
	ret->netdev = len ? arena_strndup(arena, at, len) : NULL;
	ret->netdev_state = netdev_state(at + len);
	return ret->netdev_state != NULL;
}

bool rdma_line_read(struct arena *arena, const char *text, struct rdma_line *ret)
{
	*ret = (struct rdma_line){ .port = 0 };
	if (read_link(arena, text, ret))
		return true;
	*ret = (struct rdma_line){ .port = 0 };
	return read_netdev(arena, text, ret);
}

/* ---- files */

bool rdma_file_read(struct arena *arena, const char *text, struct rdma_line *ret, const char **ret_field)
{
	static const char *const fields[] = {
		"state:", "phys_state:", "rate:", "link_layer:", "symbol_error:", "link_error_recovery:",
		"link_downed:",
		"port_rcv_errors:", "local_link_integrity_errors:",
	};
	const char *at = scan_behind(text, "/sys/"), *device = at ? strstr(at, "infiniband/") : NULL;
	size_t len;

	*ret = (struct rdma_line){ .port = 0 };
	if (!device || device + strlen("infiniband/") > at + strcspn(at, " :"))
		return false;
	device += strlen("infiniband/");
	len = name_len(device);
	at = device + len;
	if (!len || !text_begins(at, "/ports/"))
		return false;
	at += strlen("/ports/");
	if (!take_number(&at, &ret->port) || !scan_char(&at, '/'))
		return false;
	at += text_begins(at, "counters/") ? strlen("counters/") : 0;
	if (!text_begins_any(at, fields, ARRAY_SIZE(fields)))
		return false;
	ret->device = arena_strndup(arena, device, len);
	*ret_field = at;
	return true;
}

/* ---- heads */

/* "'mlx5_0'", then *at is behind it. */
static bool take_quoted(struct arena *arena, const char **at, struct rdma_line *ret)
{
	size_t len = **at == '\'' ? name_len(*at + 1) : 0;

	if (!len || (*at)[len + 1] != '\'')
		return false;
	ret->device = arena_strndup(arena, *at + 1, len);
	*at += len + 2;
	return true;
}

bool rdma_head_read(struct arena *arena, const char *text, struct rdma_line *ret)
{
	const char *at;

	*ret = (struct rdma_line){ .port = 0 };
	if ((at = scan_behind(text, "CA:")) || (at = scan_behind(text, "CA ")))
		return take_quoted(arena, &at, ret) && scan_end(at);
	at = scan_behind(text, "Infiniband device ");
	if (at)
		return take_quoted(arena, &at, ret) && (at = scan_behind(at, "port ")) &&
		       take_number(&at, &ret->port) && !strcmp(past_blanks(at), "status:");
	at = scan_behind(text, "hca_id:");
	if (!at || !name_len(at) || !scan_end(at + name_len(at)))
		return false;
	ret->device = arena_strndup(arena, at, name_len(at));
	return true;
}
