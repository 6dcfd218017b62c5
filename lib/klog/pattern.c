// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "klog/pattern.h"

enum place {
	PLACE_PCI, PLACE_RID, PLACE_CODE, PLACE_PID, PLACE_COUNT, PLACE_LINK, PLACE_ADDRESS, PLACE_PROCESS, PLACE_UNIT,
	PLACE_STATUS, PLACE_TASK, PLACE_ANY, PLACE_NUMBER, PLACE_HEX, PLACE_WORD, PLACE_END, NR_PLACES,
	PLACE_NONE,		/* a pattern begins with its literal */
	PLACE_OPTIONAL,		/* its literal may stand there or not */
};

static const char *const place_names[NR_PLACES] = {
	[PLACE_PCI] = "pci", [PLACE_RID] = "rid", [PLACE_CODE] = "code", [PLACE_PID] = "pid", [PLACE_COUNT] = "count",
	[PLACE_LINK] = "link", [PLACE_ADDRESS] = "address", [PLACE_PROCESS] = "process", [PLACE_UNIT] = "unit",
	[PLACE_STATUS] = "status", [PLACE_TASK] = "task", [PLACE_ANY] = "*", [PLACE_NUMBER] = "n",
	[PLACE_HEX] = "x", [PLACE_WORD] = "w", [PLACE_END] = "end",
};

/* The place a name in braces means; NR_PLACES: none. */
static enum place place_of(struct span name)
{
	for (int place = 0; place < NR_PLACES; place++)
		if (span_is(name, place_names[place]))
			return (enum place)place;
	return NR_PLACES;
}

/* One letter of a literal; a blank takes all that follow. */
static bool take_letter(struct span *text, char letter)
{
	if (text->at >= text->end || *text->at != letter)
		return false;
	text->at++;
	while (letter == ' ' && text->at < text->end && *text->at == ' ')
		text->at++;
	return true;
}

static bool take_literal(struct span *text, struct span literal)
{
	struct span at = *text;

	for (const char *c = literal.at; c < literal.end; c++)
		if (!take_letter(&at, *c))
			return false;
	*text = at;
	return true;
}

/* The text up to where literal is found, which is left to be taken; to the end where there is none. */
static bool take_until(struct span *text, struct span literal, struct span *ret)
{
	struct span at = *text;

	*ret = *text;
	if (!span_len(literal)) {
		text->at = text->end;
		return true;
	}
	/* Lines are short, and most letters are not its first: quicker than to prepare a search for all of it. */
	while ((at.at = memchr(at.at, *literal.at, span_len(at)))) {
		struct span probe = at;

		if (take_literal(&probe, literal)) {
			ret->end = at.at;
			text->at = at.at;
			while (span_len(*ret) && ret->end[-1] == ' ')
				ret->end--;
			return true;
		}
		at.at++;
	}
	return false;
}

static bool take_word(struct span *text)
{
	const char *begin = text->at;

	while (text->at < text->end && *text->at != ' ')
		text->at++;
	return text->at > begin;
}

static bool take_end(struct span *text)
{
	span_take(text, ".");
	while (text->at < text->end && *text->at == ' ')
		text->at++;
	return text->at == text->end;
}

static bool take_number(struct span *text, bool *has, uint64_t *ret)
{
	if (!span_take_u64(text, ret))
		return false;
	*has = true;
	return true;
}

/* "5d:00.0", in Linux 5.14 "0x5d:0x00.0"; or "5d00". */
static bool take_bus_address(struct span *text, unsigned *bus, unsigned *device, unsigned *function)
{
	struct span at = *text;
	uint64_t first, second, third;

	if (!span_take_hex(&at, &first))
		return false;
	if (span_take(&at, ":")) {
		if (!span_take_hex(&at, &second) || !span_take(&at, ".") || !span_take_hex(&at, &third))
			return false;
	} else if (at.at - text->at == 4) {
		third = first & 7;
		second = first >> 3 & 0x1f;
		first >>= 8;
	} else {
		return false;
	}
	if (first > 0xff || second > 0x1f || third > 7)
		return false;
	*bus = (unsigned)first;
	*device = (unsigned)second;
	*function = (unsigned)third;
	*text = at;
	return true;
}

static bool take_source(struct span *text, char ret[PCI_TEXT_BYTES])
{
	struct span source = span_of(ret);
	unsigned bus, device, function;
	uint64_t domain = 0;

	if (span_take_pci(text, ret))
		return true;
	if (!take_bus_address(text, &bus, &device, &function))
		return false;
	if (ret[0])
		span_take_hex(&source, &domain);
	snprintf(ret, PCI_TEXT_BYTES, "%04x:%02x:%02x.%x", (unsigned)domain, bus, device, function);
	return true;
}

