// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "klog/source.h"

#include "klog/words.h"

static const struct {
	const char *driver;
	enum klog_family family;
} drivers[] = {
	{ "amdgpu", KLOG_FAMILY_AMDGPU },   { "i915", KLOG_FAMILY_INTEL },	{ "xe", KLOG_FAMILY_INTEL },
	{ "nouveau", KLOG_FAMILY_NOUVEAU }, { "radeon", KLOG_FAMILY_RADEON },	{ "nvidia", KLOG_FAMILY_NVIDIA },
	{ "nvidia_drm", KLOG_FAMILY_NVIDIA }, { "nvidia_uvm", KLOG_FAMILY_NVIDIA },
	{ "nvidia_modeset", KLOG_FAMILY_NVIDIA },
};

enum klog_family klog_driver_family(struct span driver)
{
	for (size_t i = 0; i < ARRAY_SIZE(drivers); i++)
		if (span_is(driver, drivers[i].driver))
			return drivers[i].family;
	return KLOG_FAMILY_PCI;
}

bool klog_family_drives_gpus(enum klog_family family)
{
	return family <= KLOG_FAMILY_RADEON && family != KLOG_FAMILY_SXID;
}

enum klog_family klog_driver_group(enum klog_family family)
{
	return family == KLOG_FAMILY_XID || family == KLOG_FAMILY_SXID ? KLOG_FAMILY_NVIDIA : family;
}

/* Text up to literal, which is taken too. */
static bool take_up_to(struct span *span, const char *literal, struct span *ret)
{
	const char *found = memmem(span->at, span_len(*span), literal, strlen(literal));

	if (!found)
		return false;
	*ret = (struct span){ .at = span->at, .end = found };
	span->at = found + strlen(literal);
	return true;
}

static bool is_name(struct span word)
{
	if (!span_len(word) || span_len(word) > 31)
		return false;
	for (const char *c = word.at; c < word.end; c++)
		if (!is_digit(*c) && *c != '_' && *c != '-' && !((*c | 0x20) >= 'a' && (*c | 0x20) <= 'z'))
			return false;
	return true;
}

/* "amdgpu 0000:03:00.0: " */
static bool take_device_prefix(struct span *text, struct klog_source *ret)
{
	struct span at = *text, driver;

	if (!take_up_to(&at, " ", &driver) || !is_name(driver))
		return false;
	span_trim(&at);
	/* A full address only: "eth0 0000…" of something else has none. */
	if (!span_take_pci(&at, ret->pci) || at.at[-2] != '.' || !span_take(&at, ":")) {
		ret->pci[0] = '\0';
		return false;
	}
	ret->driver = driver;
	ret->is_device_line = true;
	*text = at;
	return true;
}

/* "drmn0: " of FreeBSD, where every driver of GPUs has that name */
static bool take_freebsd_device(struct span *text)
{
	struct span at = *text;
	uint64_t number;

	if (!span_take(&at, "drmn") || !span_take_u64(&at, &number) || !span_take(&at, ": "))
		return false;
	*text = at;
	return true;
}

/* "drm:pid0:ct_send *ERROR* " of OpenBSD, before what Linux prints */
static bool take_openbsd_function(struct span *text)
{
	struct span at = *text, function, level;
	uint64_t pid;

	if (!span_take(&at, "drm:pid") || !span_take_u64(&at, &pid) || !span_take(&at, ":") ||
	    !take_up_to(&at, " ", &function) || !is_name(function) || !span_take(&at, "*") ||
	    !take_up_to(&at, "* ", &level))
		return false;
	*text = at;
	return true;
}

