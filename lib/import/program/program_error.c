// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * program_error.c - what programs of CUDA, HIP and Level Zero print when the driver refuses them or their work fails,
 * in the words of the runtimes (cudaGetErrorString and the like), whichever program prints them; and what services,
 * containers, schedulers and builds of modules say of GPUs.
 */
#include "base/compat.h"
#include "import/program/program_error.h"

#include "import/dump/error_put.h"
#include "import/dump/readers.h"
#include "import/dump/whose_node.h"
#include "import/program/clock_sources.h"
#include "import/program/device_list.h"
#include "import/program/error_back.h"
#include "import/program/framework_answer.h"
#include "import/program/job_table.h"
#include "import/program/library_version.h"
#include "import/program/lost_gpu.h"
#include "import/program/miner_row.h"
#include "import/program/module_failure.h"
#include "import/program/not_a_number.h"
#include "import/program/runtime_error.h"
#include "import/program/runtime_number.h"
#include "import/program/service_back.h"
#include "import/program/slurm_back.h"
#include "import/program/slurm_later.h"
#include "import/program/slurm_reason.h"
#include "import/program/slurm_row.h"
#include "import/program/slurm_table.h"
#include "import/program/test_summary.h"
#include "import/program/unit_back.h"
#include "import/program/unit_failed.h"
#include "import/program/xserver_gpu.h"
#include "import/words/mention.h"

#include "base/text.h"
#include "base/text_scan.h"

static const struct { const char *key, *text, *with; } errors[] = {
#define ERROR(key, text, with) { key, text, with },
#include "import/program/program_error.def"
#define ERROR(key, text, with) { key, text, with },
#include "import/program/service_error.def"
};

/*
 * "Reason=GPU 3 has ECC errors [root@2024-12-19T11:03:34]": who took a node out of use, and when. Of a job Slurm has
 * reasons without that. In its log "with reason:" and "reason set to: " stand before it. As which error it counts;
 * NULL: as none, or it has a key of its own.
 */
static const char *drain_key(const char *at, size_t row)
{
	static const char *const others[] = { "gres/gpu count", "gres/gpu GRES core", "NHC: " };
	bool is_shown = !strcmp(errors[row].text, "Reason=");
	size_t len = strcspn(at, is_shown ? "[" : ""), who = strcspn(at + len, "]@");
	char words[MOST_REASON_WORDS + 1];

	if (is_shown && at[len + who] != '@')
		return NULL;
	at += strlen(errors[row].text);
	len -= strlen(errors[row].text);
	snprintf(words, sizeof(words), "%.*s", (int)(len < MOST_REASON_WORDS ? len : MOST_REASON_WORDS), at);
	return text_has_any(words, others, ARRAY_SIZE(others)) ? NULL : slurm_reason_key(slurm_reason_of(words));
}

/* What opens a display says so on every node without one, and goes on; amd-smi does above figures that are good. */
static bool is_harmless(const char *text)
{
	static const char *const speakers[] = { "libEGL", "libGL", "MESA", "Xorg", "(EE)", "(WW)", "wayland",
						"device(s) denied" };

	return text_has_any(text, speakers, ARRAY_SIZE(speakers)) || (unsigned char)*past_blanks(text) >= 0x80;
}

static bool is_dkms_row(size_t row)
{
	return errors[row].with && !strcmp(errors[row].with, ": added");
}

/* "nvidia/535.161.08: added", and nothing else. */
static bool is_dkms_line(const char *text, const char *at)
{
	const char *end = at + strcspn(at, ":");

	return past_blanks(text) == at && text_begins(end, ": added") && !*past_blanks(end + strlen(": added"));
}

/* "0 tests completed and failed residual checks". */
static bool is_of_none(const char *text, const char *at)
{
	while (at > text && at[-1] == ' ')
		at--;
	return at > text && at[-1] == '0' && (at - 1 == text || !is_digit(at[-2]));
}

/* "main:689: device IDs : Out of memory": behind a line of its source, and no figure. */
static bool is_clinfo_error(const char *text, const char *at, const char *behind)
{
	return at > text && is_digit(at[-1]) && !is_digit(*behind);
}

