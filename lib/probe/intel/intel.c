// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * intel.c - what i915 or xe reports on one GPU in files.
 *
 * Neither tells in a file how much memory a card has: BAR 2 shows it to the
 * CPU in a window whose size is a power of two, which the memory need not be.
 * Nor does a file tell that a device is wedged; the kernel's log does.
 */
#include "base/compat.h"
#include "probe/intel/intel.h"

#include <errno.h>

#include "probe/pci/pci_function.h"
#include "probe/read.h"

#define SURVIVABILITY_INFO "survivability_info"

static struct val_bool as_bool(struct card *card, struct val_u64 value)
{
	if (!is_known(value))
		return no_bool(value.state, value.why);
	if (u64_or(value, 0) > 1)
		return no_bool(VAL_ERROR,
			       arena_printf(&card->arena, "reads %llu", (unsigned long long)u64_or(value, 0)));
	return val_bool(u64_or(value, 0));
}

/* A recording need not hold the folder. */
static struct val_bool find_card(struct card *card)
{
	struct name_list names;
	bool has_card = false;
	int error = root_list(card->env->root, &names, PCI_DEVICES "/%s/drm", card->env->target);

	if (error == -ENOENT && root_is_live(card->env->root))
		return val_bool(false);
	if (error)
		return no_bool(state_of_errno(error), name_of_errno(error));
	for (size_t i = 0; i < names.nr; i++)
		has_card |= !strncmp(names.names[i], "card", strlen("card"));
	name_list_release(&names);
	return val_bool(has_card);
}

/* Breadcrumbs of the firmware, each a file that is there only where it has something to say. */
static struct val_str survivability_info(struct card *card)
{
	STRBUF_AUTO all = STRBUF_INIT;
	struct val_head missing = { .state = VAL_ABSENT, .why = "empty" };
	struct name_list names;
	char path[96];
	int error = root_list(card->env->root, &names, PCI_DEVICES "/%s/" SURVIVABILITY_INFO, card->env->target);

	if (error)
		return no_str(state_of_errno(error), name_of_errno(error));
	for (size_t i = 0; i < names.nr; i++) {
		struct val_str text;

		snprintf(path, sizeof(path), SURVIVABILITY_INFO "/%.60s", names.names[i]);
		text = card_text(card, path);
		if (is_known(text))
			strbuf_addf(&all, "%s%s %.60s", all.len ? ", " : "", names.names[i], str_or(text, ""));
		else
			missing = (struct val_head){ .state = text.state, .why = text.why };
	}
	name_list_release(&names);
	return all.len ? text_value(&card->arena, all.buf, all.len) : no_str(missing.state, missing.why);
}

void intel_files_read(struct card *card, struct gpu *gpu)
{
	struct intel_files *files = &gpu->intel;
	struct intel_paths places;

	card_check_power_state(card);
	intel_find_places(card->env->root, card->env->target, &places);
	files->has_card = find_card(card);
	files->survivability = card_text(card, "survivability_mode");
	files->survivability_info = survivability_info(card);
	intel_read_gts(card, &places, files);
	intel_read_sensors(card, &places, files);
	files->link_downgrade_able = as_bool(card, card_number(card, "auto_link_downgrade_capable"));
	files->link_downgraded = as_bool(card, card_number(card, "auto_link_downgrade_status"));
}
