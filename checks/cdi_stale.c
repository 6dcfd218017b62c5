// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "eval/facts/upgrade.h"

/* The toolkit's unit writes the file of that folder anew when the driver changes; files in /etc/cdi are not updated. */
static bool is_refreshed(const struct snapshot *snapshot, const struct cdi_spec *spec)
{
	return is_known(snapshot->upgrade.cdi_refresh) &&
	       !strncmp(str_or(spec->key, ""), "/var/run/cdi/", strlen("/var/run/cdi/"));
}

/* Does any file name libraries of NVIDIA's driver? */
static bool names_driver(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_cdi_specs; i++)
		if (snapshot->cdi_specs[i].driver_version.state != VAL_ABSENT)
			return true;
	return false;
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	const char *target = str_or(snapshot->request.to_driver, NULL), *why = not_of_packages(j->arena, snapshot);

	if (why || !target || !names_driver(snapshot)) {
		skip_check(j, why	? why :
			      !target	? "no other driver requested (--to-driver)" :
					  "no CDI file");
		return;
	}
	for (size_t i = 0; i < snapshot->nr_cdi_specs; i++) {
		const struct cdi_spec *spec = &snapshot->cdi_specs[i];

		/* It names no library of NVIDIA's driver. */
		if (spec->driver_version.state == VAL_ABSENT)
			continue;
		question(j);
		about(j, str_or(spec->key, "?"));
		need(j, cdi_spec, spec, driver_version);
		about(j, NULL);
		if (!all_known(j) || !version_compare(str_or(spec->driver_version, ""), target) ||
		    is_refreshed(snapshot, spec))
			continue;
		want(j, request, &snapshot->request, to_driver);
		derive_str(j, "spec", str_or(spec->key, "?"), "the file");
		finding_add_of(j, CDI_STALE_AFTER_UPGRADE, str_or(spec->key, "?"));
	}
}

const struct check check_cdi_stale = {
	.name = "cdi-stale",
	.title = "CDI files after a driver change",
	.doc = "Before another driver is put on (--to-driver): which CDI files list the present driver's libraries "
	       "and must be regenerated afterwards, or containers started with them fail? NVIDIA's toolkit has a unit "
	       "that regenerates those in /var/run/cdi. Files that do not match the loaded driver are reported by "
	       "container-runtime.",
	.per = SUBJECT_NODE,
	.says = "no CDI file to regenerate manually",
	.may_emit = IDS(CDI_STALE_AFTER_UPGRADE),
	.eval = eval,
};
