// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * redact_texts.c - texts with a form of their own: paths, command lines, variables. What is not known to be harmless
 * goes.
 */
#include "base/compat.h"
#include "snapshot/redact_internal.h"

#include "base/text.h"

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"
#define GONE "redacted"

const char *redact_path(struct arena *arena, const uint8_t *key, const char *path)
{
	/* Parts of paths that are the same on every machine. */
	static const char *const kept[] = {
		"", ".", "..", "OpenCL", "dev", "docker", "etc", "gpudiag", "home", "init.scope", "kubepods",
		"kubepods.slice", "lib", "lib64", "lxc", "machine.slice", "opt", "proc", "root", "run", "share",
		"slurm",
		"sys", "system", "system.slice", "tmp", "user", "user.slice", "usr", "var", "vendors",
	};
	STRBUF_AUTO out = STRBUF_INIT;

	for (;;) {
		size_t len = strcspn(path, "/");
		const char *part = arena_strndup(arena, path, len);

		strbuf_addstr(&out, text_is_any(part, kept, ARRAY_SIZE(kept)) ? part : pseudonym_of(arena, key, part));
		if (!path[len])
			return arena_strdup(arena, out.buf);
		strbuf_addch(&out, '/');
		path += len + 1;
	}
}

/* Has the value of this boot parameter to do with devices, CPUs or memory, and nothing else? */
static bool steers_hardware(const char *name, size_t len)
{
	static const char *const exact[] = {
		"acpi", "audit", "cma", "default_hugepagesz", "hugepages", "hugepagesz", "idle", "intel_pstate",
		"iommu",
		"isolcpus", "maxcpus", "mce", "mem", "memmap", "mitigations", "modprobe.blacklist", "module_blacklist",
		"movable_node", "nmi_watchdog", "nohz", "nohz_full", "nosmt", "numa", "numa_balancing", "pci", "psi",
		"rcu_nocbs", "rd.driver.blacklist", "swapaccount", "swiotlb", "systemd.unified_cgroup_hierarchy",
		"transparent_hugepage", "tsc", "zswap.enabled",
	};
	static const char *const prefixes[] = {
		"amd_iommu", "amd_pstate", "amdgpu.", "cgroup_", "cpuidle.", "drm.", "i915.", "intel_idle.",
		"intel_iommu",
		"iommu.", "nouveau.", "nvidia", "pci=", "pcie_", "pcie_aspm", "processor.", "vfio", "xe.",
	};

	for (size_t i = 0; i < ARRAY_SIZE(exact); i++)
		if (strlen(exact[i]) == len && !memcmp(exact[i], name, len))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (len >= strlen(prefixes[i]) && !memcmp(prefixes[i], name, strlen(prefixes[i])))
			return true;
	return false;
}

/* A word of the boot line ends at white space that no quote holds. */
static size_t word_length(const char *line)
{
	bool quoted = false;
	size_t len = 0;

	for (; line[len] && (quoted || !strchr(" \t\n", line[len])); len++)
		quoted ^= line[len] == '"';
	return len;
}

static void add_boot_word(struct strbuf *out, const char *word, size_t len)
{
	size_t name = strcspn(word, "=");
	/* A flag is letters alone; what else has no value may be one itself. */
	bool is_flag = name >= len && strspn(word, LOWER "_.-") >= len;

	if (is_flag || (name < len && steers_hardware(word, name)))
		strbuf_add(out, word, len);
	else if (name < len)
		strbuf_addf(out, "%.*s=" GONE, (int)name, word);
	else
		strbuf_addstr(out, GONE);
}

const char *redact_command_line(struct arena *arena, const char *line)
{
	STRBUF_AUTO out = STRBUF_INIT;

	for (line += strspn(line, " \t\n"); *line; line += strspn(line, " \t\n")) {
		size_t len = word_length(line);

		/* What follows is init's. */
		if (len == 2 && !strncmp(line, "--", 2))
			break;
		if (out.len)
			strbuf_addch(&out, ' ');
		add_boot_word(&out, line, len);
		line += len;
	}
	return arena_strdup(arena, out.buf);
}

/* Numbers of devices, switches: "0,1", "on". */
static bool is_harmless(const char *value)
{
	static const char *const words[] = { "", "all", "auto", "false", "no", "none", "off", "on", "true", "void",
					     "yes" };

	return text_is_any(value, words, ARRAY_SIZE(words)) ||
	       (strlen(value) < 12 && strspn(value, "0123456789,.:-") == strlen(value));
}

