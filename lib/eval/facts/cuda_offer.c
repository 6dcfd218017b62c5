// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/cuda_offer.h"

#include <stdlib.h>

#include "eval/nvidia/nvidia_branches.h"
#include "snapshot/node.h"

struct cuda_offer cuda_offer_of(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	const struct module *nvidia = nvidia_module(snapshot);
	struct cuda_offer offer = { .version = NULL, .is_exact = false };

	if (is_known(snapshot->nvml.cuda_version)) {
		offer.version = derive_str(j, "cuda", want(j, nvml, &snapshot->nvml, cuda_version), "NVML");
		offer.is_exact = true;
	} else if (nvidia && is_known(nvidia->version)) {
		offer.version = nvidia_driver_cuda(want(j, module, nvidia, version), &offer.is_exact);
		derive_str(j, "cuda", offer.version ? offer.version : "?",
			   "NVIDIA's CUDA release notes, by the driver's version");
	}
	return offer;
}

unsigned cuda_major(const char *version)
{
	return (unsigned)strtoul(version, NULL, 10);
}

const char *cuda_driver_needed(const struct judgement *j, struct cuda_offer offer, const char *version)
{
	if (!offer.version || cuda_major(version) <= cuda_major(offer.version) ||
	    (!offer.is_exact && !is_known(j->snapshot->nvml.cuda_version)))
		return NULL;
	return nvidia_driver_for_cuda_major(cuda_major(version));
}
