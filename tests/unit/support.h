/* SPDX-License-Identifier: GPL-2.0-or-later */
/* support.h - what the tests of lib/sys share: a folder to work in, and small looks at this process. */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/compat.h"

static char scratch_folder[PATH_MAX / 2];

/* Makes the folder. True on success. */
static inline bool scratch_make(void)
{
	const char *top = getenv("TMPDIR");

	snprintf(scratch_folder, sizeof(scratch_folder), "%s/gpudiag-test-XXXXXX", top && *top ? top : "/tmp");
	return mkdtemp(scratch_folder);
}

static inline int scratch_remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	(void)st, (void)type, (void)walk;
	return remove(path);
}

static inline void scratch_remove(void)
{
	nftw(scratch_folder, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A path below the folder; good until the eighth call after this one. */
static inline const char *scratch(const char *name)
{
	static char paths[8][PATH_MAX];
	static unsigned next;
	char *path = paths[next++ % ARRAY_SIZE(paths)];

	snprintf(path, PATH_MAX, "%s/%s", scratch_folder, name);
	return path;
}

/* Makes the folders that lead to it, not what it is itself: "a" and "a/b" of "a/b/c", and of "a/b/" too. */
static inline void scratch_make_way(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s", scratch(name));
	for (char *at = path + strlen(scratch_folder) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(path, 0755);
		*at = '/';
	}
}

/* Makes a file of len bytes, and the folders that lead to it. True on success. */
static inline bool scratch_write(const char *name, const void *data, size_t len)
{
	FILE *file;
	bool is_good;

	scratch_make_way(name);
	file = fopen(scratch(name), "we");
	is_good = file && fwrite(data, 1, len, file) == len;

	return file && !fclose(file) && is_good;
}

/* What is in a file, up to size - 1 bytes, as a string; "(none)" where there is no such file. */
static inline const char *scratch_content(const char *name)
{
	static char content[8192];
	FILE *file = fopen(scratch(name), "re");
	size_t len;

	if (!file)
		return "(none)";
	len = fread(content, 1, sizeof(content) - 1, file);
	content[len] = '\0';
	fclose(file);
	return content;
}

/* How many entries a folder has, but . and .. */
static inline size_t count_entries(const char *path)
{
	const struct dirent *entry;
	DIR *folder = opendir(path);
	size_t nr = 0;

	while (folder && (entry = readdir(folder)))
		nr += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	if (folder)
		closedir(folder);
	return nr;
}

static inline size_t count_open_files(void)
{
	return count_entries("/proc/self/fd");
}

/* Valgrind has its own idea of exec. */
static inline bool under_valgrind(void)
{
	const char *preloaded = getenv("LD_PRELOAD");

	return preloaded && strstr(preloaded, "vgpreload");
}

/* Runs this program again with one argument, without its stdout. Its wait status, -1 where there is none. */
static inline int run_self(const char *argument)
{
	char path[PATH_MAX] = "";
	int status = -1;
	pid_t pid;

	/* Not /proc/self/exe itself, which is another program under valgrind. */
	if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		return -1;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		(void)!freopen("/dev/null", "w", stdout);
		execl(path, path, argument, (char *)NULL);
		_exit(99);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

/* From now on, in this process and its children, the system call is one that the kernel does not know. */
static inline bool forbid_call(unsigned nr)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = ARRAY_SIZE(code), .filter = code };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
