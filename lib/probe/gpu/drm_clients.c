// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/gpu/drm_clients.h"

#include "sys/clock.h"

enum { FDINFO_BYTES = 16384, MIN_INTERVAL_NS = 20 * 1000 * 1000 };

/* The engine of that name, made where it is missing; NULL: no room, or a name that is none. */
static struct engine *engine_of(struct engines *engines, const char *name, size_t len)
{
	struct engine *engine;

	if (!len || len >= ENGINE_NAME_BYTES)
		return NULL;
	for (size_t i = 0; i < engines->nr; i++) {
		engine = &engines->engine[i];
		if (strlen(engine->name) == len && !memcmp(engine->name, name, len))
			return engine;
	}
	if (engines->nr == MAX_ENGINES)
		return NULL;
	engine = &engines->engine[engines->nr++];
	*engine = (struct engine){ .capacity = 0 };
	memcpy(engine->name, name, len);
	return engine;
}

static bool has_prefix(const char *text, const char *prefix, const char **ret_rest)
{
	size_t len = strlen(prefix);

	if (strncmp(text, prefix, len))
		return false;
	*ret_rest = text + len;
	return true;
}

/* "drm-engine-render:\t123 ns": the longer names first, of which others are the beginning. */
static void parse_engine(const char *line, struct engines *engines)
{
	enum { CAPACITY, BUSY_NS, BUSY_CYCLES, TOTAL_CYCLES } kind;
	struct engine *engine;
	const char *name;
	uint64_t number;
	size_t len;

	if (has_prefix(line, "drm-engine-capacity-", &name))
		kind = CAPACITY;
	else if (has_prefix(line, "drm-engine-", &name))
		kind = BUSY_NS;
	else if (has_prefix(line, "drm-cycles-", &name))
		kind = BUSY_CYCLES;
	else if (has_prefix(line, "drm-total-cycles-", &name))
		kind = TOTAL_CYCLES;
	else
		return;
	len = strcspn(name, ":\n");
	engine = name[len] == ':' ? engine_of(engines, name, len) : NULL;
	if (!engine)
		return;
	number = strtoull(name + len + 1, NULL, 10);
	switch (kind) {
	case CAPACITY:
		engine->capacity = number;
		break;
	case BUSY_NS:
		/* A driver may write both; cycles go by the engine's own clock. */
		engine->busy = engine->in_cycles ? engine->busy : number;
		break;
	case BUSY_CYCLES:
		engine->busy = number;
		engine->in_cycles = true;
		break;
	case TOTAL_CYCLES:
		engine->total = number;
		break;
	}
}

bool drm_client_parse(const char *text, struct drm_client *ret)
{
	bool is_drm = false;

	memset(ret, 0, sizeof(*ret));
	for (const char *line = text; line; line = strchr(line, '\n')) {
		const char *value;

		line += *line == '\n';
		if (has_prefix(line, "drm-driver:", &value)) {
			is_drm = true;
		} else if (has_prefix(line, "drm-client-id:", &value)) {
			ret->id = strtoull(value, NULL, 10);
			ret->has_id = true;
		} else if (has_prefix(line, "drm-pdev:", &value)) {
			size_t len;

			value += strspn(value, " \t");
			len = strcspn(value, " \t\n");
			memcpy(ret->address, value, len < sizeof(ret->address) ? len : 0);
		} else {
			parse_engine(line, &ret->engines);
		}
	}
	return is_drm;
}

static uint64_t grown(uint64_t start, uint64_t end)
{
	return end > start && end - start < UINT64_MAX / 2 ? end - start : 0;
}

void engines_add_growth(struct engines *sum, const struct engines *start, const struct engines *end)
{
	for (size_t i = 0; i < end->nr; i++) {
		const struct engine *to = &end->engine[i], *from = NULL;
		struct engine *engine = engine_of(sum, to->name, strlen(to->name));
		uint64_t total;

		for (size_t k = 0; k < start->nr && !from; k++)
			if (!strcmp(start->engine[k].name, to->name))
				from = &start->engine[k];
		/* One that was not named yet had done nothing, but the cycles it had till then are not known. */
		if (!engine || (!from && to->in_cycles))
			continue;
		engine->busy += grown(from ? from->busy : 0, to->busy);
		total = grown(from ? from->total : 0, to->total);
		engine->total = total > engine->total ? total : engine->total;
		engine->in_cycles |= to->in_cycles;
		engine->capacity = to->capacity > engine->capacity ? to->capacity : engine->capacity;
	}
}

