// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sysfs.c - "grep . /sys/…/current_link_*" prints "PATH:VALUE", "head" and "tail" print "==> PATH <==" above, and of
 * cat the prompt has the path. What the values mean is known to those who read such files on a node.
 */
#include "base/compat.h"
#include "import/host/sysfs.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/dump/readers.h"
#include "klog/span.h"

static const char pci_devices[] = "sys/bus/pci/devices/";

static bool is_recorded(const char *path)
{
	/* Behind a shell's own files stands what it says: "/proc/self/fd/14: line 12: …". */
	return text_begins(path, "/sys/") || (text_begins(path, "/proc/") && !text_begins(path, "/proc/self/fd/"));
}

/* ---- lines */

/* How much of the text is an address of PCI, as a part of a path is: "0000:1b:00.0". */
static size_t pci_len(const char *text)
{
	static const char form[] = "xxxx:xx:xx.x";

	for (size_t i = 0; form[i]; i++)
		if (form[i] == 'x' ? hex_digit(text[i]) < 0 : text[i] != form[i])
			return 0;
	return strlen(form);
}

/* The same of what has a colon of its own: "pci0000:00", "LNXSYSTM:00", each with a path behind it. */
static size_t name_len(const char *text)
{
	size_t len = pci_len(text), colon;

	if (len)
		return len;
	colon = strcspn(text, ":/ ");
	len = colon + (text[colon] == ':' ? 3 : 0);
	if (text[colon] != ':' || hex_digit(text[colon + 1]) < 0 || hex_digit(text[colon + 2]) < 0 || text[len] != '/')
		return 0;
	return len;
}

/* Where the value of "PATH:VALUE" begins; NULL: it is no such line. */
static const char *value_of(const char *text)
{
	const char *at = text;

	if (!is_recorded(text))
		return NULL;
	while (*at == '/') {
		at++;
		at += name_len(at);
		at += strcspn(at, "/: ");
	}
	return *at == ':' && at[-1] != '/' ? at + 1 : NULL;
}

/* "==> PATH <==" */
static const char *head_of(struct arena *arena, const char *text)
{
	size_t len = strlen(text);

	if (len < 9 || !text_begins(text, "==> /") || strcmp(text + len - 4, " <==") != 0)
		return NULL;
	text = arena_strndup(arena, text + 4, len - 8);
	return is_recorded(text) ? text : NULL;
}

/* A path of one file, with nothing in it that a shell replaces. */
static size_t path_len(const char *text)
{
	size_t len = strcspn(text, " ");

	if (!is_recorded(text) || memchr(text, '*', len) || memchr(text, '{', len) || memchr(text, '[', len) ||
	    text[len + strspn(text + len, " ")])
		return 0;
	return len;
}

/*
 * The path that a command prints the one file of: "cat PATH", "sudo cat PATH", "grep . PATH". /proc/mdstat tells by
 * itself what it is, and mdadm and a later look at it are read by the same reader: the last of them counts.
 */
static const char *path_of_command(const char *command)
{
	command += text_begins(command, "sudo ") ? strlen("sudo ") : 0;
	if (text_begins(command, "cat "))
		command += strlen("cat ");
	else if (text_begins(command, "grep . "))
		command += strlen("grep . ");
	else
		return NULL;
	return path_len(command) && strcmp(command, "/proc/mdstat") != 0 ? command : NULL;
}

bool sysfs_is_command(const char *command)
{
	return path_of_command(command) != NULL;
}

enum dump_begins sysfs_begins(const struct dump_line *lines, size_t nr)
{
	size_t len = strlen(lines->text);

	(void)nr;
	if (value_of(lines->text))
		return BEGINS_MORE;
	return len > 8 && text_begins(lines->text, "==> /") && is_recorded(lines->text + 4) &&
			       !strcmp(lines->text + len - 4, " <==")
		       ? BEGINS_MORE
		       : BEGINS_NOT;
}

/* What stands for the reader that probes are. */
void told_read(struct reading *reading)
{
	if (reading->part->told)
		*reading->snapshot = *reading->part->told;
}

/* ---- files */

/* No paste has more; so many are read in no time. */
enum { MAX_FILES = 50000, MAX_DEVICES = 1024, MAX_CARDS = 100, MAX_FILE_BYTES = 64 << 10 };

