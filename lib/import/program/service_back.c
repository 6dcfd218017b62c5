// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/service_back.h"

#include "import/dump/log_time.h"

#include "base/text.h"
#include "base/text_scan.h"

enum {
	MOST_ENDS = 64,		/* of a log of several nodes */
	MOST_BELOW = 16384,	/* lines of further parts that are gone through */
};

enum service {
	SERVICE_KUBELET, SERVICE_SLURMD, SERVICE_SLURMCTLD, SERVICE_SANDBOX, MODULE_NVIDIA, MODULE_MODESET, MODULE_DRM,
	MODULE_UVM, NR_SERVICES,
};

/* Whose log it is, as syslog and the journal have it behind the host's name; of modules those who load them. */
static const struct { enum service service; const char *text; } speakers[] = {
	{ SERVICE_KUBELET, "kubelet[" }, { SERVICE_SLURMD, "slurmd[" }, { SERVICE_SLURMCTLD, "slurmctld[" },
	{ SERVICE_SANDBOX, "containerd[" }, { NR_SERVICES, "systemd-udevd[" }, { NR_SERVICES, "(udev-worker)[" },
	{ NR_SERVICES, "systemd-modules-load[" }, { NR_SERVICES, "kernel: " },
};

static const struct { enum service service; const char *name; } modules[] = {
	{ MODULE_MODESET, "nvidia-modeset" }, { MODULE_MODESET, "nvidia_modeset" }, { MODULE_DRM, "nvidia-drm" },
	{ MODULE_DRM, "nvidia_drm" }, { MODULE_UVM, "nvidia-uvm" }, { MODULE_UVM, "nvidia_uvm" },
	{ MODULE_NVIDIA, "nvidia'" }, { MODULE_NVIDIA, "nvidia.ko" },
};

/*
 * What each says once it works. Of systemd's "Started …" and of the version, which they print first, it may end right
 * after. A sandbox, or the image that each is made of. Modules of NVIDIA's need those below them: of nvidia itself the
 * kernel's line says only that it tried.
 */
static const struct { enum service service; const char *text, *with; } ends[] = {
	{ SERVICE_KUBELET, "Successfully registered node", NULL },
	{ SERVICE_KUBELET, "Node was previously registered", NULL },
	{ SERVICE_KUBELET, "Fast updating node status as it just became ready", NULL },
	{ SERVICE_SLURMD, "slurmd started on ", NULL },
	{ SERVICE_SLURMCTLD, "Running as primary controller", NULL },
	{ SERVICE_SANDBOX, "returns sandbox id ", "RunPodSandbox for " },
	{ SERVICE_SANDBOX, "returns image reference ", "/pause:" },
	{ MODULE_MODESET, "Loading NVIDIA Kernel Mode Setting Driver", NULL },
	{ MODULE_MODESET, "Initialized nvidia-drm ", NULL },
	{ MODULE_DRM, "Initialized nvidia-drm ", NULL },
	{ MODULE_UVM, "Loaded the UVM driver", NULL },
	{ MODULE_NVIDIA, "Loading NVIDIA Kernel Mode Setting Driver", NULL },
	{ MODULE_NVIDIA, "Initialized nvidia-drm ", NULL },
	{ MODULE_NVIDIA, "Loaded the UVM driver", NULL },
};

struct service_back {
	struct service_end {
		enum service service;
		const char *host;	/* NULL: not told */
		size_t host_len;
		const struct dump_line *line;
	} v[MOST_ENDS];
	size_t nr;
};

static enum service module_of(const char *words)
{
	for (size_t i = 0; i < ARRAY_SIZE(modules); i++)
		if (strstr(words, modules[i].name))
			return modules[i].service;
	return NR_SERVICES;
}

/* Of words of service_error.def; NR_SERVICES: nothing tells how they end. */
static enum service service_of(const char *words, const char *text)
{
	if (strstr(words, "sandbox image"))
		return SERVICE_SANDBOX;
	if (strstr(words, "Kubelet") || strstr(words, "ContainerManager") || strstr(words, "bootstrap client"))
		return SERVICE_KUBELET;
	if (!text_begins(words, "fatal: ") || strstr(text, "slurmdbd") || strstr(text, "slurmstepd"))
		return NR_SERVICES;
	return strstr(text, "slurmctld") ? SERVICE_SLURMCTLD : SERVICE_SLURMD;
}

