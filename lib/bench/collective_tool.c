// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "bench/collective_tool.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "probe/read.h"
#include "sys/own_path.h"

#define NAME "all_reduce_perf"

/* ---- whose it is */

/* The first part of the path that is not root's alone. */
static const char *foreign_part(struct arena *arena, const char *path)
{
	for (const char *end = path; *end;) {
		const char *part;

		end += strspn(end, "/");
		end += strcspn(end, "/");
		part = arena_strndup(arena, path, (size_t)(end - path));
		if (!path_is_own(part))
			return part;
	}
	return path;
}

static const char *foreign(struct arena *arena, const char *path)
{
	const char *part = foreign_part(arena, path);
	struct stat st;

	if (lstat(part, &st) || !st.st_uid)
		return arena_printf(arena,
				    "other users may write to %s, and root runs nothing from there: chmod go-w, or run "
				    "gpudiag as the user whose it is (sudo -u USER)",
				    part);
	return arena_printf(arena,
			    "%s belongs to user %u, and root runs no other user's files: run gpudiag as that user "
			    "(sudo -u '#%u')",
			    part, (unsigned)st.st_uid, (unsigned)st.st_uid);
}

/* ---- what it is */

/* As uname(1) names them. */
static const char *architecture(struct arena *arena, unsigned machine)
{
	static const struct {
		unsigned machine;
		const char *name;
	} names[] = {
		{ EM_X86_64, "x86_64" }, { EM_AARCH64, "aarch64" }, { EM_PPC64, "ppc64" }, { EM_386, "i386" },
		{ EM_ARM, "arm" }, { EM_RISCV, "riscv" }, { EM_S390, "s390" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].machine == machine)
			return names[i].name;
	return arena_printf(arena, "ELF machine %u", machine);
}

struct head {
	ssize_t len;		/* -errno: it could not be read */
	Elf64_Ehdr elf;		/* the first 20 bytes are alike in both classes */
};

static void read_head(const char *path, struct head *ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	*ret = (struct head){ .len = -errno };
	if (fd < 0)
		return;
	ret->len = read(fd, &ret->elf, sizeof(ret->elf));
	ret->len = ret->len < 0 ? -errno : ret->len;
	close(fd);
}

static const char *why_no_program(struct arena *arena, const char *path)
{
	struct head head, own;

	read_head(path, &head);
	if (head.len < 0)
		return arena_printf(arena, "its file cannot be read: %s", name_of_errno((int)head.len));
	if (!head.len)
		return "an empty file";
	if (head.len >= 2 && !memcmp(&head.elf, "#!", 2))
		return "a script: name the program that it starts";
	if (head.len < (ssize_t)sizeof(head.elf) || memcmp(head.elf.e_ident, ELFMAG, SELFMAG) != 0)
		return "not a program: no ELF file";
	read_head("/proc/self/exe", &own);
	if (own.len == (ssize_t)sizeof(own.elf) &&
	    (head.elf.e_machine != own.elf.e_machine || head.elf.e_ident[EI_DATA] != own.elf.e_ident[EI_DATA] ||
	     head.elf.e_ident[EI_CLASS] != own.elf.e_ident[EI_CLASS]))
		return arena_printf(arena, "built for another architecture: %s, and this gpudiag is %s",
				    architecture(arena, head.elf.e_machine), architecture(arena, own.elf.e_machine));
	if (head.elf.e_type != ET_EXEC && head.elf.e_type != ET_DYN)
		return "an object file, not a program";
	return NULL;
}

static const char *why_no_file(struct arena *arena, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno == ENOENT || errno == ENOTDIR ? "no such file" : name_of_errno(-errno);
	if (S_ISDIR(st.st_mode))
		return arena_printf(arena, "a folder: name the program in it, as %s/" NAME, path);
	if (!S_ISREG(st.st_mode))
		return "no regular file";
	if (st.st_mode & (S_ISUID | S_ISGID))
		return "it takes the rights of another user or group (set-user-ID): chmod u-s,g-s";
	/* Root may execute nothing either that nobody may. */
	if (faccessat(AT_FDCWD, path, X_OK, AT_EACCESS))
		return errno == EACCES ? "not executable by this user, or its file system is mounted noexec" :
					 name_of_errno(-errno);
	return NULL;
}

const char *collective_tool_refusal(struct arena *arena, const char *path, char real[PATH_MAX])
{
	const char *slash = strrchr(path, '/'), *why = why_no_file(arena, path);

	if (why)
		return why;
	if (!strstr(slash ? slash + 1 : path, NAME))
		return "not " NAME " by its name: its figures would be taken for those of an all-reduce";
	why = why_no_program(arena, path);
	if (why)
		return why;
	if (!realpath(path, real))
		return name_of_errno(-errno);
	/* What it leads to first: a link is no folder that somebody could be told to close. */
	if (!path_is_own(real))
		return foreign(arena, real);
	return path_is_own(path) ? NULL : foreign(arena, path);
}

/* ---- what steers it */

static const char *const library_variables[] = {
	"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "NCCL_NET_PLUGIN", "NCCL_TUNER_PLUGIN", "NCCL_PROFILER_PLUGIN",
	"NCCL_ENV_PLUGIN", "NCCL_GIN_PLUGIN", "HSA_TOOLS_LIB", "CUDA_INJECTION64_PATH",
};

