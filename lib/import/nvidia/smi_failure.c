// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * smi_failure.c - what nvidia-smi says in place of a table or below it, and other programs that ask the same library: a
 * line for the whole node, or for one GPU. It stands among anything else, and nvidia-smi may have ended with status 0.
 */
#include "base/compat.h"
#include "import/dump/log_time.h"
#include "import/dump/readers.h"
#include "import/nvidia/smi_value.h"
#include "import/program/dcgm_result.h"
#include "import/program/nvml_failure.h"
#include "import/program/program_error.h"
#include "import/words/mention.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "klog/span.h"

/* Of the node, in forms that are nobody else's; NVML's own list of errors is nvml_failure.c's. */
static const struct nvml_failure starts[] = {
	/* In WSL: a driver of Windows that is no match. */
	{ "Failed to initialize NVML: N/A", VAL_ERROR, "nvmlInit: NVML_ERROR_UNKNOWN" },
	{ "NVML: GPU requires reset", VAL_ERROR, "nvmlInit: NVML_ERROR_RESET_REQUIRED" },
	/* Other programs that ask the library, in its words or its names for them; of this one it is the only one's. */
	{ ": Driver/library version mismatch", VAL_ERROR, "nvmlInit: NVML_ERROR_LIB_RM_VERSION_MISMATCH" },
	{ ": ERROR_LIB_RM_VERSION_MISMATCH", VAL_ERROR, "nvmlInit: NVML_ERROR_LIB_RM_VERSION_MISMATCH" },
	{ "nvml error: driver/library version mismatch", VAL_ERROR, "nvmlInit: NVML_ERROR_LIB_RM_VERSION_MISMATCH" },
	/* "couldn't": what editors make of the apostrophe differs. */
	{ "NVIDIA-SMI has failed because it couldn", VAL_ERROR, "nvmlInit: NVML_ERROR_DRIVER_NOT_LOADED" },
	{ "NVIDIA-SMI has failed because you do not have suff", VAL_DENIED, "nvmlInit: NVML_ERROR_NO_PERMISSION" },
	{ "NVIDIA-SMI couldn", VAL_ERROR, "nvmlInit: NVML_ERROR_LIBRARY_NOT_FOUND" },
	/*
	 * The container toolkit asks the same library, on the host: "nvidia-container-cli: initialization error: nvml
	 * …".
	 */
	{ "nvml error: unknown error", VAL_ERROR, "nvidia-container-cli: NVML_ERROR_UNKNOWN" },
	{ "initialization error: cuda error: unknown error", VAL_ERROR, "nvidia-container-cli: NVML_ERROR_UNKNOWN" },
	{ "initialization error: load library failed: libnvidia-ml.so", VAL_ERROR,
	  "nvmlInit: NVML_ERROR_LIBRARY_NOT_FOUND" },
	/* Who loads the module by hand is told why it does not go. */
	{ "could not insert 'nvidia': ", VAL_ERROR, "nvmlInit: NVML_ERROR_DRIVER_NOT_LOADED" },
	{ "could not insert 'nvidia_current': ", VAL_ERROR, "nvmlInit: NVML_ERROR_DRIVER_NOT_LOADED" },
	{ "could not insert module nvidia.ko: ", VAL_ERROR, "nvmlInit: NVML_ERROR_DRIVER_NOT_LOADED" },
	{ "Module nvidia not found in directory", VAL_ERROR, "nvmlInit: NVML_ERROR_DRIVER_NOT_LOADED" },
};

static const char device_handle[] = "the device handle for";
static const char no_devices[] = "No devices were found";
static const char library_version[] = "NVML library version:";
static const char inforom[] = "infoROM is corrupted at gpu";

/* nvidia-smi -pl: "Power limit for GPU 00000000:01:00.0 was set to 250.00 W from 300.00 W." */
static const char power_limit[] = "Power limit for GPU ";

/* Who changes a mode is told that it waits: nvidia-smi -mig 1, nvidia-smi -e 0. */
static const struct { const char *text; bool is_mig, is_on; } pending[] = {
	{ "MIG mode is in pending enable state for GPU ", true, true },
	{ "MIG mode is in pending disable state for GPU ", true, false },
	{ "Enabled ECC support for GPU ", false, true },
	{ "Disabled ECC support for GPU ", false, false },
};

