// SPDX-License-Identifier: GPL-2.0-or-later
/* shim_plan.c - reads shim.json and tells which fault is due when. See shim_icd.c. */
#include "shim_plan.h"

#include <dlfcn.h>

enum { MAX_FAULTS = 64, MAX_PLAN_BYTES = 1 << 16 };

static struct plan {
	const cJSON *said;
	int nr_faults;
	struct plan_fault {
		const cJSON *said;
		long calls;		/* that match so far, this one included */
		bool due;		/* for the call that is being made */
		double kept;
	} faults[MAX_FAULTS];
} plan;

/* A test that means another plan than there is must not pass. */
static void NORETURN refuse(const char *what, const char *which)
{
	fprintf(stderr, "shim: %s: %s\n", what, which);
	abort();
}

static const cJSON *member(const cJSON *said, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(said, key);
}

double shim_number(const cJSON *said, const char *key, double otherwise)
{
	const cJSON *item = member(said, key);

	return cJSON_IsNumber(item) ? item->valuedouble : otherwise;
}

const char *shim_text(const cJSON *said, const char *key, const char *otherwise)
{
	const cJSON *item = member(said, key);

	return cJSON_IsString(item) ? item->valuestring : otherwise;
}

static void find_file(char *path, size_t size)
{
	const char *named = getenv("GPUDIAG_SHIM"), *slash;
	Dl_info self;

	if (named && *named) {
		snprintf(path, size, "%s", named);
		return;
	}
	if (!dladdr(&plan, &self) || !self.dli_fname)
		refuse("not reported by the loader", "where it is");
	slash = strrchr(self.dli_fname, '/');
	snprintf(path, size, "%.*sshim.json", slash ? (int)(slash + 1 - self.dli_fname) : 0, self.dli_fname);
}

void shim_plan_read(void)
{
	static char text[MAX_PLAN_BYTES];
	const cJSON *fault;
	char path[4096];
	FILE *file;

	find_file(path, sizeof(path));
	file = fopen(path, "re");
	if (!file)
		refuse("cannot be opened", path);
	if (fread(text, 1, sizeof(text) - 1, file) == sizeof(text) - 1)
		refuse("too long", path);
	fclose(file);
	plan.said = cJSON_Parse(text);
	if (!plan.said)
		refuse("not JSON", path);
	cJSON_ArrayForEach(fault, member(plan.said, "faults")) {
		if (plan.nr_faults == MAX_FAULTS || !shim_text(fault, "do", NULL))
			refuse("a fault too many, or without its deed", path);
		plan.faults[plan.nr_faults++].said = fault;
	}
}

const cJSON *shim_said(const char *key)
{
	return member(plan.said, key);
}

const cJSON *shim_device_said(int device, const char *key)
{
	const cJSON *one = device < 0 ? NULL : cJSON_GetArrayItem(member(plan.said, "devices"), device);
	const cJSON *item = member(one, key);

	return item ? item : member(member(plan.said, "device"), key);
}

static bool is_about(const cJSON *fault, const struct shim_call *call)
{
	const char *name = shim_text(fault, "call", NULL), *kernel = shim_text(fault, "kernel", NULL);
	const char *host = shim_text(fault, "host", NULL);

	if (name && strcmp(name, call->call))
		return false;
	if (kernel && (!call->kernel || strcmp(kernel, call->kernel)))
		return false;
	if (host && (!call->host || strcmp(host, call->host)))
		return false;
	return (int)shim_number(fault, "device", call->device) == call->device;
}

void shim_count(const struct shim_call *call)
{
	for (int i = 0; i < plan.nr_faults; i++) {
		struct plan_fault *fault = &plan.faults[i];
		double nth = shim_number(fault->said, "nth", 0), from = shim_number(fault->said, "from", 1);

		fault->due = is_about(fault->said, call);
		fault->calls += fault->due;
		fault->due = fault->due && (nth > 0 ? (double)fault->calls == nth : (double)fault->calls >= from);
	}
}

const cJSON *shim_due(const struct shim_call *call, const char *deed, int *at)
{
	while (*at < plan.nr_faults) {
		const struct plan_fault *fault = &plan.faults[(*at)++];

		if (fault->due && !strcmp(shim_text(fault->said, "do", ""), deed) && is_about(fault->said, call))
			return fault->said;
	}
	return NULL;
}

const cJSON *shim_standing(int device, const char *deed, int *at)
{
	while (*at < plan.nr_faults) {
		const cJSON *fault = plan.faults[(*at)++].said;

		if (!strcmp(shim_text(fault, "do", ""), deed) && (int)shim_number(fault, "device", device) == device)
			return fault;
	}
	return NULL;
}

double *shim_kept(const cJSON *said)
{
	for (int i = 0; i < plan.nr_faults; i++)
		if (plan.faults[i].said == said)
			return &plan.faults[i].kept;
	refuse("no such fault", "of its own");
}
