// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/pci/pci_function.h"

#include <errno.h>

#include "base/text.h"
#include "format/pci_config.h"
#include "probe/read.h"

/* An id of so many hexadecimal digits, written as sysfs does whatever the recording did. */
static struct val_str read_id(struct probe_env *env, struct arena *arena, const char *address, const char *file,
			      int digits)
{
	struct val_u64 id = read_u64(env, arena, PCI_DEVICES "/%s/%s", address, file);
	unsigned long long number = u64_or(id, 0);

	if (!is_known(id))
		return no_str(id.state, id.why);
	if (number >> (4 * digits))
		return no_str(VAL_ERROR, arena_printf(arena, "reads %#llx", number));
	return val_str(arena_printf(arena, "0x%0*llx", digits, number));
}

/* Two ids as one: "0x10de:0x16c1". */
static struct val_str read_subsystem(struct probe_env *env, struct arena *arena, const char *address)
{
	struct val_str vendor = read_id(env, arena, address, "subsystem_vendor", 4);
	struct val_str device = read_id(env, arena, address, "subsystem_device", 4);

	if (!is_known(vendor))
		return vendor;
	if (!is_known(device))
		return device;
	return val_str(arena_printf(arena, "%s:%s", str_or(vendor, ""), str_or(device, "")));
}

struct cached_fd pci_keep_file(const struct root *root, const char *address, const char *folder, const char *file)
{
	return (struct cached_fd){ .fd = root_open_file(root, PCI_DEVICES "/%s/%s%s", address, folder, file) };
}

/* -1 is what firmware leaves, not an error: on one-node machines it is the rule. */
struct val_u64 pci_numa_node(struct probe_env *env, struct arena *arena, const char *address)
{
	struct val_str text = read_str(env, arena, PCI_DEVICES "/%s/numa_node", address);
	const char *digits = str_or(text, "");
	struct val_u64 ret;
	uint64_t node;

	if (!is_known(text))
		return no_u64(text.state, text.why);
	if (!strcmp(digits, "-1"))
		return no_u64(VAL_ABSENT, "-1: firmware names no node");
	if (parse_u64(digits, &node))
		ret = no_u64(VAL_ERROR, text_quoted(arena, digits, strlen(digits)));
	else
		ret = val_u64(node);
	ret.from = text.from;
	return ret;
}

/*
 * Copies lose links, or have folders in their place: then uevent tells. Without either, and without the link that every
 * device has, a recording tells nothing of a driver.
 */
static struct val_str recorded_driver(struct probe_env *env, struct arena *arena, const char *address, bool is_bound)
{
	struct val_str uevent = read_str(env, arena, PCI_DEVICES "/%s/uevent", address), driver;
	const char *text = str_or(uevent, ""), *line = text;
	struct strbuf link = STRBUF_INIT;
	bool has_links = !root_readlink(env->root, &link, PCI_DEVICES "/%s/subsystem", address);

	strbuf_release(&link);
	while (line && strncmp(line, "DRIVER=", strlen("DRIVER=")) != 0)
		line = (line = strchr(line, '\n')) ? line + 1 : NULL;
	if (line) {
		line += strlen("DRIVER=");
		driver = text_value(arena, line, strcspn(line, "\n"));
		driver.from = uevent.from;
		return driver;
	}
	/* A folder in the link's place is a driver without its name. */
	if (!is_bound && (is_known(uevent) || has_links))
		return no_str(VAL_ABSENT, "no driver is bound");
	return no_str(VAL_UNSET, NULL);
}

static struct val_str read_driver(struct probe_env *env, struct arena *arena, const char *address)
{
	struct val_str driver = read_link_name(env, arena, PCI_DEVICES "/%s/driver", address);

	if (!root_is_live(env->root) && (driver.state == VAL_ABSENT || !strcmp(str_or(driver, driver.why), "EINVAL")))
		return recorded_driver(env, arena, address, driver.state != VAL_ABSENT);
	if (driver.state != VAL_ABSENT)
		return driver;
	/* A function that was unplugged while we looked is not one without a driver. */
	if (root_exists(env->root, PCI_DEVICES "/%s", address) == -ENOENT)
		return no_str(VAL_LOST, "the function is gone from the bus");
	return no_str(VAL_ABSENT, "no driver is bound");
}

