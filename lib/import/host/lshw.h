/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lshw.h - a device as lshw tells it, as text and as JSON. */
#pragma once

#include "import/host/lspci.h"

struct lshw_device {
	struct dump_line *line;			/* that begins it; NULL: there is none */
	struct dump_line *driver_line;		/* that names its driver */
	bool is_unclaimed;			/* no driver is bound */
	/* NULL, each: not told */
	const char *description;		/* its class: "3D controller" */
	const char *product, *vendor;
	const char *bus_info;			/* "pci@0000:01:00.0" */
	const char *driver;
};

/* Adds it to a listing, if it is on the PCI bus. */
void lshw_put(struct reading *reading, struct lspci_listing *listing, const struct lshw_device *device);
