// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/prompt.h"

#include "base/text.h"
#include "base/text_scan.h"

const char *prompt_command(const char *text)
{
	static const char *const programs[] = {
		"nvidia-smi", "lspci", "dmesg", "journalctl", "rocm-smi", "amd-smi", "xpu-smi", "dcgmi", "sudo", "cat", "grep",
	};
	size_t len = strcspn(text, "$#");
	const char *command = text + len;
	bool is_bare = !len;

	if (!*command || (!is_bare && (len > 80 || !memchr(text, '@', len) || memchr(text, '"', len) || memchr(text, '\'', len))))
		return NULL;
	if (!command[1])
		return is_bare && *command == '#' ? NULL : command + 1;
	if (command[1] != ' ')
		return NULL;
	command += 2;
	command += strspn(command, " ");
	if (*text != '#' || !is_bare)
		return *command ? command : NULL;
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		if (!strncmp(command, programs[i], strlen(programs[i])))
			return command;
	return NULL;
}

/* ---- on which machine */

static size_t name_len(const char *text)
{
	return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_");
}

/* "node7 | CHANGED | rc=0 >>", "node7 | FAILED => {", "ok: [node7] => {" of Ansible: where the name stands. */
static const char *name_in_ansible(const char *text, size_t *ret_len)
{
	static const char *const results[] = { "CHANGED", "SUCCESS", "FAILED", "UNREACHABLE!" };
	static const char *const states[] = { "ok: [", "changed: [", "fatal: [", "failed: [" };
	size_t len = name_len(text);

	if (len && text_begins(text + len, " | ") && text_begins_any(text + len + 3, results, ARRAY_SIZE(results)) &&
	    (strstr(text, ">>") || strstr(text, "=> {"))) {
		*ret_len = len;
		return text;
	}
	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		const char *name = text + strlen(states[i]);

		if (!text_begins(text, states[i]))
			continue;
		*ret_len = name_len(name);
		return *ret_len && name[*ret_len] == ']' ? name : NULL;
	}
	return NULL;
}

static bool is_rule(const char *text)
{
	enum { SHORTEST = 8 };
	size_t len = strspn(text, "-");

	return len >= SHORTEST && !text[len];
}

/* A name between two rules: dshbak and clush -b put the node's there. */
static const char *name_in_rules(const struct dump_line *lines, size_t nr, size_t *ret_len)
{
	if (nr < 3 || !is_rule(lines[0].text) || !is_rule(lines[2].text))
		return NULL;
	*ret_len = name_len(lines[1].text);
	return *ret_len && !lines[1].text[*ret_len] ? lines[1].text : NULL;
}

/* "(env) user@host:~$", "[user@host ~]#", and not a sentence with somebody's address in it. */
static const char *name_in_prompt(const char *text, size_t *ret_len)
{
	const char *at = text, *behind;
	bool has_bracket;

	if (*at == '(')
		at += strcspn(at, ")") + (strchr(at, ')') != NULL);
	at = past_blanks(at);
	has_bracket = *at == '[';
	at += has_bracket;
	at += name_len(at);
	*ret_len = *at == '@' ? name_len(at + 1) : 0;
	if (!*ret_len)
		return NULL;
	behind = at + 1 + *ret_len;
	if (*behind == ' ')
		return has_bracket || strchr("~/$#", behind[1]) ? at + 1 : NULL;
	return strchr(":$#]~", *behind) ? at + 1 : NULL;
}

/* Docker calls a container by twelve digits of its own number. */
static bool is_of_container(const char *name)
{
	enum { SHORTEST = 12 };

	return strlen(name) >= SHORTEST && strspn(name, "0123456789abcdef") == strlen(name);
}

/* What goes on in a container on the same machine, whatever its prompt says. */
static bool enters_container(const char *command)
{
	static const char *const programs[] = { "docker ", "podman ", "nerdctl ", "kubectl ", "oc ", "crictl ", "lxc ", "pct ",
						"singularity ", "apptainer ", "enroot ", "distrobox ", "toolbox ", "chroot " };

	command += text_begins(command, "sudo ") ? strlen("sudo ") : 0;
	return text_begins_any(command, programs, ARRAY_SIZE(programs));
}

void prompt_host_next(struct arena *arena, struct prompt_host *host, const struct dump_line *lines, size_t nr,
		      const char *command)
{
	size_t len;
	const char *at = command ? name_in_prompt(lines->text, &len) : name_in_ansible(lines->text, &len), *name;

	at = at ? at : name_in_rules(lines, nr, &len);
	if (!at)
		return;
	name = arena_strndup(arena, at, len);
	if (host->outside && strcmp(name, host->outside) != 0) {
		host->name = NULL;
		return;
	}
	host->outside = NULL;
	host->name = is_of_container(name) ? NULL : name;
	host->line = lines->number;
	if (command && host->name && enters_container(command))
		host->outside = host->name;
}
