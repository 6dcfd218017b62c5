/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * holders.h - who holds GPUs, one for each process: a snapshot has a holder
 * for each process and device node, and of each GPU its driver's own list.
 */
#pragma once

#include "snapshot/snapshot.h"

struct holding {
	uint64_t pid;
	struct holder all;		/* as of its first node, with its memory on all GPUs */
	const struct gpu_process *process;	/* of the snapshot; all its values unknown if it has none */
	size_t nr_gpus;
	const char **gpus;		/* PCI addresses, each once */
	bool may_be_any;		/* of some node it is not known which GPU's it is */
};

struct holding_list {
	size_t nr;
	struct holding *items;		/* by pid */
};

/*
 * The processes that hold a device node open. The memory is what their files
 * tell, or the drivers' lists where these tell more.
 */
void holdings_of(struct arena *arena, const struct snapshot *snapshot, struct holding_list *ret);

/* The same with those that a driver alone counts as at work on a GPU, which live as far as is known. */
void users_of(struct arena *arena, const struct snapshot *snapshot, struct holding_list *ret);

/* Memory a process has on this GPU, by its files or by the driver's list, whichever is more. */
struct val_u64 memory_on(const struct snapshot *snapshot, const struct gpu *gpu, uint64_t pid);

bool holding_has(const struct holding *holding, const char *address);

/*
 * Programs that hold GPUs all day and do no work on them: display servers,
 * monitors, daemons of the driver, as the kernel has their names, cut to 15
 * characters. Ends with NULL. They are everybody's: a redacted snapshot keeps
 * their names, or it would be judged otherwise.
 */
extern const char *const idle_holders[];
bool holder_is_idle(const struct holder *holder);

/* "python3 (pid 18422, job 4711)", "Xorg (pid 1502)". */
const char *holding_words(struct arena *arena, const struct holding *holding);

/*
 * Who holds this GPU, of users_of(): "python3 (pid 18422, job 4711) with 61 GiB, python3
 * (pid 18423) and 2 more"; NULL where no process is seen to. Displays and
 * monitors count where they have memory of it.
 */
const char *gpu_holders(struct arena *arena, const struct snapshot *snapshot, const struct holding_list *users,
			const struct gpu *gpu);

/* Whose work it is: "job 4711", "pod 0b6b…", "container 0b1c2d3e4f50", "user 1042"; NULL: not known. */
const char *holding_tenant(struct arena *arena, const struct holding *holding);

/*
 * The tenants that work on this GPU, of users_of(): "python3 (pid 18422) of job 4711, python3
 * (pid 77) of user 1043". One job's processes are one tenant, and so are one
 * user's where there is no scheduler.
 */
const char *gpu_tenants(struct arena *arena, const struct holding_list *users, const struct gpu *gpu, size_t *ret_nr);

/* Why the list of holders may be short, as a phrase; NULL: it is whole. */
const char *holders_hidden(struct arena *arena, const struct snapshot *snapshot);
