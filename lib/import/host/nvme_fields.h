/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nvme_fields.h - the health log of an NVMe disk as tools name its fields. */
#pragma once

#include "import/dump/dump.h"

/* Of a field with such a name in nvme or smartctl, as text or JSON; NULL: nothing is made of it, or it is no number. */
struct val_u64 *nvme_field(struct nvme_health *health, const char *name, size_t len);

/* The disk that answered: so it is there. Its key: the name of its controller. */
struct nvme_controller *nvme_answered(struct reading *reading, struct dump_line *line, const char *name);

/* Temperature in °C; none of a disk that does not measure it. */
void nvme_put_temperature(struct reading *reading, struct dump_line *line, struct nvme_health *health, double celsius);
