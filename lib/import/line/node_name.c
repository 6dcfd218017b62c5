// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/line/node_name.h"

#include "base/text.h"
#include "base/text_scan.h"

size_t node_name_len(const char *text)
{
	return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_");
}

bool node_name_is_none(const char *name)
{
	static const char *const names[] = { "localhost", "hostname", "host", "ubuntu", "debian", "fedora", "mint",
					     "archiso", "localhost-live", "127.0.0.1", "0.0.0.0" };

	return text_is_any(name, names, ARRAY_SIZE(names)) || !name[strspn(name, "xX.-_")];
}

static bool is_address(const char *name)
{
	size_t nr_parts = 0;

	for (const char *at = name; *at; at++) {
		size_t digits = strspn(at, "0123456789");

		if (!digits || digits > 3 || (at[digits] && at[digits] != '.'))
			return false;
		nr_parts++;
		at += digits;
		if (!*at)
			break;
	}
	return nr_parts == 4;
}

/* "n1.cluster.local", and not "smi.txt.gz" or "nvidia-smi.v2.log". */
static bool is_long(const char *name)
{
	static const char *const ends[] = { ".txt", ".log", ".gz", ".out", ".err", ".json", ".csv", ".xml", ".yaml",
					    ".yml", ".conf", ".md", ".sh", ".py", ".service" };
	const char *first = strchr(name, '.'), *last = strrchr(name, '.');

	return first && first < last && !text_is_any(last, ends, ARRAY_SIZE(ends)) && strlen(last) > 2 &&
	       last[1 + strcspn(last + 1, "0123456789-_")] == '\0';
}

/* GPUs of a node are numbered from 0 to 15, without zeros before. */
static bool is_of_node(const char *digits)
{
	size_t len = strspn(digits, "0123456789");

	return len > 2 || (len == 2 && (*digits == '0' || *digits > '1' || digits[1] > '5'));
}

/* What people number that is no machine. */
static bool is_of_others(const char *at, size_t len)
{
	static const char *const words[] = { "run", "test", "try", "take", "boot", "step", "log", "pass", "part",
					     "task", "job", "rank", "before", "after", "loop", "round", "trial",
					     "phase", "stage", "case", "driver" };

	return text_word_is_any(at, len, words, ARRAY_SIZE(words));
}

bool node_name_is_sure(const char *name)
{
	static const char *const machines[] = { "node", "nodes", "host", "server", "srv", "dgx", "hgx", "nid",
						"gpunode", "gpuhost", "gpuserver", "computenode", "compute", "blade",
						"rack", "ip" };
	bool is_machine = false;

	if (name[node_name_len(name)])
		return false;
	if (is_address(name) || is_long(name))
		return true;
	for (const char *at = name; *at;) {
		size_t len = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
		const char *number = at + len + strspn(at + len, "-_");

		if (is_of_others(at, len))
			return false;
		is_machine |= text_word_is_any(at, len, machines, ARRAY_SIZE(machines));
		is_machine |= len == 3 && !strncasecmp(at, "gpu", 3) && is_of_node(number);
		at += len;
		at += strspn(at, "0123456789.-_");
	}
	return is_machine && strpbrk(name, "0123456789");
}

bool node_names_are_alike(const char *a, const char *b)
{
	const char *const digits = "0123456789";

	while (*a && *b && *a != '.' && *b != '.') {
		size_t len_a = strspn(a, digits), len_b = strspn(b, digits);

		if (!len_a != !len_b || (!len_a && strncasecmp(a, b, 1) != 0))
			return false;
		a += len_a ? len_a : 1;
		b += len_b ? len_b : 1;
	}
	return (!*a || *a == '.') && (!*b || *b == '.');
}

bool node_name_may_be(const char *name)
{
	static const char *const others[] = { "gpu", "card", "device", "dev", "worker", "process", "proc", "thread",
					      "pod", "container", "trainer", "replica", "service", "app", "xid", "pid",
					      "nvidia", "cuda", "link", "port", "slot", "channel", "epoch", "iter",
					      "attempt", "exp", "line", "tty", "eth", "ib", "mlx", "nvme", "sd", "bus",
					      "cpu", "numa", "kernel", "h", "a", "v", "b", "l" };
	const char *at = name;
	size_t len;

	if (!strpbrk(name, "0123456789") || !is_letter_or_digit(*at) || is_digit(*at))
		return false;
	while (*at) {
		len = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
		if (is_of_others(at, len))
			return false;
		at += len;
		at += strcspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
	}
	len = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
	return !text_word_is_any(name, len, others, ARRAY_SIZE(others)) || node_name_is_sure(name);
}
