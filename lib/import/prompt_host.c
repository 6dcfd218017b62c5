// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * prompt_host.c - on which machine an output was printed, by the prompts above it. A name counts only where it can
 * hardly be anything else: a container is its machine, and what ssh or a file shows is of another one than the prompt
 * names.
 */
#include "base/compat.h"
#include "import/dump/readers.h"
#include "import/line/node_name.h"
#include "import/prompt_host.h"
#include "import/words/launchers.h"

#include "base/text.h"
#include "base/text_scan.h"

static bool is_program(const char *text, const char *const *programs, size_t nr)
{
	size_t len = strcspn(text, " ");

	for (size_t i = 0; i < nr; i++)
		if (strlen(programs[i]) == len && !strncmp(text, programs[i], len))
			return true;
	return false;
}

/* ---- heads of what runs a command on many nodes, and of people */

/* "node7 | CHANGED | rc=0 >>", "node7 | FAILED => {", "ok: [node7] => {" of Ansible: what stands there as a name. */
static const char *name_in_ansible(const char *text)
{
	static const char *const results[] = { "CHANGED", "SUCCESS", "FAILED", "UNREACHABLE!" };
	static const char *const states[] = { "ok: [", "changed: [", "fatal: [", "failed: [" };
	size_t len = node_name_len(text);

	if (len && text_begins(text + len, " | ") && text_begins_any(text + len + 3, results, ARRAY_SIZE(results)) &&
	    (strstr(text, ">>") || strstr(text, "=> {")))
		return text;
	for (size_t i = 0; i < ARRAY_SIZE(states); i++)
		if (text_begins(text, states[i]))
			return text + strlen(states[i]);
	return NULL;
}

/* dshbak rules with 16, clush with 15. */
static bool is_rule(const char *text)
{
	size_t len = strspn(text, "-");

	return (len == 15 || len == 16) && !text[len];
}

/* A name between two rules, where dshbak and clush -b put the node's; scripts put words there, too. */
static const char *name_in_rules(const struct dump_line *lines, size_t nr)
{
	if (nr < 3 || !is_rule(lines[0].text) || !is_rule(lines[2].text) || !strpbrk(lines[1].text, "0123456789"))
		return NULL;
	return lines[1].text;
}

/* A line of its own: "Host: node7". */
static const char *name_behind(const char *text, const char *label)
{
	size_t len = strlen(label);

	return text_begins(text, label) && !strchr(text + len, ' ') ? text + len : NULL;
}

/*
 * "==> node7 <==", "=== node7 ===", "--- node7 ---", "*** node7 ***", "# node7", "**node7**", "node7:" by themselves,
 * as loops over nodes print it, and people write it. Of `tail` such heads name files: "==> node7.txt <==".
 */
static const char *name_in_head(struct arena *arena, const char *text)
{
	static const char *const ends[] = { ".txt", ".log", ".out" };
	size_t mark = strspn(text, "=-*#>"), len;
	const char *at = past_blanks(text + mark), *behind, *name, *dot;

	len = node_name_len(at);
	behind = at + len;
	if (!len || (mark ? behind[strspn(behind, " =-*#<:")] : strcmp(behind, ":") != 0))
		return NULL;
	if (mark == 1 ? *text != '#' : mark && !*behind && *text != '#')
		return NULL;
	while (len && strchr("-.", at[len - 1]))
		len--;
	name = arena_strndup(arena, at, len);
	dot = text_begins(text, "==>") ? strrchr(name, '.') : NULL;
	if (dot && text_is_any(dot, ends, ARRAY_SIZE(ends)))
		name = arena_strndup(arena, name, (size_t)(dot - name));
	return node_name_is_sure(name) ? name : NULL;
}

/* The first member of an object, or one in a line of its own: {"host": "node7", "stdout": …}. */
static const char *name_of_key(const char *text, const char *key)
{
	text += strspn(text, " {");
	return text_begins(text, key) ? text + strlen(key) : NULL;
}

/* What stands there as a name, up to one of these; NULL: it is none, as "node7 -> localhost" and "node[1-4]". */
static const char *name_at(struct arena *arena, const char *at, const char *behind)
{
	size_t len = node_name_len(at);
	const char *name;

	if (!len || (at[len] ? !strchr(behind, at[len]) : *behind) || text_begins(at + len, " -> "))
		return NULL;
	name = arena_strndup(arena, at, len);
	return node_name_is_none(name) ? NULL : name;
}

