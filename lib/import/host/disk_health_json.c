// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * disk_health_json.c - the same as JSON: nvme smart-log -o json is the log alone, and names no disk; smartctl -j has
 * the log in an object of its own, beside the disk and the verdict.
 */
#include "base/compat.h"
#include "import/dump/json_text.h"
#include "import/dump/readers.h"
#include "import/host/disk_name.h"
#include "import/host/disk_self_test.h"
#include "import/host/nvme_fields.h"

enum { KELVIN_AT_0_C = 273 };

enum dump_begins disk_health_json_begins(const struct dump_line *lines, size_t nr)
{
	static const char *const keys[] = { "avail_spare", "smartctl" };

	return json_text_has_any(lines, nr, keys, ARRAY_SIZE(keys)) ? BEGINS_NEW : BEGINS_NOT;
}

static const char *text_of(const cJSON *object, const char *name)
{
	const cJSON *member = json_member(object, name);

	return cJSON_IsString(member) && *member->valuestring ? member->valuestring : NULL;
}

/* celsius: what is to be taken off a temperature. */
static void take_log(struct reading *reading, const struct json_text *text, struct nvme_controller *to,
		     const cJSON *log, double celsius)
{
	struct nvme_health *health = &to->health;

	for (const cJSON *member = log->child; member; member = member->next) {
		/* With -v nvme lays its bits out beside the value. */
		const cJSON *value = cJSON_IsObject(member) ? json_member(member, "value") : member;
		struct val_u64 *field = nvme_field(health, member->string, strlen(member->string));
		struct dump_line *line = json_text_line(text, member);
		double number;

		line->is_taken = true;
		if (!value || !json_text_number(value, &number) || number < 0 || number > 1e18)
			continue;
		if (!strcmp(member->string, "temperature"))
			nvme_put_temperature(reading, line, health, number - celsius);
		else if (field && (field != &health->critical_warning || number < UINT8_MAX))
			put(reading, line, *field, val_u64((uint64_t)number));
	}
}

static void take_text(struct reading *reading, const struct json_text *text, const cJSON *root, const char *name,
		      struct val_str *to)
{
	const char *said = text_of(root, name);

	if (said)
		put(reading, json_text_line(text, json_member(root, name)), *to,
		    val_str(arena_strdup(reading->arena, said)));
}

static void take_nvme(struct reading *reading, const struct json_text *text, const cJSON *root, const cJSON *log,
		      const char *name)
{
	struct nvme_controller *controller = nvme_answered(reading, json_text_line(text, log),
							   name ? name : disk_name_for_unknown(reading, "nvmeX", 0));

	take_text(reading, text, root, "model_name", &controller->model);
	take_text(reading, text, root, "serial_number", &controller->serial);
	take_text(reading, text, root, "firmware_version", &controller->firmware);
	take_log(reading, text, controller, log, log == root ? KELVIN_AT_0_C : 0);
}

/* Of a SAS disk as in disk_health.c: only what it predicts is a failure of its own. */
static void take_verdict(struct reading *reading, const struct json_text *text, const cJSON *root, const char *name)
{
	const cJSON *status = json_member(root, "smart_status"), *passed = json_member(status, "passed"),
		    *scsi = json_member(status, "scsi");
	const char *words = text_of(scsi, "ie_string");
	double code = 0, qualifier = 0;
	struct disk *disk;

	if (!cJSON_IsBool(passed))
		return;
	json_text_number(json_member(scsi, "asc"), &code);
	json_text_number(json_member(scsi, "ascq"), &qualifier);
	if (scsi && !cJSON_IsTrue(passed) && (code != 0x5d || qualifier == 0xff))
		return;
	disk = list_element(reading->arena, reading->snapshot, disks, disk,
			    name ? name : disk_name_for_unknown(reading, "sdX", 0));
	take_text(reading, text, root, "model_name", &disk->model);
	put(reading, json_text_line(text, passed), disk->self_assessment,
	    val_str(cJSON_IsTrue(passed) ? "passed"
		    : words		 ? arena_printf(reading->arena, "failed: %s", words)
					 : "failed"));
}

/* The newest that came to its end, as in disk_health.c. */
static void take_self_test(struct reading *reading, const struct json_text *text, const cJSON *root, const char *name)
{
	const cJSON *log = json_member(root, "ata_smart_self_test_log"), *of_kind = json_member(log, "standard"), *table;

	table = json_member(of_kind ? of_kind : json_member(log, "extended"), "table");
	for (const cJSON *test = cJSON_IsArray(table) ? table->child : NULL; test; test = test->next) {
		const cJSON *status = json_member(test, "status");
		const char *words = text_of(status, "string"), *result = words ? disk_self_test_result(words) : NULL;
		struct disk *disk;

		if (!result)
			continue;
		disk = list_element(reading->arena, reading->snapshot, disks, disk,
				    name ? name : disk_name_for_unknown(reading, "sdX", 0));
		put(reading, json_text_line(text, json_member(status, "string")), disk->self_test, val_str(result));
		return;
	}
}

void disk_health_json_read(struct reading *reading)
{
	struct json_text text;
	const cJSON *log, *device;
	const char *name;

	if (json_text_read(reading->part, &text) < 0)
		return;
	log = json_member(text.doc.root, "avail_spare") ? text.doc.root :
	      json_member(text.doc.root, "nvme_smart_health_information_log");
	device = json_member(text.doc.root, "device");
	name = text_of(device, "name");
	name = name ? disk_name(reading->arena, name) : disk_name_of_part(reading->arena, reading->part);
	if (cJSON_IsObject(log))
		take_nvme(reading, &text, text.doc.root, log, name);
	else if (json_member(text.doc.root, "smartctl"))
		take_verdict(reading, &text, text.doc.root, name);
	take_self_test(reading, &text, text.doc.root, name);
	json_text_release(&text);
}