/* "[drm:amdgpu_job_timedout [amdgpu]] " and "[drm] ": whose it is, where it says. */
static bool take_drm_prefix(struct span *text, struct klog_source *ret)
{
	struct span at = *text, function, module;

	/* "[drm ERROR :psp_hw_init] " of FreeBSD */
	if (span_take(&at, "[drm] ") || (span_take(&at, "[drm ERROR :") && take_up_to(&at, "] ", &function))) {
		*text = at;
		return true;
	}
	at = *text;
	if (!span_take(&at, "[drm:") || !take_up_to(&at, "] ", &function))
		return false;
	if (take_up_to(&function, " [", &module) && span_len(function)) {
		function.end -= function.end[-1] == ']';
		if (!ret->is_device_line)
			ret->driver = function;
	}
	*text = at;
	return true;
}

/* "amdgpu: ", "[powerplay] ", "{12}" and "[Hardware Error]: " of AMD's driver. */
static bool take_amdgpu(struct span *text)
{
	static const char *const prefixes[] = { "amdgpu: ", "[powerplay] ", "[Hardware Error]: " };
	struct span at = *text;
	uint64_t group;

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (span_take(text, prefixes[i]))
			return true;
	/* Which event of the hardware it belongs to: GPUs of one group tell the same one. */
	if (!span_take(&at, "{") || !span_take_u64(&at, &group) || !span_take(&at, "}"))
		return false;
	*text = at;
	return true;
}

/* "Tile0: ", "GT1: ", "GT0 [GUC COMMUNICATION] ", "GUC: ", "[Hardware Error]: " of Intel's drivers. */
static bool take_tile(struct span *text)
{
	struct span at = *text, part;
	uint64_t number;

	if (span_take(&at, "GUC: ") || span_take(&at, "[Hardware Error]: ")) {
		*text = at;
		return true;
	}
	if (!span_take(&at, "Tile") && !span_take(&at, "GT"))
		return false;
	if (!span_take_u64(&at, &number))
		return false;
	if (!span_take(&at, ": ") && (!span_take(&at, " [") || !take_up_to(&at, "] ", &part)))
		return false;
	*text = at;
	return true;
}

/* "pcie004: " of the port drivers of Linux before 4.20: "pciehp 0000:00:1c.0:pcie004: Slot(0): Link Down". */
static bool take_service(struct span *text)
{
	struct span at = *text;
	uint64_t service;

	if (!span_take(&at, "pcie") || !span_take_hex(&at, &service) || !span_take(&at, ": "))
		return false;
	*text = at;
	return true;
}

/* "[nvidia-drm] [GPU ID 0x00000200] ": NVIDIA's number of a GPU is its domain, bus and device. */
static bool take_gpu_id(struct klog_source *ret)
{
	struct span at = ret->body;
	uint64_t id;

	span_take(&at, "[nvidia-drm] ");
	if (!span_take(&at, "[GPU ID 0x") || !span_take_hex(&at, &id) || !span_take(&at, "] "))
		return false;
	if (!ret->pci[0] && id <= UINT32_MAX)
		span_put_pci(ret->pci, (unsigned)(id >> 16), (unsigned)(id >> 8 & 0xff), (unsigned)(id & 0x1f), 0);
	ret->body = at;
	return true;
}

/* Prefixes within the line that tell nothing of the event, in any order. */
static void take_inner_prefixes(struct klog_source *ret)
{
	struct span *body = &ret->body;

	do
		span_trim(body);
	while (take_drm_prefix(body, ret) || span_take(body, "*ERROR* ") || span_take(body, "AER: ") ||
	       span_take(body, "DPC: ") || span_take(body, "pciehp: ") || take_service(body) ||
	       (ret->family == KLOG_FAMILY_NVIDIA && take_gpu_id(ret)) ||
	       (ret->family == KLOG_FAMILY_AMDGPU && take_amdgpu(body)) ||
	       ((ret->family == KLOG_FAMILY_INTEL || ret->family == KLOG_FAMILY_DRM) && take_tile(body)));
}