/* Where the words stand in a line, in any case of letters, or NULL. */
static const char *said(const char *text, const char *words)
{
	const char *at = strcasestr(text, words);

	return at && !past_mention(text, at, strlen(words)) ? at : NULL;
}

/* "Unable to determine the device handle for GPU …", and as it is retyped: behind the words, or NULL. */
static const char *behind_handle(const char *text)
{
	static const char *const words[] = { "Unable to determine ", "Unable to detect ", "Unable to get " };
	const char *at = said(text, device_handle);

	for (size_t i = 0; at && i < ARRAY_SIZE(words); i++) {
		const char *before = strcasestr(text, words[i]);

		if (before && before + strlen(words[i]) == at)
			return at + strlen(device_handle);
	}
	return NULL;
}

/* These programs' logs are all that a container prints, or a user sees: their words count with a clock before them. */
static const char no_library[] = "nvmlInit: NVML_ERROR_LIBRARY_NOT_FOUND";
static const struct { const char *text, *why; } logged[] = {
	{ "initialize NVML: could not load NVML library", no_library },
	{ "nvml init failed: ERROR_LIBRARY_NOT_FOUND", no_library },
	{ "NVML not detected: could not load NVML library", no_library },
	{ "Failed to start nvml with error:  could not load NVML library", no_library },
	{ "Failed to initialize NVML: ERROR_LIBRARY_NOT_FOUND", no_library },
	{ "because NVML doesn't exist on this system", no_library },
	/* nvidia-docker up to 1.0: "nvidia-docker | 2017/12/21 05:04:46 Error: nvml: …" */
	{ " Error: nvml: Driver/library version mismatch", "nvmlInit: NVML_ERROR_LIB_RM_VERSION_MISMATCH" },
};

/* gpustat's row of a GPU that it could not open, "[0] ((Unknown Error)) | ?'C, …": the reason, or NULL. */
static const char *reason_of_row(const char *text, uint64_t *ret_index)
{
	static const char *const reasons[] = { "((Unknown Error))", "((GPU is lost))" };
	bool fits = true;

	text = past_blanks(text);
	if (*text++ != '[' || !scan_u64(&text, 10, ret_index, &fits) || !fits || *text != ']' ||
	    *ret_index >= DCGM_MAX_GPUS)
		return NULL;
	text = past_blanks(text + 1);
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		if (text_begins(text, reasons[i]) && *past_blanks(text + strlen(reasons[i])) == '|')
			return text + strlen("((");
	return NULL;
}

/*
 * One field of --query-gpu as people write it down, "temperature.gpu -> [GPU requires reset]", "utilization.gpu: [GPU is
 * lost]": the reason, or NULL.
 */
static const char *reason_of_field(const char *text)
{
	static const char *const reasons[] = { "[GPU requires reset]", "[GPU is lost]" };
	const char *name = text + strspn(text, " \"'-*"), *at;
	size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._");

	if (!len || !memchr(name, '.', len))
		return NULL;
	at = name + len + strspn(name + len, " \"'");
	if (!strchr(":=,-", *at) || !*at)
		return NULL;
	at += strspn(at, ":=,->");
	at += strspn(at, " \"'");
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		size_t len_reason = strlen(reasons[i]);

		if (text_begins(at, reasons[i]) && !at[len_reason + strspn(at + len_reason, " \"',")])
			return reasons[i];
	}
	return NULL;
}

static bool is_logged(const char *text, size_t *ret_row)
{
	const char *at = text_find_row(text, &logged[0].text, sizeof(*logged), ARRAY_SIZE(logged), false, ret_row);

	return at && !past_mention(text, at, strlen(logged[*ret_row].text));
}

/* Whoever's words stand before them, theirs are the last of the chain. */
static bool is_end_of_chain(const char *text, const char *at)
{
	return *text != ':' || !at[strlen(text)] || strchr("\"'`)],.;:", at[strlen(text)]);
}

