// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * log.c - what reading a log takes at least: log STEP FILE reads it in chunks, as gpudiag logs does, and for
 *
 *	read		does nothing more
 *	lines		counts its lines
 *	prefilter	finds the lines that may matter, too
 *
 * and prints how many of these there were. "log patterns" prints the patterns of the
 * catalogue as extended regular expressions for grep.
 */
#include "base/compat.h"

#include <fcntl.h>
#include <unistd.h>

#include "klog/catalogue.h"
#include "klog/prefilter.h"

enum { CHUNK_BYTES = 256 * 1024 };

/* A character that stands for itself. */
static void put_literal(char c)
{
	if (strchr("\\^$.[]|()*+?{}", c))
		putchar('\\');
	putchar(c);
}

static bool is_place(const char *name, size_t len, const char *names)
{
	const char *found = memmem(names, strlen(names), name, len);

	return found && found[-1] == ' ' && (found[len] == ' ');
}

/* What stands between the braces of a pattern. */
static void put_place(const char *name, size_t len)
{
	if (name[0] == '?') {
		putchar('(');
		for (size_t i = 1; i < len; i++)
			put_literal(name[i]);
		fputs(")?", stdout);
	} else if (is_place(name, len, " code pid count link n ")) {
		fputs("[0-9]+", stdout);
	} else if (is_place(name, len, " address x ")) {
		fputs("[0-9a-fA-Fx]+", stdout);
	} else if (is_place(name, len, " pci ")) {
		fputs("(PCI:)?[0-9a-fA-F:.]+", stdout);
	} else {
		fputs(is_place(name, len, " w ") ? "[^ ]+" : ".*", stdout);
	}
}

static const char *const speakers[NR_KLOG_FAMILIES] = {
	[KLOG_FAMILY_XID] = "NVRM: Xid \\(PCI:[0-9a-fA-F:.]+.*\\): ",
	[KLOG_FAMILY_SXID] = "nvidia-nvswitch[0-9]+: SXid \\(PCI:[0-9a-fA-F:.]+\\): ",
	[KLOG_FAMILY_NVIDIA] = "(NVRM|nvidia[-a-z]*|nvidia [0-9a-f:.]+): ",
	[KLOG_FAMILY_AMDGPU] = "(amdgpu|\\[drm).*",
	[KLOG_FAMILY_INTEL] = "(i915 |xe |\\[drm).*",
	[KLOG_FAMILY_NOUVEAU] = "(nouveau|\\[drm).*",
	[KLOG_FAMILY_RADEON] = "(radeon|\\[drm).*",
	[KLOG_FAMILY_DRM] = "\\[drm.*",
	[KLOG_FAMILY_PCI] = "",
	[KLOG_FAMILY_GHES] = "\\[Hardware Error\\]: +",
	[KLOG_FAMILY_HOST] = "",
};

static void print_patterns(void)
{
	printf("%s[0-9]+\n", speakers[KLOG_FAMILY_XID]);
	for (size_t i = 0; i < NR_KLOG_PATTERNS; i++) {
		const char *c = klog_patterns[i].pattern;

		/* What goes on with an event is looked at behind one only. */
		if ((klog_patterns[i].role != KLOG_ROLE_EVENT && klog_patterns[i].role != KLOG_ROLE_MARK) ||
		    klog_patterns[i].family == KLOG_FAMILY_XID)
			continue;
		fputs(speakers[klog_patterns[i].family], stdout);
		while (*c) {
			size_t len = strcspn(c + 1, "}");

			if (*c == '{') {
				put_place(c + 1, len);
				c += len + 2;
			} else {
				put_literal(*c++);
			}
		}
		putchar('\n');
	}
}

static uint64_t candidates(const char *at, const char *end)
{
	uint64_t nr = 0;

	while (at && (at = klog_next_candidate(at, end)) < end) {
		nr++;
		at = memchr(at, '\n', (size_t)(end - at));
	}
	return nr;
}

int main(int argc, char **argv)
{
	static char chunk[CHUNK_BYTES];
	const char *step = argc > 1 ? argv[1] : "";
	uint64_t lines = 0, nr = 0;
	ssize_t got;
	int fd;

	if (argc == 2 && !strcmp(step, "patterns")) {
		print_patterns();
		return 0;
	}
	fd = argc == 3 ? open(argv[2], O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0) {
		fputs("usage: log patterns, or log read|lines|prefilter FILE\n", stderr);
		return 64;
	}
	while ((got = read(fd, chunk, sizeof(chunk))) > 0) {
		if (strcmp(step, "read") != 0)
			lines += klog_count_lines(chunk, chunk + got);
		if (!strcmp(step, "prefilter"))
			nr += candidates(chunk, chunk + got);
	}
	close(fd);
	printf("%llu\n", (unsigned long long)(strcmp(step, "prefilter") != 0 ? lines : nr));
	return got < 0;
}
