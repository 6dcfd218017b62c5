// SPDX-License-Identifier: GPL-2.0-or-later
/* live_page.c - the memory in which a worker says what it is at. */
#include "base/compat.h"
#include "collect/live_internal.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FIRST_FD = 10 };	/* above all that a child gets by number */

/* Of a size that nobody can change: reading beyond its end would end us. -1: none. */
static int make_memory(size_t size)
{
	int low = memfd_create("gpudiag-step", MFD_CLOEXEC | MFD_ALLOW_SEALING), fd;

	if (low < 0)
		return -1;
	fd = fcntl(low, F_DUPFD_CLOEXEC, FIRST_FD);
	close(low);
	if (fd >= 0 && !ftruncate(fd, (off_t)size) &&
	    !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

void live_page_release(struct live_source *source)
{
	if (source->page)
		munmap(source->page, sizeof(*source->page));
	if (source->page_fd >= 0)
		close(source->page_fd);
	source->page = NULL;
	source->page_fd = -1;
}

void live_page_renew(struct live_source *source)
{
	void *page;

	live_page_release(source);
	source->writes_seen = 0;
	source->page_fd = make_memory(sizeof(*source->page));
	if (source->page_fd < 0)
		return;
	page = mmap(NULL, sizeof(*source->page), PROT_READ, MAP_SHARED, source->page_fd, 0);
	if (page == MAP_FAILED)
		live_page_release(source);
	else
		source->page = page;
}

bool live_page_has_moved(struct live_source *source, struct sample_page *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (!source->page)
		return false;
	sample_page_read(source->page, ret);
	if (ret->writes == source->writes_seen)
		return false;
	source->writes_seen = ret->writes;
	return true;
}