static const struct nvml_failure *form_of(const char *text)
{
	const char *at = text;

	for (int i = 0; i < MOST_MENTIONS; i++) {
		const char *past;
		size_t row;

		at = text_find_row(at, &starts[0].text, sizeof(*starts), ARRAY_SIZE(starts), true, &row);
		/* "File exists" insmod says of what is loaded. */
		if (!at || text_begins(at + strlen(starts[row].text), "File exists"))
			return NULL;
		past = past_mention(text, at, strlen(starts[row].text));
		if (!past && is_end_of_chain(starts[row].text, at))
			return &starts[row];
		at = past ? past : at + 1;
	}
	return NULL;
}

static const struct nvml_failure *start_of(const char *text)
{
	const struct nvml_failure *ret = form_of(text);

	return ret ? ret : nvml_failure_of(text);
}

static bool names_before(const char *text, const char *at, const char *name)
{
	const char *found = strcasestr(text, name);

	return found && found < at;
}

/*
 * "Error message: ", "**Error:** ", "nvidia-smi output: ", "node7: ": a few words of what stands behind them, or a
 * node's name.
 */
static bool is_label(const char *label, const char *end)
{
	static const char *const words[] = { "rror", "utput", "essage", "esult", "smi" };
	enum { LONGEST = 40 };
	bool has_digit = false, has_blank = false;

	while (end > label && strchr(" *\"'`", end[-1]))
		end--;
	if (end - label > LONGEST || end <= label || end[-1] != ':')
		return end - label > 3 && (!strncmp(end - 3, "】", 3) || !strncmp(end - 3, "：", 3));
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (memmem(label, (size_t)(end - label), words[i], strlen(words[i])))
			return true;
	for (const char *at = label; at < end; at++) {
		has_digit |= is_digit(*at);
		has_blank |= *at == ' ';
	}
	return has_digit && !has_blank;
}

/*
 * Other tools end a sentence so: it is nvidia-smi's where it is the whole line, behind a stamp, a mark or a label, or
 * where the sentence names it.
 */
static bool lists_no_devices(const char *text)
{
	const char *at = strstr(text, no_devices), *end = at ? at + strlen(no_devices) : NULL;
	const char *first = at ? log_time_behind_stamp(text) : NULL;

	if (!at || past_mention(text, at, strlen(no_devices)))
		return false;
	if (names_before(text, at, "nvidia-smi") || names_before(text, at, "nvml"))
		return true;
	if (first > at)
		first = text;
	first += strspn(first, " -*>\"'`");
	return !end[strspn(end, ".\"'` ")] && (first >= at || is_label(first, at));
}

/* Behind the words, where the GPU is named, or NULL. */
static const char *behind_asked_limit(const char *text)
{
	const char *at = past_blanks(text);

	return text_begins(at, power_limit) && strstr(at, " was set to ") && strstr(at, " W from ") ?
		       at + strlen(power_limit) : NULL;
}

/* The same; of ECC it says below that it needs a reboot, where it does. */
static const char *behind_pending(const struct dump_line *lines, size_t nr, size_t *ret_row)
{
	enum { LINES_BELOW = 32 };
	const char *at =
		text_find_row(lines->text, &pending[0].text, sizeof(*pending), ARRAY_SIZE(pending), false, ret_row);

	if (!at)
		return NULL;
	at += strlen(pending[*ret_row].text);
	if (pending[*ret_row].is_mig)
		return at;
	for (size_t i = 1; i < nr && i < LINES_BELOW; i++)
		if (text_begins(lines[i].text, "Reboot required"))
			return at;
	return NULL;
}

/*
 * A log of daemons has such lines of any day, and those of device plugins and exporters are of nodes without a GPU,
 * too. With a time before them the words count where nvidia-smi alone says them, or nothing but who logged them stands
 * between, and the log does not go on long after them.
 */
static bool is_of_now(const struct dump_line *lines, size_t nr)
{
	static const char *const own[] = { "NVIDIA-SMI ", "Driver/library version mismatch", device_handle, inforom,
					   library_version };
	static const char *const first[] = { "Failed to initialize NVML: ", no_devices };
	const char *behind = log_time_behind_stamp(lines->text);

	if (!log_time_has_clock(lines->text))
		return true;
	if (log_time_is_past(lines, nr) || strstr(lines->text, "nvidia-container-cli"))
		return false;
	return text_has_any(lines->text, own, ARRAY_SIZE(own)) ||
	       (behind > lines->text && text_begins_any(log_time_behind_speakers(behind), first, ARRAY_SIZE(first)));
}