/* A name without a slash is looked for in the loader's folders; one relative to the current folder is anybody's. */
static bool is_foreign_entry(const char *variable, const char *entry)
{
	if (*entry == '/')
		return !path_is_own(entry);
	return strchr(entry, '/') || !strcmp(variable, "LD_LIBRARY_PATH");
}

const char *collective_foreign_library(struct arena *arena)
{
	if (geteuid())
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(library_variables); i++) {
		const char *name = library_variables[i], *at = getenv(name);

		while (at && *at) {
			size_t len = strcspn(at, ": ;");
			const char *entry = arena_strndup(arena, at, len);

			if (len && is_foreign_entry(name, entry))
				return arena_printf(
					arena,
					"%s names %s, where others may put a library, and root would run it: "
					"unset it, or run gpudiag as another user (sudo -u USER)",
					name, entry);
			at += len + (at[len] != '\0');
		}
	}
	return NULL;
}

/* Of the network, of the log, and what is set for the tool itself: says nothing of the links between GPUs. */
static bool is_harmless(const char *name)
{
	static const char *const prefixes[] = {
		"NCCL_DEBUG", "NCCL_SOCKET_", "NCCL_IB_", "NCCL_NET", "NCCL_COMM_ID", "NCCL_CONF_FILE", "NCCL_TESTS_",
		"NCCL_ASYNC_ERROR_HANDLING", "NCCL_BLOCKING_WAIT", "NCCL_TOPO_DUMP_", "NCCL_GRAPH_DUMP_",
		"NCCL_SET_THREAD_NAME",
		"NCCL_VERSION", "NCCL_LIB", "NCCL_INCLUDE", "NCCL_HOME", "NCCL_ROOT", "NCCL_PROFILER_", "NCCL_RAS_",
	};

	return text_begins_any(name, prefixes, ARRAY_SIZE(prefixes));
}

static bool is_setting(const char *variable)
{
	static const char *const names[] = {
		"NCCL_", "RCCL_", "HSA_", "CUDA_LAUNCH_BLOCKING=", "CUDA_DEVICE_MAX_CONNECTIONS=",
		"HIP_LAUNCH_BLOCKING=",
		"AMD_SERIALIZE_KERNEL=", "GPU_MAX_HW_QUEUES=",
	};

	return text_begins_any(variable, names, ARRAY_SIZE(names)) && !is_harmless(variable);
}

/* A path or a host's name is nobody's business; "0", "Ring,Tree" and "^NVLS" are. */
static void add_setting(struct arena *arena, struct strs *ret, const char *variable)
{
	enum { MOST_BYTES = 24, MOST_SETTINGS = 16 };
	const char *value = strchr(variable, '=');
	bool is_told;

	if (!value || !is_setting(variable) || ret->nr == MOST_SETTINGS)
		return;
	value++;
	is_told = strlen(value) <= MOST_BYTES && utf8_valid(value, strlen(value)) &&
		  !value[strspn(value, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ,^;:_-")];
	variable = is_told ? arena_strdup(arena, variable)
			   : arena_strndup(arena, variable, (size_t)(value - 1 - variable));
	if (utf8_valid(variable, strlen(variable)) && !strs_has(ret, variable))
		strs_add(arena, ret, variable);
}

/* NCCL reads NAME=value lines of these, where the environment does not say it. */
static void add_file(struct arena *arena, struct strs *ret, const char *path)
{
	char text[16384];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	ssize_t len = -1;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
		len = read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	if (len <= 0)
		return;
	text[len] = '\0';
	for (const char *at = text; *at;) {
		size_t length = strcspn(at, "\r\n");
		const char *start = at + strspn(at, " \t");

		if (start < at + length && *start != '#')
			add_setting(arena, ret, arena_strndup(arena, start, (size_t)(at + length - start)));
		at += length + strspn(at + length, "\r\n");
	}
}

void collective_settings(struct arena *arena, struct strs *ret)
{
	const char *named = getenv("NCCL_CONF_FILE"), *home = getenv("HOME");

	for (char **variable = environ; variable && *variable; variable++)
		add_setting(arena, ret, *variable);
	if (named && *named)
		add_file(arena, ret, named);
	else if (home)
		add_file(arena, ret, arena_printf(arena, "%s/.nccl.conf", home));
	add_file(arena, ret, "/etc/nccl.conf");
}

void collective_child_environment(const char *mask)
{
	static const char *const unset[] = {
		/* Which GPUs: the mask says it. */
		"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL",
		/* Files that would be written. */
		"NCCL_DEBUG_FILE", "NCCL_TOPO_DUMP_FILE", "NCCL_GRAPH_DUMP_FILE",
		/* A launcher's: all ranks are of one process here. */
		"NCCL_COMM_ID", "NCCL_TESTS_DEVICE", "NCCL_TESTS_SPLIT", "NCCL_TESTS_SPLIT_MASK", "NCCL_TESTS_MIN_BW",
		/* Debugging that prints more than is read. */
		"NCCL_DEBUG", "NCCL_DEBUG_SUBSYS",
	};

	for (size_t i = 0; i < ARRAY_SIZE(unset); i++)
		unsetenv(unset[i]);
	/* Its version, and warnings that say what failed. */
	setenv("NCCL_DEBUG", "WARN", 1);
	setenv("LC_ALL", "C", 1);
	if (mask && *mask)
		putenv((char *)(uintptr_t)mask);
}
