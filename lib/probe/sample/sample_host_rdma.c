// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_host_rdma.c - counters of RDMA ports in a tick: traffic that no network interface counts.
 *
 * Data is counted in words of four bytes (Documentation/ABI/stable/sysfs-class-infiniband). A reading may be a question
 * to the card's firmware, which may hang.
 */
#include "base/compat.h"
#include "probe/sample/sample_host_internal.h"

#include "base/alloc.h"
#include "base/text.h"
#include "probe/read.h"

enum { WORD_BYTES = 4 };

enum port_file { PORT_RECEIVED, PORT_SENT, PORT_WAITS, NR_PORT_FILES };

static const char *const names[NR_PORT_FILES] = {
	[PORT_RECEIVED] = "port_rcv_data", [PORT_SENT] = "port_xmit_data", [PORT_WAITS] = "port_xmit_wait",
};

struct host_port {
	char *key;			/* "mlx5_0/1" */
	char *step;			/* what is said before it is read */
	struct kept_text files[NR_PORT_FILES];
};

static void add_port(struct host_rdma *rdma, const char *word, size_t len)
{
	struct host_port *port;

	if (!len || !memchr(word, '/', len))
		return;
	rdma->ports = xrealloc(rdma->ports, (rdma->nr + 1) * sizeof(*rdma->ports));
	port = &rdma->ports[rdma->nr++];
	*port = (struct host_port){ .key = xcalloc(1, len + 1), .step = xcalloc(1, len + 64) };
	memcpy(port->key, word, len);
	snprintf(port->step, len + 64, "read counters of RDMA port %s", port->key);
	for (size_t i = 0; i < NR_PORT_FILES; i++)
		port->files[i] = (struct kept_text)KEPT_TEXT_INIT;
}

void host_rdma_begin(struct host_rdma *rdma, const char *plan)
{
	*rdma = (struct host_rdma){ .nr = 0 };
	for (const char *word = plan; *word && rdma->nr < HOST_MAX_RDMA_PORTS;) {
		size_t len = strcspn(word, " ");

		add_port(rdma, word, len);
		word += len + strspn(word + len, " ");
	}
}

/* Cards without the counters of 64 bits stop at the end of 32. */
static struct val_u64 read_counter(const struct root *root, struct host_port *port, enum port_file which, uint64_t each)
{
	struct kept_text *file = &port->files[which];
	const char *slash = strchr(port->key, '/');
	char path[160];
	uint64_t number;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%.*s/ports/%.10s/counters/%s",
		 (int)(slash - port->key < 64 ? slash - port->key : 64), port->key, slash + 1, names[which]);
	kept_text_read(file, root, path, MAX_TEXT_BYTES);
	if (file->error)
		return no_u64(state_of_errno(file->error), name_of_errno(file->error));
	if (parse_u64(file->text.buf, &number) || __builtin_mul_overflow(number, each, &number))
		return no_u64(VAL_ERROR, "reads no number");
	if (number == UINT32_MAX * each)
		return no_u64(VAL_UNSUPPORTED, "its counter of 32 bits is at its end");
	return val_u64(number);
}

void host_rdma_read(struct host_rdma *rdma, struct sample_env *env, struct tick *ret)
{
	for (size_t i = 0; i < rdma->nr; i++) {
		struct host_port *port = &rdma->ports[i];
		struct tick_rdma *to = list_element(&ret->arena, ret, rdma_ports, tick_rdma, port->key);

		sample_step(env, port->step, "");
		to->received_bytes = read_counter(env->root, port, PORT_RECEIVED, WORD_BYTES);
		to->sent_bytes = read_counter(env->root, port, PORT_SENT, WORD_BYTES);
		to->transmit_waits = read_counter(env->root, port, PORT_WAITS, 1);
	}
}

void host_rdma_release(struct host_rdma *rdma)
{
	for (size_t i = 0; i < rdma->nr; i++) {
		for (size_t k = 0; k < NR_PORT_FILES; k++)
			kept_text_release(&rdma->ports[i].files[k]);
		free(rdma->ports[i].key);
		free(rdma->ports[i].step);
	}
	free(rdma->ports);
}
