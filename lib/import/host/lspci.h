/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lspci.h - what lspci prints of one PCI function: a line that names it, words below that, and bytes of its
 * configuration space. Words differ from version to version; where both are there, the bytes are believed.
 */
#pragma once

#include "base/text.h"
#include "format/pci_config.h"
#include "import/dump/dump.h"

/* A function of the listing. */
struct lspci_device {
	const char *key;			/* "0000:5d:00.0" */
	struct pci_address address;
	const struct dump_part *part;
	struct dump_line *line;
	struct pci_function pci;
	struct val_str slot, iommu_group;
	struct val_u64 bar_bytes, bar_able_bytes;
	struct val_u64 bar_seen_bytes;		/* the largest region up to here */
	int next_region;
	bool lacks_region;			/* a line of them is damaged, or not there */
	int secondary_bus;			/* of a bridge: the bus below it; -1: not told */
	struct dump_line *dead_line;		/* it says that the function does not answer; NULL: none does */
	struct dump_line *modules_line;		/* what could drive it, which stands behind what does */
	bool is_slot;				/* it is told as by lspci -vmm, */
	const char *class_text, *vendor_text;	/* in lines of which these were there; NULL: they were not */
	bool is_of_command;			/* no line names it, but the command's -s */
	bool has_body;				/* more than its name is shown */
	/* lines of other functions, whose names were not searched for, follow its own */
	bool is_mixed;
	enum { LSPCI_NOWHERE, LSPCI_CONTROL, LSPCI_REBAR } below;	/* what the next lines go on with */
	unsigned char *config;			/* NULL: no byte is shown */
	bool *is_shown;				/* for each of them */
	struct dump_line *config_line;		/* of the first */
};

/* ---- lspci_line.c */

/* Does the line name a function? "5d:00.0 3D controller [0302]: …" */
bool lspci_is_device_line(const char *text);
/* Begins a function with such a line: its ids and names, as far as they are told. */
void lspci_device_begin(struct reading *reading, struct dump_line *line, struct lspci_device *ret);
/* The same for one that only the address names: that its line is missing shows in is_of_command. */
void lspci_device_begin_at(struct reading *reading, struct dump_line *line, const char *address,
			   struct lspci_device *ret);
/* "LnkSta: Speed 16GT/s, Width x8 (downgraded)", "LnkCap: Port #0, Speed …" */
bool lspci_is_link_line(const char *text);
/*
 * The address that a loop printed above lines of a link, "17:00.0", "== GPU 0000:17:00.0 ==", or NULL. arena: where it
 * goes; NULL: whether there is one is asked alone.
 */
const char *lspci_echoed_address(struct arena *arena, const struct dump_line *lines, size_t nr);
bool lspci_is_nameless(const struct lspci_device *device);
/* The same for one that nothing names: its key is "gpu?", as of GPUs that a dump does not tell apart. */
void lspci_device_begin_nameless(struct reading *reading, struct dump_line *line, struct lspci_device *ret);
/*
 * The address behind -s of a command that asks for one function: "sudo lspci -vvs 1b:00.0 | grep LnkSta"; NULL: it does
 * not.
 */
const char *lspci_address_of_command(const char *command);

/* ---- lspci_name.c */

/* Class and ids with names, as they stand in that line before and behind the first colon. */
void lspci_describe(struct reading *reading, struct lspci_device *device, const char *class, const char *description);
/* "a1" */
void lspci_take_revision(struct reading *reading, struct lspci_device *device, const char *digits);
/* The class of that function as a number, as sysfs has it; 0: not told. */
uint64_t lspci_class(const struct lspci_device *device);
/* The hypervisor that makes such functions, or NULL. */
const char *lspci_hypervisor(const struct lspci_device *device);

/* x stands for a digit of a hexadecimal number in a form, # for one of an octal: "xx:xx.#". */
bool lspci_has_form(const char *text, const char *form);

/* ---- lspci_words.c, lspci_link.c: a line below it; next: the line after that, or NULL */
void lspci_take_words(struct reading *reading, struct lspci_device *device, struct dump_line *line, const char *next);
bool lspci_take_link(struct reading *reading, struct lspci_device *device, struct dump_line *line, const char *next);

/* ---- lspci_machine.c: lspci -mm and -vmm */

/* Is what stands behind an address its class in quotes? */
bool lspci_is_quoted(const char *behind_address);
void lspci_take_quoted(struct reading *reading, struct lspci_device *device, const char *text);
/* What stands behind "Slot:", or NULL. */
const char *lspci_slot_address(const char *text);
/* "Class: …", "Vendor: …", "Device: …" or "Rev: …" below such a line, or is none. */
bool lspci_take_slot_line(struct reading *reading, struct lspci_device *device, struct dump_line *line);

/* ---- lspci_bytes.c */

/* "00: de 10 30 23 …": takes 16 bytes, or is no such line. */
bool lspci_take_bytes(struct reading *reading, struct lspci_device *device, struct dump_line *line);
/* When all lines of the function were there: what its bytes say goes above its words. */
void lspci_decode_bytes(struct reading *reading, struct lspci_device *device);
/* Puts what is told of `from` above what *to has. */
void lspci_put_over(struct pci_function *to, const struct pci_function *from);

/* ---- lspci_gpus.c: the functions of a listing as GPUs and the bridges above them */

struct lspci_listing {
	struct lspci_device *devices;
	size_t nr;		/* those of the part, */
	size_t nr_all;		/* and behind them what other parts of the dump have */
	bool is_closed;		/* those of the part are all there */
};
void lspci_put_gpus(struct reading *reading, const struct lspci_listing *listing);
bool lspci_is_gpu(const struct lspci_device *device);
