// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/service_back.h"

#include "base/text.h"

/* What of a node fails and comes right. */
#define KUBELET		"kubelet"
#define SLURMD		"slurmd"
#define SLURMCTLD	"slurmctld"
#define SANDBOX		"sandbox"
#define NVIDIA		"nvidia"
#define NVIDIA_MODESET	"nvidia-modeset"
#define NVIDIA_DRM	"nvidia-drm"
#define NVIDIA_UVM	"nvidia-uvm"

/* Whose log it is, as syslog and the journal have it behind the host's name; of modules those who load them. */
static const struct { const char *of, *text; } speakers[] = {
	{ KUBELET, "kubelet[" }, { SLURMD, "slurmd[" }, { SLURMCTLD, "slurmctld[" }, { SANDBOX, "containerd[" },
	{ NVIDIA, "systemd-udevd[" }, { NVIDIA, "(udev-worker)[" }, { NVIDIA, "systemd-modules-load[" },
	{ NVIDIA, "kernel: " },
};

static const struct { const char *module, *name; } modules[] = {
	{ NVIDIA_MODESET, "nvidia-modeset" }, { NVIDIA_MODESET, "nvidia_modeset" }, { NVIDIA_DRM, "nvidia-drm" },
	{ NVIDIA_DRM, "nvidia_drm" }, { NVIDIA_UVM, "nvidia-uvm" }, { NVIDIA_UVM, "nvidia_uvm" },
	{ NVIDIA, "nvidia'" }, { NVIDIA, "nvidia.ko" },
};

/*
 * What each says once it works. Of systemd's "Started …" and of the version, which they print first, it may end right
 * after. A sandbox, or the image that each is made of. Modules of NVIDIA's need those below them: of nvidia itself the
 * kernel's line says only that it tried.
 */
static const struct { const char *of, *text, *with; } ends[] = {
	{ KUBELET, "Successfully registered node", NULL },
	{ KUBELET, "Node was previously registered", NULL },
	{ KUBELET, "Fast updating node status as it just became ready", NULL },
	{ SLURMD, "slurmd started on ", NULL },
	{ SLURMCTLD, "Running as primary controller", NULL },
	{ SANDBOX, "returns sandbox id ", "RunPodSandbox for " },
	{ SANDBOX, "returns image reference ", "/pause:" },
	{ NVIDIA_MODESET, "Loading NVIDIA Kernel Mode Setting Driver", NULL },
	{ NVIDIA_MODESET, "Initialized nvidia-drm ", NULL },
	{ NVIDIA_DRM, "Initialized nvidia-drm ", NULL },
	{ NVIDIA_UVM, "Loaded the UVM driver", NULL },
	{ NVIDIA, "Loading NVIDIA Kernel Mode Setting Driver", NULL },
	{ NVIDIA, "Initialized nvidia-drm ", NULL },
	{ NVIDIA, "Loaded the UVM driver", NULL },
};

static const char *module_of(const char *words)
{
	for (size_t i = 0; i < ARRAY_SIZE(modules); i++)
		if (strstr(words, modules[i].name))
			return modules[i].module;
	return NULL;
}

/* Of words of service_error.def; NULL: nothing tells how they end. */
static const char *service_of(const char *words, const char *text)
{
	if (strstr(words, "sandbox image"))
		return SANDBOX;
	if (strstr(words, "Kubelet") || strstr(words, "ContainerManager") || strstr(words, "bootstrap client"))
		return KUBELET;
	if (!text_begins(words, "fatal: ") || strstr(text, "slurmdbd") || strstr(text, "slurmstepd"))
		return NULL;
	return strstr(text, "slurmctld") ? SLURMCTLD : SLURMD;
}

/* Modules are all loaded by the same. */
static const char *speaker_in(const char *text, const char *of)
{
	const char *ret = NULL;

	for (size_t i = 0; !ret && i < ARRAY_SIZE(speakers); i++)
		if (!strcmp(speakers[i].of, text_begins(of, NVIDIA) ? NVIDIA : of))
			ret = strstr(text, speakers[i].text);
	return ret;
}

static struct ending ending_of(const char *what, const struct dump_line *line)
{
	return (struct ending){ .what = what, .line = line,
				.host = host_before_speaker(line->text, speaker_in(line->text, what)) };
}

static void read_line(struct ends_below *below, const struct dump_line *line)
{
	for (size_t k = 0; k < ARRAY_SIZE(ends); k++)
		if (strstr(line->text, ends[k].text) && (!ends[k].with || strstr(line->text, ends[k].with))) {
			struct ending end = ending_of(ends[k].of, line);

			ends_below_add(below, &end);
		}
}

static bool is_back(const struct reading *reading, struct ends_below **below, const char *what,
		    const struct dump_line *line)
{
	struct ending failed;

	if (!what)
		return false;
	failed = ending_of(what, line);
	return ends_below_has(ends_below_of(reading, below, read_line), &failed, ENDS_OF_SAME_LOG);
}

bool service_is_back(const struct reading *reading, struct ends_below **below, const char *words,
		     const struct dump_line *line)
{
	return is_back(reading, below, service_of(words, line->text), line);
}

bool module_is_back(const struct reading *reading, struct ends_below **below, const char *words,
		    const struct dump_line *line)
{
	return is_back(reading, below, module_of(words), line);
}
