// SPDX-License-Identifier: GPL-2.0-or-later
/* sample.c - what a source is doing, where its parent sees it though the worker hangs. */
#include "base/compat.h"
#include "probe/sample/sample.h"

#include "base/text.h"

void sample_step(struct sample_env *env, const char *call, const char *gpu)
{
	snprintf(env->page->call, sizeof(env->page->call), "%s", call);
	snprintf(env->page->gpu, sizeof(env->page->gpu), "%s", gpu);
}
