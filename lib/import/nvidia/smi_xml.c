// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * smi_xml.c - nvidia-smi -q -x, DTD v10 to v13. Of XML it knows what nvidia-smi writes: elements, five entities,
 * comments and the two lines at the top. What else XML can do (entities of its own, CDATA, instructions) ends the
 * reading, and a note says so: no driver writes it.
 */
#include "base/compat.h"
#include "import/dump/readers.h"
#include "import/nvidia/smi_gpu.h"

#include "base/text_scan.h"

enum { MAX_DEPTH = 64, MAX_IN_XML = 4096, LINES_ABOVE = 3 };

static bool is_root(const char *text)
{
	return strstr(text, "<nvidia_smi_log") != NULL;
}

enum dump_begins smi_xml_begins(const struct dump_line *lines, size_t nr)
{
	const char *text = lines->text + strspn(lines->text, " ");

	if (*text != '<')
		return BEGINS_NOT;
	for (size_t i = 0; !strncmp(text, "<?xml", 5) && i < nr && i < LINES_ABOVE; i++)
		if (is_root(lines[i].text))
			return BEGINS_NEW;
	if (is_root(text) || !strncmp(text, "<!DOCTYPE nvidia_smi_log", 24) || !strncmp(text, "<gpu id=\"", 9))
		return BEGINS_MORE;
	return BEGINS_NOT;
}

/* ---- the text of all lines, and the line a place in it is on */

struct xml {
	struct reading *reading;
	struct strbuf text;
	const char *at, *end;
	size_t line, next_line_at;	/* the line that `at` is in; where in the text the next one begins */
	const char *names[MAX_DEPTH];	/* of the elements that are open, in small letters */
	size_t depth;
	const char *value;		/* behind the last opening tag; NULL: an element ended since */
	struct dump_line *value_line;
	struct smi_gpu gpu;		/* .gpu is NULL outside of one */
	uint64_t nr_gpus;
	bool has_ended;			/* what stands behind the document is no part of it */
};

static void join_lines(struct xml *xml)
{
	const struct dump_part *part = xml->reading->part;

	for (size_t i = 0; i < part->nr_lines; i++) {
		strbuf_addstr(&xml->text, part->lines[i].text);
		strbuf_addch(&xml->text, '\n');
	}
	xml->at = xml->text.buf;
	xml->end = xml->at + xml->text.len;
	xml->next_line_at = part->nr_lines ? strlen(part->lines[0].text) + 1 : 0;
}

static struct dump_line *line_at(struct xml *xml, const char *at)
{
	const struct dump_part *part = xml->reading->part;

	while ((size_t)(at - xml->text.buf) >= xml->next_line_at && xml->line + 1 < part->nr_lines)
		xml->next_line_at += strlen(part->lines[++xml->line].text) + 1;
	return &part->lines[xml->line];
}

/* ---- values */

/* The text up to `end` without blanks around it; NULL where an entity is in it that nvidia-smi does not write. */
static const char *decoded(struct xml *xml, const char *at, const char *end)
{
	STRBUF_AUTO out = STRBUF_INIT;

	while (at < end && (*at == ' ' || *at == '\n'))
		at++;
	while (end > at && (end[-1] == ' ' || end[-1] == '\n'))
		end--;
	while (at < end) {
		if (*at == '&') {
			if (!dump_take_entity(&at, end, &out))
				return NULL;
		} else {
			strbuf_addch(&out, *at == '\n' ? ' ' : *at);
			at++;
		}
	}
	return arena_strdup(xml->reading->arena, out.buf);
}

static const char *path_of(struct xml *xml)
{
	STRBUF_AUTO path = STRBUF_INIT;

	for (size_t i = 0; i < xml->depth; i++)
		strbuf_addf(&path, "%s%s", i ? "/" : "", xml->names[i]);
	return arena_strdup(xml->reading->arena, path.buf);
}

static void take_value(struct xml *xml, const char *value)
{
	const char *path = path_of(xml);

	if (!xml->gpu.gpu) {
		smi_take_head(xml->reading, SMI_XML, path, value, xml->value_line);
		return;
	}
	/* The text says "None" here. */
	if (!*value && !strcmp(xml->names[xml->depth - 1], "processes"))
		value = "None";
	smi_take(xml->reading, &xml->gpu, SMI_XML, path, value, xml->value_line);
}

/* ---- GPUs */

static void end_gpu(struct xml *xml)
{
	if (xml->gpu.gpu)
		smi_gpu_end(xml->reading, &xml->gpu);
	xml->gpu = (struct smi_gpu){ .gpu = NULL };
}

/* <gpu id="00000000:5D:00.0">; where that is no address, its pci_bus_id is one, or else it is known by its number. */
static struct gpu *gpu_of(struct xml *xml, const char *tag, struct dump_line *line)
{
	static const char id[] = " id=\"", bus_id[] = "<pci_bus_id>";
	const char *tag_end = strchr(tag, '>'), *end = strstr(tag, "</gpu>"), *at = strstr(tag, id);
	struct gpu *gpu = NULL;