/* "Number of platforms      0", and older "Number of platforms:		0". */
static bool is_zero(const char *behind)
{
	behind = past_blanks(behind + (*behind == ':'));
	return *behind == '0' && !*past_blanks(behind + 1);
}

/* Of a driver, or of what programs need to use a GPU: other packages are nobody's that reads this. */
static bool is_of_gpus(const char *text)
{
	static const char *const packages[] = {
		"nvidia", "cuda", "cudnn", "nccl", "tensorrt", "datacenter-gpu-manager", "rocm", "amdgpu", "radeon",
		"hip-runtime", "hip-dev", "hipcc", "miopen", "rocblas", "hsa-r", "intel-opencl", "intel-level-zero",
		"level-zero-gpu", "libze", "intel-media", "intel-gpu", "i915-dkms", "xpu-smi", "habanalabs",
	};
	size_t row;

	return text_find_row(text, packages, sizeof(*packages), ARRAY_SIZE(packages), true, &row);
}

/* The words stand in it, and mean something else. */
static bool is_spared(const char *text, const char *at, size_t row)
{
	const char *key = errors[row].key;

	if (!strcmp(key, "drained"))
		return !drain_key(at, row);
	/* An Xid is read as one, of a GPU. */
	if (!strcmp(key, "nvlink"))
		return strstr(text, "Xid");
	if (is_dkms_row(row))
		return !is_dkms_line(text, at);
	if (!strcmp(key, "hpl-wrong"))
		return is_of_none(text, at);
	if (!strcmp(key, "none") && text_begins(errors[row].text, ": "))
		return !is_clinfo_error(text, at, at + strlen(errors[row].text));
	if (!strcmp(errors[row].text, "Number of platforms"))
		return !is_zero(at + strlen(errors[row].text));
	if (!strcmp(key, "not-installed"))
		return !is_of_gpus(text);
	/* ROCm's runtime gives other reasons in the same words. */
	if (!strcmp(key, "access"))
		return strstr(text, " ECC failure") || strstr(text, "Generic hang recovery");
	/* With its name it is the kernel's line. */
	if (!strcmp(key, "build") && strstr(errors[row].text, "open kernel modules"))
		return strstr(text, "NVRM");
	/* Without a time of day smi_failure.c reads them. */
	if (strstr(errors[row].text, "initialize NVML: ") || strstr(errors[row].text, "nvml init failed: "))
		return !text_has_clock(text, at);
	/* TensorFlow goes on without it. */
	if (!strcmp(key, "package"))
		return strstr(text, "Could not load dynamic library");
	/* dcgm-exporter, of GPUs and containers without what profiles them. */
	if (!strcmp(key, "dcgm"))
		return strstr(text, "Not collecting DCP metrics: ");
	return !strcmp(key, "denied") && is_harmless(text);
}

/* strace, Python and others quote what is opened. */
static bool is_traced(const char *text)
{
	static const char *const frames[] = { "= -1 EACCES (Permission denied)", "[Errno 13] Permission denied: ",
					      "open '/dev/", "open \"/dev/" };

	return text_has_any(text, frames, ARRAY_SIZE(frames));
}

/* An error in a line. */
struct found {
	const char *at;			/* NULL: none */
	const char *key, *words;
	const char *call;		/* what failed so, in the line before it; NULL: nothing that is known */
	bool is_dkms_row;
};

/*
 * What rows ask of their whole line, which may be long and name an error many times: each is asked once. One that is
 * zero knows nothing yet.
 */
struct asked {
	enum { NOT_ASKED, STANDS, STANDS_NOT } with[ARRAY_SIZE(errors)];
};

static bool has_with(struct asked *asked, const char *text, size_t row)
{
	if (!errors[row].with)
		return true;
	if (asked->with[row] == NOT_ASKED)
		asked->with[row] = text_has_word_of(text, errors[row].with) ? STANDS : STANDS_NOT;
	return asked->with[row] == STANDS;
}

/*
 * The row that is meant, of those with the text of one that was found: they differ in what else the line must hold. All
 * rows: none is.
 */
static size_t meant_row(struct asked *asked, const char *text, const char *at, size_t found)
{
	for (size_t row = found; row < ARRAY_SIZE(errors); row++)
		if ((row == found || !strcmp(errors[row].text, errors[found].text)) && has_with(asked, text, row) &&
		    !is_spared(text, at, row))
			return row;
	return ARRAY_SIZE(errors);
}

