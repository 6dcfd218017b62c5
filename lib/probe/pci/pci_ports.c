// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pci_ports.c - probe "pci-ports": every port of the PCI Express tree that
 * something could be plugged in below, and what is there. Ports that sleep are
 * listed by what the kernel knows and left alone.
 */
#include "base/compat.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/text.h"
#include "format/pci_config.h"
#include "probe/pci/pci_function.h"
#include "probe/pci/pci_path.h"
#include "probe/probe_table.h"
#include "probe/read.h"
#include "snapshot/under_test.h"

/* A function of the tree, in the order of the listing. */
struct function {
	const char *address;
	const char *link;		/* text of its link */
	const char *parent;		/* bridge above it, or NULL */
	bool is_bridge, is_gpu;
	uint64_t below, gpus_below;	/* functions right below; GPUs anywhere below */
};

struct tree {
	struct arena arena;
	struct function *functions;
	size_t nr;
	bool is_whole;
};

static bool is_judged_gpu(struct probe_env *env, struct arena *arena, const char *address)
{
	static const struct snapshot nothing_known;
	struct gpu gpu = { .key = val_str(address) };

	pci_function_identify(env, arena, address, &gpu.pci);
	return gpu_is_under_test(&nothing_known, &gpu);
}

static void add_function(struct probe_env *env, struct tree *tree, const char *address)
{
	struct val_u64 class_code = read_u64(env, &tree->arena, PCI_DEVICES "/%s/class", address);
	struct strs bridges = { .nr = 0 };
	STRBUF_AUTO link = STRBUF_INIT;
	struct function *function;

	if (class_code.state == VAL_ABSENT && root_exists(env->root, PCI_DEVICES "/%s", address) == -ENOENT)
		return;		/* unplugged since the list was read */
	if (root_readlink(env->root, &link, PCI_DEVICES "/%s", address)) {
		tree->is_whole = false;
		return;
	}
	pci_path_bridges(&tree->arena, link.buf, &bridges);
	tree->functions = arena_grow(&tree->arena, tree->functions, tree->nr, sizeof(*tree->functions));
	function = &tree->functions[tree->nr++];
	*function = (struct function){
		.address = arena_strdup(&tree->arena, address), .link = arena_strdup(&tree->arena, link.buf),
		.parent = bridges.nr ? bridges.v[0] : NULL, .is_bridge = u64_or(class_code, 0) >> 8 == 0x0604,
	};
	function->is_gpu = pci_class_is_gpu(u64_or(class_code, 0)) && is_judged_gpu(env, &tree->arena, address);
}

static int compare(const void *key, const void *element)
{
	return strcmp(key, ((const struct function *)element)->address);
}

/* The listing is sorted by byte. */
static struct function *find(const struct tree *tree, const char *address)
{
	return address && tree->nr ? bsearch(address, tree->functions, tree->nr, sizeof(*tree->functions), compare) :
				     NULL;
}

static void count_below(struct tree *tree)
{
	for (size_t i = 0; i < tree->nr; i++) {
		struct function *above = find(tree, tree->functions[i].parent);
		bool is_gpu = tree->functions[i].is_gpu;

		if (above)
			above->below++;
		/* As deep as buses can nest: a damaged recording may name a bridge above itself. */
		for (int depth = 0; above && is_gpu && depth < 256; depth++) {
			above->gpus_below++;
			above = find(tree, above->parent);
		}
	}
}

/*
 * Does it face down? By its type where configuration space tells; a user, who
 * does not see it, goes by the place: a root port, then by turns the upstream
 * and the downstream port of a switch.
 */
static bool faces_down(struct val_str type, size_t bridges_above)
{
	if (is_known(type))
		return str_is(type, "root-port") || str_is(type, "downstream-port");
	return type.state != VAL_ABSENT && bridges_above % 2 == 0;
}

static void add_port(struct probe_env *env, struct sink *sink, const struct function *function)
{
	struct arena *arena = &sink->facts.arena;
	unsigned char config[PCI_CONFIG_BYTES];
	struct strs path = { .nr = 0 };
	struct port port = { .functions = val_u64(function->below), .gpus = val_u64(function->gpus_below) };
	struct val_str type = no_str(VAL_UNSET, NULL);
	enum val_state state = VAL_UNSET;
	const char *why = NULL;
	size_t len = 0;
	int error;

	strs_add(arena, &path, function->address);
	pci_path_bridges(arena, function->link, &path);
	if (!pci_path_sleeps(env, arena, &path, &state, &why)) {
		sink_step(sink, arena_printf(arena, "read config of %s", function->address));
		error = root_read_bytes(env->root, config, sizeof(config), &len, PCI_DEVICES "/%s/config",
					function->address);
		state = error ? state_of_errno(error) : VAL_OK;
		why = error ? name_of_errno(error) : NULL;
		port.link_width_able = pci_read_width(env, arena, function->address, "max_link_width");
	} else {
		port.link_width_able = no_u64(state, why);
	}
	if (state == VAL_OK) {
		type = pci_config_port_type(arena, config, len);
		port.present = pci_config_slot_present(config, len);
		port.link_active = pci_config_link_active(config, len);
	} else {
		port.present = port.link_active = no_bool(state, why);
	}
	/* A bridge without a link is none of PCI Express. */
	if (!faces_down(type, path.nr - 1) || port.link_width_able.state == VAL_ABSENT)
		return;
	port.parent = function->parent ? val_str(function->parent) : no_str(VAL_ABSENT, "at the root");
	port.key = val_str(function->address);
	*list_element(arena, &sink->facts, ports, port, function->address) = port;
}

static int no_bus(struct sink *sink, int error)
{
	sink->facts.listed.ports = no_u64(state_of_errno(error), name_of_errno(error));
	return sink_end(sink, error == -EACCES ? PROBE_DENIED : PROBE_UNAVAILABLE, PCI_DEVICES " cannot be listed");
}

static int run(struct probe_env *env, struct sink *sink)
{
	struct tree tree = { .is_whole = true };
	struct name_list names = { 0 };
	uint64_t nr = 0;
	int error;

	sink_step(sink, "list " PCI_DEVICES);
	error = root_list(env->root, &names, PCI_DEVICES);
	if (error)
		return no_bus(sink, error);
	for (size_t i = 0; i < names.nr; i++) {
		struct pci_address address;

		if (!parse_pci_address(names.names[i], &address))
			add_function(env, &tree, names.names[i]);
	}
	name_list_release(&names);
	count_below(&tree);
	for (size_t i = 0; i < tree.nr; i++) {
		if (!tree.functions[i].is_bridge)
			continue;
		add_port(env, sink, &tree.functions[i]);
		nr += sink->facts.nr_ports;
		sink_flush(sink);
	}
	sink->facts.listed.ports =
		tree.is_whole ? val_u64(nr) : no_u64(VAL_ERROR, "the location of a function is not visible");
	error = !tree.is_whole;
	arena_release(&tree.arena);
	return sink_end(sink, error ? PROBE_PARTIAL : PROBE_OK,
			error ? "the location of a function is not visible: no link in " PCI_DEVICES : NULL);
}

static const char *const provides[] = { "ports", "listed.ports", NULL };

const struct probe probe_pci_ports = {
	.name = "pci-ports",
	.help = "PCIe ports and what is below them; skips suspended devices",
	.phase = PHASE_DEVICE_FILES,
	.touches = TOUCHES_FILES,
	.deadline_ms = 2000,
	.provides = provides,
	.run = run,
};
