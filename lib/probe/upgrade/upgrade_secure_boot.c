// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * upgrade_secure_boot.c - which modules this kernel takes, and whether those
 * that DKMS builds would be signed by a key it knows.
 *
 * A variable's file has 4 bytes of attributes before its data (Linux
 * Documentation/filesystems/efivarfs.rst). SecureBoot is one byte (UEFI 2.10,
 * 3.3). shim gives the kernel the keys of machine owners as MokListRT; the
 * kernel shows it whole below mok-variables, to root alone (drivers/firmware/
 * efi/mokvar-table.c). Such lists hold certificates byte by byte.
 */
#include "base/compat.h"
#include "probe/upgrade/upgrade_internal.h"

#include <errno.h>

#include "probe/read.h"

#define EFIVARS "/sys/firmware/efi/efivars"

enum { ATTRIBUTE_BYTES = 4, MAX_CERTIFICATE_BYTES = 64 * 1024, LEAST_CERTIFICATE_BYTES = 64 };

static struct val_bool read_secure_boot(struct probe_env *env, struct arena *arena)
{
	STRBUF_AUTO text = STRBUF_INIT;
	int error = root_read(env->root, &text, EFIVARS "/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c");

	if (error)
		return no_bool(state_of_errno(error), name_of_errno(error));
	if (text.len != ATTRIBUTE_BYTES + 1 || (unsigned char)text.buf[ATTRIBUTE_BYTES] > 1)
		return no_bool(VAL_ERROR, arena_printf(arena, "%zu bytes, expected 4 and one of 0 or 1",
						       text.len));
	return val_bool(text.buf[ATTRIBUTE_BYTES]);
}

/* "none [integrity] confidentiality": Linux Documentation, kernel_lockdown(7). */
static struct val_str read_lockdown(struct probe_env *env, struct arena *arena)
{
	static const char *const levels[] = { "none", "integrity", "confidentiality" };
	struct val_str level = read_choice(env, arena, "/sys/kernel/security/lockdown");

	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		if (!is_known(level) || str_is(level, levels[i]))
			return level;
	return no_str(VAL_ERROR, "it names no level of lockdown");
}

static struct val_bool read_enforced(struct probe_env *env, struct arena *arena)
{
	struct val_str text = read_str(env, arena, "/sys/module/module/parameters/sig_enforce");

	if (!is_known(text))
		return no_bool(text.state, text.why);
	if (!str_is(text, "Y") && !str_is(text, "N"))
		return no_bool(VAL_ERROR, arena_printf(arena, "reads \"%.20s\"", str_or(text, "")));
	return val_bool(str_is(text, "Y"));
}

/* "mok_certificate=/path" of dkms(8)'s configuration; one that names variables of the shell is not understood. */
static const char *configured_certificate(struct probe_env *env, struct arena *arena)
{
	static const char key[] = "mok_certificate=";
	STRBUF_AUTO text = STRBUF_INIT;

	if (root_read(env->root, &text, "/etc/dkms/framework.conf"))
		return NULL;
	for (const char *line = text.buf; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *value = line + strspn(line, " \t");

		if (strncmp(value, key, strlen(key)) != 0)
			continue;
		value += strlen(key);
		value += *value == '"' || *value == '\'';
		value = arena_strndup(arena, value, strcspn(value, "\"' \t\r\n#"));
		if (*value == '/' && !strchr(value, '$'))
			return str_or(text_value(arena, value, strlen(value)), NULL);
	}
	return NULL;
}

/* The first that is there, as DKMS looks: as configured, Ubuntu's of shim-signed, its own. */
static struct val_str find_certificate(struct probe_env *env, struct arena *arena)
{
	const char *const places[] = {
		configured_certificate(env, arena), "/var/lib/shim-signed/mok/MOK.der", "/var/lib/dkms/mok.pub",
	};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		int error = places[i] ? root_exists(env->root, "%s", places[i]) : -ENOENT;

		if (!error)
			return val_str(places[i]);
		if (state_of_errno(error) != VAL_ABSENT)
			return no_str(state_of_errno(error), name_of_errno(error));
	}
	return no_str(VAL_ABSENT, "there is none yet");
}

/* Is it in that list? Unknown without permission to read it. */
static struct val_bool is_in_list(struct probe_env *env, const char *path, const void *certificate, size_t len)
{
	STRBUF_AUTO list = STRBUF_INIT;
	int error = root_read(env->root, &list, "%s", path);

	if (error)
		return no_bool(state_of_errno(error), name_of_errno(error));
	return val_bool(memmem(list.buf, list.len, certificate, len));
}

/* In none of them: only where the list of machine owners' keys was read whole. */
static struct val_bool is_enrolled(struct probe_env *env, const char *certificate)
{
	static const char *const lists[] = {
		"/sys/firmware/efi/mok-variables/MokListRT", EFIVARS "/MokListRT-605dab50-e046-4300-abb6-3dd810dd8b23",
		EFIVARS "/db-d719b2cb-3d3a-4596-a3bc-dad00e67656f",
	};
	enum { OWNERS = 2 };	/* of them; the last is the firmware's own */
	struct val_bool answer = no_bool(VAL_ABSENT, "no key list from the firmware");
	STRBUF_AUTO text = STRBUF_INIT;
	int error = root_read(env->root, &text, "%s", certificate);

	if (error)
		return no_bool(state_of_errno(error), name_of_errno(error));
	/* PEM, or no certificate at all: DKMS writes DER, which begins with a SEQUENCE. */
	if (text.len < LEAST_CERTIFICATE_BYTES || text.len > MAX_CERTIFICATE_BYTES || text.buf[0] != 0x30)
		return no_bool(VAL_ERROR, "it is no certificate in DER");
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		struct val_bool here = is_in_list(env, lists[i], text.buf, text.len);

		if (bool_or(here, false))
			return here;
		if (i < OWNERS && !is_known(answer) && (is_known(here) || here.state != VAL_ABSENT))
			answer = here;
	}
	return answer;
}

void upgrade_secure_boot_read(struct probe_env *env, struct arena *arena, struct upgrade *ret)
{
	ret->secure_boot = read_secure_boot(env, arena);
	ret->lockdown = read_lockdown(env, arena);
	ret->signatures_enforced = read_enforced(env, arena);
	ret->signing_key = find_certificate(env, arena);
	if (is_known(ret->signing_key))
		ret->signing_key_enrolled = is_enrolled(env, str_or(ret->signing_key, ""));
	else
		ret->signing_key_enrolled = no_bool(ret->signing_key.state, ret->signing_key.why);
}
