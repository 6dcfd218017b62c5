// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recorded_file.c - files that a dump shows whole, by their paths: a banner ("*** PATH"), "*** ls: -r--r--r-- 1 root
 * root 0 2023-11-04 12:00:01.123456789 +0100 PATH", then what is in it.
 */
#include "base/compat.h"
#include "import/log/bug_report.h"

#include "format/nvidia_text.h"
#include "import/dump/readers.h"

typedef void read_fn(struct reading *reading, const char *path, const char *text);

static struct dump_line *first_line(const struct reading *reading)
{
	const struct dump_part *part = reading->part;
	bool has_banner = !strncmp(part->lines[0].text, "*** ", 4);

	return &part->lines[has_banner && part->nr_lines > 1 ? 1 : 0];
}

static void read_nvidia_version(struct reading *reading, const char *path, const char *text)
{
	struct snapshot *snapshot = reading->snapshot;
	struct module *nvidia = list_element(reading->arena, snapshot, modules, module, "nvidia");
	struct val_str driver, flavour;

	(void)path;
	nvidia_version_parse(reading->arena, text, &driver, &flavour);
	if (is_known(driver))
		put(reading, first_line(reading), nvidia->version, driver);
	if (is_known(flavour))
		put(reading, first_line(reading), nvidia->flavour, flavour);
}

static void read_nvidia_information(struct reading *reading, const char *path, const char *text)
{
	static const char gpus[] = "/gpus/";
	const char *address = strstr(path, gpus) + strlen(gpus);
	struct proc_text file = { .text = STRBUF_INIT, .state = VAL_OK };
	struct gpu *gpu;

	gpu = reading_nvidia_gpu(reading, first_line(reading),
				 arena_strndup(reading->arena, address, strcspn(address, "/")));
	if (!gpu)
		return;
	strbuf_addstr(&file.text, text);
	nvidia_information_decode(&file, reading->arena, &gpu->nvidia);
	strbuf_release(&file.text);
}

static void read_command_line(struct reading *reading, const char *path, const char *text)
{
	(void)path;
	put(reading, first_line(reading), reading->snapshot->host.kernel_command_line,
	    val_str(arena_strndup(reading->arena, text, strcspn(text, "\n"))));
}

/* A guest of a hypervisor that does not hide. Without the word nothing is told. */
static void read_cpuinfo(struct reading *reading, const char *path, const char *text)
{
	const char *flags = proc_text_value(text, "flags"), *end = flags ? flags + strcspn(flags, "\n") : NULL;
	const char *word = flags ? strstr(flags, " hypervisor") : NULL;

	(void)path;
	if (word && word < end && strchr(" \n", word[strlen(" hypervisor")]))
		put(reading, first_line(reading), reading->snapshot->host.virtualisation, val_str("vm"));
}

/* PRETTY_NAME="Ubuntu 22.04.4 LTS" */
static void read_os_release(struct reading *reading, const char *path, const char *text)
{
	static const char name[] = "PRETTY_NAME=";
	const char *at = strstr(text, name);
	size_t len;

	(void)path;
	if (!at)
		return;
	at += strlen(name);
	at += *at == '"' || *at == '\'' ? 1 : 0;
	len = strcspn(at, "\"'\n");
	if (len)
		put(reading, first_line(reading), reading->snapshot->host.os,
		    val_str(arena_strndup(reading->arena, at, len)));
}

static const struct { const char *begins, *ends; read_fn *read; } files[] = {
	{ "/proc/driver/nvidia/version", "", read_nvidia_version },
	{ "/proc/driver/nvidia/gpus/", "/information", read_nvidia_information },
	{ "/proc/cmdline", "", read_command_line },
	{ "/proc/cpuinfo", "", read_cpuinfo },
	{ "/etc/os-release", "", read_os_release },
};

/* Scripts of most versions name what stands below /proc/driver/nvidia by way of "./". */
static void without_dot(const char *path, char *ret, size_t size)
{
	const char *dot = strstr(path, "/./");
	int before = dot ? (int)(dot - path) : 0;

	snprintf(ret, size, "%.*s%s", before, path, dot ? dot + 2 : path);
}

static read_fn *reader_of(const char *path)
{
	char plain[256];
	size_t len;

	without_dot(path, plain, sizeof(plain));
	len = strlen(plain);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		size_t begins = strlen(files[i].begins), ends = strlen(files[i].ends);

		if (len < begins + ends || strncmp(plain, files[i].begins, begins) != 0)
			continue;
		if (ends ? !strcmp(plain + len - ends, files[i].ends) : len == begins)
			return files[i].read;
	}
	return NULL;
}

bool recorded_file_is_read(const char *path)
{
	return reader_of(path);
}

void recorded_file_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];

		line->is_taken = true;
		if (strncmp(line->text, "*** ", 4) != 0 && (*line->text || text.len))
			strbuf_addf(&text, "%s\n", line->text);
	}
	if (text.len)
		reader_of(part->about)(reading, part->about, text.buf);
}
