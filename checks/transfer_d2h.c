// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/transfer.h"

static void say(struct judgement *j, enum transfer_verdict verdict)
{
	switch (verdict) {
	case TRANSFER_NOT_JUDGED:
	case TRANSFER_GOOD:
		break;
	case TRANSFER_NARROW_LINK:
		finding_add(j, TRANSFER_D2H_NARROW_LINK);
		break;
	case TRANSFER_BELOW_CAPABLE:
		finding_add(j, TRANSFER_D2H_BELOW_CAPABLE);
		break;
	case TRANSFER_PAGEABLE:
		finding_add(j, TRANSFER_D2H_PAGEABLE);
		break;
	case TRANSFER_LOW:
		finding_add(j, TRANSFER_D2H_LOW);
		break;
	case TRANSFER_EXCUSED:
		finding_add(j, TRANSFER_D2H_EXCUSED);
		break;
	case TRANSFER_BELOW_TWINS:
		finding_add(j, TRANSFER_D2H_BELOW_TWINS);
		break;
	case TRANSFER_BELOW_RECORDED:
		finding_add(j, TRANSFER_D2H_BELOW_BASELINE);
		break;
	case TRANSFER_NO_PINNED_PATH:
		finding_add(j, TRANSFER_D2H_NO_PINNED_PATH);
		break;
	case TRANSFER_WEAK_LINK:
		finding_add(j, TRANSFER_D2H_WEAK_LINK);
		break;
	case TRANSFER_SLOW:
		finding_add(j, TRANSFER_D2H_SLOW);
		break;
	}
}

static void eval(struct judgement *j)
{
	enum transfer_verdict verdict = transfer_judge(j, &transfer_to_host);

	say(j, verdict);
	if (verdict != TRANSFER_NOT_JUDGED && transfer_is_slow_from_afar(j, &transfer_to_host))
		finding_add(j, TRANSFER_D2H_NUMA_SPREAD);
}

const struct check check_transfer_d2h = {
	.name = "transfer-d2h",
	.title = "Device to host",
	.doc = "Do copies from the device run at what its link gives? Judged as transfer-h2d is. The device writes "
	       "here, and reads there: other packets, credits and settings, so that one way may be slow alone.",
	.per = SUBJECT_OCL_DEVICE,
	.needs = NEEDS_LINKS | NEEDS_LOAD,
	.says = "device→host {d2h}",
	.may_emit = IDS(TRANSFER_D2H_BELOW_TWINS, TRANSFER_D2H_BELOW_BASELINE, TRANSFER_D2H_BELOW_CAPABLE, TRANSFER_D2H_NARROW_LINK,
			TRANSFER_D2H_WEAK_LINK, TRANSFER_D2H_SLOW, TRANSFER_D2H_LOW,
			TRANSFER_D2H_PAGEABLE, TRANSFER_D2H_NO_PINNED_PATH, TRANSFER_D2H_EXCUSED,
			TRANSFER_D2H_NUMA_SPREAD),
	.eval = eval,
};
