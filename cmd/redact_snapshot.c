// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/redact_snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "eval/facts/holders.h"
#include "eval/log/redact_log.h"
#include "klog/redact.h"

/* 32 hexadecimal digits (machine-id(5)): a secret of this machine, and the same for as long as it is installed. */
static bool read_machine_id(uint8_t key[SIPHASH_KEY_BYTES])
{
	char text[2 * SIPHASH_KEY_BYTES + 1] = "";
	int fd = open("/etc/machine-id", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (got != sizeof(text) - 1 || strspn(text, "0123456789abcdef") != sizeof(text) - 1 ||
	    strspn(text, "0") == sizeof(text) - 1)
		return false;
	for (size_t i = 0; i < SIPHASH_KEY_BYTES; i++) {
		const char digits[] = { text[2 * i], text[2 * i + 1], '\0' };

		key[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
	return true;
}

void redact_snapshot(struct snapshot *snapshot)
{
	/* A program called "timeout" must not take the word out of the kernel's lines. */
	struct redact_options how = {
		.rewrite_log = redact_log, .common_words = idle_holders,
		.vocabulary = klog_vocabulary(&snapshot->arena),
	};

	if (!read_machine_id(how.key)) {
		if (getrandom(how.key, sizeof(how.key), 0) != sizeof(how.key))
			die(EXIT_INTERNAL, "no random numbers for pseudonyms: %s", strerror(errno));
		complain("/etc/machine-id is not usable: the pseudonyms differ from those of other snapshots");
	}
	snapshot_redact(snapshot, &how);
}