/* Root ports of AMD name none of whom an error is, but their bus's first function, 00:00.0: it is their own. */
static bool take_rid(struct span *text, char ret[PCI_TEXT_BYTES])
{
	char speaker[PCI_TEXT_BYTES];

	memcpy(speaker, ret, sizeof(speaker));
	if (!take_source(text, ret))
		return false;
	if (speaker[0] && strlen(ret) > strlen("00:00.0") &&
	    !strcmp(ret + strlen(ret) - strlen(":00:00.0"), ":00:00.0"))
		memcpy(ret, speaker, sizeof(speaker));
	return true;
}

/* A name may hold colons: the pid stands behind the last. */
static bool take_task(struct span *text, struct span next, struct klog_fields *ret)
{
	struct span task, pid;
	const char *colon;

	if (!take_until(text, next, &task))
		return false;
	colon = memrchr(task.at, ':', span_len(task));
	if (!colon)
		return false;
	pid = (struct span){ .at = colon + 1, .end = task.end };
	ret->process = (struct span){ .at = task.at, .end = colon };
	return take_number(&pid, &ret->has_pid, &ret->pid);
}

/* A name may have the mark in it that its number stands behind: "nvc:[driver][14579]". */
static bool take_process(struct span *text, struct span next, struct span *ret)
{
	struct span at = *text;

	if (!take_until(text, next, ret))
		return false;
	while (span_is(next, "[") && text->end - text->at > 1 && !is_digit(text->at[1])) {
		struct span rest = { text->at + 1, text->end }, more;

		if (!take_until(&rest, next, &more))
			break;
		*ret = (struct span){ at.at, more.end };
		*text = rest;
	}
	return true;
}

static bool take_address(struct span *text, struct klog_fields *ret)
{
	struct span low;
	uint64_t half;

	if (!span_take_hex(text, &ret->address))
		return false;
	low = *text;
	if (ret->address <= UINT32_MAX && span_take(&low, "_") && span_take_hex(&low, &half) &&
	    low.at - text->at == strlen("_320c2000")) {
		ret->address = ret->address << 32 | half;
		*text = low;
	}
	ret->has_address = true;
	return true;
}

/* Up to the next brace. */
static struct span literal_at(const char *pattern)
{
	return (struct span){ .at = pattern, .end = strchrnul(pattern, '{') };
}

/* next: the literal behind the place, which ends a text. */
static bool take_place(enum place place, struct span *text, struct span next, struct klog_fields *ret)
{
	struct span ignored;
	uint64_t number;

	switch (place) {
	case PLACE_PCI: return span_take_pci(text, ret->pci);
	case PLACE_RID: return take_rid(text, ret->pci);
	case PLACE_CODE: return take_number(text, &ret->has_code, &ret->code);
	case PLACE_PID: return take_number(text, &ret->has_pid, &ret->pid);
	case PLACE_COUNT: return take_number(text, &ret->has_count, &ret->count);
	case PLACE_LINK: return take_number(text, &ret->has_link, &ret->link);
	case PLACE_ADDRESS: return take_address(text, ret);
	case PLACE_PROCESS: return take_process(text, next, &ret->process);
	case PLACE_UNIT: return take_until(text, next, &ret->unit);
	case PLACE_STATUS: return take_until(text, next, &ret->status);
	case PLACE_TASK: return take_task(text, next, ret);
	case PLACE_ANY: return take_until(text, next, &ignored);
	case PLACE_NUMBER: return span_take_u64(text, &number);
	case PLACE_HEX: return span_take_hex(text, &number);
	case PLACE_WORD: return take_word(text);
	case PLACE_END: return take_end(text);
	case PLACE_NONE: return true;
	case NR_PLACES:
	case PLACE_OPTIONAL: break;
	}
	return false;
}

size_t klog_pattern_steps(const char *pattern, struct klog_step *ret, size_t room)
{
	struct span literal = literal_at(pattern);
	size_t nr = 0;

	if (span_len(literal) && room)
		ret[nr++] = (struct klog_step){ literal, PLACE_NONE };
	while (*literal.end && nr < room) {
		struct span name = { .at = literal.end + 1, .end = strchrnul(literal.end, '}') };

		literal = literal_at(name.end + 1);
		if (!span_take(&name, "?")) {
			ret[nr++] = (struct klog_step){ literal, place_of(name) };
			continue;
		}
		ret[nr++] = (struct klog_step){ name, PLACE_OPTIONAL };
		if (span_len(literal) && nr < room)
			ret[nr++] = (struct klog_step){ literal, PLACE_NONE };
	}
	return nr;
}

bool klog_steps_may_match(const struct klog_step *steps, size_t nr, struct span text)
{
	return !nr || steps->place != PLACE_NONE || take_literal(&text, steps->literal);
}

