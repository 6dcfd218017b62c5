// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "klog/redact.h"

#include "base/strbuf.h"
#include "klog/match.h"
#include "klog/nvidia.h"
#include "klog/pattern_index.h"
#include "klog/unlisted.h"

enum {
	MAX_DECIMAL_DIGITS = 10,	/* more may be a serial number */
	MAX_HEX_DIGITS = 18,		/* with 0x */
	MAX_JOINERS = 2,		/* of a number: a version has two, an IP address three */
	REGISTER_DIGITS = 8,		/* of a hexadecimal number without 0x */
	MAX_WORD_BYTES = 64,
};

/* ---- the vocabulary */

struct words {
	struct arena *arena;
	const char **items;
	size_t nr;
};

static bool is_word_byte(char c)
{
	return is_letter_or_digit(c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Between two word bytes: of one word all the same, "oom-kill", "550.54.14", "node-3.example.org". */
static bool is_joiner(char c)
{
	return c == '-' || c == '.' || c == '@' || c == '+' || c == '~' || c == '%';
}

static const char *word_end(struct span text)
{
	while (text.at < text.end && is_word_byte(*text.at))
		text.at++;
	return text.at;
}

/* The end of the words that are joined to the first one. */
static const char *joined_end(struct span text)
{
	const char *end = word_end(text);

	while (end + 1 < text.end && is_joiner(*end) && is_word_byte(end[1]))
		end = word_end((struct span){ end + 1, text.end });
	return end;
}

static void learn(struct words *words, struct span word)
{
	if (!span_len(word) || span_len(word) >= MAX_WORD_BYTES)
		return;
	words->items = arena_grow(words->arena, words->items, words->nr, sizeof(*words->items));
	words->items[words->nr++] = arena_strndup(words->arena, word.at, span_len(word));
}

static void learn_text(struct words *words, struct span text)
{
	while (text.at < text.end) {
		struct span word = { text.at, word_end(text) }, joined = { text.at, joined_end(text) };

		learn(words, word);
		if (joined.end != word.end)
			learn(words, joined);
		text.at = word.end + (word.end < text.end);
	}
}

/* What sources' prefixes are made of, and words that are looked for behind a pattern's end. */
static const char *const said_by_speakers[] = {
	"NVRM: Xid (PCI: pid= name= <unknown> SXid GPU ID kfd drm ERROR AER DPC pciehp pcieport powerplay Hardware",
	"Error mce",
	"nvidia nvidia-modeset nvidia-uvm nvidia-nvlink nvidia-drm nvidia_uvm nvidia_modeset nvidia_drm",
	"nvidia-nvswitch nvgpu gk20a",
	"XidCriticalError: Xid= on Device= detected on PCI: XID reported of GPU physical_chid",
	"amdgpu gim error warning info i915 xe nouveau radeon Tile GT GUC COMMUNICATION caused by previous Xid uid",
#define GPU_TOOL(name, family) name,
#include "klog/gpu_tools.def"
#define XID_WORDS(number, words) words,
#define FATAL_WORDS(words) words,
#include "klog/words.def"
#define NVLINK_BITS(xid, unit, bits, class) unit,
#define NVLINK_STATUS(xid, unit, value, class) unit,
#define NVLINK_EVENT(xid, unit, code, class) unit,
#include "klog/nvidia_nvlink.def"
};

static int compare_words(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *const *klog_vocabulary(struct arena *arena)
{
	struct words words = { .arena = arena };
	struct klog_step steps[MAX_PATTERN_STEPS];
	size_t nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(said_by_speakers); i++)
		learn_text(&words, span_of(said_by_speakers[i]));
	for (size_t i = 0; i < nr_klog_sxids; i++)
		learn_text(&words, span_of(klog_sxids[i].what));
	for (size_t i = 0; i < NR_KLOG_PATTERNS; i++) {
		size_t nr_steps = klog_pattern_steps(klog_patterns[i].pattern, steps, ARRAY_SIZE(steps));

		for (size_t k = 0; k < nr_steps; k++)
			learn_text(&words, steps[k].literal);
	}
	qsort(words.items, words.nr, sizeof(*words.items), compare_words);
	words.items = arena_grow(arena, words.items, words.nr, sizeof(*words.items));
	for (size_t i = 0; i < words.nr; i++)
		if (!nr || strcmp(words.items[nr - 1], words.items[i]) != 0)
			words.items[nr++] = words.items[i];
	words.items[nr] = NULL;
	return words.items;
}

static bool is_listed(const char *const *list, size_t nr, struct span word)
{
	size_t first = 0;

	while (first < nr) {
		size_t middle = first + (nr - first) / 2, len = span_len(word);
		int order = strncmp(list[middle], word.at, len);

		if (!order && !list[middle][len])
			return true;
		if (order >= 0)
			nr = middle;
		else
			first = middle + 1;
	}
	return false;
}

/* ---- words that stay */

struct rewriting {
	const struct klog_redactor *redactor;
	size_t nr_vocabulary;
	const char *line;	/* where it begins */
	struct strbuf out;
	size_t hole;		/* the end of the last "-" in out, 0: none */
};

static bool is_in_vocabulary(const struct rewriting *r, struct span word)
{
	return is_listed(r->redactor->vocabulary, r->nr_vocabulary, word);
}

static size_t count_of(struct span word, bool (*is_one)(char c))
{
	size_t nr = 0;

	for (; word.at < word.end; word.at++)
		nr += is_one(*word.at);
	return nr;
}

static bool is_hex(char c)
{
	return hex_digit(c) >= 0;
}

static bool is_letter(char c)
{
	return is_word_byte(c) && !is_digit(c) && c != '_';
}

/* "16", "4096kB", "0x7f3c", "00000008" */
static bool is_number(struct span word)
{
	static const char *const units[] = { "C", "GB", "GT", "G", "GiB", "K", "M", "MB", "MHz", "MiB", "W", "kB", "mW",
					     "ms", "ns", "s", "us" };
	struct span at = word;

	if (span_take(&at, "0x") || span_take(&at, "0X"))
		return span_len(word) <= MAX_HEX_DIGITS && span_len(at) && count_of(at, is_hex) == span_len(at);
	if ((span_len(word) == REGISTER_DIGITS || span_len(word) == 2 * REGISTER_DIGITS) && count_of(word, is_digit) &&
	    count_of(word, is_hex) == span_len(word))
		return true;
	while (at.at < at.end && is_digit(*at.at))
		at.at++;
	if (at.at == word.at || at.at - word.at > MAX_DECIMAL_DIGITS)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (span_is(at, units[i]))
			return true;
	return !span_len(at);
}

/* Parts of the names that hardware has in the words of its drivers: "gfx_0.1.0", "GPCCLIENT_T1_3", "DIMM_A1". */
static const char *const hardware[] = {	/* sorted */
	"ACCESS", "ACSViol", "ALLOC", "ATOMIC", "AtomicOpBlocked", "BER", "BadDLLP", "BadTLP", "BlockedTLP", "CE",
	"CONTROL", "CORE", "CPU", "CRS", "CTRL", "Chan", "Channel", "ChnA", "ChnB", "CmpltAbrt", "CmpltTO", "Core",
	"CorrIntErr", "DIMM", "DLP", "DOWN", "DRAM", "Data", "ECC", "ECRC", "ENGINE", "EVENT", "EVT", "FAULT", "FB",
	"FCP", "FECS", "FLA", "FREE", "GPC", "GPCCLIENT", "GRAPHICS", "GSP", "HOST", "HSHUB", "HUB", "HUBCLIENT",
	"Ha", "HeaderOF", "INT", "Illegal", "LINK", "LRU", "LTC", "Layer", "MC", "MFDE", "MMU", "MSE", "MSENC", "MVB",
	"MalfTLP", "NETIR", "NVDEC", "NVENC", "NVJPG", "NVL", "NVLINK", "NVLPW", "Node", "NonFatalErr", "OFA", "Of",
	"Out", "PBDMA", "PDE", "PHYS", "PIPE", "PMU", "PTE", "Package", "Physical", "PoisonTLPBlocked", "READ",
	"REGION", "REMAP", "RLW", "RM", "RO", "RSPCOL", "RX", "RXPIPE", "Range", "Receiver", "Rollover", "RxErr",
	"RxOF", "SAW", "SDES", "SEC", "SM", "SRAM", "SRC", "Socket", "SrcID", "TAGSTATE", "TLP", "TLPBlockedErr",
	"TLW", "TPC", "TRACK", "TREX", "TX", "TYPE", "Timeout", "Transaction", "Transmitter", "UNIT", "UncorrIntErr",
	"UnsupReq", "UnxCmplt", "VIOLATION", "VIRT", "WATCHDOG", "WRITE", "XBAR", "XC", "acpitz", "ad", "adlp",
	"athub", "bcs", "bif", "bin", "bmg", "buddy", "ccs", "channel", "clean", "comp", "cpu", "csrow", "dce", "dec",
	"df", "dg", "dimm", "dirty", "ecode", "enc", "engine", "free", "fuse", "ga", "gb", "gfx", "gfxhub", "gh",
	"gmc", "gr", "gsc", "gsp", "guc", "gv", "hdp", "huc", "huge", "i", "ih", "jpeg", "kiq", "lnl", "lsdma", "mc",
	"mca", "mes", "mmhub", "mp", "mtl", "nbio", "nvidia-nvswitch", "nvswitch", "page", "pcie", "pkg", "psp",
	"rcs", "sdma", "slab", "slot", "smu", "smuio", "soc", "temp", "tgl", "thm", "tu", "umc", "unified", "uvd",
	"v", "vce", "vcn", "vcs", "vecs", "vpe", "wafl", "x", "xgmi",
};

/* Each run of letters in it is known. */
static bool is_hardware(const struct rewriting *r, struct span word)
{
	while (word.at < word.end) {
		struct span run = { word.at, word.at };

		while (run.end < word.end && is_letter(*run.end))
			run.end++;
		if (span_len(run) && !is_in_vocabulary(r, run) && !is_listed(hardware, ARRAY_SIZE(hardware), run) &&
		    (span_len(run) > 1 || *run.at < 'A' || *run.at > 'Z'))
			return false;
		word.at = run.end + (run.end < word.end);
	}
	return true;
}

/* Joined words that are all numbers. */
static bool is_joined_number(struct span joined)
{
	size_t joiners = 0;

	for (; joined.at < joined.end; joiners++) {
		struct span word = { joined.at, word_end(joined) };

		if (!is_number(word))
			return false;
		joined.at = word.end + (word.end < joined.end);
	}
	return joiners <= MAX_JOINERS + 1;
}

static bool stays(const struct rewriting *r, struct span joined, enum klog_piece_kind kind)
{
	bool is_name = kind == KLOG_PIECE_UNIT || kind == KLOG_PIECE_NAME;

	return is_joined_number(joined) || is_in_vocabulary(r, joined) || (is_name && is_hardware(r, joined));
}

/* ---- pieces */

static const char *pseudonym(const struct rewriting *r, struct span text)
{
	const struct klog_redactor *redactor = r->redactor;

	return redactor->pseudonym(redactor->to, arena_strndup(redactor->arena, text.at, span_len(text)));
}

/* Is what comes next a user's number? 0 is root. */
static bool is_user(const struct rewriting *r, struct span number)
{
	static const char *const markers[] = { "uid=", "UID:", "UID: " };

	if (count_of(number, is_digit) != span_len(number) || (span_len(number) == 1 && *number.at == '0'))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(markers); i++) {
		size_t len = strlen(markers[i]);

		if (r->out.len >= len && !memcmp(r->out.buf + r->out.len - len, markers[i], len))
			return true;
	}
	return false;
}

/* Holes that nothing stands between are one; within a pattern each keeps its place. */
static void put_hole(struct rewriting *r, enum klog_piece_kind kind)
{
	struct span since = { r->out.buf + r->hole, r->out.buf + r->out.len };

	if (kind == KLOG_PIECE_REST && r->hole && !count_of(since, is_word_byte))
		strbuf_setlen(&r->out, r->hole);
	else
		strbuf_addch(&r->out, '-');
	r->hole = r->out.len;
}

static void put_word(struct rewriting *r, struct span word, enum klog_piece_kind kind)
{
	struct span whole = word;

	/* A pattern may end within a word: "Correct". */
	while (whole.at > r->line && is_word_byte(whole.at[-1]))
		whole.at--;
	if (is_user(r, word))
		strbuf_addstr(&r->out, pseudonym(r, word));
	else if (stays(r, whole, kind))
		strbuf_add(&r->out, word.at, span_len(word));
	else if (kind == KLOG_PIECE_UNIT)
		strbuf_addstr(&r->out, pseudonym(r, word));
	else
		put_hole(r, kind);
}

/* The end of a PCI address, which is no part of a longer number: of "aa:bb:cc:dd:ee:ff", say. */
static const char *address_end(struct span text)
{
	char address[PCI_TEXT_BYTES];
	struct span at = text;

	if (!span_take_pci(&at, address) || (at.at < at.end && is_word_byte(*at.at)) ||
	    (at.at + 1 < at.end && *at.at == ':' && hex_digit(at.at[1]) >= 0))
		return text.at;
	return at.at;
}

static void put_text(struct rewriting *r, struct span text, enum klog_piece_kind kind)
{
	while (text.at < text.end) {
		struct span word = { text.at, address_end(text) };

		if (span_len(word)) {
			strbuf_add(&r->out, word.at, span_len(word));
		} else if (is_word_byte(*text.at)) {
			word.end = joined_end(text);
			put_word(r, word, kind);
		} else {
			word.end = text.at + 1;
			strbuf_addch(&r->out, *text.at);
		}
		text.at = word.end;
	}
}

static void put_process(struct rewriting *r, struct span name)
{
	char kept[32];

	/* As long as an event keeps it. */
	span_copy(name, kept, sizeof(kept));
	/* A tool's name is nobody's, and decides what its hang means. */
	if (klog_gpu_tool_family(span_of(kept)) != KLOG_FAMILY_HOST)
		strbuf_addstr(&r->out, kept);
	else if (*kept)
		strbuf_addstr(&r->out, r->redactor->pseudonym(r->redactor->to, arena_strdup(r->redactor->arena, kept)));
}

static void put_piece(struct rewriting *r, const struct klog_piece *piece)
{
	if (piece->kind == KLOG_PIECE_PROCESS)
		put_process(r, piece->text);
	else if (piece->kind == KLOG_PIECE_FORM && !is_user(r, piece->text))
		strbuf_add(&r->out, piece->text.at, span_len(piece->text));
	else
		put_text(r, piece->text, piece->kind);
}

/* Fields taken by the source's own forms: the driver's name stays, and the process of an Xid is there. */
static void put_prefix(struct rewriting *r, struct span prefix, const struct klog_source *source)
{
	struct span process = source->fields.process, driver = source->driver;

	if (source->is_device_line && driver.at == prefix.at) {
		strbuf_add(&r->out, driver.at, span_len(driver));
		prefix.at = driver.end;
	}
	if (span_len(process)) {
		put_text(r, (struct span){ prefix.at, process.at }, KLOG_PIECE_NAME);
		put_process(r, process);
		prefix.at = process.end;
	}
	put_text(r, prefix, KLOG_PIECE_NAME);
}

static size_t vocabulary_size(const char *const *vocabulary)
{
	size_t nr = 0;

	while (vocabulary[nr])
		nr++;
	return nr;
}

const char *klog_redact_match(const struct klog_redactor *redactor, struct span line, const struct klog_match *match)
{
	const struct klog_source *source = &match->source;
	const struct klog_prepared *prepared = match->pattern ? klog_prepared_pattern(match->pattern) : NULL;
	struct rewriting r = {
		.redactor = redactor, .nr_vocabulary = vocabulary_size(redactor->vocabulary), .line = line.at,
		.out = STRBUF_INIT,
	};
	struct klog_piece pieces[MAX_KLOG_PIECES];
	const char *text;
	size_t nr = 0;

	if (prepared)
		nr = klog_steps_pieces(prepared->steps, prepared->nr, source->body, source->pci, pieces);
	put_prefix(&r, (struct span){ line.at, source->body.at }, source);
	for (size_t i = 0; i < nr; i++)
		put_piece(&r, &pieces[i]);
	if (!nr)
		put_text(&r, source->body, KLOG_PIECE_REST);
	put_text(&r, (struct span){ source->body.end, line.end }, KLOG_PIECE_REST);
	text = arena_strdup(redactor->arena, r.out.buf);
	strbuf_release(&r.out);
	return text;
}

/* ---- lines of which nothing was made */

const char *klog_redact_source(struct arena *arena, struct span line)
{
	struct klog_source source;
	enum klog_family family;
	struct span words;

	klog_source_find(line, &source);
	if (klog_source_lists_gpu(&source, &family, &words))
		return arena_printf(arena, "%.*s %s: %.*s", (int)span_len(source.driver), source.driver.at, source.pci,
				    (int)span_len(words), words.at);
	if (!source.is_device_line || !klog_family_drives_gpus(klog_driver_family(source.driver)))
		return NULL;
	return arena_printf(arena, "%.*s %s: ", (int)span_len(source.driver), source.driver.at, source.pci);
}

const char *klog_redact_unjudged(struct arena *arena, struct span line, const struct klog_named_error *error)
{
	const char *source = klog_redact_source(arena, line);
	const char *what = error->words;

	if (error->has_code)
		what = arena_printf(arena, "Xid %llu", (unsigned long long)error->code);
	return arena_printf(arena, "%sredacted line of a GPU: %s%s%s", source ? source : "", what ? what : "Xid (PCI",
			    *error->pci ? " " : "", error->pci);
}

const char *klog_redact_unlisted(struct arena *arena, struct span line)
{
	struct klog_source source;
	char device[PCI_TEXT_BYTES] = "";

	klog_source_find(line, &source);
	if (!source.pci[0])
		klog_error_device(source.body, device);
	return arena_printf(arena, "%.*s*ERROR* redacted line of the driver%s%s", (int)(source.body.at - line.at),
			    line.at, *device ? " " : "", device);
}
