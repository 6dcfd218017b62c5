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