enum dump_begins smi_failure_begins(const struct dump_line *lines, size_t nr)
{
	uint64_t index;
	size_t row;

	if (behind_asked_limit(lines->text) || behind_pending(lines, nr, &row) ||
	    reason_of_row(lines->text, &index) || reason_of_field(lines->text))
		return BEGINS_MORE;
	if (is_logged(lines->text, &row))
		return BEGINS_NEW;
	if (start_of(lines->text) || behind_handle(lines->text) || lists_no_devices(lines->text))
		return is_of_now(lines, nr) ? BEGINS_NEW : BEGINS_NOT;
	return said(lines->text, inforom) && is_of_now(lines, nr) ? BEGINS_MORE : BEGINS_NOT;
}

/* "for GPU 0000:5D:00.0: Unknown Error", "for GPU3: 0000:5F:00.0: GPU is lost.  Reboot …": where the address stands. */
static const char *address_in(const char *text, char ret[PCI_TEXT_BYTES])
{
	for (const char *at = text; *at; at++) {
		struct span span = span_of(at);

		if ((at == text || hex_digit(at[-1]) < 0) && span_take_pci(&span, ret))
			return span.at;
	}
	return NULL;
}

/* Behind an index: nothing, its reason, or what ends words that somebody quotes, "GPU0`, and". */
static bool ends_index(const char *at)
{
	return !*at || (*at == ':' && (!at[1] || at[1] == ' ')) || strchr("`'\",;)", *at);
}

/*
 * Who it is that the words name by its index, "GPU2: Unknown Error", or by an address that is none, "GPU 000:BA:80.0:
 * …".
 */
static struct gpu *gpu_of_name(struct reading *reading, struct dump_line *line, const char *name,
			       const char **ret_reason)
{
	const char *at = name;
	bool fits = true, is_index;
	uint64_t index;
	struct gpu *gpu;

	is_index = scan_u64(&at, 10, &index, &fits) && fits && ends_index(at);
	if (!is_index)
		at = strstr(name, ": ");
	*ret_reason = at ? at : "";
	gpu = is_index ? reading_gpu_by_index(reading, index) :
			 list_element(reading->arena, reading->snapshot, gpus, gpu, "gpu?");
	if (is_index)
		put(reading, line, gpu->nvml.index, val_u64(index));
	put(reading, line, gpu->pci.vendor_id, val_str("0x10de"));
	put(reading, line, gpu->pci.driver, val_str("nvidia"));
	return gpu;
}

/* The GPU, and in *ret_reason what follows it. */
static struct gpu *gpu_of(struct reading *reading, struct dump_line *line, const char *text, const char **ret_reason)
{
	char address[PCI_TEXT_BYTES];
	const char *name = strcasestr(text, "GPU");

	*ret_reason = address_in(text, address);
	if (*ret_reason)
		return reading_nvidia_gpu(reading, line, address);
	name = name ? name + strlen("GPU") : text;
	return gpu_of_name(reading, line, past_blanks(name), ret_reason);
}

static void read_gpu(struct reading *reading, struct dump_line *line, const char *text)
{
	const char *reason;
	struct gpu *gpu = gpu_of(reading, line, text, &reason);
	struct val_head head;

	if (!gpu)
		return;
	reason += strspn(reason, ": ");
	/* It is of the library as a whole, whichever GPU it was about. */
	if (text_begins(reason, "Driver/library version mismatch")) {
		put(reading, line, reading->snapshot->nvml.init,
		    no_str(VAL_ERROR, "nvmlInit: NVML_ERROR_LIB_RM_VERSION_MISMATCH"));
		return;
	}
	if (!*reason || !smi_is_no_value(reason, &head))
		head = (struct val_head){ .state = VAL_ERROR, .why = "NVML_ERROR_UNKNOWN" };
	put(reading, line, gpu->nvml.handle, no_str(head.state, head.why));
}

/* "WARNING: infoROM is corrupted at gpu 0000:89:00.0", below the tables. */
static void read_inforom(struct reading *reading, struct dump_line *line, const char *address)
{
	struct gpu *gpu = reading_nvidia_gpu(reading, line, past_blanks(address));

	if (!gpu)
		return;
	put(reading, line, gpu->nvml.handle, val_str("ok"));
	put(reading, line, gpu->nvml.inforom_valid, val_bool(false));
}