bool klog_steps_match(const struct klog_step *steps, size_t nr, struct span text, struct klog_fields *ret)
{
	for (const struct klog_step *step = steps; step < steps + nr; step++) {
		if (step->place == PLACE_OPTIONAL)
			take_literal(&text, step->literal);
		else if (!take_place(step->place, &text, step->literal, ret) || !take_literal(&text, step->literal))
			return false;
	}
	return true;
}

/* Does it take whatever stands there, up to what comes next in the pattern? */
static bool is_of_text(enum place place)
{
	return place == PLACE_PROCESS || place == PLACE_UNIT || place == PLACE_STATUS || place == PLACE_TASK ||
	       place == PLACE_ANY;
}

/* What is left of a number or an address, or nothing is. */
static bool is_rest_of_number(struct span text)
{
	while (text.at < text.end && (hex_digit(*text.at) >= 0 || strchr(":.x", *text.at)))
		text.at++;
	return text.at == text.end;
}

/* Does the text end within the literal? */
static bool ends_within(struct span text, struct span literal)
{
	for (const char *c = literal.at; c < literal.end; c++) {
		if (text.at == text.end)
			return true;
		if (!take_letter(&text, *c))
			return false;
	}
	return false;
}

bool klog_steps_match_cut(const struct klog_step *steps, size_t nr, struct span text, struct klog_fields *ret)
{
	enum { FEWEST_LETTERS = 24 };	/* of literals */
	size_t letters = 0;

	for (const struct klog_step *step = steps; step < steps + nr; step++) {
		if (step->place == PLACE_OPTIONAL) {
			letters += take_literal(&text, step->literal) ? span_len(step->literal) : 0;
			continue;
		}
		if (!take_place(step->place, &text, step->literal, ret))
			return letters >= FEWEST_LETTERS && (is_of_text(step->place) || is_rest_of_number(text));
		if (ends_within(text, step->literal))
			return letters + span_len(text) >= FEWEST_LETTERS;
		if (!take_literal(&text, step->literal))
			return false;
		letters += span_len(step->literal);
	}
	return true;
}

static enum klog_piece_kind piece_kind(enum place place)
{
	switch (place) {
	case PLACE_PROCESS:
	case PLACE_TASK: return KLOG_PIECE_PROCESS;
	case PLACE_UNIT: return KLOG_PIECE_UNIT;
	case PLACE_STATUS: return KLOG_PIECE_NAME;
	case PLACE_ANY:
	case PLACE_WORD: return KLOG_PIECE_TEXT;
	default: return KLOG_PIECE_FORM;
	}
}

static void add_piece(struct klog_piece *pieces, size_t *nr, enum klog_piece_kind kind, const char *from,
		      const char *to)
{
	if (to > from)
		pieces[(*nr)++] = (struct klog_piece){ kind, { from, to } };
}

size_t klog_steps_pieces(const struct klog_step *steps, size_t nr, struct span text, const char *device,
			 struct klog_piece ret[MAX_KLOG_PIECES])
{
	struct klog_fields fields = { .has_pid = false };
	size_t nr_pieces = 0;

	snprintf(fields.pci, sizeof(fields.pci), "%s", device);
	for (const struct klog_step *step = steps; step < steps + nr; step++) {
		const char *from = text.at, *to;

		if (step->place != PLACE_OPTIONAL && !take_place(step->place, &text, step->literal, &fields))
			return 0;
		to = step->place == PLACE_TASK ? fields.process.end : text.at;
		add_piece(ret, &nr_pieces, piece_kind(step->place), from, to);
		from = to;
		if (!take_literal(&text, step->literal) && step->place != PLACE_OPTIONAL)
			return 0;
		add_piece(ret, &nr_pieces, KLOG_PIECE_FORM, from, text.at);
	}
	add_piece(ret, &nr_pieces, KLOG_PIECE_REST, text.at, text.end);
	return nr_pieces;
}

bool klog_pattern_match(const char *pattern, struct span text, struct klog_fields *ret)
{
	struct klog_step steps[MAX_PATTERN_STEPS];

	return klog_steps_match(steps, klog_pattern_steps(pattern, steps, ARRAY_SIZE(steps)), text, ret);
}

bool klog_pattern_valid(const char *pattern)
{
	while (*pattern) {
		struct span name = { .at = literal_at(pattern).end };
		bool optional;

		if (!*name.at)
			return true;
		name.at++;
		name.end = name.at + strcspn(name.at, "{}");
		if (*name.end != '}')
			return false;
		pattern = name.end + 1;
		optional = span_take(&name, "?");
		/* Text that ends where something optional or another place begins would end nowhere. */
		if (optional ? !span_len(name) : place_of(name) == NR_PLACES)
			return false;
		if (!optional && place_of(name) >= PLACE_PROCESS && place_of(name) <= PLACE_ANY && *pattern == '{')
			return false;
	}
	return true;
}