static const char *key_of(const char *at, size_t row)
{
	return !strcmp(errors[row].key, "drained") ? drain_key(at, row) : errors[row].key;
}

/*
 * dnf's, " Problem: package NAME requires NAME, but none of the providers can be installed": what is written of errors has
 * such words, too, as "can be", and names of packages have others of them, as "common".
 */
static bool is_of_resolver(const char *text, size_t row)
{
	static const char *const begins[] = { "Problem", "package " };
	const char *first = past_blanks(text);

	if (text_begins(first, "- "))
		first = past_blanks(first + 1);
	return !strcmp(errors[row].key, "not-installed") &&
	       (text_begins_any(first, begins, ARRAY_SIZE(begins)) || strstr(first, "Depends: "));
}

/* What the runtime below a program says against the node, or against what is installed on it. */
static bool is_grave(const char *key)
{
	static const char *const grave[] = { "ecc", "not-ready", "nvlink", "multicast", "device-lost", "gpu-hang",
					     "old-driver", "mismatch", "library", "license", "unknown",
					     "container", "container-driver" };

	return text_is_any(key, grave, ARRAY_SIZE(grave));
}

/* What a program above the runtime says, which is a note, and less than a grave error in the same line. */
static bool yields(const char *key)
{
	static const char *const notes[] = { "access", "launch", "memory", "busy", "none", "other-gpu", "package",
					     "symbol", "nccl", "video", "aborted", "not-read", "collective", "network",
					     "transport", "hpl", "wrong-result", "tests", "tool-crashed", "bus-error",
					     "dcgm", "exporter", "container-service", "on-cpu" };

	return text_is_any(key, notes, ARRAY_SIZE(notes));
}

/*
 * A line may be as long as a file: it is gone through a few times, not for each word. The first error counts, unless
 * it yields to a grave one that stands behind it.
 */
static struct found listed_error_of(const char *text)
{
	struct found ret = { .at = NULL };
	size_t row;
	const char *at = text_find_row(text, &errors[0].text, sizeof(*errors), ARRAY_SIZE(errors), false, &row);
	struct asked asked;

	if (!at)
		return ret;
	memset(&asked, 0, sizeof(asked));
	for (int i = 0; at && i < MOST_MENTIONS; i++) {
		const char *past = NULL;

		row = meant_row(&asked, text, at, row);
		if (row < ARRAY_SIZE(errors) && !is_traced(text) && !is_of_resolver(text, row))
			past = past_mention(text, at, strlen(errors[row].text));
		if (row < ARRAY_SIZE(errors) && !past && (!ret.at || is_grave(key_of(at, row)))) {
			ret = (struct found){ .at = at, .key = key_of(at, row), .words = errors[row].text,
					      .is_dkms_row = is_dkms_row(row) };
			if (!yields(ret.key))
				return ret;
		}
		at = text_find_row(past ? past : at + 1, &errors[0].text, sizeof(*errors), ARRAY_SIZE(errors), false,
				   &row);
	}
	return ret;
}

/* "||Ax-b||_oo/(eps*…*N)=   7712.4 ...... FAILED", and nothing else: by its first sign it is a table's row. */
static const char *failed_residual(const char *text)
{
	static const char failed[] = " ...... FAILED";
	const char *at = text_begins(past_blanks(text), "||Ax-b||_oo") ? strstr(text, failed) : NULL;

	return at && !*past_blanks(at + strlen(failed)) ? at : NULL;
}

/* What a runtime's lists make of it. */
static struct found runtime_error_of(const char *text)
{
	struct runtime_error error = { .key = NULL };
	const char *at = runtime_error_find(text, &error);

	if (!at)
		at = runtime_number_find(text, &error);
	return (struct found){ .at = at, .key = error.key, .words = error.words, .call = error.call };
}

static struct found error_of(const char *text)
{
	const struct found listed = listed_error_of(text);
	const char *residual = listed.at ? NULL : failed_residual(text);
	struct found below;

	if (residual)
		return (struct found){ .at = residual, .key = "hpl-wrong", .words = "FAILED" };
	if (listed.at && !yields(listed.key))
		return listed;
	below = runtime_error_of(text);
	return !listed.at || (below.at && is_grave(below.key)) ? below : listed;
}