/* Docker calls a container by twelve digits of its own number. */
static bool is_number_of_container(const char *name)
{
	enum { SHORTEST = 12 };

	return strlen(name) >= SHORTEST && strspn(name, "0123456789abcdef") == strlen(name);
}

/* gpustat names the machine where nobody else does; what a container is called is none's name. */
static void take_gpustat(struct arena *arena, struct prompt_host *host, const struct dump_line *lines, size_t nr)
{
	const bool is_named = host->outside || (host->output.text && host->output.by != NAMED_BY_GPUSTAT);
	const char *at = is_named ? NULL : gpustat_host(lines, nr), *name;

	if (!at)
		return;
	name = name_at(arena, at, " ");
	host->output = (struct machine_name){ .text = name, .line = lines->number, .by = NAMED_BY_GPUSTAT };
	if (name && is_number_of_container(name))
		host->output.text = NULL;
}

/* "node[7-8,11]" and "node7,node9" above what they all printed, as dshbak -c and clush -b put it; NULL: it is none. */
static const char *names_of_several(struct arena *arena, const char *text)
{
	const size_t len = node_name_len(text);
	const char *behind = text + len, *at = text;
	const char *first;

	while (*at && (node_name_len(at) || strchr("[],", *at)))
		at++;
	if (*at || !len || (*behind != '[' && *behind != ',') || (*behind == '[' && !strpbrk(behind, "-,")))
		return NULL;
	first = arena_printf(arena, "%.*s%.*s", (int)len, text, *behind == '[' ? (int)node_name_len(behind + 1) : 0,
			     behind + 1);
	return node_name_is_sure(first) ? text : NULL;
}

/* What runs a command on many nodes names no other than they are. */
static bool is_of_nodes(enum machine_namer by)
{
	return by == NAMED_BY_ANSIBLE || by == NAMED_BY_RULES;
}

/* Where it is no name, nobody is named from here on. */
static void take_head(struct arena *arena, struct prompt_host *host, const struct dump_line *lines, size_t nr)
{
	static const struct { enum machine_namer by; const char *behind; } heads[] = {
		{ NAMED_BY_ANSIBLE, " ]" }, { NAMED_BY_RULES, "" }, { NAMED_BY_HOST, "" }, { NAMED_BY_HOSTNAME, "" },
		{ NAMED_BY_NODE, "" }, { NAMED_BY_HOST, "\"" }, { NAMED_BY_HOSTNAME, "\"" }, { NAMED_BY_NODE, "\"" },
		{ NAMED_BY_HEAD, "" },
	};
	const char *text = lines->text;
	const char *names[ARRAY_SIZE(heads)] = {
		name_in_ansible(text), name_in_rules(lines, nr), name_behind(text, "Host: "), name_behind(text, "Hostname: "),
		name_behind(text, "Node: "), name_of_key(text, "\"host\": \""), name_of_key(text, "\"hostname\": \""),
		name_of_key(text, "\"node\": \""), name_in_head(arena, text),
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!names[i])
			continue;
		host->shell = (struct machine_name){
			.text = name_at(arena, names[i], heads[i].behind), .line = lines->number, .by = heads[i].by,
		};
		if (heads[i].by == NAMED_BY_RULES && !host->shell.text)
			host->shell.text = host->shell.several = names_of_several(arena, names[i]);
		host->shell.is_node =
			host->shell.several || heads[i].by == NAMED_BY_HEAD ||
			(is_of_nodes(heads[i].by) && host->shell.text && node_name_is_sure(host->shell.text));
		host->output = host->shell;
		host->outside = host->inside = NULL;
		return;
	}
	take_gpustat(arena, host, lines, nr);
}

/* ---- prompts */

/*
 * "(env) user@host:~$", "[user@host ~]#", and not a sentence with somebody's address in it, nor that of a repository.
 */
static const char *name_in_prompt(const char *text, size_t *ret_len)
{
	const char *at = text, *behind;
	bool has_bracket;

	if (*at == '(')
		at += strcspn(at, ")") + (strchr(at, ')') != NULL);
	at = past_blanks(at);
	has_bracket = *at == '[';
	at += has_bracket;
	at += node_name_len(at);
	*ret_len = *at == '@' ? node_name_len(at + 1) : 0;
	if (!*ret_len)
		return NULL;
	behind = ++at + *ret_len;
	if (!*behind)
		return NULL;
	if (*behind == ' ')
		return has_bracket || strchr("~/$#", behind[1]) ? at : NULL;
	if (*behind == ':')
		return strchr("~/", *past_blanks(behind + 1)) || strcspn(behind, " ") > strcspn(behind, "$#") ? at
													      : NULL;
	return strchr("$#]~", *behind) ? at : NULL;
}

