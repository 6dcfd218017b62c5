// SPDX-License-Identifier: GPL-2.0-or-later
/* version.c - what a bug report needs: version, commit, and the libraries that are linked. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include <cjson/cJSON.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "build_info.h"
#include "cmd/delivery.h"

#ifdef GPUDIAG_BUNDLED_CJSON
#define LINKAGE "part of gpudiag"
#else
#define LINKAGE "shared library"
#endif

int version_print(void)
{
	STRBUF_AUTO text = STRBUF_INIT;

	/* Scripts read the first line. */
	strbuf_addstr(&text, TOOL "\n");
	strbuf_addstr(&text, "commit: " GPUDIAG_COMMIT "\n");
#ifdef __GLIBC__
	strbuf_addf(&text, "libc: glibc %s (built against %d.%d)\n", gnu_get_libc_version(), __GLIBC__, __GLIBC_MINOR__);
#else
	strbuf_addstr(&text, "libc: unknown\n");
#endif
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