bool program_error_names(const char *text)
{
	size_t row;
	const char *at = text_find_row(text, &errors[0].text, sizeof(*errors), ARRAY_SIZE(errors), false, &row);

	row = at ? meant_row(&(struct asked){ .with = { NOT_ASKED } }, text, at, row) : ARRAY_SIZE(errors);
	return row < ARRAY_SIZE(errors) && !is_dkms_row(row);
}

/* Where the words go on to the end of their line: people's own, and names of what it was about. */
static bool is_open(const char *key)
{
	static const char *const open[] = { "drained", "unhealthy", "too-few", "vgpu", "build", "container",
					    "container-driver", "mig", "gres-config", "module-extra", "exporter",
					    "persistenced", "network-path", "slurm-out", "slurm-config",
					    "slurm-refused", "pyxis", "memory", "file-server", "tool-crashed",
					    "slurm-hardware", "job-ended", "job-node", "storage-cluster",
					    "clock", "xserver-glx", "rdma-memory", "transport", "hpl",
					    "hpl-wrong", "fabric", "symbol", "wrong-result",
					    "not-installed", "video", "aborted", "not-read",
					    "gpu-hang", "plugin-unregistered", "job-script",
					    "copied-wrong", "gpu-hot", "passthrough", "mismatch",
					    "slurm-file", "rdma-device", "on-cpu" };

	return text_is_any(key, open, ARRAY_SIZE(open));
}

/* What the words of a row leave out stands behind them: "Memory access fault by GPU node-", "failed for node: ". */
static bool goes_on(const char *words)
{
	static const char *const numbers[] = { "-1001", "Number of platforms", "CUDA: Error in cu" };

	return strchr(" -:(", words[strlen(words) - 1]) || text_is_any(words, numbers, ARRAY_SIZE(numbers));
}

/* Whom they are about may stand before them. */
static const char *begin_of(const char *text, const struct found *found)
{
	static const struct { const char *key, *word; } names[] = {
		{ "unhealthy", "GPU " }, { "slurm-out", "node " }, { "slurm-out", "nodes " }, { "slurm-out", "JOB " },
		{ "slurm-out", "STEP " }, { "job-ended", "JOB " }, { "job-ended", "STEP " }, { "job-node", "JOB " },
		{ "job-node", "STEP " }, { "slurm-config", "node " }, { "drained", "node " },
		{ "persistenced", "device " }, { "wrong-result", "GPU #" }, { "transport", "network device " },
		{ "gpu-hot", "Device " }, { "build", "*** [" }, { "none", "clGetPlatformIDs" },
		{ "mismatch", "kernel version " },
	};
	static const char *const whole[] = { "hpl-wrong", "not-installed", "video", "not-read", "on-cpu" };

	if (found->call)
		return found->call;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *name = strcmp(found->key, names[i].key) ? NULL : strcasestr(text, names[i].word);

		if (name && name < found->at)
			return name;
	}
	/* "1 tests completed": how many; which package, which call. */
	if (text_is_any(found->key, whole, ARRAY_SIZE(whole)))
		return past_blanks(text);
	return found->at;
}

/* All of it. */
static const char *line_of(struct arena *arena, const char *text, const struct found *found)
{
	const char *at = begin_of(text, found), *advice;
	size_t len;

	/* The file and its line stand before what a compiler says. */
	at += strspn(at, ": ]");
	len = strnlen(at, MOST_REASON_WORDS);
	/* What the fabric manager adds to its versions is advice. */
	advice = strcmp(found->key, "fabric") ? NULL : strstr(at, " Please ");
	if (advice && (size_t)(advice - at) <= len)
		return arena_strndup(arena, at, (size_t)(advice - at));
	/* Whole words, where there are such. */
	for (size_t whole = len; at[len] && at[len] != ' ' && whole; whole--)
		if (at[whole - 1] == ' ') {
			len = whole;
			break;
		}
	while (len && strchr(" `\"'", at[len - 1]))
		len--;
	return arena_strndup(arena, at, len);
}

