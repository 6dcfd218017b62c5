// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/judge/subject.h"

#include "base/strbuf.h"
#include "snapshot/gpus.h"

struct subject subject_node(void)
{
	return (struct subject){ .kind = SUBJECT_NODE, .name = "node" };
}

static void add(struct arena *arena, struct subject_list *list, struct subject subject)
{
	list->items = arena_grow(arena, list->items, list->nr, sizeof(*list->items));
	list->items[list->nr++] = subject;
}

static const char *gpu_name(struct arena *arena, const struct snapshot *snapshot, const struct gpu *gpu)
{
	return str_is(gpu->key, "gpu?") ? "A GPU" : arena_printf(arena, "GPU %zu", gpu_number(snapshot, gpu));
}

static void add_gpu(struct arena *arena, const struct snapshot *snapshot, const struct gpu *gpu,
		    struct subject_list *ret)
{
	add(arena, ret, (struct subject){
		.kind = SUBJECT_GPU, .gpu = gpu, .gpu_index = gpu_number(snapshot, gpu),
		.name = gpu_name(arena, snapshot, gpu), .address = str_or(gpu->key, NULL),
	});
}

static void add_device(struct arena *arena, const struct snapshot *snapshot, const struct ocl_device *device,
		       struct subject_list *ret)
{
	const struct gpu *gpu = ocl_device_gpu(snapshot, device);
	struct subject subject = {
		.kind = SUBJECT_OCL_DEVICE, .device = device, .gpu = gpu,
		.name = str_or(device->key, "?"), .address = str_or(device->key, NULL),
	};

	if (gpu) {
		subject.gpu_index = gpu_number(snapshot, gpu);
		subject.name = gpu_name(arena, snapshot, gpu);
		subject.address = str_or(gpu->key, NULL);
	}
	add(arena, ret, subject);
}

/* A worker with one GPU as its target, by itself or as an OpenCL device, is about that GPU. */
static void add_probe(struct arena *arena, const struct snapshot *snapshot, const struct probe_run *probe,
		      struct subject_list *ret)
{
	const char *target = str_or(probe->target, "");
	const struct ocl_device *device = list_find(snapshot, ocl_devices, ocl_device, target);
	const struct gpu *gpu = gpu_at(snapshot, device ? str_or(device->pci_address, NULL) : target);
	struct subject subject = { .kind = SUBJECT_PROBE, .probe = probe, .gpu = gpu, .name = str_or(probe->key, "?") };

	if (gpu) {
		subject.gpu_index = gpu_number(snapshot, gpu);
		subject.address = str_or(gpu->key, NULL);
	}
	add(arena, ret, subject);
}

void subjects_of(struct arena *arena, const struct snapshot *snapshot, enum subject_kind kind, struct subject_list *ret)
{
	*ret = (struct subject_list){ .nr = 0 };
	switch (kind) {
	case SUBJECT_NODE:
		add(arena, ret, subject_node());
		break;
	case SUBJECT_GPU:
		for (size_t i = 0; i < snapshot->nr_gpus; i++)
			if (gpu_is_under_test(snapshot, &snapshot->gpus[i]))
				add_gpu(arena, snapshot, &snapshot->gpus[i], ret);
		break;
	case SUBJECT_OCL_DEVICE:
		for (size_t i = 0; i < snapshot->nr_ocl_devices; i++)
			if (ocl_device_is_under_test(snapshot, &snapshot->ocl_devices[i]))
				add_device(arena, snapshot, &snapshot->ocl_devices[i], ret);
		break;
	case SUBJECT_NODE_AND_GPUS:
		subjects_of(arena, snapshot, SUBJECT_GPU, ret);
		ret->items = arena_grow(arena, ret->items, ret->nr, sizeof(*ret->items));
		memmove(ret->items + 1, ret->items, ret->nr++ * sizeof(*ret->items));
		ret->items[0] = subject_node();
		break;
	case SUBJECT_PROBE:
		for (size_t i = 0; i < snapshot->nr_probes; i++)
			add_probe(arena, snapshot, &snapshot->probes[i], ret);
		break;
	}
}

static const char *vendor_word(const struct gpu *gpu)
{
	if (str_is(gpu->pci.vendor_id, "0x10de"))
		return "NVIDIA";
	if (str_is(gpu->pci.vendor_id, "0x1002"))
		return "AMD";
	if (str_is(gpu->pci.vendor_id, "0x8086"))
		return "Intel";
	return NULL;
}

/* "0x10de" without its 0x. */
static const char *bare(const char *id)
{
	return !strncmp(id, "0x", 2) ? id + 2 : id;
}

const char *gpu_model(struct arena *arena, const struct gpu *gpu)
{
	/* Dumps that do not name the device of the bus have the driver's word for it. */
	const char *words = str_or(gpu->pci.model, str_or(gpu->nvml.name, str_or(gpu->nvidia.model, NULL)));
	const char *vendor = vendor_word(gpu);
	const char *open = words ? strrchr(words, '[') : NULL, *close = open ? strchr(open, ']') : NULL;

	if (!words && vendor && !is_known(gpu->pci.device_id))
		return arena_printf(arena, "%s GPU", vendor);
	if (!words && !is_known(gpu->pci.vendor_id) && !is_known(gpu->pci.device_id))
		return "unknown GPU";
	if (!words)
		return arena_printf(arena, "%s:%s", bare(str_or(gpu->pci.vendor_id, "?")),
				    bare(str_or(gpu->pci.device_id, "?")));
	if (vendor && open && close && close[1] == '\0')
		return arena_printf(arena, "%s %.*s", vendor, (int)(close - open - 1), open + 1);
	return words;
}

