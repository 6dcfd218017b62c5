// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unit_list.c - services that GPUs and schedulers need, as systemctl tells of them in rows and by its status. Of the
 * parts of one text the last counts: who mends a service shows it once more.
 *
 *	● nvidia-persistenced.service loaded failed failed NVIDIA Persistence Daemon
 *
 *	× slurmd.service - Slurm node daemon
 *	     Loaded: loaded (/usr/lib/systemd/system/slurmd.service; enabled; preset: enabled)
 *	     Active: failed (Result: exit-code) since Tue 2025-06-03 10:11:12 UTC; 3min ago
 */
#include "base/compat.h"
#include "import/dump/readers.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { LOOK_AHEAD = 8 };	/* from a status' head to its state: drop-ins stand between */

/*
 * The keys are those of service_error.def. nvidia-vgpud is not among them: it ends at once on a machine without a GPU
 * for vGPUs.
 */
static const struct { const char *name, *key; } units[] = {
	{ "nvidia-fabricmanager", "fabric-unit" }, { "nvidia-persistenced", "persistenced" }, { "nvidia-imex", "imex" },
	{ "nvidia-dcgm", "dcgm" }, { "dcgm", "dcgm" }, { "nvidia-dcgm-exporter", "exporter" },
	{ "dcgm-exporter", "exporter" },
	{ "nvidia-vgpu-mgr", "vgpu" }, { "nvidia-gridd", "license" }, { "xpum", "xpum-daemon" },
	{ "xpumd", "xpum-daemon" }, { "munge", "node-service" }, { "slurmd", "node-service" },
	{ "containerd", "node-service" }, { "crio", "node-service" }, { "docker", "node-service" },
	{ "kubelet", "node-service" }, { "k3s-agent", "node-service" }, { "rke2-agent", "node-service" },
};

enum state { STATE_OTHER, STATE_FAILED, STATE_ACTIVE };

/*
 * The row of the table whose unit a line begins with, behind a mark or none; ARRAY_SIZE(units): none. *ret_rest: behind
 * it.
 */
static size_t unit_of(const char *text, const char **ret_rest)
{
	static const char service[] = ".service";
	size_t ret = 0;

	/* A dot of any kind, coloured or not. */
	while (*text && !is_letter_or_digit(*text))
		text++;
	for (; ret < ARRAY_SIZE(units); ret++) {
		size_t len = strlen(units[ret].name);

		if (strncmp(text, units[ret].name, len) || !text_begins(text + len, service) ||
		    text[len + strlen(service)] != ' ')
			continue;
		*ret_rest = past_blanks(text + len + strlen(service));
		break;
	}
	return ret;
}

/* "loaded failed failed Slurm node daemon"; "not-found failed failed" of one whose file was taken away. */
static bool row_state(const char *rest, enum state *ret)
{
	const char *not_found = scan_behind(rest, "not-found ");

	rest = not_found && text_begins(not_found, "failed ") ? not_found : scan_behind(rest, "loaded ");
	if (!rest)
		return false;
	*ret = text_begins(rest, "failed ") ? STATE_FAILED : text_begins(rest, "active ") ? STATE_ACTIVE : STATE_OTHER;
	return true;
}

/*
 * One that dies and is started over and over: "activating (auto-restart) (Result: exit-code)". The kubelet does so for
 * as long as kubeadm has not configured it.
 */
static enum state active_state(size_t unit, const char *state)
{
	static const char again[] = "activating (auto-restart) (Result: ";

	if (text_begins(state, again))
		return text_begins(state + strlen(again), "success") || !strcmp(units[unit].name, "kubelet")
			? STATE_OTHER
			: STATE_FAILED;
	return text_begins(state, "failed ")	? STATE_FAILED
		: text_begins(state, "active ") ? STATE_ACTIVE
						: STATE_OTHER;
}

/* "- Slurm node daemon", with "Active: failed (Result: exit-code) since …" in a line below. */
static bool status_state(size_t unit, const char *rest, const struct dump_line *lines, size_t nr, enum state *ret,
			 size_t *ret_line)
{
	for (size_t i = 1; text_begins(rest, "- ") && i < nr && i <= LOOK_AHEAD; i++) {
		const char *state = scan_behind(lines[i].text, "Active: ");

		if (!state)
			continue;
		*ret = active_state(unit, state);
		*ret_line = i;
		return true;
	}
	return false;
}

