// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lspci_line.c - the line that names a function:
 *
 *	[DDDD:]BB:dd.f CLASS[ [cccc]]: VENDOR DEVICE[ [vvvv:dddd]][ (rev xx)][ (prog-if xx [name])]
 *	[DDDD:]BB:dd.f [Class ]cccc: [Device ]vvvv:dddd[ (rev xx)]
 *	DDDD:BB:dd.f cccccc: Vendor vvvv Device dddd (rev xx)
 *
 * The second is lspci without its list of names, the last nvidia-bug-report.sh without lspci. lspci_machine.c has the
 * forms for programs.
 */
#include "base/compat.h"
#include "import/host/lspci.h"

#include "base/text.h"
#include "base/text_scan.h"

static bool is_end(char c)
{
	return !c || c == ' ' || c == '/';
}

/* How long the address is that the text begins with, 0: it does with none. */
static size_t address_len(const char *text)
{
	static const char form[] = "xx:xx.#";
	size_t domain = strcspn(text, ": ");

	if (lspci_has_form(text, form))
		return is_end(text[strlen(form)]) ? strlen(form) : 0;
	if (domain < 4 || domain > 8 || text[domain] != ':' || !lspci_has_form(text + domain + 1, form))
		return 0;
	if (strspn(text, "0123456789abcdef") != domain || !is_end(text[domain + 1 + strlen(form)]))
		return 0;
	return domain + 1 + strlen(form);
}

/*
 * What stands before the class: the address, with lspci -PP behind those of the bridges above,
 * "0001:00:01.1/01:00.0/02:00.0", of which only the first has a domain. *ret: the address; NULL: only where it ends is
 * asked for. 0: it is none.
 */
static size_t prefix_len(struct arena *arena, const char *text, const char **ret)
{
	size_t len = address_len(text), domain = strcspn(text, ":") == 2 ? 0 : strcspn(text, ":") + 1;
	const char *at = text;

	while (len && at[len] == '/') {
		at += len + 1;
		len = address_len(at);
	}
	if (!len)
		return 0;
	if (ret)
		*ret = arena_printf(arena, "%.*s%.*s", at == text ? 0 : (int)domain, text, (int)len, at);
	return (size_t)(at - text) + len;
}

/* "0302: 10de:2330", "030200: Vendor 10de Device 2330" */
static bool is_numeric(const char *text)
{
	return lspci_has_form(text, "xxxx: xxxx:xxxx") || lspci_has_form(text, "xxxx: Device xxxx:xxxx") ||
	       lspci_has_form(text, "xxxxxx: Vendor xxxx Device xxxx");
}

/* "Card: 01:00.0 VGA compatible …": scripts call what they list. */
static const char *past_label(const char *text)
{
	enum { SHORTEST = 2, LONGEST = 12 };
	const size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
	const char *behind = text + len + 1 + (text[len] == ':' ? strspn(text + len + 1, " \t") : 0);

	if (len < SHORTEST || len > LONGEST || text[len] != ':' || behind == text + len + 1)
		return text;
	return address_len(behind) ? behind : text;
}

/*
 * A script that many have copied lists the functions of each group: "IOMMU Group 16 2e:00.0 VGA compatible …". *ret:
 * the group's digits, or NULL.
 */
static const char *past_group(const char *text, const char **ret)
{
	static const char words[] = "IOMMU Group ";
	size_t digits;

	*ret = NULL;
	text += strspn(text, " ");
	if (strncasecmp(text, words, strlen(words)) != 0)
		return past_label(text);
	*ret = text + strlen(words);
	digits = strspn(*ret, "0123456789");
	text = *ret + digits + strspn(*ret + digits, ": ");
	if (!digits || digits > 5)
		*ret = NULL;
	return text;
}

/* "Slot:    0000:5d:00.0", and nothing behind it. */
static bool is_slot_line(const char *text)
{
	const char *address = lspci_slot_address(text);
	size_t len = address ? prefix_len(NULL, address, NULL) : 0;

	return len && !address[len];
}

bool lspci_is_device_line(const char *text)
{
	const char *class, *group;
	size_t len;

	if (is_slot_line(text))
		return true;
	text = past_group(text, &group);
	len = prefix_len(NULL, text, NULL);
	if (!len)
		return false;
	class = text + len + strspn(text + len, " ");
	if (is_numeric(class) || lspci_is_quoted(text + len))
		return true;
	return ((*class >= 'A' && *class <= 'Z') || !strncmp(class, "3D ", 3)) && strstr(class, ": ") &&
	       strcspn(class, ":") < 80;
}

