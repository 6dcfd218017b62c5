// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_nvlink.c - NVLinks of a GPU, and the fabric they make. See nvml.c. */
#include "nvml_answer.h"

#include <stdio.h>
#include <string.h>

static int enter_link(const char *call, device_t device, u32 link, const char *detail, const cJSON **said)
{
	const struct gpu *gpu;
	int error = enter_gpu(call, device, detail, &gpu), count;

	if (error)
		return error;
	count = cJSON_GetArraySize(member(gpu->said, "nvlinks"));
	if (!count)
		return NVML_NOT_SUPPORTED;
	*said = cJSON_GetArrayItem(member(gpu->said, "nvlinks"), (int)link);
	return *said ? NVML_SUCCESS : NVML_INVALID_ARGUMENT;
}

static int link_number(const char *call, device_t device, u32 link, const char *key, long long otherwise, u32 *out)
{
	DETAIL("%u", link);
	const cJSON *said;
	long long value;
	int error = enter_link(call, device, link, detail, &said);

	if (!error)
		error = tell(said, key, otherwise, &value);
	if (!error)
		*out = (u32)value;
	return error;
}

API(nvmlDeviceGetNvLinkState, device_t device, u32 link, u32 *is_active)
{
	int error = link_number(__func__, device, link, "state", 1, is_active);

	if (!error && *is_active == 2)	/* asleep, which only the field tells */
		*is_active = 0;
	return error;
}

API(nvmlDeviceGetNvLinkVersion, device_t device, u32 link, u32 *version)
{
	return link_number(__func__, device, link, "version", 4, version);
}

API(nvmlDeviceGetNvLinkRemoteDeviceType, device_t device, u32 link, u32 *kind)
{
	return link_number(__func__, device, link, "remote_kind", 2, kind);
}

API(nvmlDeviceGetNvLinkCapability, device_t device, u32 link, u32 capability, u32 *result)
{
	if (capability > 6)
		return misuse(__func__, "capability", NVML_INVALID_ARGUMENT);
	return link_number(__func__, device, link, "capability", 1, result);
}

API(nvmlDeviceGetNvLinkRemotePciInfo_v2, device_t device, u32 link, struct pci_info *pci)
{
	DETAIL("%u", link);
	const cJSON *said;
	struct gpu remote = {0};
	const char *address;
	int error = enter_link(__func__, device, link, detail, &said);

	if (!error)
		error = tell_text(said, "remote", NULL, &address);
	if (!error && !parse_address(address, &remote.domain, &remote.bus, &remote.device))
		error = NVML_UNKNOWN;
	if (!error)
		fill_pci(&remote, pci);
	return error;
}

API(nvmlDeviceGetNvLinkErrorCounter, device_t device, u32 link, u32 counter, u64 *out)
{
	DETAIL("%u %u", link, counter);
	const cJSON *said;
	long long value;
	int error;

	if (counter > 4)
		return misuse(__func__, "counter", NVML_INVALID_ARGUMENT);
	error = enter_link(__func__, device, link, detail, &said);
	if (!error && member(said, "errors") && !cJSON_IsArray(member(said, "errors")))
		error = tell(said, "errors", 0, &value);
	else if (!error)
		error = tell_item(cJSON_GetArrayItem(member(said, "errors"), (int)counter), 0, &value);
	if (!error)
		*out = (u64)value;
	return error;
}

API(nvmlDeviceGetNvLinkInfo, device_t device, struct versioned_u32 *out)
{
	if (out->version != VERSION(8, 1) && out->version != VERSION(1612, 2))
		return misuse(__func__, "version", NVML_ARGUMENT_VERSION_MISMATCH);
	return ask_u32(__func__, device, "", "nvlink_encrypted", 0, &out->value);
}

struct fabric {
	unsigned char cluster[16];
	int status;
	u32 clique;
	unsigned char state;
	u32 health;
	unsigned char summary;
};

static int fabric_of(const char *call, device_t device, struct fabric *out)
{
	static const char *const keys[] = {"state", "status", "clique", "health_mask", "summary"};
	long long values[5] = {0};
	const struct gpu *gpu;
	const char *cluster = "";
	const cJSON *said;
	int error = enter_gpu(call, device, "", &gpu);

	if (error)
		return error;
	said = member(gpu->said, "fabric");
	if (!cJSON_IsObject(said))
		return tell_item(said, NOT_SUPPORTED, &values[0]);
	for (int i = 0; i < 5 && !error; i++)
		error = tell(said, keys[i], 0, &values[i]);
	*out = (struct fabric){{0},
			       (int)values[1],
			       (u32)values[2],
			       (unsigned char)values[0],
			       (u32)values[3],
			       (unsigned char)values[4]};
	tell_text(said, "cluster", "", &cluster);
	for (size_t i = 0; i < sizeof(out->cluster) && strlen(cluster) >= 2 * i + 2; i++)
		sscanf(cluster + 2 * i, "%2hhx", &out->cluster[i]);
	return error;
}

struct fabric_v1 {
	unsigned char cluster[16];
	int status;
	u32 clique;
	unsigned char state;
};

API(nvmlDeviceGetGpuFabricInfo, device_t device, struct fabric_v1 *out)
{
	struct fabric fabric;
	int error = fabric_of(__func__, device, &fabric);

	if (!error) {
		memcpy(out->cluster, fabric.cluster, sizeof(out->cluster));
		out->status = fabric.status;
		out->clique = fabric.clique;
		out->state = fabric.state;
	}
	return error;
}

struct fabric_v3 {
	u32 version;
	struct fabric fabric;
};

API(nvmlDeviceGetGpuFabricInfoV, device_t device, struct fabric_v3 *out)
{
	enum { BYTES_V2 = 36, BYTES_V3 = 40 };
	struct fabric fabric;
	long long newest;
	int error;

	_Static_assert(sizeof(struct fabric_v3) == BYTES_V3, "as nvml.h lays it out");
	error = tell(machine.said, "fabric_version", 3, &newest);
	if (error)
		return error;
	if (out->version != VERSION(BYTES_V2, 2) && (newest < 3 || out->version != VERSION(BYTES_V3, 3))) {
		log_call(__func__, NULL, "another version");
		return NVML_ARGUMENT_VERSION_MISMATCH;
	}
	error = fabric_of(__func__, device, &fabric);
	if (!error)
		memcpy(&out->fabric, &fabric, (out->version & 0xffffff) - sizeof(out->version));
	return error;
}

NUMBER(nvmlDeviceGetC2cModeInfoV, "c2c", NOT_SUPPORTED)

_Static_assert(sizeof(struct fabric_v1) == 28, "nvmlGpuFabricInfo_t");