struct pasting {
	struct arena *arena;
	struct import_file *files;
	size_t nr;
	struct strbuf text;	/* of the file that is read */
	const char *path;	/* its path; NULL: none */
	uint32_t from;
	struct strs *notes;
};

static struct import_file *add_file(struct pasting *to, const char *path)
{
	struct import_file *file;

	to->files = arena_grow(to->arena, to->files, to->nr, sizeof(*to->files));
	file = &to->files[to->nr++];
	*file = (struct import_file){ .path = path, .text = "" };
	return file;
}

/* What of a file was read is all of it: the same path later is a later look at it. */
static void end_file(struct pasting *to)
{
	struct import_file *file = to->path && to->nr < MAX_FILES ? add_file(to, to->path) : NULL;

	if (file) {
		file->text = arena_strdup(to->arena, to->text.buf);
		file->from = to->from;
	}
	to->path = NULL;
	strbuf_setlen(&to->text, 0);
}

static void add_line(struct pasting *to, const struct dump_part *part, struct dump_line *line, const char *path,
		     const char *value)
{
	if (!to->path || strcmp(to->path, path + 1) != 0) {
		end_file(to);
		to->path = path + 1;	/* without the "/" */
		to->from = value_from(part->number, line->number);
	}
	value += strspn(value, " ");
	if (to->text.len + strlen(value) < MAX_FILE_BYTES)
		strbuf_addf(&to->text, "%s%s", to->text.len ? "\n" : "", value);
	line->is_taken = true;
}

static bool is_complaint(const char *text)
{
	static const char *const programs[] = { "cat: ", "grep: ", "head: ", "tail: ", "sudo: " };

	return text_begins_any(text, programs, ARRAY_SIZE(programs));
}

/* Does free below it tell of the same memory at a later time? Files of /proc are believed more than free. */
static bool is_told_again(const struct dump_parts *parts, const struct dump_part *part)
{
	const char *command = part->about ? path_of_command(part->about) : NULL;

	if (!command || strcmp(command, "/proc/meminfo") != 0)
		return false;
	for (const struct dump_part *later = part + 1; later < parts->v + parts->nr && !strcmp(later->file, part->file);
	     later++)
		if (later->kind == DUMP_MEMORY_USE && strstr(later->lines[0].text, " available"))
			return true;
	return false;
}

static void read_files(struct pasting *to, const struct dump_part *part)
{
	const char *command = part->about ? path_of_command(part->about) : NULL;
	const char *path = command ? arena_strndup(to->arena, command, path_len(command)) : NULL;

	for (size_t i = 0; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];
		const char *text = line->text, *value = value_of(text), *head = head_of(to->arena, text);

		if (value) {
			path = NULL;
			add_line(to, part, line, arena_strndup(to->arena, text, (size_t)(value - 1 - text)), value);
		} else if (head) {
			path = head;
			line->is_taken = true;
		} else if (!*text) {
			path = NULL;
		} else if (path && !is_complaint(text)) {
			add_line(to, part, line, path, text);
		}
	}
	end_file(to);
}

/* ---- where devices stand */

/* Of "sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/…" the end of each address; NULL: no more. */
static const char *next_address(const char *at)
{
	while ((at = strchr(at, '/'))) {
		size_t len = pci_len(++at);

		if (len && (at[len] == '/' || !at[len]))
			return at + len;
	}
	return NULL;
}

/* Links of each device on the way, as /sys/bus/pci/devices has them. */
static void add_device_links(struct pasting *to, const char *path)
{
	const char *end = path;

	while ((end = next_address(end))) {
		const char *link = arena_printf(to->arena, "%s%.12s", pci_devices, end - 12);
		struct import_file *file = add_file(to, link);

		file->link = arena_printf(to->arena, "../../../../%.*s", (int)(end - path), path);
	}
}

/* The number of "sys/class/drm/card0/device/vendor"; *ret_rest: "vendor". MAX_CARDS: it is of no card. */
static unsigned card_of(const char *path, const char **ret_rest)
{
	static const char drm[] = "sys/class/drm/card", device[] = "/device/";
	const char *number = path + strlen(drm);
	size_t digits;

	if (!text_begins(path, drm))
		return MAX_CARDS;
	digits = strspn(number, "0123456789");
	if (!digits || digits > 2 || !text_begins(number + digits, device))
		return MAX_CARDS;
	*ret_rest = number + digits + strlen(device);
	return (unsigned)strtoul(number, NULL, 10);
}