/* "OSError: [Errno 22] Invalid argument", which Python prints below where it happened. */
static bool is_exception(const char *text)
{
	size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");

	return (text[len] == ':' || !text[len]) &&
	       ((len > 5 && !memcmp(text + len - 5, "Error", 5)) || (len > 9 && !memcmp(text + len - 9, "Exception", 9)));
}

/* Of a tool in Python: where its traceback begins, and by what it ended. */
static const char *traceback_of(struct arena *arena, const struct dump_part *part, size_t at, const struct found *found)
{
	enum { MOST_TRACEBACK = 64 };
	const char *where = line_of(arena, part->lines[at].text, found);

	for (size_t i = at + 1; i < part->nr_lines && i - at < MOST_TRACEBACK; i++)
		if (is_exception(past_blanks(part->lines[i].text)))
			return arena_printf(arena, "%s: %.*s", where, MOST_REASON_WORDS, past_blanks(part->lines[i].text));
	return where;
}

/*
 * "libcudart.so.11.0: cannot open shared object file": the library's name stands before it, with or without its folder.
 */
static const char *with_library(struct arena *arena, const char *text, const struct found *found)
{
	const char *name = found->at;

	while (name > text && (is_letter_or_digit(name[-1]) || strchr("._+-", name[-1])))
		name--;
	return arena_strndup(arena, name, (size_t)(found->at - name) + strlen(found->words));
}

/*
 * Slurm's have the numbers and the file behind them: "(7 < 8)", "/dev/nvidia0"; the X server's an address, "1:0:0"; a
 * link its number.
 */
static const char *words_of(struct arena *arena, const char *text, const struct found *found)
{
	const char *key = found->key, *at = found->at;
	size_t len = strlen(found->words);

	if (!strcmp(key, "package"))
		return with_library(arena, text, found);
	if (!strcmp(key, "denied") && *at == '/')
		return arena_printf(arena, "%.*s: permission denied", (int)strcspn(at, " :,\"'"), at);
	if (strncmp(key, "gres", 4) != 0 && strcmp(key, "xserver") != 0 && strcmp(key, "nvlink") != 0)
		return found->words;
	len += strspn(at + len, *key == 'g' ? "0123456789< " : "0123456789:");
	return arena_strndup(arena, at, len + (at[len] == ')'));
}

/*
 * PyTorch's collect_env, which found no GPU that it could use, where nvidia-smi lists one: "GPU models and
 * configuration: GPU 0: …", or from the next line on.
 */
static const char cuda_unavailable[] = "Is CUDA available: False";

static bool is_cuda_unavailable(const struct dump_line *lines, size_t nr)
{
	enum { LINES_BETWEEN = 12 };
	static const char models[] = "GPU models and configuration:";

	if (!text_begins(past_blanks(lines->text), cuda_unavailable))
		return false;
	for (size_t i = 1; i < nr && i <= LINES_BETWEEN; i++) {
		const char *first = past_blanks(lines[i].text), *rest;

		if (!text_begins(first, models))
			continue;
		rest = past_blanks(first + strlen(models));
		return text_begins(*rest || i + 1 == nr ? rest : past_blanks(lines[i + 1].text), "GPU 0: ");
	}
	return false;
}

enum dump_begins program_error_begins(const struct dump_line *lines, size_t nr)
{
	bool begins = error_of(lines->text).at || module_failure_begins(lines, nr) || lost_gpu_says(lines->text) ||
		      slurm_table_begins(lines->text) || job_table_begins(lines->text) ||
		      unit_failed_says(lines->text) || clock_sources_begins(lines, nr) ||
		      xserver_list_begins(lines, nr) || is_cuda_unavailable(lines, nr) ||
		      test_summary_begins(lines, nr) || device_list_says(lines->text) ||
		      miner_row_begins(lines, nr) || framework_answer_begins(lines, nr) ||
		      not_a_number_says(lines->text);

	return begins ? BEGINS_MORE : BEGINS_NOT;
}

/* slurmctld tells of all nodes of a cluster, and of each for itself. */
static bool is_of_nodes(const char *key)
{
	return !strcmp(key, "slurm-out") || !strcmp(key, "slurm-config");
}

static const struct dump_line *line_of_part(const struct dump_part *part, const struct program_error *error)
{
	size_t i = 0;

	while (i + 1 < part->nr_lines && part->lines[i].number < value_from_line(error->lines.from))
		i++;
	return &part->lines[i];
}

