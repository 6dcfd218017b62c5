// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/line/prompt.h"

#include "base/text.h"
#include "base/text_scan.h"

/* "me@node7 ~> nvidia-smi" of fish, "me@node7 ~ % nvidia-smi" of zsh: behind its sign; NULL: it is none of these. */
static const char *behind_other_sign(const char *text)
{
	static const char name[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
	size_t user = strspn(text, name), host = user && text[user] == '@' ? strspn(text + user + 1, name) : 0;
	const char *at = text + user + 1 + host;

	if (!host || (*at != ' ' && *at != ':') || (at[1] != '~' && at[1] != '/'))
		return NULL;
	at += 1 + strcspn(at + 1, " %>");
	at = past_blanks(at);
	return (*at == '%' || *at == '>') && (at[1] == ' ' || !at[1]) ? at + 1 : NULL;
}

const char *prompt_command(const char *text)
{
	static const char *const programs[] = {
		"nvidia-smi", "lspci", "dmesg", "journalctl", "rocm-smi", "amd-smi", "xpu-smi", "dcgmi", "sudo", "cat",
		"grep",
		"lshw", "inxi ", "nvme ", "smartctl ", "mdadm ", "zpool ", "df -", "free -", "swapon ", "edac-util",
		"ras-mc-ctl ", "mcelog ", "systemctl ", "ethtool ", "ibstat", "ipmitool ", "perfquery", "mlxlink ",
	};
	const char *other = behind_other_sign(text);
	size_t len = strcspn(text, "$#");
	const char *command = text + len;
	bool is_bare = !len;

	if (other)
		return past_blanks(other);

	if (!*command ||
	    (!is_bare && (len > 80 || !memchr(text, '@', len) || memchr(text, '"', len) || memchr(text, '\'', len))))
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