/* "pid='<unknown>', name=<unknown>, GPU has …": what is left is what happened. */
static void take_process(struct klog_source *ret)
{
	struct span at = ret->body, value;

	if (span_take(&at, "pid=")) {
		if (!take_up_to(&at, ",", &value)) {
			value = at;
			at.at = at.end;
		}
		/* 0 is the idle task: whatever ran when the interrupt came, and no program's process. */
		ret->fields.has_pid = span_take_u64(&value, &ret->fields.pid) && ret->fields.pid;
		span_trim(&at);
	}
	if (span_take(&at, "name=")) {
		if (!take_up_to(&at, ", ", &value)) {
			value = at;
			value.end -= value.at < value.end && value.end[-1] == ',';
			at.at = at.end;
		}
		if (!span_is(value, "<unknown>"))
			ret->fields.process = value;
	}
	ret->body = at;
}

/* "… caused by previous Xid 149" ends what happened: the incidents take it from the whole line (cause.c). */
static void cut_previous(struct klog_source *ret)
{
	static const char words[] = " caused by previous Xid ";
	const char *found = memmem(ret->body.at, span_len(ret->body), words, strlen(words));

	if (found)
		ret->body.end = found;
}

/*
 * "31 pid=1234, Ch 00000010", "31 MMU Fault: …": what retyped lines and titles lack; sentences go on in small letters.
 */
static bool goes_on_without_comma(struct span text)
{
	if (!span_take(&text, " ") || text.at == text.end)
		return false;
	return span_begins(text, "pid=") || span_begins(text, "pid '") || (*text.at >= 'A' && *text.at <= 'Z');
}

/* "xxxx:xx:xx", "<hidden>", "...": an address that was taken out before a log was shown. */
static bool is_hidden_address(struct span text)
{
	enum { LONGEST = 24 };

	return span_take(&text, "PCI:") && span_len(text) && span_len(text) <= LONGEST &&
	       !memchr(text.at, '%', span_len(text));
}

/* "0003:00" of drivers before 195, bus and device: there was no domain but the first. */
static bool take_old_address(struct span text, char ret[PCI_TEXT_BYTES])
{
	uint64_t bus, device;

	if (span_len(text) != 7 || text.at[4] != ':' || !span_begins(text, "00"))
		return false;
	text.at += 2;
	if (!span_take_hex(&text, &bus) || !span_take(&text, ":") || !span_take_hex(&text, &device) ||
	    text.at < text.end || device > 0x1f)
		return false;
	span_put_pci(ret, 0, (unsigned)bus, (unsigned)device, 0);
	return true;
}

/* "Xid (PCI:0000:5d:00 GPU-I:05): 79, …", "Xid (0005:00): 8, …" */
static bool take_xid(struct klog_source *ret)
{
	struct span at = ret->body, rest, address;

	if (!span_take(&at, "Xid ("))
		return false;
	address = at;
	span_take_pci(&address, ret->pci);
	if (!take_up_to(&at, "): ", &rest) ||
	    (!ret->pci[0] && !take_old_address(rest, ret->pci) && !is_hidden_address(rest)) ||
	    !span_take_u64(&at, &ret->fields.code))
		return false;
	/* "): 13 ... Graphics SM Warp Exception": who quotes it leaves the process out. */
	if (at.at < at.end && !span_take(&at, ",") && !span_take(&at, " ...") && !span_take(&at, " \xe2\x80\xa6") &&
	    !goes_on_without_comma(at))
		return false;
	ret->fields.has_code = true;
	ret->family = KLOG_FAMILY_XID;
	ret->body = at;
	span_trim(&ret->body);
	take_process(ret);
	cut_previous(ret);
	ret->fields.code = klog_xid_of_words(ret->body, ret->fields.code);
	return true;
}

/* "nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, …" */
static bool take_sxid(struct klog_source *ret, struct span text)
{
	struct span rest;
	uint64_t number;

	if (!span_take(&text, "nvidia-nvswitch") || !span_take_u64(&text, &number) || !span_take(&text, ": SXid (") ||
	    !span_take_pci(&text, ret->pci) || !take_up_to(&text, "): ", &rest) ||
	    !span_take_u64(&text, &ret->fields.code) || !span_take(&text, ", "))
		return false;
	ret->fields.has_code = true;
	ret->family = KLOG_FAMILY_SXID;
	ret->body = text;
	return true;
}