const char *redact_variable(struct arena *arena, const uint8_t *key, const char *variable)
{
	size_t name = strcspn(variable, "=");
	const char *value = variable[name] ? variable + name + 1 : "";

	if (!variable[name])
		return GONE;
	if (is_harmless(value))
		return variable;
	return arena_printf(arena, "%.*s=%s", (int)name, variable,
			    value[0] == '/' ? redact_path(arena, key, value) : GONE);
}

/* place 1 is the command's name, or the first option where there was none. */
const char *redact_argument(struct arena *arena, const char *argument, size_t place)
{
	size_t name = strcspn(argument, "=");

	if (argument[0] == '-' && argument[1] == '-')
		return argument[name] && !is_harmless(argument + name + 1) ?
			       arena_printf(arena, "%.*s=" GONE, (int)name, argument) : argument;
	if (argument[0] == '-' && strlen(argument) <= 2)
		return argument;
	if (place <= 1 && strspn(argument, LOWER "-") == strlen(argument))
		return argument;
	return is_harmless(argument) ? argument : GONE;
}

/* How much of it is a node's description; 0: it is an interface's own name, or one made up without a machine's. */
static size_t node_length(const char *port)
{
	static const char word[] = " port ";
	static const char *const nameless[] = { "LID ", "mlxlink's " };
	const char *last = NULL;

	for (const char *at = port; (at = strstr(at, word)); at++)
		last = at;
	return last && last[strlen(word) + strspn(last + strlen(word), "0123456789")] == '\0' &&
	       !text_begins_any(port, nameless, ARRAY_SIZE(nameless)) ? (size_t)(last - port) : 0;
}

/* "mlx5_0", "hfi1_0", "HCA-1": many machines have one of this name. */
static bool is_rdma_device(const char *word, size_t len)
{
	const char *number = text_begins(word, "HCA-")				    ? word + strlen("HCA-")
			     : text_begins(word, "mlx") || text_begins(word, "hfi") ? word + strcspn(word, "_") + 1
										    : NULL;

	return number && number < word + len && number + strspn(number, "0123456789") >= word + len;
}

const char *port_word(const char *port, size_t *at, size_t *ret_len)
{
	static const char separators[] = " ;:/";
	const size_t end = node_length(port);

	while (*at < end) {
		const char *word = port + *at;
		size_t len = strcspn(word, separators);

		*at += len + !len;
		*ret_len = len;
		if (len && !is_rdma_device(word, len))
			return word;
	}
	return NULL;
}

const char *redact_port(struct arena *arena, const uint8_t *key, const char *port)
{
	STRBUF_AUTO out = STRBUF_INIT;
	const char *rest = port, *word;
	size_t at = 0, len;

	while ((word = port_word(port, &at, &len))) {
		strbuf_add(&out, rest, (size_t)(word - rest));
		strbuf_addstr(&out, pseudonym_of(arena, key, arena_strndup(arena, word, len)));
		rest = word + len;
	}
	strbuf_addstr(&out, rest);
	return arena_strdup(arena, out.buf);
}

static size_t count_of(const char *text, size_t len, const char *accepted)
{
	size_t ret = 0;

	while (ret < len && strchr(accepted, text[ret]))
		ret++;
	return ret;
}

/* "md0", "md_d0", "sdb1", "nvme0n1p2", and "0" of /dev/md/0 */
bool redact_is_kernels_disk(const char *name, size_t len)
{
	static const struct { const char *stem, *rest; } kinds[] = {
		{ "md_d", DIGITS }, { "md", DIGITS }, { "nvme", DIGITS "np" }, { "sd", LOWER DIGITS }, { "", DIGITS },
	};
	enum { LONGEST_REST = 10, LONGEST_LETTERS = 2 };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t stem = strlen(kinds[i].stem), rest = len - stem;

		if (len <= stem || memcmp(name, kinds[i].stem, stem) != 0 ||
		    count_of(name + stem, rest, kinds[i].rest) != rest)
			continue;
		/* "sdaa12" is a disk, and "sdata" a pool. */
		if (rest <= LONGEST_REST && (stem || len <= 3) &&
		    (strcmp(kinds[i].stem, "sd") != 0 || count_of(name + stem, rest, LOWER) <= LONGEST_LETTERS))
			return true;
	}
	return false;
}

const char *redact_disks(struct arena *arena, const uint8_t *key, const char *names)
{
	STRBUF_AUTO ret = STRBUF_INIT;

	for (size_t len; len = strcspn(names, ","), *names; names += len + strspn(names + len, ", "))
		strbuf_addf(&ret, "%s%s", ret.len ? ", " : "",
			    redact_is_kernels_disk(names, len)
				    ? arena_strndup(arena, names, len)
				    : pseudonym_of(arena, key, arena_strndup(arena, names, len)));
	return arena_strdup(arena, ret.buf);
}