/* "PCI_SLOT_NAME=0000:1b:00.0" of the uevent of each card; NULL: not told. */
static void find_cards(const struct pasting *to, const char *ret[MAX_CARDS])
{
	static const char slot[] = "PCI_SLOT_NAME=";

	for (size_t i = 0; i < MAX_CARDS; i++)
		ret[i] = NULL;
	for (size_t i = 0; i < to->nr; i++) {
		const char *rest, *at;
		unsigned card = card_of(to->files[i].path, &rest);

		at = card < MAX_CARDS && !strcmp(rest, "uevent") ? strstr(to->files[i].text, slot) : NULL;
		if (at && pci_len(at + strlen(slot)))
			ret[card] = arena_strndup(to->arena, at + strlen(slot), pci_len(at + strlen(slot)));
	}
}

/* A card's files stand with its device: that is where they are read. */
static void move_card(struct pasting *to, size_t at, const char *const addresses[MAX_CARDS], bool is_alone)
{
	const char *rest, *address;
	unsigned card = card_of(to->files[at].path, &rest);

	if (card == MAX_CARDS)
		return;
	address = addresses[card];
	if (!address && !is_alone) {
		const char *note = arena_printf(to->arena,
						"which GPU card%u is, the files do not tell, and they are not used: "
						"/sys/class/drm/card%u/device/uevent has its address",
						card, card);

		if (!strs_has(to->notes, note))
			strs_add(to->arena, to->notes, note);
		return;
	}
	address = address ? address : arena_printf(to->arena, SYSFS_CARD_ADDRESS, card);
	to->files[at].path = arena_printf(to->arena, "%s%s/%s", pci_devices, address, rest);
	to->files[at].is_of_card = true;
}

/* ---- what a device is */

/* The device of "sys/bus/pci/devices/ADDRESS/FILE" or the last one of a path below sys/devices; NULL: none. */
static const char *device_of(struct arena *arena, const char *path, const char **ret_file)
{
	const char *end = NULL;

	if (text_begins(path, pci_devices) || text_begins(path, "sys/devices/"))
		for (const char *next = path; (next = next_address(next));)
			end = next;
	if (!end || *end != '/')
		return NULL;
	*ret_file = end + 1;
	return arena_strndup(arena, end - 12, 12);
}

struct device {
	const char *address;
	uint32_t from;
	bool has_class, has_link, is_card;
	bool has_ras, has_driver;	/* files that amdgpu alone has; whose it is */
};

static struct device *devices_of(struct pasting *to, size_t *ret_nr)
{
	struct device *devices = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < to->nr; i++) {
		const char *file, *address = device_of(to->arena, to->files[i].path, &file);
		size_t k = 0;

		while (address && k < nr && strcmp(devices[k].address, address) != 0)
			k++;
		if (!address || k == MAX_DEVICES)
			continue;
		if (k == nr) {
			devices = arena_grow(to->arena, devices, nr, sizeof(*devices));
			devices[nr++] = (struct device){ .address = address, .from = to->files[i].from };
		}
		devices[k].has_class |= !strcmp(file, "class");
		devices[k].has_link |= !strcmp(file, "current_link_width");
		devices[k].is_card |= to->files[i].is_of_card;
		devices[k].has_ras |=
			text_begins(file, "ras/") || !strcmp(file, "gpu_metrics") || !strcmp(file, "unique_id");
		devices[k].has_driver |= !strcmp(file, "vendor") || !strcmp(file, "driver");
	}
	*ret_nr = nr;
	return devices;
}

/*
 * Nobody pastes the link of one device but of the one that is in question: it is taken for a GPU where nothing says
 * what it is. Ports of the processor stand on bus 0, other functions of a card beside function 0.
 */
static bool may_be_gpu(const struct device *device, const struct strs *gpus, bool is_alone)
{
	if (device->is_card || device->has_ras || strs_has(gpus, device->address))
		return true;
	return is_alone && device->has_link && !text_begins(device->address + 5, "00:") &&
	       !strcmp(device->address + 10, ".0");
}