/*
 * "XidCriticalError: Xid=94 on Device=GPU-3b6ec030-…; marking device as unhealthy." of Kubernetes' device plugins,
 * which NVML tells of the event: they name the GPU by its UUID, older ones by its node "nvidia0".
 */
static bool take_plugin_xid(struct klog_source *ret, struct span text)
{
	struct span name;

	/* "NvidiaXID79Error" is a reason in a condition that a node monitor sets. */
	if (span_take(&text, "NvidiaXID") && span_take_u64(&text, &ret->fields.code) && span_take(&text, "Error")) {
		ret->fields.has_code = true;
		ret->family = KLOG_FAMILY_XID;
		ret->is_relayed = true;
		ret->body = text;
		return true;
	}
	if (!span_take(&text, "XidCriticalError: Xid=") || !span_take_u64(&text, &ret->fields.code) ||
	    !span_take(&text, " on Device="))
		return false;
	name = (struct span){ text.at, text.at };
	while (name.end < text.end && !memchr(" ;,.\"", *name.end, 5))
		name.end++;
	ret->fields.has_code = true;
	ret->fields.unit = name;
	ret->family = KLOG_FAMILY_XID;
	ret->is_relayed = true;
	ret->body = (struct span){ name.end, text.end };
	return true;
}

/* Whom a monitor names: "PCI:0000:ae:00", or "GPU 3" by the number that NVIDIA's library gives it. */
static bool take_monitored_gpu(struct klog_source *ret, struct span text)
{
	struct span number;
	uint64_t index;

	if (span_take_pci(&text, ret->pci))
		return true;
	span_take(&text, "GPU ");
	number = text;
	if (span_take_pci(&text, ret->pci))
		return true;
	if (!span_take_u64(&text, &index) || span_begins(text, ":") || span_begins(text, "-") || span_begins(text, "."))
		return false;
	ret->fields.unit = (struct span){ number.at, text.at };
	return true;
}

/* "Xid 79 reported of GPU 3", as lib/import/fleet/xid_monitor.c writes what a table or a metric has. */
static bool take_reported_xid(struct klog_source *ret, struct span text)
{
	if (!span_take(&text, "Xid ") || !span_take_u64(&text, &ret->fields.code) ||
	    !span_take(&text, " reported of ") || !take_monitored_gpu(ret, text))
		return false;
	ret->fields.has_code = true;
	ret->family = KLOG_FAMILY_XID;
	ret->is_relayed = true;
	ret->body = (struct span){ text.end, text.end };
	return true;
}

/*
 * "SXid 20034 reported of PCI:0000:06:00.0, Fatal, Link 48 …", as fabric_log.c of import writes what the fabric manager
 * has.
 */
static bool take_reported_sxid(struct klog_source *ret, struct span text)
{
	if (!span_take(&text, "SXid ") || !span_take_u64(&text, &ret->fields.code) ||
	    !span_take(&text, " reported of PCI:") || !span_take_pci(&text, ret->pci) || !span_take(&text, ", "))
		return false;
	ret->fields.has_code = true;
	ret->family = KLOG_FAMILY_SXID;
	ret->is_relayed = true;
	ret->body = text;
	return true;
}

/*
 * "XID 79 (GPU has fallen off the bus) detected on PCI:0000:ae:00", "XID 144.0 (…) … detected on GPU PCI:0000:01:00" of
 * gpud, "XID 79 detected on GPU 3" of conditions that scripts set. NVIDIA's vGPU manager names a guest's channel, and
 * no GPU.
 */
