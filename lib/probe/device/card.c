// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/device/card.h"

#include <errno.h>

#include "probe/pci/pci_function.h"
#include "probe/read.h"

/* Says that the file is about to be read. */
static void card_step(const struct card *card, const char *file)
{
	char call[160];

	snprintf(call, sizeof(call), "read %.100s of %.40s", file, card->env->target);
	sink_step(card->sink, call);
}

/* The kernel resumes one in D3cold before it reads its configuration space (Linux 7.2 drivers/pci/pci.c). */
static void wake(struct card *card)
{
	uint8_t header[64];
	size_t len;
	int error;

	card_step(card, "config");
	error = root_read_bytes(card->env->root, header, sizeof(header), &len, PCI_DEVICES "/%s/config",
				card->env->target);
	if (error && error != -ENOENT) {
		card->untouched = state_of_errno(error);
		card->why = arena_printf(&card->arena, "it was to be woken: %s", name_of_errno(error));
	}
}

void card_check_power_state(struct card *card)
{
	struct pci_function now = { 0 };

	if (card->env->may_wake) {
		wake(card);
		return;
	}
	now.runtime_status = read_str(card->env, &card->arena, PCI_DEVICES "/%s/power/runtime_status",
				      card->env->target);
	now.power_state = read_str(card->env, &card->arena, PCI_DEVICES "/%s/power_state", card->env->target);
	if (pci_function_is_asleep(&card->arena, &now, &card->why))
		card->untouched = VAL_ASLEEP;
	else if (!pci_function_may_sleep(&card->arena, &now, &card->untouched, &card->why))
		card->untouched = VAL_UNSET;
}

/* What a failed read means; state and why are those of probe/read.h. */
static struct val_head card_reason(struct card *card, enum val_state state, const char *why)
{
	if (card->reason)
		return card->reason(card, state, why);
	return (struct val_head){ .state = state, .why = why };
}

struct val_str card_text(struct card *card, const char *file)
{
	struct val_str value;
	struct val_head head;

	if (card->untouched != VAL_UNSET)
		return no_str(card->untouched, card->why);
	card_step(card, file);
	value = read_str(card->env, &card->arena, PCI_DEVICES "/%s/%s", card->env->target, file);
	if (is_known(value))
		return value;
	head = card_reason(card, value.state, value.why);
	return no_str(head.state, head.why);
}

struct val_u64 card_number(struct card *card, const char *file)
{
	struct val_u64 value;
	struct val_head head;

	if (card->untouched != VAL_UNSET)
		return no_u64(card->untouched, card->why);
	card_step(card, file);
	value = read_u64(card->env, &card->arena, PCI_DEVICES "/%s/%s", card->env->target, file);
	if (is_known(value))
		return value;
	head = card_reason(card, value.state, value.why);
	return no_u64(head.state, head.why);
}

struct val_head card_whole(struct card *card, const char *file, struct strbuf *ret)
{
	int error;

	if (card->untouched != VAL_UNSET)
		return (struct val_head){ .state = card->untouched, .why = card->why };
	card_step(card, file);
	error = root_read(card->env->root, ret, PCI_DEVICES "/%s/%s", card->env->target, file);
	if (error)
		return card_reason(card, state_of_errno(error), name_of_errno(error));
	return (struct val_head){ .state = VAL_OK };
}

struct val_head card_bytes(struct card *card, const char *file, void *buf, size_t len, size_t *ret_len)
{
	int error;

	*ret_len = 0;
	if (card->untouched != VAL_UNSET)
		return (struct val_head){ .state = card->untouched, .why = card->why };
	card_step(card, file);
	error = root_read_bytes(card->env->root, buf, len, ret_len, PCI_DEVICES "/%s/%s", card->env->target, file);
	if (error)
		return card_reason(card, state_of_errno(error), name_of_errno(error));
	return (struct val_head){ .state = VAL_OK };
}