static void read_row(struct reading *reading, struct dump_line *line, uint64_t index, const char *reason)
{
	struct val_head head;

	if (smi_is_no_value(reason, &head))
		put(reading, line, dcgm_gpu(reading, line, (int)index)->nvml.handle, no_str(head.state, head.why));
}

static void read_asked_limit(struct reading *reading, struct dump_line *line, const char *name)
{
	char address[PCI_TEXT_BYTES];
	struct gpu *gpu = address_in(name, address) ? reading_nvidia_gpu(reading, line, address) : NULL;

	if (!gpu)
		return;
	put(reading, line, gpu->nvml.handle, val_str("ok"));
	put(reading, line, gpu->power_limit_asked, val_bool(true));
}

/* Whose it is only the command told. */
static void read_field(struct reading *reading, struct dump_line *line, const char *reason)
{
	struct gpu *gpu = list_element(reading->arena, reading->snapshot, gpus, gpu, "gpu?");
	struct val_head head;

	put(reading, line, gpu->pci.vendor_id, val_str("0x10de"));
	put(reading, line, gpu->pci.driver, val_str("nvidia"));
	if (smi_is_no_value(reason, &head))
		put(reading, line, gpu->nvml.handle, no_str(head.state, head.why));
}

static void read_pending(struct reading *reading, struct dump_line *line, const char *name, size_t row)
{
	char address[PCI_TEXT_BYTES];
	struct gpu *gpu = address_in(name, address) ? reading_nvidia_gpu(reading, line, address) : NULL;

	if (!gpu)
		return;
	put(reading, line, gpu->nvml.handle, val_str("ok"));
	if (pending[row].is_mig) {
		put(reading, line, gpu->nvml.mig_enabled, val_bool(!pending[row].is_on));
		put(reading, line, gpu->nvml.mig_pending, val_bool(pending[row].is_on));
	} else {
		put(reading, line, gpu->nvml.ecc_enabled, val_bool(!pending[row].is_on));
		put(reading, line, gpu->nvml.ecc_pending, val_bool(pending[row].is_on));
	}
}

static void read_library_version(struct reading *reading, struct dump_line *line, const char *version)
{
	size_t len;

	version = past_blanks(version);
	len = strspn(version, "0123456789.");
	if (len)
		put(reading, line, reading->snapshot->nvml.library_version,
		    val_str(arena_strndup(reading->arena, version, len)));
}

void smi_failure_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	struct nvml *nvml = &reading->snapshot->nvml;
	const struct nvml_failure *start;
	const char *at;
	uint64_t index;
	size_t row;

	for (size_t i = 0; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];

		if ((at = reason_of_row(line->text, &index))) {
			read_row(reading, line, index, at);
		} else if ((at = behind_asked_limit(line->text))) {
			read_asked_limit(reading, line, at);
		} else if ((at = reason_of_field(line->text))) {
			read_field(reading, line, at);
		} else if ((at = behind_pending(line, part->nr_lines - i, &row))) {
			read_pending(reading, line, at, row);
		} else if (!is_of_now(line, part->nr_lines - i) && !is_logged(line->text, &row)) {
			continue;
		} else if ((at = behind_handle(line->text))) {
			read_gpu(reading, line, at);
		} else if ((start = start_of(line->text))) {
			put(reading, line, nvml->init, no_str(start->state, start->why));
			/* Of the toolkit below a runtime, which asks as root. */
			if (start->state == VAL_DENIED)
				program_error_take(reading, line, line->text);
		} else if (is_logged(line->text, &row)) {
			put(reading, line, nvml->init, no_str(VAL_ERROR, logged[row].why));
		} else if (lists_no_devices(line->text)) {
			put(reading, line, nvml->init, val_str("ok"));
			put(reading, line, nvml->gpus, val_u64(0));
		} else if ((at = said(line->text, library_version))) {
			read_library_version(reading, line, at + strlen(library_version));
		} else if ((at = said(line->text, inforom))) {
			read_inforom(reading, line, at + strlen(inforom));
		}
	}
}