static bool take_gpud_xid(struct klog_source *ret, struct span text)
{
	struct span words;
	uint64_t part;

	if (!span_take(&text, "XID ") || !span_take_u64(&text, &ret->fields.code))
		return false;
	if (span_take(&text, ".") && !span_take_u64(&text, &part))
		return false;
	if (!take_up_to(&text, " detected on ", &words))
		return false;
	if (!span_begins(text, "physical_chid:") && !take_monitored_gpu(ret, text))
		return false;
	ret->fields.has_code = true;
	ret->family = KLOG_FAMILY_XID;
	ret->is_relayed = true;
	ret->body = words;
	span_trim(&ret->body);
	return true;
}

static bool find_nvidia(struct span text, struct klog_source *ret)
{
	static const char *const prefixes[] = { "NVRM: ", "NVRM ", "nvidia-modeset: ", "nvidia-uvm: ",
						"nvidia-nvlink: ", "nvidia-drm: ", "nvidia: ", "nvidia_uvm: ",
						"nvidia_modeset: ", "nvidia_drm: ", "nvgpu: ", "gk20a " };

	if (take_sxid(ret, text) || take_plugin_xid(ret, text) || take_gpud_xid(ret, text) ||
	    take_reported_xid(ret, text) || take_reported_sxid(ret, text))
		return true;
	/* Titles of tickets, and what was cut out of a line. */
	ret->body = text;
	if (span_begins(text, "Xid (PCI:") && take_xid(ret))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		ret->body = text;
		if (!span_take(&ret->body, prefixes[i]))
			continue;
		ret->family = KLOG_FAMILY_NVIDIA;
		if (prefixes[i][0] == 'N')
			take_xid(ret);
		return true;
	}
	return false;
}

/* "{12}[Hardware Error]: ", "mce: [Hardware Error]: " */
static bool find_ghes(struct span text, struct klog_source *ret)
{
	struct span id = { text.at, text.at };

	if (!span_take(&text, "mce: ") && span_take(&text, "{") && !take_up_to(&text, "}", &id))
		return false;
	if (!span_take(&text, "[Hardware Error]: "))
		return false;
	/* Errors of the boot before have no number (BERT). */
	if (span_len(id))
		ret->driver = span_of("ghes");
	ret->family = KLOG_FAMILY_GHES;
	ret->body = text;
	span_trim(&ret->body);
	return true;
}

/* What is retyped into the title of a ticket has lost its driver's name. */
static bool is_bare(struct span text, enum klog_family *ret)
{
	static const struct {
		const char *words;
		enum klog_family family;
	} says[] = {
		{ "GPU HANG: ecode ", KLOG_FAMILY_INTEL },
		{ "Fence expiration time out i915-", KLOG_FAMILY_INTEL },
		{ "render command stream:", KLOG_FAMILY_INTEL },
		{ "**** Xe Device Coredump ****", KLOG_FAMILY_INTEL },
		{ "**** AMDGPU Device Coredump ****", KLOG_FAMILY_AMDGPU },
		{ "CRITICAL: Xe has declared device ", KLOG_FAMILY_INTEL },
		{ "Xe has declared device ", KLOG_FAMILY_INTEL },
		{ "ring gfx", KLOG_FAMILY_AMDGPU },
		{ "ring comp_", KLOG_FAMILY_AMDGPU },
		{ "ring sdma", KLOG_FAMILY_AMDGPU },
		{ "ring vcn_", KLOG_FAMILY_AMDGPU },
		{ "*ERROR* ring gfx", KLOG_FAMILY_AMDGPU },
		{ "*ERROR* ring comp_", KLOG_FAMILY_AMDGPU },
		{ "*ERROR* ring sdma", KLOG_FAMILY_AMDGPU },
		{ "*ERROR* ring vcn_", KLOG_FAMILY_AMDGPU },
		/* The compute driver's first versions spoke without a name. */
		{ "qcm fence wait loop timeout expired", KLOG_FAMILY_AMDGPU },
		{ "The cp might be in an unrecoverable state", KLOG_FAMILY_AMDGPU },
		{ "MES failed to respond ", KLOG_FAMILY_AMDGPU },
		{ "MES might be in unrecoverable state", KLOG_FAMILY_AMDGPU },
	};

	for (size_t i = 0; i < ARRAY_SIZE(says); i++)
		if (span_begins(text, says[i].words)) {
			*ret = says[i].family;
			return true;
		}
	return false;
}

