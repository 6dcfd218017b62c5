// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_container_config.c - what configuration files say of GPUs, in the forms their generators write, and broken ones.
 */
#include "base/compat.h"
#include "format/container_config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/strbuf.h"

static void put(struct strbuf *out, const char *name, struct val_str value)
{
	if (is_known(value))
		strbuf_addf(out, "%s=%s ", name, str_or(value, ""));
}

/* What is known of it: "default=nvidia defines runtime=/usr/bin/x "; "broken 3: …". */
static void check(enum container_config_kind kind, const char *text, const char *told)
{
	struct arena arena = { .blocks = NULL };
	struct container_config config = { .owner = { .state = VAL_UNSET } };
	struct strs imports = { .nr = 0 };
	STRBUF_AUTO out = STRBUF_INIT;

	container_config_parse(&arena, kind, text, strlen(text), &config, &imports);
	if (is_known(config.broken))
		strbuf_addf(&out, "broken %u: %s", (unsigned)u64_or(config.broken_line, 0), str_or(config.broken, ""));
	else
		strbuf_addstr(&out, "");
	if (!is_known(config.broken)) {
		put(&out, "default", config.default_runtime);
		strbuf_addstr(&out, bool_or(config.defines_nvidia, false) ? "defines " : "");
		put(&out, "runtime", config.nvidia_runtime);
		put(&out, "mode", config.mode);
		put(&out, "cdi-kind", config.cdi_kind);
		for (size_t i = 0; i < config.cdi_folders.nr; i++)
			strbuf_addf(&out, "cdi-folder=%s ", config.cdi_folders.v[i]);
		put(&out, "ldcache", config.ldcache);
		strbuf_addstr(&out, bool_or(config.no_cgroups, false) ? "no-cgroups " : "");
		for (size_t i = 0; i < imports.nr; i++)
			strbuf_addf(&out, "imports=%s ", imports.v[i]);
	}
	assert_string_equal(out.buf, told);
	arena_release(&arena);
}

static void docker(void **state)
{
	(void)state;
	check(CONFIG_DOCKER, "", "");
	check(CONFIG_DOCKER,
	      "{\n  \"default-runtime\": \"nvidia\",\n  \"runtimes\": {\n    \"nvidia\": {\n      \"args\": [],\n"
	      "      \"path\": \"nvidia-container-runtime\"\n    }\n  }\n}\n",
	      "default=nvidia defines runtime=nvidia-container-runtime ");
	check(CONFIG_DOCKER, "{\"runtimes\": {\"nvidia\": {\"runtimeType\": \"io.containerd.runc.v2\"}}}", "defines ");
	check(CONFIG_DOCKER, "{\"runtimes\": [], \"default-runtime\": 3}", "");
	check(CONFIG_DOCKER, "{\n  \"log-driver\":", "broken 2: ends too early");
	/* Go's reader takes the last of two. */
	check(CONFIG_DOCKER, "{\"default-runtime\": \"nvidia\", \"default-runtime\": \"runc\"}", "");
	check(CONFIG_DOCKER, "{\n  \"log-driver\": \"json-file\",\n}\n", "broken 3: key expected after the comma");
}

static void containerd(void **state)
{
	(void)state;
	check(CONFIG_CONTAINERD,
	      "version = 2\nimports = [\"/etc/containerd/conf.d/*.toml\", # ours\n  '/etc/x.toml',\n]\n"
	      "[plugins]\n  [plugins.\"io.containerd.grpc.v1.cri\"]\n    enable_cdi = true\n"
	      "    [plugins.\"io.containerd.grpc.v1.cri\".containerd]\n      default_runtime_name = \"nvidia\"\n"
	      "      [plugins.\"io.containerd.grpc.v1.cri\".containerd.runtimes.nvidia]\n        runtime_type = \"io.containerd.runc.v2\"\n"
	      "        [plugins.\"io.containerd.grpc.v1.cri\".containerd.runtimes.nvidia.options]\n"
	      "          BinaryName = \"/usr/bin/nvidia-container-runtime\"\n",
	      "default=nvidia defines runtime=/usr/bin/nvidia-container-runtime imports=/etc/containerd/conf.d/*.toml "
	      "imports=/etc/x.toml ");
	/* The form of version 3, and another runtime whose name begins alike. */
	check(CONFIG_CONTAINERD,
	      "version = 3\n[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.nvidia-cdi.options]\n"
	      "BinaryName = '/usr/bin/other'\n",
	      "");
	check(CONFIG_CONTAINERD,
	      "a = { b = \"}\", c = [1, 2] }\nd = \"\"\"\n] x = \"\n\"\"\"\ne = 1979-05-27 07:32:00Z\nf.g = -1\n[[h]]\n",
	      "");
}

static void cri_o_and_nvidia(void **state)
{
	(void)state;
	check(CONFIG_CRIO,
	      "[crio]\n\n  [crio.runtime]\n    default_runtime = \"nvidia\"\n\n    [crio.runtime.runtimes]\n\n"
	      "      [crio.runtime.runtimes.nvidia]\n        runtime_path = \"/usr/local/nvidia/toolkit/nvidia-container-runtime\"\n",
	      "default=nvidia defines runtime=/usr/local/nvidia/toolkit/nvidia-container-runtime ");
	check(CONFIG_NVIDIA,
	      "#accept-nvidia-visible-devices-envvar-when-unprivileged = true\ndisable-require = false\n\n"
	      "[nvidia-container-cli]\nenvironment = []\n#ldcache = \"/etc/x\"\nldcache = \"/etc/ld.so.cache\"\n"
	      "load-kmods = true\nno-cgroups = true\n\n[nvidia-container-runtime]\nmode = \"auto\"\n"
	      "runtimes = [\"runc\", \"crun\"]\n\n[nvidia-container-runtime.modes.cdi]\nmode = \"other\"\n",
	      "mode=auto ldcache=/etc/ld.so.cache no-cgroups ");
	check(CONFIG_NVIDIA, "[nvidia-container-runtime]\nmode = \"cdi\"\n[nvidia-container-runtime.modes.cdi]\n"
	      "annotation-prefixes = [\"cdi.k8s.io/\"]\ndefault-kind = \"management.nvidia.com/gpu\"\n"
	      "spec-dirs = [\"/etc/cdi\", \"/opt/cdi\"]\n",
	      "mode=cdi cdi-kind=management.nvidia.com/gpu cdi-folder=/etc/cdi cdi-folder=/opt/cdi ");
}

static void broken_toml(void **state)
{
	(void)state;
	check(CONFIG_CONTAINERD, "version = 2\n[plugins\n", "broken 2: a table without its ]");
	check(CONFIG_CONTAINERD, "version = 2\nimports\n", "broken 2: no = after the key");
	check(CONFIG_CONTAINERD, "a = \"x\nb = 1\n", "broken 1: a quotation mark without its other");
	check(CONFIG_CONTAINERD, "a = runc\n", "broken 1: a text without quotation marks");
	check(CONFIG_CONTAINERD, "a =\n", "broken 1: no value after the =");
	check(CONFIG_CONTAINERD, "a = \"x\" y\n", "broken 1: text after the end of the value or table");
	check(CONFIG_CONTAINERD, "b = 1\na = [1,\n2\n", "broken 2: an array without its ]");
	check(CONFIG_CONTAINERD, "{\"a\": 1}\n", "broken 1: no key or table");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(docker),
		cmocka_unit_test(containerd),
		cmocka_unit_test(cri_o_and_nvidia),
		cmocka_unit_test(broken_toml),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
