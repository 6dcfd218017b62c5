// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/pci/aer.h"

#include "base/text.h"
#include "probe/pci/pci_function.h"
#include "probe/read.h"

/* The number at the end of a line of that length; false where there is none. *ret_name_len: what stands before it. */
static bool last_number(const char *line, size_t len, size_t *ret_name_len, uint64_t *ret)
{
	char number[24];
	size_t start;

	while (len && (line[len - 1] == ' ' || line[len - 1] == '\t' || line[len - 1] == '\r'))
		len--;
	start = len;
	while (start && line[start - 1] != ' ' && line[start - 1] != '\t')
		start--;
	if (!start || len - start >= sizeof(number))
		return false;
	memcpy(number, line + start, len - start);
	number[len - start] = '\0';
	while (start && (line[start - 1] == ' ' || line[start - 1] == '\t'))
		start--;
	*ret_name_len = start;
	return start && !parse_u64(number, ret);
}

static bool begins(const char *line, size_t len, const char *word)
{
	return len >= strlen(word) && !memcmp(line, word, strlen(word));
}

/* "UnsupReq"; "Unsupported Request" until 5.0. */
static bool is_unsupported_request(const char *name, size_t len)
{
	return begins(name, len, "UnsupReq") || begins(name, len, "Unsupported Request");
}

void aer_parse(const char *text, struct aer_counts *ret, struct strbuf *kinds)
{
	*ret = (struct aer_counts){ .is_whole = false };
	while (*text) {
		size_t len = strcspn(text, "\n"), name_len;
		uint64_t number;

		if (last_number(text, len, &name_len, &number)) {
			if (begins(text, name_len, "TOTAL_ERR_")) {
				ret->total = number;
				ret->is_whole = true;
			} else if (number) {
				if (kinds->len)
					strbuf_addstr(kinds, ", ");
				utf8_clean(kinds, text, name_len);
				strbuf_addf(kinds, " %llu", (unsigned long long)number);
				if (is_unsupported_request(text, name_len))
					ret->unsupported = number;
			}
		}
		text += len + (text[len] == '\n');
	}
}

static struct val_u64 read_counts(struct probe_env *env, const char *address, const char *file,
				  struct aer_counts *ret_counts, struct strbuf *kinds)
{
	STRBUF_AUTO text = STRBUF_INIT;
	int error = root_read(env->root, &text, PCI_DEVICES "/%s/%s", address, file);

	*ret_counts = (struct aer_counts){ .is_whole = false };
	if (error)
		return no_u64(state_of_errno(error), name_of_errno(error));
	aer_parse(text.buf, ret_counts, kinds);
	if (!ret_counts->is_whole)
		return no_u64(VAL_ERROR, "no total in it");
	return val_u64(ret_counts->total);
}

void aer_set_unknown(struct pci_function *ret, enum val_state state, const char *why)
{
	ret->aer_correctable = ret->aer_nonfatal = ret->aer_fatal = no_u64(state, why);
	ret->aer_unsupported = ret->aer_root_fatal = no_u64(state, why);
	ret->aer_kinds = no_str(state, why);
}

void aer_read(struct probe_env *env, struct arena *arena, const char *address, struct pci_function *ret)
{
	struct aer_counts correctable, nonfatal, fatal;
	STRBUF_AUTO kinds = STRBUF_INIT;
	struct val_u64 *first;

	ret->aer_correctable = read_counts(env, address, "aer_dev_correctable", &correctable, &kinds);
	ret->aer_nonfatal = read_counts(env, address, "aer_dev_nonfatal", &nonfatal, &kinds);
	ret->aer_fatal = read_counts(env, address, "aer_dev_fatal", &fatal, &kinds);
	ret->aer_root_fatal = read_u64(env, arena, PCI_DEVICES "/%s/aer_rootport_total_err_fatal", address);
	ret->aer_unsupported = is_known(ret->aer_nonfatal) ? val_u64(nonfatal.unsupported) : ret->aer_nonfatal;
	first = is_known(ret->aer_correctable) ? &ret->aer_nonfatal : &ret->aer_correctable;
	if (is_known(*first))
		first = &ret->aer_fatal;
	ret->aer_kinds = is_known(*first) ? val_str(arena_strdup(arena, kinds.buf)) : no_str(first->state, first->why);
}

static void add_known(struct val_u64 *sum, struct val_u64 value)
{
	if (!is_known(value))
		*sum = is_known(*sum) ? *sum : value;
	else
		*sum = val_u64(u64_or(*sum, 0) + u64_or(value, 0));
}

static void add_counts(struct probe_env *env, const char *address, const char *file, struct val_u64 *sum)
{
	STRBUF_AUTO kinds = STRBUF_INIT;
	struct aer_counts counts;

	add_known(sum, read_counts(env, address, file, &counts, &kinds));
}

void aer_total(struct probe_env *env, const char *const *addresses, size_t nr, struct aer_sums *ret)
{
	ret->correctable = ret->uncorrectable = no_u64(VAL_ABSENT, "ENOENT");
	for (size_t i = 0; i < nr; i++) {
		add_counts(env, addresses[i], "aer_dev_correctable", &ret->correctable);
		add_counts(env, addresses[i], "aer_dev_nonfatal", &ret->uncorrectable);
		add_counts(env, addresses[i], "aer_dev_fatal", &ret->uncorrectable);
	}
}
