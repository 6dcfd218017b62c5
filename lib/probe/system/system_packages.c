// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * system_packages.c - software of GPUs' stacks among dpkg's packages.
 *
 * dpkg keeps them in one text file of some MiB: paragraphs of "Field: value"
 * with an empty line between them (Debian policy 5.1). It is read piece by
 * piece, and of each line the beginning. rpm's database is no text: there only
 * files tell (system_software.c).
 */
#include "base/compat.h"
#include "probe/system/system_internal.h"

#include <errno.h>

#include "base/text_scan.h"
#include "probe/read.h"

#define STATUS "/var/lib/dpkg/status"

enum {
	PIECE_BYTES = 256 * 1024,
	MAX_PIECES = 256,		/* 64 MiB: a desktop with all of a distribution has 10 */
	LINE_BYTES = 512,		/* names and versions are shorter; descriptions need not be read whole */
};

/*
 * '#' stands for digits. NVIDIA's packages with the driver's branch in their names lost it with R580 (install.sh of
 * NVIDIA's gpu-driver-container).
 */
static const struct known_package {
	const char *package;
	const char *name;
} known_packages[] = {
	{ "nvidia-fabricmanager", "fabric-manager" },	{ "nvidia-fabricmanager-#", "fabric-manager" },
	{ "libnvidia-nscq", "nscq" },			{ "libnvidia-nscq-#", "nscq" },
	{ "libnvsdm", "nvsdm" },			{ "libnvsdm-#", "nvsdm" },
	{ "nvidia-imex", "imex" },			{ "nvidia-imex-#", "imex" },
	{ "nvlsm", "nvlsm" },
	{ "nvidia-container-toolkit", "container-toolkit" },
	{ "cuda-toolkit-#-#", "cuda-toolkit" },
	{ "libnccl2", "nccl" },
	{ "datacenter-gpu-manager", "dcgm" },		{ "datacenter-gpu-manager-#-core", "dcgm" },
	{ "nvidia-driver", "nvidia-driver" },		{ "nvidia-driver-#", "nvidia-driver" },
	{ "nvidia-driver-#-server", "nvidia-driver" },	{ "nvidia-driver-#-open", "nvidia-driver" },
	{ "nvidia-driver-#-server-open", "nvidia-driver" },
	{ "rocm-core", "rocm" },
	{ "level-zero", "level-zero" },			{ "libze#", "level-zero" },
};

static bool matches(const char *pattern, const char *text)
{
	for (; *pattern; pattern++) {
		if (*pattern != '#') {
			if (*pattern != *text++)
				return false;
			continue;
		}
		if (!is_digit(*text))
			return false;
		while (is_digit(*text))
			text++;
	}
	return !*text;
}

const char *software_of_package(const char *package)
{
	for (size_t i = 0; i < ARRAY_SIZE(known_packages); i++)
		if (matches(known_packages[i].package, package))
			return known_packages[i].name;
	return NULL;
}

const char *upstream_version(struct arena *arena, const char *version)
{
	const char *colon = strchr(version, ':'), *begin = colon ? colon + 1 : version;
	const char *revision = strrchr(begin, '-');

	return revision ? arena_strndup(arena, begin, (size_t)(revision - begin)) : arena_strdup(arena, begin);
}

/* The paragraph being read. */
struct paragraph {
	char package[LINE_BYTES];
	char version[LINE_BYTES];
	bool is_installed;
};

static void end_paragraph(struct snapshot *facts, struct paragraph *paragraph)
{
	const char *name = software_of_package(paragraph->package);
	struct arena *arena = &facts->arena;

	if (name && paragraph->is_installed) {
		const char *version = upstream_version(arena, paragraph->version);

		software_add(facts, paragraph->package, name,
			     *version ? text_value(arena, version, strlen(version)) :
					no_str(VAL_ABSENT, "the package has none"));
	}
	*paragraph = (struct paragraph){ .package = "", .version = "", .is_installed = false };
}

/* The value where the line is that field's, else NULL. */
static const char *value_of(const char *line, const char *field)
{
	size_t len = strlen(field);

	return strncmp(line, field, len) ? NULL : line + len + strspn(line + len, " ");
}

/* "Status: install ok installed": what was removed and left its settings is in the file too. */
static void take_line(struct snapshot *facts, struct paragraph *paragraph, const char *line)
{
	static const char installed[] = " installed";
	const char *value;

	if (!*line)
		end_paragraph(facts, paragraph);
	else if ((value = value_of(line, "Package:")))
		snprintf(paragraph->package, sizeof(paragraph->package), "%s", value);
	else if ((value = value_of(line, "Version:")))
		snprintf(paragraph->version, sizeof(paragraph->version), "%s", value);
	else if ((value = value_of(line, "Status:")))
		paragraph->is_installed = strlen(value) > strlen(installed) &&
					  !strcmp(value + strlen(value) - strlen(installed), installed);
}

/* The line that is being read; what does not fit is left out. */
struct line {
	char text[LINE_BYTES];
	size_t len;
};

static void end_line(struct snapshot *facts, struct paragraph *paragraph, struct line *line)
{
	line->text[line->len] = '\0';
	line->len = 0;
	take_line(facts, paragraph, line->text);
}

static void take_piece(struct snapshot *facts, struct paragraph *paragraph, struct line *line, const char *piece,
		       size_t len)
{
	for (size_t at = 0; at < len; at++) {
		if (piece[at] != '\n') {
			if (line->len + 1 < sizeof(line->text))
				line->text[line->len++] = piece[at];
			continue;
		}
		end_line(facts, paragraph, line);
	}
}

/* 0, or -errno. */
static int read_status(struct probe_env *env, struct snapshot *facts)
{
	struct arena scratch = { 0 };
	char *piece = arena_alloc(&scratch, PIECE_BYTES);
	struct paragraph paragraph = { .package = "", .version = "", .is_installed = false };
	struct line line = { .text = "", .len = 0 };
	size_t got = PIECE_BYTES;
	int error = 0;

	for (size_t i = 0; !error && got == PIECE_BYTES; i++) {
		error = i == MAX_PIECES ? -EFBIG :
			root_read_at(env->root, piece, PIECE_BYTES, &got, i * PIECE_BYTES, STATUS);
		if (!error)
			take_piece(facts, &paragraph, &line, piece, got);
	}
	if (!error) {
		end_line(facts, &paragraph, &line);
		end_paragraph(facts, &paragraph);
	}
	arena_release(&scratch);
	return error;
}

void system_packages_read(struct probe_env *env, struct snapshot *facts)
{
	int error = read_status(env, facts);

	if (!error)
		facts->listed.software = val_u64(facts->nr_software);
	else if (error == -ENOENT)
		facts->listed.software = no_u64(VAL_UNSUPPORTED, "dpkg has no list here, and rpm's is not read");
	else
		facts->listed.software = no_u64(state_of_errno(error), name_of_errno(error));
}