/* Does a part below the one that tells an error end it? */
static bool ends_in(struct arena *arena, const struct dump_part *part, const struct dump_part *of,
		    const struct program_error *error)
{
	const char *key = str_or(error->key, ""), *said = str_or(error->line, ""), *words = str_or(error->words, "");
	const char *at = strstr(said, words);

	if (is_of_nodes(key)) {
		struct slurm_back *back = arena_alloc(arena, sizeof(*back));

		slurm_back_read(arena, part, back);
		return slurm_are_back(back, key, at ? slurm_nodes_of(arena, said, at, words) : NULL, NULL);
	}
	/* What a log says itself is over where it is read. */
	return of->kind == DUMP_UNIT_LIST && error_ends_in(arena, part, key, line_of_part(of, error));
}

/* The part that tells a value; NULL: none of these errors' parts. The last numbers are all one: then the line tells. */
static const struct dump_part *part_of(const struct dump_parts *parts, uint32_t from)
{
	const unsigned number = value_from_source(from), line = value_from_line(from);

	for (size_t i = 0; number && i < parts->nr; i++) {
		const struct dump_part *part = &parts->v[i];

		if (part->number == number && (part->kind == DUMP_PROGRAM_ERROR || part->kind == DUMP_UNIT_LIST) &&
		    part->nr_lines && part->lines[0].number <= line && line <= part->lines[part->nr_lines - 1].number)
			return part;
	}
	return NULL;
}

void program_errors_end(struct snapshot *snapshot, const struct dump_parts *parts)
{
	for (size_t i = 0; i < snapshot->nr_program_errors; i++) {
		struct program_error *error = &snapshot->program_errors[i];
		const struct dump_part *of = part_of(parts, error->lines.from);
		const unsigned line = value_from_line(error->lines.from);

		for (const struct dump_part *part = of ? of + 1 : NULL; part && part < parts->v + parts->nr; part++)
			if (!strcmp(part->file, of->file) && ends_in(&snapshot->arena, part, of, error))
				error->lines = val_u64(0);
		if (of && unit_is_back(parts, of, line, str_or(error->words, "")))
			error->lines = val_u64(0);
	}
}

static const char *dkms_module(const char *words)
{
	return text_begins(words, "amdgpu") ? "amdgpu" : "nvidia";
}

/* An older version that was never built lies beside the one in use. */
static bool is_any_installed(const struct dump_part *part, const char *module)
{
	for (size_t i = 0; i < part->nr_lines; i++)
		if (text_begins(past_blanks(part->lines[i].text), module) && strstr(part->lines[i].text, ": installed"))
			return true;
	return false;
}

static bool is_any_installed_there(const struct reading *reading, const char *module)
{
	for (size_t i = 0; reading->parts && i < reading->parts->nr; i++)
		if (is_any_installed(&reading->parts->v[i], module))
			return true;
	return is_any_installed(reading->part, module);
}

/* Are the dates of two lines of a log of different days? Those without any are not. */
static bool is_of_another_day(const char *a, const char *b)
{
	const size_t len = text_begins_like(a, "0000-00-00") ? strlen("0000-00-00") : strlen("Jun 03");
	const bool is_dated = text_begins_like(a, "0000-00-00") ? text_begins_like(b, "0000-00-00") :
			      is_letter_or_digit(*a) && text_begins_like(a + len, " 00:00:00") &&
			      strlen(b) > len && text_begins_like(b + len, " 00:00:00");

	return is_dated && strncmp(a, b, len) != 0;
}

/* A driver that says so has its GPU, whoever built it: in the boot of which the text goes on. */
static bool is_at_work(const struct reading *reading, const char *module)
{
	static const char *const words[] = { "kfd: added device", "Initialized amdgpu ",
					     "kfd kfd: amdgpu: added device" };
	static const char *const boots[] = { "Linux version ", "-- Boot", "-- Reboot" };
	struct file_lines lines = { .text = 0 };
	const struct dump_line *line;
	const char *said = NULL;

	while (!strcmp(module, "amdgpu") && (line = file_lines_next(reading, &lines))) {
		if (text_has_any(line->text, words, ARRAY_SIZE(words)))
			said = line->text;
		else if (said && (text_has_any(line->text, boots, ARRAY_SIZE(boots)) ||
				  is_of_another_day(said, line->text)))
			said = NULL;
	}
	return said;
}

