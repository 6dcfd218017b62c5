// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * system_link_modes.c - how fast the two ends of a network link can be, by what they told each other when they
 * negotiated it. A plain question to the driver (ETHTOOL_GLINKSETTINGS) that needs no rights and changes nothing.
 */
#include "base/compat.h"
#include "probe/system/system_internal.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "format/link_modes.h"
#include "probe/read.h"

enum {
	MAX_WORDS = 127,		/* of a mask: a signed byte counts them */
	NR_MASKS = 3,			/* supported, advertised, advertised by the other end */
};

static int ask(int fd, const char *interface, struct ethtool_link_settings *settings)
{
	struct ifreq request = { .ifr_data = (char *)settings };

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", interface);
	settings->cmd = ETHTOOL_GLINKSETTINGS;
	return ioctl(fd, SIOCETHTOOL, &request) ? -errno : 0;
}

/* The first answer is how long a mask is, as a negative number; asked with that, the masks come. */
static int ask_twice(const char *interface, struct ethtool_link_settings *settings)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), error;

	if (fd < 0)
		return -errno;
	error = ask(fd, interface, settings);
	if (!error) {
		settings->link_mode_masks_nwords = (__s8)-settings->link_mode_masks_nwords;
		error = settings->link_mode_masks_nwords > 0 ? ask(fd, interface, settings) : -EPROTO;
	}
	if (!error && settings->link_mode_masks_nwords <= 0)
		error = -EPROTO;
	close(fd);
	return error;
}

struct val_u64 network_speed_able(const char *interface)
{
	static const size_t masks_bytes = NR_MASKS * MAX_WORDS * sizeof(uint32_t);
	struct ethtool_link_settings *settings = xcalloc(1, sizeof(*settings) + masks_bytes);
	int error = strlen(interface) < IFNAMSIZ ? ask_twice(interface, settings) : -ENODEV;
	struct val_u64 ret;

	if (error == -EOPNOTSUPP) {
		ret = no_u64(VAL_UNSUPPORTED, "its driver tells no link modes");
	} else if (error) {
		ret = no_u64(state_of_errno(error), name_of_errno(error));
	} else if (settings->autoneg != AUTONEG_ENABLE) {
		ret = no_u64(VAL_ABSENT, "its speed is not negotiated");
	} else {
		size_t nr_words = (size_t)settings->link_mode_masks_nwords;
		const uint32_t *own = settings->link_mode_masks + nr_words;
		uint64_t mbps = link_modes_fastest_mbps(own, own + nr_words, nr_words);

		ret = mbps ? val_u64(mbps) : no_u64(VAL_ABSENT, "the other end told no link modes");
	}
	free(settings);
	return ret;
}