enum dump_begins unit_list_begins(const struct dump_line *lines, size_t nr)
{
	const char *rest;
	enum state state;
	size_t line, unit = unit_of(lines->text, &rest);

	if (unit == ARRAY_SIZE(units))
		return BEGINS_NOT;
	return row_state(rest, &state) || status_state(unit, rest, lines, nr, &state, &line) ? BEGINS_MORE : BEGINS_NOT;
}

struct last {
	enum state state;
	const char *key;
	const struct dump_part *part;
	struct dump_line *line;
};

static void read_part(const struct dump_part *part, struct last last[ARRAY_SIZE(units)])
{
	for (size_t i = 0; i < part->nr_lines; i++) {
		const char *rest;
		size_t unit = unit_of(part->lines[i].text, &rest), below = 0;
		enum state state = STATE_OTHER;

		if (unit == ARRAY_SIZE(units) ||
		    (!row_state(rest, &state) &&
		     !status_state(unit, rest, &part->lines[i], part->nr_lines - i, &state, &below)))
			continue;
		part->lines[i].is_taken = part->lines[i + below].is_taken = true;
		last[unit] = (struct last){ .state = state, .part = part, .line = &part->lines[i] };
	}
}

static bool is_docker(size_t unit)
{
	return !strcmp(units[unit].name, "docker");
}

/* Docker is of use without a scheduler, too: no text names one, and no other service that jobs need failed. */
static bool is_scheduled(const struct reading *reading, const struct last last[ARRAY_SIZE(units)])
{
	static const char *const schedulers[] = { "slurm", "munge", "kube", "k3s", "rke2" };

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (last[i].state == STATE_FAILED && !strcmp(units[i].key, "node-service") && !is_docker(i))
			return true;
	for (size_t i = 0; reading->parts && i < reading->parts->nr; i++) {
		const struct dump_part *part = &reading->parts->v[i];

		for (size_t k = 0; k < part->nr_lines; k++)
			if (text_has_any(part->lines[k].text, schedulers, ARRAY_SIZE(schedulers)))
				return true;
	}
	return false;
}

static void set_keys(const struct reading *reading, struct last last[ARRAY_SIZE(units)])
{
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		last[i].key = units[i].key;
		if (is_docker(i) && last[i].state == STATE_FAILED && !is_scheduled(reading, last))
			last[i].key = "container-service";
	}
}

/* All that failed of those with the key of the first: one that waits for another fails with it. */
static void put_failed(struct reading *reading, const struct last last[ARRAY_SIZE(units)], size_t first)
{
	struct reading of_part = *reading;
	STRBUF_AUTO names = STRBUF_INIT;
	struct program_error *to;
	uint64_t nr = 0;

	for (size_t i = first; i < ARRAY_SIZE(units); i++) {
		if (last[i].state != STATE_FAILED || strcmp(last[i].key, last[first].key) != 0)
			continue;
		strbuf_addf(&names, "%s%s.service", nr ? ", " : "", units[i].name);
		nr++;
	}
	of_part.part = last[first].part;
	to = list_element(reading->arena, reading->snapshot, program_errors, program_error, last[first].key);
	put(&of_part, last[first].line, to->words, val_str(arena_printf(reading->arena, "%s: failed", names.buf)));
	put(&of_part, last[first].line, to->lines, val_u64(nr));
}

void unit_list_read(struct reading *reading)
{
	struct last last[ARRAY_SIZE(units)] = { { .state = STATE_OTHER } };

	for (const struct dump_part *part = NULL; (part = reading_next_part(reading, part)); )
		read_part(part, last);
	set_keys(reading, last);
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		size_t first = 0;

		while (first < i &&
		       (last[first].state != STATE_FAILED || strcmp(last[first].key, last[i].key) != 0))
			first++;
		if (first == i && last[i].state == STATE_FAILED)
			put_failed(reading, last, i);
	}
}