/* of: NVIDIA's module in the text. */
static void put_words(struct reading *reading, struct dump_line *line, const char *text, const struct found *found,
		      struct library_module *of)
{
	const char *words = words_of(reading->arena, text, found);
	const bool tells_line = is_open(found->key) || goes_on(found->words) || found->call;
	const char *said = tells_line ? line_of(reading->arena, text, found) : NULL;
	/* All of the part is gone through for it, and of several with one key only the first is told. */
	const bool is_asked = !strcmp(found->key, "xserver") &&
			      !list_find(reading->snapshot, program_errors, program_error, "xserver");
	const char *gpu = is_asked ? xserver_gpu(reading->arena, reading->part) : NULL;
	const char *module = !strcmp(found->key, "none") || !strcmp(found->key, "unknown") ?
				     library_other_module(reading, of, text) : NULL;

	if (is_asked && !gpu)
		gpu = xserver_bus_id(reading);
	if (gpu)
		said = arena_printf(reading->arena, "%s [GPU %s]", words, gpu);
	if (module)
		said = arena_printf(reading->arena, "%s [module %s]", line_of(reading->arena, text, found), module);
	program_error_put(reading, line, module ? "mismatch" : found->key, words, said);
}

/* "HEALTH_WARN", of which the lines below say what it is about, up to an empty one. */
static void put_cluster(struct reading *reading, size_t at, const struct found *found)
{
	const struct dump_part *part = reading->part;
	STRBUF_AUTO said = STRBUF_INIT;

	strbuf_addstr(&said, found->words + strlen("health: "));
	for (size_t i = at + 1; i < part->nr_lines && *past_blanks(part->lines[i].text); i++) {
		const char *text = past_blanks(part->lines[i].text);

		if (said.len + strlen(text) > MOST_REASON_WORDS || text_begins(text, "services:"))
			break;
		strbuf_addf(&said, "%s%s", i == at + 1 ? ": " : "; ", text);
		part->lines[i].is_taken = true;
	}
	program_error_put(reading, &part->lines[at], found->key, found->words,
			  arena_strdup(reading->arena, said.buf));
}

void program_error_take(struct reading *reading, struct dump_line *line, const char *text)
{
	struct found found = error_of(text);

	if (found.at)
		put_words(reading, line, text, &found, &(struct library_module){ .is_asked = true });
}

/* Schedulers tell of all nodes of a cluster: it is one that is not this machine, or that came back. */
static bool is_elsewhere_or_over(struct reading *reading, struct dump_line *line, const struct found *found,
				 struct slurm_back **back, struct slurm_later **later)
{
	static const char *const keys[] = { "slurm-out", "slurm-config", "drained", "gres", "node-not-ready" };
	const char *nodes, *reason = strstr(line->text, "Reason=");
	bool is_in_use = false;

	if (!text_is_any(found->key, keys, ARRAY_SIZE(keys)))
		return false;
	/* Of Kubernetes' words the node stands above them. */
	nodes = strcmp(found->key, "node-not-ready") != 0 ?
		slurm_nodes_of(reading->arena, line->text, found->at, found->words) : NULL;
	if (nodes ? nodes_are_of_others(reading, nodes) : line_is_of_others(reading, reading->part, line))
		return true;
	if (reason && reason <= found->at)
		nodes = slurm_node_of_reason(reading, line, &is_in_use);
	if (is_in_use || ((nodes || reason) && slurm_are_in_use_later(reading, later, nodes, line)))
		return true;
	if (!is_of_nodes(found->key))
		return false;
	if (!*back) {
		*back = arena_alloc(reading->arena, sizeof(**back));
		slurm_back_read(reading->arena, reading->part, *back);
	}
	return slurm_are_back(*back, found->key, nodes, line);
}

static bool is_started_later(struct reading *reading, struct dump_line *line, const struct found *found,
			     struct ends_below **started)
{
	if (!strcmp(found->key, "build") || !strcmp(found->key, "module-extra"))
		return module_is_back(reading, started, found->at, line);
	return !strcmp(found->key, "node-service") && service_is_back(reading, started, found->words, line);
}