	if (at && at < tag_end)
		gpu = reading_nvidia_gpu(xml->reading, line, at + strlen(id));
	at = gpu ? NULL : strstr(tag, bus_id);
	if (at && (!end || at < end)) {
		at += strlen(bus_id);
		gpu = reading_nvidia_gpu(xml->reading, line, at + strspn(at, " \n"));
	}
	if (gpu)
		return gpu;
	gpu = reading_gpu_by_index(xml->reading, xml->nr_gpus);
	put(xml->reading, line, gpu->pci.vendor_id, val_str("0x10de"));
	put(xml->reading, line, gpu->pci.driver, val_str("nvidia"));
	return gpu;
}

static void begin_gpu(struct xml *xml, const char *tag, struct dump_line *line)
{
	end_gpu(xml);
	xml->depth = 0;
	xml->gpu.gpu = gpu_of(xml, tag, line);
	xml->nr_gpus++;
	put(xml->reading, line, xml->gpu.gpu->nvml.handle, val_str("ok"));
}

/* ---- tags */

static const char *small_name(struct xml *xml, const char *at)
{
	return arena_small_letters(xml->reading->arena, at, strcspn(at, " />\n"));
}

/* What pastes leave out takes tags with it: what is open further in than this name is over. */
static void close_tag(struct xml *xml, const char *tag)
{
	const char *name = small_name(xml, tag + 2), *value;
	size_t depth = xml->depth;

	xml->has_ended |= !strcmp(name, "nvidia_smi_log");
	while (depth && strcmp(xml->names[depth - 1], name) != 0)
		depth--;
	if (!depth)
		return;
	if (depth == xml->depth && xml->value && (value = decoded(xml, xml->value, tag)))
		take_value(xml, value);
	xml->depth = depth - 1;
	xml->value = NULL;
	if (!strcmp(name, "gpu"))
		end_gpu(xml);
}

/* Nothing behind it is read. */
static void refuse(struct xml *xml, const char *at, const char *why)
{
	struct reading *reading = xml->reading;

	if (!xml->has_ended)
		strs_add(reading->arena, &reading->snapshot->run.import_notes,
			 arena_printf(reading->arena, "%s:%u (nvidia-smi -q -x): not read from there on: %s",
				      reading->part->file, line_at(xml, at)->number, why));
}

/* false: it is too deep, or goes on for too long, for what nvidia-smi writes. */
static bool open_tag(struct xml *xml, const char *tag, const char *end)
{
	const char *name = small_name(xml, tag + 1);
	struct dump_line *line = line_at(xml, tag);

	if (xml->depth == MAX_DEPTH || xml->nr_gpus == MAX_IN_XML) {
		refuse(xml, tag, xml->depth == MAX_DEPTH ? "more than 64 elements in each other" : "more than 4096 GPUs");
		return false;
	}
	if (!strcmp(name, "gpu"))
		begin_gpu(xml, tag, line);
	/* Its parent is a section: the line that opened it says no more than that. */
	if (xml->value)
		xml->value_line->is_taken = true;
	if (end[-1] == '/')
		return true;
	xml->names[xml->depth++] = name;
	xml->value = end + 1;
	xml->value_line = line;
	return true;
}

static bool is_tag(const char *at, const char *begin)
{
	return !strncmp(at, begin, strlen(begin));
}

/* What nvidia-smi writes nowhere; NULL: it may be its. */
static const char *strange(const char *tag)
{
	const char *end = strchr(tag, '>');

	if (is_tag(tag, "<!--"))
		return NULL;
	if (is_tag(tag, "<?") && !is_tag(tag, "<?xml "))
		return "an instruction, which nvidia-smi does not write";
	if (is_tag(tag, "<!DOCTYPE") && end && memchr(tag, '[', (size_t)(end - tag)))
		return "the document declares entities, which nvidia-smi does not do";
	if (is_tag(tag, "<!DOCTYPE") && !is_tag(tag, "<!DOCTYPE nvidia_smi_log"))
		return "a document of another type";
	return is_tag(tag, "<!") && !is_tag(tag, "<!DOCTYPE") ? "a declaration, which nvidia-smi does not write" : NULL;
}

/* Where what begins with "<" ends; NULL: nowhere. */
static const char *tag_end(const char *tag)
{
	const char *end, *next = strchr(tag + 1, '<');

	if (is_tag(tag, "<!--")) {
		end = strstr(tag, "-->");
		return end ? end + 2 : NULL;
	}
	end = strchr(tag, '>');
	/* Wrapped by a terminal, its end in a line of its own is lost as the mark of a quotation. */
	if (end && next && next < end && memchr(tag, '\n', (size_t)(next - tag)))
		return memchr(tag, '\n', (size_t)(next - tag));
	return end;
}

static void read_tags(struct xml *xml)
{
	const char *tag, *end, *why;

	for (; (tag = strchr(xml->at, '<')) && (end = tag_end(tag)); xml->at = end + 1) {
		bool is_closing = tag[1] == '/';

		why = strange(tag);
		if (why) {
			refuse(xml, tag, why);
			return;
		}

		if (is_closing || tag[1] == '?' || tag[1] == '!')
			line_at(xml, tag)->is_taken |= !is_closing || !xml->value;
		if (is_closing)
			close_tag(xml, tag);
		else if (tag[1] != '?' && tag[1] != '!' && !open_tag(xml, tag, end))
			return;
	}
}

void smi_xml_read(struct reading *reading)
{
	struct xml xml = { .reading = reading, .text = STRBUF_INIT };

	join_lines(&xml);
	read_tags(&xml);
	end_gpu(&xml);
	strbuf_release(&xml.text);
	smi_number_gpus(reading->snapshot);
}
