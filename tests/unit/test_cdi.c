// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_cdi.c - CDI files as generators write them, in JSON and YAML; what is valid and of another form; what is broken.
 */
#include "base/compat.h"
#include "format/cdi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/strbuf.h"

static void put_list(struct strbuf *out, const char *head, const struct strs *list)
{
	strbuf_addstr(out, head);
	for (size_t i = 0; i < list->nr; i++)
		strbuf_addf(out, " %s", list->v[i]);
}

/* "nvidia.com/gpu | 0 all | /dev/nvidia0"; "unknown 3: …" and "broken 3: …" where it was not read. */
static void check(const char *text, const char *told)
{
	struct arena arena = { .blocks = NULL };
	STRBUF_AUTO out = STRBUF_INIT;
	struct cdi_content content;

	cdi_parse(&arena, text, strlen(text), false, &content);
	if (content.form == CDI_READ) {
		strbuf_addstr(&out, content.kind ? content.kind : "(none)");
		put_list(&out, " |", &content.devices);
		put_list(&out, " |", &content.paths);
		assert_null(content.what);
	} else {
		strbuf_addf(&out, "%s %u: %s", content.form == CDI_BROKEN ? "broken" : "unknown", content.line,
			    content.what);
	}
	assert_string_equal(out.buf, told);
	arena_release(&arena);
}

#define ALL "nvidia.com/gpu | 0 all | /dev/nvidiactl /run/nvidia/driver/usr/lib/libcuda.so.550.54.14 /dev/nvidia0"

/* In the order and with the indentation of nvidia-ctk 1.17. */
static void as_nvidia_ctk_writes(void **state)
{
	(void)state;
	check("---\n"
	      "cdiVersion: 0.6.0\n"
	      "containerEdits:\n"
	      "  deviceNodes:\n"
	      "  - path: /dev/nvidiactl\n"
	      "  env:\n"
	      "  - NVIDIA_VISIBLE_DEVICES=void\n"
	      "  hooks:\n"
	      "  - args:\n"
	      "    - nvidia-cdi-hook\n"
	      "    - create-symlinks\n"
	      "    - --link\n"
	      "    - ../libnvidia-allocator.so.1::/usr/lib/x86_64-linux-gnu/gbm/nvidia-drm_gbm.so\n"
	      "    hookName: createContainer\n"
	      "    path: /usr/bin/nvidia-cdi-hook\n"
	      "  mounts:\n"
	      "  - containerPath: /usr/lib/libcuda.so.550.54.14\n"
	      "    hostPath: /run/nvidia/driver/usr/lib/libcuda.so.550.54.14\n"
	      "    options:\n"
	      "    - ro\n"
	      "    - bind\n"
	      "devices:\n"
	      "- containerEdits:\n"
	      "    deviceNodes:\n"
	      "    - path: /dev/nvidia0\n"
	      "  name: \"0\"\n"
	      "- containerEdits:\n"
	      "    deviceNodes:\n"
	      "    - path: /dev/nvidia0\n"
	      "  name: all\n"
	      "kind: nvidia.com/gpu\n", ALL);
	/* Lists further in, quotes, remarks, other line ends, a node by another name on the host. */
	check("kind: 'nvidia.com/gpu'   # a remark\r\n"
	      "# another\r\n"
	      "\r\n"
	      "containerEdits:\r\n"
	      "    deviceNodes:\r\n"
	      "      - path: /dev/nvidiactl\r\n"
	      "        major: 195\r\n"
	      "    mounts:\r\n"
	      "      - hostPath: \"/run/nvidia/driver/usr/lib/libcuda.so.550.54.14\"\r\n"
	      "        containerPath: /usr/lib/libcuda.so.1\r\n"
	      "    hooks: []\r\n"
	      "devices:\r\n"
	      "  - name: 0\r\n"
	      "    containerEdits:\r\n"
	      "      deviceNodes:\r\n"
	      "        - hostPath: /dev/nvidia0\r\n"
	      "          path: /dev/other\r\n"
	      "        - path: /dev/made\r\n"
	      "          type: c\r\n"
	      "          major: 195\r\n"
	      "  -\r\n"
	      "    name: all", ALL);
}