/* "…-m4wl8": Kubernetes ends the name of a pod with five characters out of these, so that they make no word. */
static bool is_of_pod(const char *name)
{
	const char *last = strrchr(name, '-');

	return last && strlen(last) == 6 && strspn(last + 1, "bcdfghjklmnpqrstvwxz2456789") == 5;
}

/* Whoever enters one is in one of these folders. */
static bool is_of_container(const char *name, const char *behind)
{
	static const char *const folders[] = { "/#", "/$", "/]", "/ #", "/ $", "/workspace", "/app" };

	return is_number_of_container(name) || is_of_pod(name) ||
	       (strchr(": ", *behind) && text_begins_any(behind + 1, folders, ARRAY_SIZE(folders)));
}

/* In a container the first new name is its own; another one is of another machine. */
static void take_prompt(struct prompt_host *host, const char *name, const char *behind, unsigned line)
{
	bool is_inside;

	if (host->outside && (!strcmp(name, host->outside) || (host->inside && strcmp(name, host->inside) != 0)))
		host->outside = host->inside = NULL;
	is_inside = host->outside || host->is_in_job || is_of_container(name, behind);
	if (host->outside) {
		host->inside = name;
		name = *host->outside ? host->outside : NULL;
	} else if (is_of_container(name, behind) || node_name_is_none(name)) {
		name = NULL;
	}
	host->shell = (struct machine_name){
		.text = name, .line = line, .by = NAMED_BY_PROMPT, .is_inside = is_inside,
	};
}

/* ---- commands */

/* Behind "sudo -E", "time", "LANG=C". */
static const char *past_wrappers(const char *command)
{
	static const char *const wrappers[] = { "sudo", "time", "timeout", "env", "nohup" };

	for (;;) {
		const char *at = command, *word;
		size_t len;

		word = scan_word(&at, &len);
		if (!len || !(*word == '-' || is_digit(*word) || memchr(word, '=', len) ||
			      is_program(word, wrappers, ARRAY_SIZE(wrappers))))
			return word;
		command = at;
		if (len == 2 && !strncmp(word, "-u", 2))
			scan_word(&command, &len);
	}
}

/* What stands in a file may have been printed anywhere, but for the kernel's own. */
static bool reads_file(const char *program)
{
	static const char *const readers[] = { "cat", "zcat", "xzcat", "bzcat", "zstdcat", "less", "more", "head",
					       "tail", "grep", "egrep", "zgrep", "sed", "awk", "jq", "curl", "wget",
					       "unzip", "tar", "strings" };

	return is_program(program, readers, ARRAY_SIZE(readers)) && !strstr(program, "/proc/") &&
	       !strstr(program, "/sys/");
}

static enum launcher launcher_at(const char *program)
{
	return launcher_of(program, strcspn(program, " "));
}

/* Whose name is not told where they are entered from: guests, and what a cluster runs. */
static bool is_of_other_machine(const char *program)
{
	return launcher_at(program) == LAUNCHER_CLUSTER || launcher_at(program) == LAUNCHER_GUEST;
}

/* A shell in a container, or in a guest: what goes on there is its machine's, whatever its prompt says. */
static bool enters_container(const char *program)
{
	static const char *const entering[] = { "run", "exec", "attach", "shell", "enter", "console", "terminal",
						"debug", "rsh", "start", "login", "ssh" };
	static const char *const tools[] = { "nvidia-smi", "rocm-smi", "amd-smi", "xpu-smi", "dcgmi", "rocminfo",
					     "lspci", "dmesg" };
	size_t len;

	if (text_has_any(program, tools, ARRAY_SIZE(tools)))
		return false;
	if (launcher_at(program) == LAUNCHER_ROOT)
		return true;
	if (launcher_at(program) != LAUNCHER_CONTAINER && !is_of_other_machine(program))
		return false;
	for (const char *at = program, *word; (word = scan_word(&at, &len)), len;)
		if (is_program(word, entering, ARRAY_SIZE(entering)))
			return true;
	return false;
}