static const char *speaker_in(const char *text, enum service service)
{
	const char *ret = NULL;

	for (size_t i = 0; !ret && i < ARRAY_SIZE(speakers); i++)
		if (speakers[i].service == (service < MODULE_NVIDIA ? service : NR_SERVICES))
			ret = strstr(text, speakers[i].text);
	return ret;
}

const char *host_before(const char *text, const char *speaker, size_t *ret_len)
{
	const char *at;

	while (speaker && speaker > text && speaker[-1] == ' ')
		speaker--;
	for (at = speaker; at && at > text && at[-1] != ' '; at--)
		continue;
	*ret_len = at ? (size_t)(speaker - at) : 0;
	return *ret_len ? at : NULL;
}

/* The word before "kubelet[1200]: ". */
static const char *host_of(const char *text, enum service service, size_t *ret_len)
{
	return host_before(text, speaker_in(text, service), ret_len);
}

static bool is_same_node(const struct service_end *a, const struct service_end *b)
{
	return a->line->label == b->line->label && a->host_len == b->host_len &&
	       (!a->host_len || !memcmp(a->host, b->host, a->host_len));
}

static void add_end(struct service_back *back, enum service service, const struct dump_line *line)
{
	struct service_end end = { .service = service, .line = line };
	size_t i = 0;

	end.host = host_of(line->text, service, &end.host_len);
	while (i < back->nr && (back->v[i].service != service || !is_same_node(&back->v[i], &end)))
		i++;
	if (i == MOST_ENDS)
		return;
	back->nr += i == back->nr;
	back->v[i] = end;
}

static void read_part(struct service_back *back, const struct dump_part *part)
{
	for (size_t i = 0; i < part->nr_lines; i++) {
		const char *text = part->lines[i].text;

		for (size_t k = 0; k < ARRAY_SIZE(ends); k++)
			if (strstr(text, ends[k].text) && (!ends[k].with || strstr(text, ends[k].with)))
				add_end(back, ends[k].service, &part->lines[i]);
	}
}

/* What a file says of one node, as log or between its errors. */
static bool is_of_same(const struct dump_part *part, const struct dump_part *of)
{
	if (part->host.text && of->host.text && strcmp(part->host.text, of->host.text) != 0)
		return false;
	return part == of || part->kind == DUMP_LOG || part->kind == DUMP_PROGRAM_ERROR;
}

static struct service_back *read_below(const struct reading *reading)
{
	struct service_back *back = arena_alloc(reading->arena, sizeof(*back));
	const struct dump_part *of = reading->part, *part = of;
	const struct dump_part *end = reading->parts ? reading->parts->v + reading->parts->nr : of + 1;
	size_t nr_below = 0;

	back->nr = 0;
	for (; part < end && nr_below < MOST_BELOW && !strcmp(part->file, of->file); part++) {
		nr_below += part == of ? 0 : part->nr_lines;
		if (is_of_same(part, of))
			read_part(back, part);
	}
	return back;
}

bool line_is_below(const struct dump_line *line, const struct dump_line *other)
{
	return line->number != other->number ? line->number > other->number : line > other;
}

static bool is_back(const struct reading *reading, struct service_back **back, enum service service,
		    const struct dump_line *line)
{
	struct service_end failed = { .service = service, .line = line };

	if (failed.service == NR_SERVICES)
		return false;
	*back = *back ? *back : read_below(reading);
	failed.host = host_of(line->text, failed.service, &failed.host_len);
	for (size_t i = 0; i < (*back)->nr; i++) {
		const struct service_end *end = &(*back)->v[i];

		if (end->service == failed.service && is_same_node(end, &failed) && line_is_below(end->line, line) &&
		    !log_time_is_earlier(end->line->text, line->text))
			return true;
	}
	return false;
}

bool service_is_back(const struct reading *reading, struct service_back **back, const char *words,
		     const struct dump_line *line)
{
	return is_back(reading, back, service_of(words, line->text), line);
}

bool module_is_back(const struct reading *reading, struct service_back **back, const char *words,
		    const struct dump_line *line)
{
	return is_back(reading, back, module_of(words), line);
}
