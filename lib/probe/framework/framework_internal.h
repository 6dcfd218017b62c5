/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * framework_internal.h - the parts of probe "frameworks": folders of packages, processes, what a folder holds, GPU
 * code.
 */
#pragma once

#include "probe/probe.h"
#include "sys/give_up_root.h"

/* A folder of packages: ".../lib/python3.11/site-packages". */
struct site {
	const char *folder;
	const char *root;		/* "/proc/4711/root" where the process sees other mounts, else "" */
	const char *interpreter;	/* NULL: none beside it */
	const char *found_by;		/* as framework.found_by */
	const char *named_by;		/* path of --python; NULL: none */
	uint64_t pid;			/* that has a framework of it loaded; 0: none */
};
enum { MAX_SITES = 64 };
struct sites {
	struct probe_env *env;
	struct arena *arena;		/* outlives the facts, which every flush empties */
	size_t nr;
	struct site items[MAX_SITES];
};

/* Once each: whoever found it first, but what somebody named is named. */
void sites_add(struct sites *sites, const struct site *site);
/* Those of an interpreter, or of an environment by its folder. False: there is no Python. */
bool sites_of_python(struct sites *sites, const char *path);
/* Those at the usual places, and of this run's own environment. */
void sites_search(struct sites *sites);
/* The interpreter of a folder of packages; NULL: none beside it. */
const char *site_interpreter(struct sites *sites, const char *root, const char *folder);

/* Adds facts->process_setups, and the folders whose frameworks the process has loaded. */
void process_setup_read(struct sites *sites, struct sink *sink, const char *pid, bool is_requested);

/* Adds what the folder has to facts->frameworks and facts->python_packages. */
void site_read(struct probe_env *env, struct sink *sink, const struct site *site);

/* The GPUs that libraries in a folder have code for, as framework.gpu_code words them. */
struct val_str gpu_code_read(struct probe_env *env, struct sink *sink, const char *folder,
			     const char *const *libraries);

/* Does "NAME=value" steer which GPUs or libraries a program gets? */
bool framework_variable_steers(const char *assignment);
/* Those a process was started with; 0 or -errno. */
int process_variables_read(struct probe_env *env, struct arena *arena, const char *pid, struct strs *ret) MUST_CHECK;

/*
 * With whose rights the framework in that folder is imported: pid is a process that has it loaded, 0: none. NULL, or
 * why it is not imported.
 */
const char *import_rights(struct probe_env *env, const char *interpreter, const char *folder, uint64_t pid,
			  struct rights *ret);
/* The whole environment of an import: as NAME=value. */
enum { IMPORT_MAX_VARIABLES = 128 };
void import_environment(struct probe_env *env, struct arena *arena, const char *folder, uint64_t pid, struct strs *ret);
