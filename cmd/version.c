// SPDX-License-Identifier: GPL-2.0-or-later
/* version.c - what a bug report needs: version, commit, and the libraries that are linked. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include <unistd.h>

#include "base/json.h"
#include "cmd/build_info.h"
#include "cmd/delivery.h"

#ifdef GPUDIAG_BUNDLED_CJSON
#define LINKAGE "part of gpudiag"
#else
#define LINKAGE "shared library"
#endif

static void add_libc(struct strbuf *out)
{
#ifdef __GLIBC__
	char running[64];

	if (!confstr(_CS_GNU_LIBC_VERSION, running, sizeof(running)))
		snprintf(running, sizeof(running), "unknown");
	strbuf_addf(out, "libc: %s (built against %d.%d)\n", running, __GLIBC__, __GLIBC_MINOR__);
#else
	strbuf_addstr(out, "libc: unknown\n");
#endif
}

int version_print(void)
{
	STRBUF_AUTO text = STRBUF_INIT;

	/* Scripts read the first line. */
	strbuf_addstr(&text, TOOL "\n");
	strbuf_addstr(&text, "commit: " GPUDIAG_COMMIT "\n");
	add_libc(&text);
	strbuf_addf(&text, "cJSON: %s, " LINKAGE " (built against %d.%d.%d)\n", cJSON_Version(), CJSON_VERSION_MAJOR,
		    CJSON_VERSION_MINOR, CJSON_VERSION_PATCH);
	return deliver(text.buf, text.len);
}

static int version_main(int argc, char **argv)
{
	struct option_parser parser = { .rows = no_options, .argc = argc, .argv = argv, .command = "version" };

	options_take(&parser);
	if (parser.at < argc)
		die(EXIT_USAGE, "version: unexpected argument \"%s\"", argv[parser.at]);
	return version_print();
}

static const struct help_example examples[] = {
	{ "gpudiag version", NULL },
	{ .command = NULL },
};

const struct command command_version = {
	.name = "version",
	.summary = "print version, commit and libraries",
	.usage = "version",
	.doc = "Print name and version, and on further lines the commit, libc and cJSON: the same as gpudiag --version.",
	.examples = examples,
	.options = no_options,
	.main = version_main,
};