/* false: the address is none. */
static bool begin_at(struct reading *reading, struct dump_line *line, const char *address, struct lspci_device *ret)
{
	*ret = (struct lspci_device){ .part = reading->part, .line = line, .secondary_bus = -1 };
	ret->key = dump_address(reading->arena, address);
	if (ret->key && parse_pci_address(ret->key, &ret->address))
		ret->key = NULL;
	return ret->key != NULL;
}

void lspci_device_begin_at(struct reading *reading, struct dump_line *line, const char *address,
			   struct lspci_device *ret)
{
	if (begin_at(reading, line, address, ret))
		ret->is_of_command = true;
}

bool lspci_is_link_line(const char *text)
{
	const char *rest = scan_behind(text, "LnkSta:");

	if (!rest)
		rest = scan_behind(text, "LnkCap:");
	return rest && strstr(rest, "Speed ") && strstr(rest, "Width x");
}

const char *lspci_echoed_address(struct arena *arena, const struct dump_line *lines, size_t nr)
{
	static const char *const names[] = { "GPU: ", "GPU ", "Device: ", "Device ", "PCI:", "BDF: " };
	static const char frame[] = " =#-*<>[]():";
	const char *text = lines->text + strspn(lines->text, " =#-*<>[(");
	size_t len;

	if (nr < 2 || !lspci_is_link_line(lines[1].text))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (text_begins(text, names[i]))
			text = past_blanks(text + strlen(names[i]));
	len = strspn(text, "0123456789abcdefABCDEF:.");
	while (len && text[len - 1] == ':')
		len--;
	if (len < strlen("17:00.0") || text[len - 2] != '.' || text[len + strspn(text + len, frame)])
		return NULL;
	return arena ? dump_address(arena, arena_strndup(arena, text, len)) : "";
}

static const char nameless[] = "gpu?";

bool lspci_is_nameless(const struct lspci_device *device)
{
	return !strcmp(device->key, nameless);
}

void lspci_device_begin_nameless(struct reading *reading, struct dump_line *line, struct lspci_device *ret)
{
	*ret = (struct lspci_device){
		.part = reading->part, .line = line, .secondary_bus = -1, .key = nameless, .is_of_command = true,
	};
}

void lspci_device_begin(struct reading *reading, struct dump_line *line, struct lspci_device *ret)
{
	const char *class, *colon, *group, *address = "", *text = past_group(line->text, &group);
	bool is_slot = is_slot_line(line->text);
	size_t len = is_slot ? 0 : prefix_len(reading->arena, text, &address);

	if (is_slot)
		address = lspci_slot_address(line->text);
	if (!begin_at(reading, line, address, ret))
		return;
	line->is_taken = true;
	ret->is_slot = is_slot;
	if (is_slot)
		return;
	if (lspci_is_quoted(text + len)) {
		lspci_take_quoted(reading, ret, text + len);
		return;
	}
	if (group)
		put(reading, line, ret->iommu_group,
		    val_str(arena_strndup(reading->arena, group, strspn(group, "0123456789"))));
	class = text + len + strspn(text + len, " ");
	if (!strncmp(class, "Class ", 6) && lspci_has_form(class + 6, "xxxx:"))
		class += 6;
	colon = strstr(class, ": ");
	if (!colon)
		return;
	lspci_describe(reading, ret, arena_strndup(reading->arena, class, (size_t)(colon + 1 - class)),
		       colon + 2 + strspn(colon + 2, " "));
}

/*
 * An option that ends in s has the address as its next word, or behind it: "-s 1b:00.0", "-vvvs 1b:00.0", "-s1b:00.0".
 */
const char *lspci_address_of_command(const char *command)
{
	const char *at = strstr(command, "lspci "), *word, *address;
	size_t len, option;

	if (!at)
		return NULL;
	at += strlen("lspci ");
	for (word = scan_word(&at, &len); len; word = scan_word(&at, &len)) {
		if (*word == '|' || *word == ';' || *word == '&')
			return NULL;
		option = *word == '-' ? strcspn(word, "s ") : 0;
		if (!option || word[option] != 's')
			continue;
		address = word + option + 1;
		address += strspn(address, " \"'");
		return prefix_len(NULL, address, NULL) ? address : NULL;
	}
	return NULL;
}
