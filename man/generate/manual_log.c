// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * manual_log.c - the catalogue of the kernel log as a part of the manual: Xids by number, SXids, and the rest by kind.
 */
#include "base/compat.h"
#include "man/generate/manual.h"

#include "klog/nvidia.h"
#include "man/generate/mdoc.h"
#include "render/render.h"

static const struct finding_def *finding_of(int row)
{
	return &finding_defs[log_finding((enum klog_row_id)row)];
}

/* What a row says, without the device's name. */
static void put_title(struct strbuf *out, const char *title)
{
	STRBUF_AUTO text = STRBUF_INIT;

	render_template(&text, title);
	mdoc_line(out, text.buf);
}

static void put_xids(struct strbuf *out)
{
	strbuf_addstr(out, ".Ss NVIDIA Xid\n.Bl -tag -width \"154\" -compact\n");
	for (int row = KLOG_NO_ROW + 1; row < NR_KLOG_ROWS; row++) {
		if (klog_row_xid((enum klog_row_id)row) < 0)
			continue;
		strbuf_addf(out, ".It %d\n", klog_row_xid((enum klog_row_id)row));
		mdoc_line(out, klog_rows[row].mnemonic);
		strbuf_addstr(out, ".br\n");
		put_title(out, klog_rows[row].title);
		mdoc_counts(out, finding_of(row));
	}
	strbuf_addstr(out, ".El\n");
}

static void put_sxids(struct strbuf *out, enum klog_sxid_class class, const char *heading)
{
	strbuf_addf(out, ".Pp\n%s:\n.Bl -tag -width \"20034\" -compact\n", heading);
	for (size_t i = 0; i < nr_klog_sxids; i++) {
		if (klog_sxids[i].class != class)
			continue;
		strbuf_addf(out, ".It %u\n", klog_sxids[i].code);
		mdoc_line(out, klog_sxids[i].what);
	}
	strbuf_addstr(out, ".El\n");
}

static bool is_of(int row, enum klog_kind kind)
{
	return row != KLOG_NO_ROW && klog_rows[row].kind == kind && klog_row_xid((enum klog_row_id)row) < 0;
}

static void put_row(struct strbuf *out, int row)
{
	const struct finding_def *def = finding_of(row);

	strbuf_addf(out, ".It Cm %s\n", def->name);
	mdoc_counts(out, def);
	strbuf_addstr(out, ".br\n");
	put_title(out, klog_rows[row].title);
	strbuf_addstr(out, ".br\n");
	mdoc_line(out, klog_rows[row].why);
}

static void put_kind(struct strbuf *out, enum klog_kind kind)
{
	bool any = false;

	for (int row = KLOG_NO_ROW + 1; row < NR_KLOG_ROWS; row++) {
		if (!is_of(row, kind))
			continue;
		if (!any)
			strbuf_addf(out, ".Ss %s\n.Bl -tag -width Ds\n", klog_kind_name(kind));
		put_row(out, row);
		any = true;
	}
	if (any)
		strbuf_addstr(out, ".El\n");
}

void manual_log(struct strbuf *out)
{
	put_xids(out);
	for (int kind = 0; kind < NR_KLOG_KINDS; kind++) {
		put_kind(out, (enum klog_kind)kind);
		if (kind != KLOG_NVIDIA_SXID)
			continue;
		put_sxids(out, KLOG_SXID_FABRIC, "Always fatal, to the whole fabric");
		put_sxids(out, KLOG_SXID_PORT, "Potentially fatal, to a port and the GPUs that talk through it");
		put_sxids(out, KLOG_SXID_NONFATAL, "Not fatal");
		put_sxids(out, KLOG_SXID_THERMAL, "Heat");
	}
}