static void as_json(void **state)
{
	(void)state;
	check("{\"cdiVersion\": \"0.5.0\", \"kind\": \"nvidia.com/gpu\", \"containerEdits\": {\"deviceNodes\": [{\"path\": "
	      "\"/dev/nvidiactl\"}], \"mounts\": [{\"hostPath\": \"/run/nvidia/driver/usr/lib/libcuda.so.550.54.14\", "
	      "\"containerPath\": \"/x\"}]}, \"devices\": [{\"name\": \"0\", \"containerEdits\": {\"deviceNodes\": [{\"path\": "
	      "\"/dev/other\", \"hostPath\": \"/dev/nvidia0\"}, {\"path\": \"/dev/made\", \"type\": \"c\", \"major\": 195}]}}, {\"name\": \"all\"}]}",
	      ALL);
	check("{\"kind\": 7, \"devices\": {\"name\": 3}, \"containerEdits\": [4]}", "(none) | |");
	check("{\"kind\": \"nvidia.com/gpu\"\n\"devices\": []\n}", "broken 2: ',' or '}' expected");
	check("{\"kind\": \"nvidia.com/gpu\",\n\"devices\": [", "broken 2: ends too early");
	/* What is read as YAML may have more. */
	check("{\"kind\": \"nvidia.com/gpu\",\n\"devices\": [],\n}", "unknown 3: key expected after the comma");
	check("{kind: nvidia.com/gpu}", "unknown 1: key expected, in double quotes");
}

/* Valid, and left to others. */
static void other_forms_are_unknown(void **state)
{
	(void)state;
	check("", "(none) | |");
	check("kind: [a]\n", "unknown 1: not of the form that nvidia-ctk writes");
	check("a: b\ndevices: &x\n", "unknown 2: not of the form that nvidia-ctk writes");
	check("a: |\n  text\n", "unknown 1: not of the form that nvidia-ctk writes");
	check("a: b\n---\na: c\n", "unknown 2: not of the form that nvidia-ctk writes");
	check("%YAML 1.2\n---\na: c\n", "unknown 1: not of the form that nvidia-ctk writes");
	check("a: b\n  continued\n", "unknown 2: not of the form that nvidia-ctk writes");
	check("a: b\n \tcontinued\n", "unknown 2: not of the form that nvidia-ctk writes");
	check("a:\n- b\n  continued\n", "unknown 3: not of the form that nvidia-ctk writes");
	check("? a\n: b\n", "unknown 1: not of the form that nvidia-ctk writes");
	check("a: b\nc d: e\n", "unknown 2: not of the form that nvidia-ctk writes");
	check("a: 'it''s'\n", "unknown 1: a quoted text with escapes, or of several lines");
	check("a: \"x\\ty\"\n", "unknown 1: a quoted text with escapes, or of several lines");
	check("a: 'x\n  y'\n", "unknown 1: a quoted text with escapes, or of several lines");
	check("- - - - - - - - - - - - - - - - - x\n", "unknown 1: nested deeper than any generator does");
}

static void what_no_reader_takes_is_broken(void **state)
{
	(void)state;
	check("a: b\n\tc: d\n", "broken 2: a tab in the indentation");
	check("a:\n    b: c\n  d: e\n", "broken 3: indentation that fits no line above");
	check("a: b\n  c: d\n", "broken 2: indentation that fits no line above");
	check("a: b\n- c\n", "broken 2: indentation that fits no line above");
	check("kind: nvidia.com/gpu\ncontainerEdits\ndevices:\n",
	      "broken 2: neither a key with its colon nor an item of a list");
	check("a: \"x\nb: c\n", "broken 1: a quotation mark without its other");
	check("a: 'x' y\n", "broken 1: text after a quoted text");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_nvidia_ctk_writes),
		cmocka_unit_test(as_json),
		cmocka_unit_test(other_forms_are_unknown),
		cmocka_unit_test(what_no_reader_takes_is_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