struct val_str gpu_serial(const struct gpu *gpu)
{
	return gpu->nvml.serial.state != VAL_UNSET ? gpu->nvml.serial : gpu->amdgpu.serial;
}

/* NVIDIA's files have the same values as the library only after the driver has opened the GPU. */
static struct val_str of_nvidia(struct val_str library, struct val_str file)
{
	return is_known(library) || file.state == VAL_UNSET ? library : file;
}

struct val_str gpu_vbios(const struct gpu *gpu)
{
	struct val_str vbios = of_nvidia(gpu->nvml.vbios, gpu->nvidia.vbios);

	return vbios.state != VAL_UNSET ? vbios : gpu->amdgpu.vbios;
}

struct val_u64 gpu_minor(const struct gpu *gpu)
{
	return is_known(gpu->nvml.minor) || gpu->nvidia.minor.state == VAL_UNSET ? gpu->nvml.minor : gpu->nvidia.minor;
}

struct val_str gpu_uuid(const struct snapshot *snapshot, const struct gpu *gpu)
{
	struct val_str uuid = of_nvidia(gpu->nvml.uuid, gpu->nvidia.uuid);

	uuid = uuid.state != VAL_UNSET ? uuid : gpu->amdgpu.unique_id;

	for (size_t i = 0; i < snapshot->nr_ocl_devices && !is_known(uuid); i++)
		if (ocl_device_is_of(&snapshot->ocl_devices[i], gpu))
			uuid = snapshot->ocl_devices[i].uuid;
	return uuid;
}

/* Firmware whose slot names were never filled in has placeholders. */
static bool is_no_name(const char *label)
{
	static const char *const fillers[] = { "Not Specified", "N/A", "None", "Unknown", "To Be Filled By O.E.M." };

	for (size_t i = 0; i < ARRAY_SIZE(fillers); i++)
		if (!strcasecmp(label, fillers[i]))
			return true;
	return !*label;
}

struct val_str gpu_slot_label(const struct gpu *gpu)
{
	return is_known(gpu->smbios_slot) && !is_no_name(str_or(gpu->smbios_slot, "")) ? gpu->smbios_slot : gpu->slot;
}

/* The key of a GPU of a dump that tells no address, "gpu3" or "gpu?". */
static bool is_number(const char *key)
{
	return !strncmp(key, "gpu", 3);
}

/*
 * What a hand in the machine room looks for: " (0000:5d:00.0, slot PCIe-7, serial 1653723052734)"; "" where nothing is
 * known but the number.
 */
static const char *gpu_place(struct arena *arena, const struct gpu *gpu)
{
	const char *slot = str_or(gpu_slot_label(gpu), NULL), *serial = str_or(gpu_serial(gpu), NULL);
	const char *key = str_or(gpu->key, "?");
	STRBUF_AUTO place = STRBUF_INIT;

	if (!is_number(key))
		strbuf_addstr(&place, key);
	if (slot)
		strbuf_addf(&place, "%s%s%s", place.len ? ", " : "", strcasestr(slot, "slot") ? "" : "slot ", slot);
	if (serial)
		strbuf_addf(&place, "%sserial %s", place.len ? ", " : "", serial);
	return place.len ? arena_printf(arena, " (%s)", place.buf) : "";
}

const char *subject_label(struct arena *arena, const struct subject *subject)
{
	switch (subject->kind) {
	case SUBJECT_GPU:
		return arena_printf(arena, "%s%s", subject->name,
				    subject->gpu ? gpu_place(arena, subject->gpu) : " (?)");
	case SUBJECT_OCL_DEVICE:
		if (subject->gpu)
			return arena_printf(arena, "%s%s", subject->name, gpu_place(arena, subject->gpu));
		return arena_printf(arena, "%s (%s)", subject->name, str_or(subject->device->name, "?"));
	default:
		return "";
	}
}

/* In order, each once. Returns how many there are. */
static size_t sort_numbers(size_t *numbers, const size_t *of, size_t nr)
{
	size_t nr_sorted = 0;

	for (size_t i = 0; i < nr; i++) {
		size_t place = nr_sorted;

		while (place && numbers[place - 1] > of[i])
			place--;
		if (place && numbers[place - 1] == of[i])
			continue;
		memmove(&numbers[place + 1], &numbers[place], (nr_sorted++ - place) * sizeof(*numbers));
		numbers[place] = of[i];
	}
	return nr_sorted;
}

const char *gpu_ranges(struct arena *arena, const size_t *of, size_t nr_of)
{
	size_t *indexes = arena_alloc(arena, nr_of * sizeof(*indexes)), nr = sort_numbers(indexes, of, nr_of);
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_addstr(&text, nr == 1 ? "GPU " : "GPUs ");
	for (size_t i = 0; i < nr;) {
		size_t last = i;

		while (last + 1 < nr && indexes[last + 1] == indexes[last] + 1)
			last++;
		if (i)
			strbuf_addstr(&text, last + 1 == nr ? " and " : ", ");
		strbuf_addf(&text, "%zu", indexes[i]);
		if (last > i)
			strbuf_addf(&text, "-%zu", indexes[last]);
		i = last + 1;
	}
	return arena_strdup(arena, text.buf);
}