/* "kfd kfd: amdgpu: ", "radeon: ": who speaks in lines that name no device. */
static bool take_bare_driver(struct klog_source *ret)
{
	static const struct {
		const char *prefix;
		enum klog_family family;
	} prefixes[] = {
		{ "amdgpu: ", KLOG_FAMILY_AMDGPU },   { "kfd kfd: amdgpu: ", KLOG_FAMILY_AMDGPU },
		{ "kfd kfd: ", KLOG_FAMILY_AMDGPU },  { "nouveau: ", KLOG_FAMILY_NOUVEAU },
		{ "radeon: ", KLOG_FAMILY_RADEON },   { "i915: ", KLOG_FAMILY_INTEL },
		{ "xe: ", KLOG_FAMILY_INTEL },	      { "drm/i915: ", KLOG_FAMILY_INTEL },
		{ "i915 [drm] ", KLOG_FAMILY_INTEL }, { "xe [drm] ", KLOG_FAMILY_INTEL },
		{ "[i915] ", KLOG_FAMILY_INTEL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (span_take(&ret->body, prefixes[i].prefix)) {
			ret->family = prefixes[i].family;
			return true;
		}
	return false;
}

/* "[0:bd:0:0]": domain, bus, device and function. */
static bool take_gim_address(struct span *text, char ret[PCI_TEXT_BYTES])
{
	static const char *const ends[] = { ":", ":", ":", "]" };
	static const uint64_t most[] = { 0xffff, 0xff, 0x1f, 7 };
	struct span at = *text;
	uint64_t parts[ARRAY_SIZE(ends)];

	if (!span_take(&at, "["))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (!span_take_hex(&at, &parts[i]) || parts[i] > most[i] || !span_take(&at, ends[i]))
			return false;
	span_put_pci(ret, (unsigned)parts[0], (unsigned)parts[1], (unsigned)parts[2], (unsigned)parts[3]);
	*text = at;
	return true;
}

/*
 * AMD's driver of hosts whose GPUs are shared by virtual machines: "gim error libgv:
 * [0:bd:0:0][PF][amdgv_reset_gpu:142] …", and up to 2022 "gim warning:(wait_cmd_complete:1671) …".
 */
static bool take_gim(struct klog_source *ret)
{
	static const char *const levels[] = { "gim error", "gim warning", "gim info" };
	struct span at = ret->body, rest;
	bool takes = false;

	for (size_t i = 0; i < ARRAY_SIZE(levels) && !takes; i++)
		takes = span_take(&at, levels[i]);
	if (!takes)
		return false;
	if (span_take(&at, " libgv: ")) {
		if (take_gim_address(&at, ret->pci))
			while (span_take(&at, "[") && take_up_to(&at, "]", &rest))
				;
	} else if (!span_take(&at, ":(") || !take_up_to(&at, ")", &rest)) {
		return false;
	}
	span_trim(&at);
	ret->family = KLOG_FAMILY_AMDGPU;
	ret->body = at;
	return true;
}

/*
 * "nouveau E[   PFIFO][0000:01:00.0] ", "nouveau E[     DRM] ", "nouveau E[Xorg[1243]] ": Linux 3.7 to 4.2; E is the
 * level.
 */
static bool take_old_nouveau(struct klog_source *ret)
{
	static const char *const levels[] = { "nouveau E[", "nouveau W[", "nouveau ![" };
	struct span at = ret->body, part;
	bool takes = false;

	for (size_t i = 0; i < ARRAY_SIZE(levels) && !takes; i++)
		takes = span_take(&at, levels[i]);
	if (!takes || !take_up_to(&at, "]", &part))
		return false;
	if (span_take(&at, "[")) {
		if (!span_take_pci(&at, ret->pci) || !span_take(&at, "]")) {
			ret->pci[0] = '\0';
			return false;
		}
	} else {
		span_take(&at, "]");
	}
	if (!span_take(&at, " "))
		return false;
	span_trim(&at);
	ret->family = KLOG_FAMILY_NOUVEAU;
	ret->body = at;
	return true;
}

void klog_source_find(struct span text, struct klog_source *ret)
{
	*ret = (struct klog_source){ .family = KLOG_FAMILY_HOST };
	if (find_nvidia(text, ret) || find_ghes(text, ret))
		return;
	ret->body = text;
	if (take_device_prefix(&ret->body, ret)) {
		ret->family = klog_driver_family(ret->driver);
		ret->plain = ret->body;
		take_inner_prefixes(ret);
		return;
	}
	if (take_gim(ret) || take_old_nouveau(ret))
		return;
	if (take_bare_driver(ret)) {
		take_inner_prefixes(ret);
		return;
	}
	if (take_freebsd_device(&ret->body) || take_openbsd_function(&ret->body)) {
		ret->family = KLOG_FAMILY_DRM;
	} else if (is_bare(text, &ret->family)) {
		;
	} else if (take_drm_prefix(&ret->body, ret)) {
		/* "[drm] nouveau 0000:01:00.0: " of old kernels. */
		if (!span_len(ret->driver) && take_device_prefix(&ret->body, ret))
			ret->plain = ret->body;
		ret->family = span_len(ret->driver) ? klog_driver_family(ret->driver) : KLOG_FAMILY_DRM;
	} else {
		return;
	}
	take_inner_prefixes(ret);
}

bool klog_source_is_of_accelerator(const struct klog_source *source)
{
	static const char *const names[] = { "habanalabs", "amdxdna", "intel_vpu", "qaic" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (source->is_device_line && span_is(source->driver, names[i]))
			return true;
	return false;
}

bool klog_source_lists_gpu(const struct klog_source *source, enum klog_family *ret_family, struct span *ret_words)
{
	static const struct { const char *vendor; enum klog_family family; } makers[] = {
		{ "[10de:", KLOG_FAMILY_NVIDIA }, { "[1002:", KLOG_FAMILY_AMDGPU }, { "[8086:", KLOG_FAMILY_INTEL },
	};
	static const char *const classes[] = { " class 0x03", " class 0x12" };
	/* Of VGA's arbiter; of module vendor-reset, which knows GPUs alone: "AMD_VEGA10: performing reset". */
	static const struct { const char *words; enum klog_family family; } of_vfio[] = {
		{ "vgaarb: ", KLOG_FAMILY_PCI }, { "AMD_", KLOG_FAMILY_AMDGPU },
	};
	struct span words = source->plain;

	if (!source->is_device_line)
		return false;
	span_trim(&words);
	*ret_family = KLOG_FAMILY_PCI;
	*ret_words = words;
	for (size_t i = 0; i < ARRAY_SIZE(of_vfio) && span_is(source->driver, "vfio-pci"); i++)
		if (span_begins(words, of_vfio[i].words)) {
			*ret_family = of_vfio[i].family;
			*ret_words = (struct span){ words.at, words.at + strlen(of_vfio[i].words) };
			return true;
		}
	if (!span_is(source->driver, "pci"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(makers); i++) {
		if (!span_begins(words, makers[i].vendor))
			continue;
		*ret_family = makers[i].family;
		for (size_t k = 0; k < ARRAY_SIZE(classes); k++) {
			const char *class = memmem(words.at, span_len(words), classes[k], strlen(classes[k]));

			if (!class)
				continue;
			*ret_words = (struct span){ words.at, class + strlen(classes[k]) };
			return true;
		}
	}
	return false;
}