void engines_update(struct engines *kept, const struct engines *now)
{
	for (size_t i = 0; i < now->nr; i++) {
		const struct engine *from = &now->engine[i];
		struct engine *to = engine_of(kept, from->name, strlen(from->name));

		if (!to)
			continue;
		to->busy = from->busy > to->busy ? from->busy : to->busy;
		to->total = from->total > to->total ? from->total : to->total;
		to->capacity = from->capacity;
		to->in_cycles = from->in_cycles;
	}
}

double engines_busiest(const struct engines *engines, uint64_t elapsed_ns)
{
	double most = 0.0;

	for (size_t i = 0; i < engines->nr; i++) {
		const struct engine *engine = &engines->engine[i];
		double had = engine->in_cycles ? (double)engine->total : (double)elapsed_ns, use;

		had *= engine->capacity ? (double)engine->capacity : 1.0;
		use = had > 0.0 ? 100.0 * (double)engine->busy / had : 0.0;
		most = use > most ? use : most;
	}
	return most > 100.0 ? 100.0 : most;
}

/* ---- the clients of one GPU */

struct watched_client {
	struct cached_fd fdinfo;
	uint64_t id;
	bool gone;
	struct engines start, last;
};

static bool read_client(const struct cached_fd *file, struct drm_client *ret)
{
	STRBUF_AUTO text = STRBUF_INIT;

	return !cached_fd_read(file, &text, FDINFO_BYTES) && drm_client_parse(text.buf, ret) && ret->has_id;
}

/* Many descriptors may belong to one client: it is counted once. */
static bool has_client(const struct drm_clients *clients, uint64_t id)
{
	for (size_t i = 0; i < clients->nr; i++)
		if (clients->list[i].id == id)
			return true;
	return false;
}

int drm_clients_add(struct drm_clients *clients, struct arena *arena, const struct root *root, const char *address,
		    const char *pid, const char *fd)
{
	struct watched_client client = { .fdinfo = { .fd = root_open_file(root, "/proc/%s/fdinfo/%s", pid, fd) } };
	struct drm_client now;

	if (!read_client(&client.fdinfo, &now) || strcmp(now.address, address) || has_client(clients, now.id)) {
		int error = client.fdinfo.fd;

		cached_fd_close(&client.fdinfo);
		return error == -EMFILE ? error : 0;
	}
	client.id = now.id;
	client.start = client.last = now.engines;
	clients->engines_told |= now.engines.nr > 0;
	clients->list = arena_grow(arena, clients->list, clients->nr, sizeof(client));
	clients->list[clients->nr++] = client;
	return 1;
}

void drm_clients_start(struct drm_clients *clients)
{
	clients->start_ns = clients->last_ns = clock_now_ns();
}

/* A number that closed and is open again leads to another file: then it is another client's, or none's. */
static void read_clients(struct drm_clients *clients, const char *address, struct engines *grown)
{
	for (size_t i = 0; i < clients->nr; i++) {
		struct watched_client *client = &clients->list[i];
		struct drm_client now;

		if (client->gone)
			continue;
		if (!read_client(&client->fdinfo, &now) || now.id != client->id || strcmp(now.address, address)) {
			client->gone = true;
			continue;
		}
		clients->engines_told |= now.engines.nr > 0;
		engines_add_growth(grown, &client->last, &now.engines);
		engines_update(&client->last, &now.engines);
	}
}

struct val_f64 drm_clients_use(struct drm_clients *clients, const char *address)
{
	struct engines grown = { .nr = 0 };
	uint64_t now_ns = clock_now_ns(), elapsed_ns = now_ns - clients->last_ns;

	read_clients(clients, address, &grown);
	clients->last_ns = now_ns;
	/* The last one may come right after another: a share of so little time says nothing. */
	if (!clients->nr || elapsed_ns < MIN_INTERVAL_NS)
		return (struct val_f64){ .state = VAL_UNSET };
	return val_f64(engines_busiest(&grown, elapsed_ns));
}

double drm_clients_use_since_start(const struct drm_clients *clients)
{
	struct engines grown = { .nr = 0 };

	for (size_t i = 0; i < clients->nr; i++)
		engines_add_growth(&grown, &clients->list[i].start, &clients->list[i].last);
	return engines_busiest(&grown, clients->last_ns - clients->start_ns);
}

void drm_clients_close(struct drm_clients *clients)
{
	for (size_t i = 0; i < clients->nr; i++)
		cached_fd_close(&clients->list[i].fdinfo);
}