static void add_classes(struct pasting *to, const struct strs *gpus)
{
	size_t nr, nr_assumed = 0;
	struct device *devices = devices_of(to, &nr);

	for (size_t i = 0; i < nr; i++)
		nr_assumed += !devices[i].has_class && may_be_gpu(&devices[i], gpus, !gpus->nr) &&
			      !devices[i].is_card && !devices[i].has_ras && !strs_has(gpus, devices[i].address);
	for (size_t i = 0; i < nr; i++) {
		struct import_file *file;
		bool is_known_gpu = devices[i].is_card || devices[i].has_ras || strs_has(gpus, devices[i].address);

		/* The links of a whole machine are of ports and disks as well. */
		if (devices[i].has_class || !may_be_gpu(&devices[i], gpus, !gpus->nr) ||
		    (!is_known_gpu && nr_assumed > 1))
			continue;
		file = add_file(to, arena_printf(to->arena, "%s%s/class", pci_devices, devices[i].address));
		file->text = "0x030000";
		file->is_assumed = true;
		if (!is_known_gpu)
			strs_add(to->arena, to->notes,
				 arena_printf(to->arena,
					      "%s is taken for a GPU: /sys/bus/pci/devices/%s/class would tell",
					      devices[i].address, devices[i].address));
	}
}

/* No other driver has such files. */
static void add_drivers(struct pasting *to)
{
	size_t nr;
	struct device *devices = devices_of(to, &nr);

	for (size_t i = 0; i < nr; i++) {
		const char *address = devices[i].address;
		struct import_file *file;

		if (!devices[i].has_ras || devices[i].has_driver)
			continue;
		file = add_file(to, arena_printf(to->arena, "%s%s/vendor", pci_devices, address));
		file->text = "0x1002";
		file = add_file(to, arena_printf(to->arena, "%s%s/driver", pci_devices, address));
		file->link = "../../../bus/pci/drivers/amdgpu";
	}
}

struct import_file *sysfs_files(struct arena *arena, const struct dump_parts *parts, const struct strs *gpus,
				size_t *ret_nr, struct strs *ret_notes)
{
	struct pasting pasting = { .arena = arena, .text = STRBUF_INIT, .notes = ret_notes };
	const char *addresses[MAX_CARDS];
	size_t nr;

	for (size_t i = 0; i < parts->nr; i++)
		if (parts->v[i].kind == DUMP_SYSFS && !is_told_again(parts, &parts->v[i]))
			read_files(&pasting, &parts->v[i]);
	strbuf_release(&pasting.text);
	nr = pasting.nr;
	find_cards(&pasting, addresses);
	for (size_t i = 0; i < nr; i++)
		move_card(&pasting, i, addresses, !gpus->nr);
	for (size_t i = 0; i < nr; i++)
		if (text_begins(pasting.files[i].path, "sys/devices/"))
			add_device_links(&pasting, pasting.files[i].path);
	add_classes(&pasting, gpus);
	add_drivers(&pasting);
	*ret_nr = pasting.nr;
	return pasting.files;
}

/* ---- afterwards */

static bool is_class_assumed(const struct import_file *files, size_t nr, const char *address)
{
	for (size_t i = 0; i < nr; i++)
		if (files[i].is_assumed && text_begins(files[i].path, pci_devices) &&
		    !strncmp(files[i].path + strlen(pci_devices), address, 12))
			return true;
	return false;
}

void sysfs_settle(struct arena *arena, const struct import_file *files, size_t nr, struct snapshot *told)
{
	/* The rest of the bus was not pasted. */
	told->bus = (struct bus){ .gpus = { .state = VAL_UNSET } };
	told->probes = NULL;
	told->nr_probes = 0;
	for (size_t i = 0; i < told->nr_gpus; i++) {
		struct gpu *gpu = &told->gpus[i];
		const char *key = str_or(gpu->key, "");

		if (is_class_assumed(files, nr, key))
			gpu->pci.class_code = (struct val_str){ .state = VAL_UNSET };
		if (text_begins(key, "fffe:00:"))
			gpu->key = val_str(arena_printf(arena, "gpu%lu", strtoul(key + strlen("fffe:00:"), NULL, 16)));
	}
}