/* A shell on a node, with as many GPUs as the job asked for: what follows runs in it. */
static bool opens_job(const char *program)
{
	static const char *const always[] = { "salloc", "qrsh", "qlogin" };
	static const char *const ways[] = { " --pty", " -I", " alloc", "bash", "/sh", " sh", "zsh" };

	return launcher_at(program) == LAUNCHER_JOB &&
	       (is_program(program, always, ARRAY_SIZE(always)) || text_has_any(program, ways, ARRAY_SIZE(ways)));
}

/* Its output is of another machine than the one it was typed at, or may be. */
static bool leads_elsewhere(const char *program)
{
	static const char *const programs[] = { "ssh", "sshpass", "mosh", "telnet", "mpirun", "mpiexec", "pdsh", "clush", "dsh",
						"pssh", "parallel", "xdsh", "ansible", "ansible-playbook", "for",
						"while", "gcloud", "aws", "az", "tsh" };
	static const char *const within[] = { " ssh ", " srun ", " pdsh ", " clush " };

	return is_program(program, programs, ARRAY_SIZE(programs)) || launcher_at(program) == LAUNCHER_JOB ||
	       is_of_other_machine(program) || text_has_any(program, within, ARRAY_SIZE(within));
}

/* A word as the name of a machine, without the user; NULL: it is none. */
static const char *word_as_name(struct arena *arena, const char *word, size_t len)
{
	const char *user = memrchr(word, '@', len);
	const char *name = user ? user + 1 : word;
	size_t left = len - (size_t)(name - word);

	return left && node_name_len(name) == left ? arena_strndup(arena, name, left) : NULL;
}

/* "ssh -p 22 me@node7 nvidia-smi". */
static const char *name_behind_ssh(struct arena *arena, const char *at)
{
	const char *word, *rest;
	size_t len;

	for (word = scan_word(&at, &len); len && *word == '-'; word = scan_word(&at, &len))
		if (len == 2 && strchr("bcDEeFIiJLlmOopQRSWw", word[1]))
			scan_word(&at, &len);
	rest = past_wrappers(at);
	/* A shell there has a prompt of its own. */
	if (!*rest || reads_file(rest) || leads_elsewhere(rest))
		return NULL;
	return word_as_name(arena, word, len);
}

/* "srun -w node7", "--nodelist=node7". */
static const char *name_behind_option(struct arena *arena, const char *at)
{
	static const char *const options[] = { "--nodelist=", "--nodelist", "-w" };
	const char *word;
	size_t len;

	while ((word = scan_word(&at, &len)), len)
		for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
			size_t skip = strlen(options[i]);

			if (len < skip || strncmp(word, options[i], skip) != 0)
				continue;
			word = len > skip ? word + skip : scan_word(&at, &len);
			return word_as_name(arena, word, (size_t)(at - word));
		}
	return NULL;
}

static struct machine_name name_in_command(struct arena *arena, const char *program, unsigned line)
{
	static const char *const launchers[] = { "srun", "pdsh", "clush" };

	if (is_program(program, (const char *const []){ "ssh" }, 1))
		return (struct machine_name){ .text = name_behind_ssh(arena, program + 3),
					      .line = line,
					      .by = NAMED_BY_SSH };
	if (is_program(program, launchers, ARRAY_SIZE(launchers)))
		return (struct machine_name){ .text = name_behind_option(arena, program),
					      .line = line,
					      .by = NAMED_BY_LAUNCHER };
	return (struct machine_name){ .text = NULL };
}

static void take_command(struct arena *arena, struct prompt_host *host, const char *command, unsigned line)
{
	const char *program = past_wrappers(command);
	const char *shell = host->shell.text;

	host->is_in_job |= opens_job(program);
	host->output = host->shell;
	if (reads_file(program))
		host->output.text = NULL;
	if (leads_elsewhere(program)) {
		host->output = name_in_command(arena, program, line);
		host->shell.text = NULL;
		host->output.is_inside = host->is_in_job || launcher_at(program) == LAUNCHER_JOB;
	}
	if (enters_container(program)) {
		host->outside = shell && !is_of_other_machine(program) ? shell : "";
		host->inside = NULL;
	}
}

void prompt_host_next(struct arena *arena, struct prompt_host *host, const struct dump_line *lines, size_t nr,
		      const char *command)
{
	const char *name;
	size_t len;

	if (!command) {
		take_head(arena, host, lines, nr);
		return;
	}
	name = name_in_prompt(lines->text, &len);
	if (name)
		take_prompt(host, arena_strndup(arena, name, len), name + len, lines->number);
	take_command(arena, host, command, lines->number);
}
