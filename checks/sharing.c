// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/holders.h"
#include "snapshot/under_test.h"

static bool is_among(const char *const *texts, size_t nr, const char *text)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(texts[i], text))
			return true;
	return false;
}

/* One job's processes are one tenant, and so are one user's where there is no scheduler. */
static void judge_tenants(struct judgement *j, const char *address)
{
	struct holding_list holdings;
	const char **tenants;
	STRBUF_AUTO who = STRBUF_INIT;
	size_t nr = 0;

	holdings_of(j->arena, j->snapshot, &holdings);
	tenants = arena_alloc(j->arena, holdings.nr * sizeof(*tenants));
	for (size_t i = 0; i < holdings.nr; i++) {
		const struct holding *holding = &holdings.items[i];
		const char *tenant = holding_tenant(j->arena, holding);

		if (holder_is_idle(&holding->all) || !holding_has(holding, address) || !tenant ||
		    is_among(tenants, nr, tenant))
			continue;
		strbuf_addf(&who, "%s%s of %s", nr ? ", " : "",
			    arena_printf(j->arena, "%s (pid %llu)", str_or(holding->all.comm, "a process"),
					 (unsigned long long)holding->pid), tenant);
		tenants[nr++] = tenant;
	}
	derive(j, "tenants", UNIT_COUNT, (double)nr, "users, jobs, pods and containers of the processes that hold it");
	if (nr < 2)
		return;
	derive_str(j, "who", arena_strdup(j->arena, who.buf), "/proc/PID/fd, cgroup and status");
	finding_add(j, SHARING_TENANTS);
}

static void judge_mps(struct judgement *j)
{
	const struct daemon *mps = mps_daemon(j->snapshot);

	question(j);
	if (!mps || !str_is(j->gpu->pci.driver, "nvidia"))
		return;
	need(j, daemon, mps, comm);
	derive_str(j, "mps_pid", str_or(mps->key, "?"), "/proc");
	finding_add(j, SHARING_MPS);
}

static void eval(struct judgement *j)
{
	const char *hidden = holders_hidden(j->arena, j->snapshot);

	if (gpu_role(j->snapshot, j->gpu) == GPU_ROLE_PASSED_THROUGH) {
		skip_check(j, "it is given away (gpu-bound)");
		return;
	}
	need(j, processes, &j->snapshot->processes, seen);
	judge_tenants(j, str_or(j->gpu->key, ""));
	judge_mps(j);
	if (hidden)
		unknown(j, hidden);
}

const struct check check_sharing = {
	.name = "sharing",
	.title = "GPU not shared",
	.doc = "Do processes of several users, Slurm jobs, pods or containers hold one GPU, or does an MPS daemon "
	       "share it? Both are done on purpose, and both explain slow work: a note.",
	.per = SUBJECT_GPU,
	.says = "not shared",
	.may_emit = IDS(SHARING_TENANTS, SHARING_MPS),
	.eval = eval,
};