/* NVIDIA's driver of the X server waited for its GPU, and went on: of one that hangs it says so again and again. */
static bool waited_once(const struct dump_part *part, const struct found *found)
{
	size_t nr = 0;

	if (strcmp(found->key, "gpu-hang") != 0 || strcmp(found->words, "WAIT (") != 0)
		return false;
	for (size_t i = 0; i < part->nr_lines && nr < 2; i++)
		nr += strstr(part->lines[i].text, "(EE) NVIDIA(") && strstr(part->lines[i].text, "WAIT (");
	return nr == 1;
}

/* What is known of one part while its lines are gone through. */
struct at_part {
	struct reading *reading;
	struct slurm_back *back;
	struct ends_below *started, *ended;
	struct slurm_later *later;
	const char *asked;	/* of which module all parts were gone through */
	bool is_there;		/* that module is installed, or its driver runs */
	struct library_module module;
	struct devices_open open;
};

/* An older version that was never built lies beside the one in use, or beside the kernel's own. */
static bool is_module_there(struct at_part *at, const char *module)
{
	if (at->asked != module) {
		at->asked = module;
		at->is_there = is_any_installed_there(at->reading, module) || is_at_work(at->reading, module);
	}
	return at->is_there;
}

/* Tables, lists and summaries, which have readers of their own. How many lines one took; 0: the line begins none. */
static size_t read_list(struct at_part *at, size_t i)
{
	struct reading *reading = at->reading;
	struct dump_line *line = &reading->part->lines[i];
	const size_t nr = reading->part->nr_lines - i;

	if (slurm_table_begins(line->text))
		return slurm_table_read(reading, line, nr, &at->later);
	if (job_table_begins(line->text))
		return job_table_read(reading, line, nr);
	if (test_summary_begins(line, nr))
		return test_summary_read(reading, i);
	return 0;
}

/* Lines that say what no list of words has. */
static void read_line(struct at_part *at, size_t i)
{
	struct reading *reading = at->reading;
	struct dump_line *line = &reading->part->lines[i];

	if (lost_gpu_says(line->text))
		lost_gpu_read(reading, line);
	if (device_list_says(line->text))
		device_list_read(reading, line, &at->open);
	if (miner_row_begins(line, reading->part->nr_lines - i))
		miner_row_read(reading, i);
	if (clock_sources_begins(line, reading->part->nr_lines - i))
		clock_sources_read(reading, i);
	if (not_a_number_says(line->text))
		not_a_number_read(reading, line);
	if (framework_answer_begins(line, reading->part->nr_lines - i))
		framework_answer_read(reading, line, reading->part->nr_lines - i);
}

static void read_found(struct at_part *at, size_t i, const struct found *found)
{
	struct reading *reading = at->reading;
	struct dump_line *line = &reading->part->lines[i];

	if (found->is_dkms_row && is_module_there(at, dkms_module(found->words)))
		return;
	if (is_elsewhere_or_over(reading, line, found, &at->back, &at->later) ||
	    is_started_later(reading, line, found, &at->started) ||
	    error_is_back(reading, &at->ended, found->key, line) || waited_once(reading->part, found))
		line->is_taken = true;
	else if (text_begins(found->words, "health: HEALTH_"))
		put_cluster(reading, i, found);
	else if (!strcmp(found->key, "tool-crashed"))
		program_error_put(reading, line, found->key, found->words,
				  traceback_of(reading->arena, reading->part, i, found));
	else
		put_words(reading, line, line->text, found, &at->module);
}

void program_error_read(struct reading *reading)
{
	struct at_part at = { .reading = reading };

	unit_failed_read(reading);
	for (size_t i = 0; i < reading->part->nr_lines; i++) {
		const struct found found = error_of(reading->part->lines[i].text);
		const size_t nr = read_list(&at, i);

		read_line(&at, i);
		if (found.at)
			read_found(&at, i, &found);
		else if (is_cuda_unavailable(&reading->part->lines[i], reading->part->nr_lines - i))
			program_error_put(reading, &reading->part->lines[i], "none", cuda_unavailable, NULL);
		else if (!nr)
			module_failure_read(reading, i, &at.started);
		i += nr ? nr - 1 : 0;
	}
}
