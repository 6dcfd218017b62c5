// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/collective_hint.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "cmd/cmd.h"

#define NAME "all_reduce_perf"

enum { MAX_FOUND = 4 };

/* Where containers of NVIDIA and AMD, clouds' images and both makefiles put it. */
static const char *const folders[] = {
	"/usr/bin", "/usr/local/bin", "/opt/nccl-tests/build", "/opt/rccl-tests/build", "/opt/rccl-tests",
	"/usr/local/nccl-tests/build", "/usr/local/cuda/efa/test-cuda", "/opt/oci-hpc/nccl-test/build",
};

static bool suggest(const char *folder, size_t len, struct strbuf *found)
{
	STRBUF_AUTO path = STRBUF_INIT;
	struct stat st;

	strbuf_addf(&path, "%.*s/" NAME, (int)len, folder);
	if (!len || *folder != '/' || stat(path.buf, &st) || !S_ISREG(st.st_mode) || access(path.buf, X_OK) ||
	    (found->len && strstr(found->buf, path.buf)))
		return false;
	strbuf_addf(found, "%s%s", found->len ? ", " : "", path.buf);
	return true;
}

static void look_for_it(struct strbuf *found)
{
	const char *at = getenv("PATH");
	unsigned nr = 0;

	while (at && *at && nr < MAX_FOUND) {
		size_t len = strcspn(at, ":");

		nr += suggest(at, len, found);
		at += len + (at[len] == ':');
	}
	for (size_t i = 0; i < ARRAY_SIZE(folders) && nr < MAX_FOUND; i++)
		nr += suggest(folders[i], strlen(folders[i]), found);
}

static void say_how_to_get_it(void)
{
	bool nvidia = !access("/sys/module/nvidia", F_OK), amd = !access("/sys/module/amdgpu", F_OK);

	if (nvidia || !amd)
		complain("NVIDIA: in NVIDIA's PyTorch containers and clouds' HPC images; or, with the CUDA toolkit and libnccl-dev: "
			 "git clone https://github.com/NVIDIA/nccl-tests && make -C nccl-tests");
	if (amd || !nvidia)
		complain("AMD: in clouds' HPC images; or, with ROCm's hip and rccl development packages: "
			 "git clone https://github.com/ROCm/rccl-tests && make -C rccl-tests");
}

void die_no_collective_program(void)
{
	STRBUF_AUTO found = STRBUF_INIT;

	complain("bench collective: no program; use gpudiag bench collective --with PATH-OF-" NAME);
	look_for_it(&found);
	if (found.len)
		complain("found: %s", found.buf);
	say_how_to_get_it();
	exit(EXIT_USAGE);
}