static struct val_str read_physical_function(struct probe_env *env, struct arena *arena, const char *address)
{
	struct val_str physfn = read_link_name(env, arena, PCI_DEVICES "/%s/physfn", address);

	if (physfn.state == VAL_ABSENT)
		physfn.why = "not a virtual function";
	return physfn;
}

/* POWER's kernels have the mask alone. */
static struct val_str read_local_cpus(struct probe_env *env, struct arena *arena, const char *address)
{
	struct val_str list = checked_cpulist(arena, read_str(env, arena, PCI_DEVICES "/%s/local_cpulist", address)),
		       mask;
	STRBUF_AUTO text = STRBUF_INIT;

	if (list.state != VAL_ABSENT)
		return list;
	mask = read_str(env, arena, PCI_DEVICES "/%s/local_cpus", address);
	if (mask.state == VAL_ABSENT)
		return list;
	if (!is_known(mask) || cpulist_of_mask(str_or(mask, ""), &text))
		return checked_cpulist(arena, mask);
	return val_str(arena_strdup(arena, text.buf ? text.buf : ""));
}

void pci_function_read_power(struct probe_env *env, struct arena *arena, const char *address, struct pci_function *ret)
{
	ret->driver = read_driver(env, arena, address);
	ret->power_state = read_str(env, arena, PCI_DEVICES "/%s/power_state", address);
	ret->runtime_status = read_str(env, arena, PCI_DEVICES "/%s/power/runtime_status", address);
}

void pci_function_identify(struct probe_env *env, struct arena *arena, const char *address, struct pci_function *ret)
{
	ret->vendor_id = read_id(env, arena, address, "vendor", 4);
	ret->device_id = read_id(env, arena, address, "device", 4);
	ret->subsystem_id = read_subsystem(env, arena, address);
	ret->class_code = read_id(env, arena, address, "class", 6);
	ret->revision = read_id(env, arena, address, "revision", 2);
	ret->numa_node = pci_numa_node(env, arena, address);
	ret->local_cpus = read_local_cpus(env, arena, address);
	ret->physical_function = read_physical_function(env, arena, address);
	pci_function_read_power(env, arena, address, ret);
}

bool pci_function_is_asleep(struct arena *arena, const struct pci_function *function, const char **ret_why)
{
	const char *status = str_or(function->runtime_status, "");
	const char *power = str_or(function->power_state, "");

	if (!strcmp(status, "suspended") || !strcmp(status, "suspending"))
		*ret_why = arena_printf(arena, "runtime_status %s", status);
	else if (!strcmp(power, "D3hot") || !strcmp(power, "D3cold"))
		*ret_why = arena_printf(arena, "power_state %s", power);
	else
		return false;
	return true;
}

/* An old kernel has neither file, and then there is no runtime sleep to disturb. */
bool pci_function_may_sleep(struct arena *arena, const struct pci_function *function, enum val_state *ret_state,
			    const char **ret_why)
{
	const struct val_str *status = &function->runtime_status, *power = &function->power_state;
	const struct val_str *blind = status->state != VAL_ABSENT ? status : power;

	if (is_known(*status) || is_known(*power) || blind->state == VAL_ABSENT)
		return false;
	*ret_state = blind->state;
	*ret_why =
		arena_printf(arena, "whether it sleeps is not known: %s", blind->why ? blind->why : "no reason given");
	return true;
}

bool pci_is_no_answer(enum val_state state, const char *why)
{
	return state == VAL_ERROR && !strcmp(why, "EINVAL");
}

static struct val_u64 checked_width(struct arena *arena, struct val_u64 width)
{
	struct val_u64 ret;

	if (!is_known(width))
		return no_u64(pci_is_no_answer(width.state, width.why) ? VAL_LOST : width.state, width.why);
	ret = pci_width(arena, u64_or(width, 0));
	ret.from = width.from;
	return ret;
}

struct val_u64 pci_read_width(struct probe_env *env, struct arena *arena, const char *address, const char *file)
{
	return checked_width(arena, read_u64(env, arena, PCI_DEVICES "/%s/%s", address, file));
}
