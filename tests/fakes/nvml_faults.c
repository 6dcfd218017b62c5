// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_faults.c - how calls fail. See nvml.c. */
#include "nvml_machine.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static const char *const calls[] = {
#define CALL(name, branch) #name,
#include "nvml_calls.def"
#undef CALL
};

static bool is_call(const char *name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (!strcmp(calls[i], name))
			return true;
	return !strncmp(name, "NVML field ", strlen("NVML field ")) || !strcmp(name, "load") || !strcmp(name, "unload");
}

void check_faults(void)
{
	const cJSON *fault;

	if (cJSON_GetArraySize(member(machine.said, "faults")) > MOST_FAULTS)
		refuse("too many faults", "");
	cJSON_ArrayForEach(fault, member(machine.said, "faults"))
	{
		const cJSON *call = member(fault, "call");

		if (call && !is_call(call->valuestring))
			refuse("a fault is of no call", call->valuestring);
	}
}

static bool text_differs(const cJSON *wanted, const char *text)
{
	return wanted && strcmp(wanted->valuestring, text);
}

static bool is_meant(const cJSON *fault, const char *call, const struct gpu *gpu, const char *detail)
{
	const cJSON *where = member(fault, "gpu");
	unsigned int domain, bus, device;

	if (1e3 * machine_s() < number_of(fault, "after_ms"))
		return false;
	if (text_differs(member(fault, "call"), call) || text_differs(member(fault, "detail"), detail))
		return false;
	if (!where)
		return true;
	return gpu && parse_address(where->valuestring, &domain, &bus, &device) && domain == gpu->domain &&
	       bus == gpu->bus && device == gpu->device;
}

static int commit(const cJSON *fault)
{
	const char *deed = member(fault, "do")->valuestring;
	const cJSON *code = member(fault, "code");

	if (!strcmp(deed, "error"))
		return cJSON_IsString(code) ? error_code(code->valuestring) : code->valueint;
	if (!strcmp(deed, "hang"))
		for (;;)
			pause();
	if (!strcmp(deed, "crash")) {
		signal(SIGSEGV, SIG_DFL);
		raise(SIGSEGV);
	}
	if (!strcmp(deed, "spin"))
		for (volatile unsigned int turns = 0;; turns++)
			continue;
	if (!strcmp(deed, "exit"))
		_exit(42);
	refuse("no such deed of a fault", deed);
}

int fault_of(const char *call, const struct gpu *gpu, const char *detail)
{
	const cJSON *fault;
	int number = 0;

	cJSON_ArrayForEach(fault, member(machine.said, "faults"))
	{
		const cJSON *nth = member(fault, "nth");

		if (!is_meant(fault, call, gpu, detail))
			number++;
		else if (++machine.matched[number++] && (!nth || (int)machine.matched[number - 1] == nth->valueint))
			return commit(fault);
	}
	return NVML_SUCCESS;
}
