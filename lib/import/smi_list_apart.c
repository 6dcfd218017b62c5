// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/dump/written_time.h"
#include "import/line/prompt.h"
#include "import/part_times.h"
#include "import/smi_list_apart.h"
#include "import/words/launchers.h"

#include "base/text.h"
#include "base/text_scan.h"

static const struct dump_part *part_of(const struct dump_parts *parts, uint32_t from)
{
	unsigned number = value_from_source(from);

	return number && number <= parts->nr ? &parts->v[number - 1] : NULL;
}

static bool is_same_file(const struct dump_part *a, const struct dump_part *b)
{
	return !strcmp(a->file, b->file);
}

static bool is_of_report(const struct dump_parts *parts, const struct dump_part *part)
{
	for (size_t i = 0; i < parts->nr; i++)
		if (parts->v[i].kind == DUMP_BUG_REPORT && is_same_file(&parts->v[i], part))
			return true;
	return false;
}

/* ---- signs of a container, a job, or a GPU that was taken out on purpose */

static bool is_in_word(char c)
{
	return is_letter_or_digit(c) || (c && strchr("-_/.", c));
}

/* People say where they looked. Names as nvidia-container-toolkit are other words. */
static bool has_word(const char *text)
{
	static const char *const words[] = {
		"container", "containers", "pod", "pods", "docker", "podman", "kubernetes", "k8s", "singularity",
		"apptainer", "slurm", "sbatch", "srun", "cgroup", "cgroups", "drained", "draining",
	};

	for (const char *at = text; *at;) {
		size_t len = 0;

		while (is_in_word(at[len]))
			len++;
		while (len && strchr("-_/.", at[len - 1]))
			len--;
		if (text_word_is_any(at, len, words, ARRAY_SIZE(words)))
			return true;
		at += len ? len : 1;
	}
	return false;
}

static bool has_mark(const char *text)
{
	static const char *const marks[] = {
		"SLURM_JOB", "SLURM_STEP", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB", "KUBERNETES_", "VISIBLE_DEVICES=",
		".dockerenv", "kubepods", "nvidia-smi drain", "drain state", "nvidia/unbind", "JobId=", " a job",
		" the job",
	};

	return text_has_any(text, marks, ARRAY_SIZE(marks));
}

/* Another driver has one of them, or none, on purpose: of lspci without drivers that may be the missing one. */
static bool has_mark_of_driver(const char *text)
{
	static const char *const marks[] = { "vfio", "ExcludedGpus", "driver_override", "pci-stub" };

	return text_has_any(text, marks, ARRAY_SIZE(marks));
}

/*
 * What ran one command is over where a prompt below it names the machine again; whose prompt is a container's or a
 * job's is inside.
 */
static bool is_over(const struct dump_part *list, const char *file, const struct dump_line *line)
{
	return list->host.text && list->host.by == NAMED_BY_PROMPT && !list->host.is_inside &&
	       list->host.line > line->number && !strcmp(list->file, file);
}

/* A host's log names its containers, whoever looked at its GPUs. */
static bool is_of_log(const char *text)
{
	const char *end;

	return (*text == '[' && (text[1] == ' ' || is_digit(text[1]))) || strstr(text, " kernel: ") || written_time(text, &end).s ||
	       (is_letter_or_digit(*text) && strlen(text) > 15 && text[3] == ' ' && text[6] == ' ' && text[9] == ':');
}

/* What a reader took is a tool's. A report has all of a node in it, its packages and services, too. */
static bool is_sign(const struct dump_part *list, bool is_report, const char *file, const struct dump_line *line)
{
	const char *command = prompt_command(line->text);

	if (is_of_log(line->text))
		return false;
	if (has_mark(line->text))
		return true;
	if (is_report)
		return false;
	if (command)
		return command_launches(command) && !is_over(list, file, line);
	return !line->is_taken && has_word(line->text);
}

static const struct dump_line *sign_in(const struct dump_parts *parts, const struct dump_part *list, bool are_bound,
				       const char **ret_file)
{
	bool is_report = is_of_report(parts, list);

	for (size_t i = 0; i < parts->nr_texts; i++)
		for (size_t k = 0; k < parts->texts[i].nr; k++) {
			*ret_file = parts->texts[i].file;
			if (is_sign(list, is_report, *ret_file, &parts->texts[i].v[k]) ||
			    (!are_bound && has_mark_of_driver(parts->texts[i].v[k].text)))
				return &parts->texts[i].v[k];
		}
	return NULL;
}

/* ---- two parts */

/* What a file holds that a command shows may have been printed anywhere. */
static bool is_of_file(const struct dump_part *part)
{
	static const char *const readers[] = { "cat ", "less ", "more ", "head ", "tail ", "zcat " };

	return part->about && text_begins_any(part->about, readers, ARRAY_SIZE(readers));
}

static const char *why_apart(const struct dump_parts *parts, const struct dump_part *list, const struct dump_part *bus)
{
	if (!is_same_file(list, bus))
		return "dumps of two files, which may be of two moments, or one of a container or job";
	if (list->host.is_inside || bus->host.is_inside || is_of_file(list) || is_of_file(bus))
		return "dumps of which one may be of a container or job";
	if (list->host.text && bus->host.text && strcmp(list->host.text, bus->host.text) != 0)
		return "dumps of two machines";
	if (!is_of_report(parts, list) && (part_time_is_older(list, bus) || part_time_is_older(bus, list)))
		return "dumps of two days or hours";
	return NULL;
}

/* The line that has a GPU of NVIDIA on the bus: with its driver, or, of lspci without drivers, without any. 0: none. */
static uint32_t is_on_bus_from(const struct gpu *gpu, bool *are_bound)
{
	if (str_is(gpu->pci.driver, "nvidia"))
		return gpu->pci.driver.from;
	if (gpu->pci.driver.state != VAL_UNSET || !str_is(gpu->pci.vendor_id, "0x10de"))
		return 0;
	*are_bound = false;
	return gpu->pci.vendor_id.from;
}

void smi_list_compare(struct snapshot *snapshot, const struct dump_parts *parts)
{
	const struct dump_part *list = part_of(parts, snapshot->nvml.gpus.from);
	const char *why = NULL, *file;
	const struct dump_line *sign;
	bool are_bound = true;
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		nr += is_on_bus_from(&snapshot->gpus[i], &are_bound) ? 1 : 0;
	if (!list || !is_known(snapshot->nvml.gpus) || u64_or(snapshot->nvml.gpus, 0) >= nr)
		return;
	for (size_t i = 0; i < snapshot->nr_gpus && !why; i++) {
		const struct dump_part *bus = part_of(parts, is_on_bus_from(&snapshot->gpus[i], &are_bound));

		if (bus && bus != list)
			why = why_apart(parts, list, bus);
	}
	/* Nothing in a query's rows tells where they end. */
	if (!why && list->kind == DUMP_SMI_CSV && u64_or(snapshot->nvml.gpus, 0) + 1 < nr)
		why = "rows of a query, some of which may have been left out";
	sign = why ? NULL : sign_in(parts, list, are_bound, &file);
	if (sign)
		why = arena_printf(&snapshot->arena, "dumps of which one may be of a container or job (%s:%u)", file,
				   sign->number);
	if (!why)
		return;
	snapshot->nvml.list_apart = val_str(why);
	snapshot->nvml.list_apart.from = snapshot->nvml.gpus.from;
}
