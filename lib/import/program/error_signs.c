// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/error_signs.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/words/sentence.h"

bool error_names_gpus(const char *text)
{
	static const char *const words[] = {
		"gpu", "nvidia", "cuda", "nvml", "dcgm", "nccl", "rccl", "amdgpu", "rocm", "hip ", "hip error",
		"hiperror", "hsa_",
		"hsa ", "kfd", "xe kernel driver", "xpu", "oneapi", "level zero", "level_zero", "sycl", "i915", "nouveau", "nvlink",
		"nvswitch",
		"miopen", "mps daemon", "cublas", "cudnn", "tensorrt", "opencl", "clgetplatform", "/clc/", "vulkan", "/dev/dri",
	};
	const char *at = text;

	for (size_t row; (at = text_find_row(at, words, sizeof(*words), ARRAY_SIZE(words), true, &row)); at++) {
		const char *behind = at + strlen(words[row]);

		/* "gpu012" and "gpu-12" are names of nodes. */
		if (row || !is_digit(behind[1]) || (*behind != '-' && !is_digit(*behind)))
			return true;
	}
	return false;
}

/* What speaks of GPUs where no vendor's name does: what runs on them, and what they are reached through. */
bool error_is_about_gpus(const char *text)
{
	static const char *const words[] = {
		"libva", "vainfo", "vaapi", "va-api", "nvenc", "nvdec", "renderd128", "card0", "ptxas", "radeon", "geforce",
		"quadro", "tesla", "instinct", "gaudi", "habana", "graphics", "torch", "tensorflow", "triton", "ollama",
		"llama", "vllm", "blender", "cycles", "xorg", "directx", "dxvk", "vkd3d", "mesa", "drm", "fabricmanager",
		"diffusion", "webui", "comfyui", "whisper", "miner", "mlx5", "infiniband", "rdma", "ucx", "libfabric",
		"mpirun", "slurm", "gres", "device-plugin", "deviceplugin", "hostpci", "vfio", "passthrough",
		"_qsv", "mfx session", "_cuvid", "_vaapi", "_amf @",
	};
	size_t row;

	return error_names_gpus(text) || text_find_row(text, words, sizeof(*words), ARRAY_SIZE(words), true, &row);
}

/* "I0503 12:00:01.233412": of glog; PyTorch leaves the month's zero out. */
static bool is_level_at(const char *at, char level)
{
	size_t len = *at == level ? strspn(at + 1, "0123456789") : 0;

	return (len == 4 || len == 3) && at[1 + len] == ' ' && is_digit(at[2 + len]) && is_digit(at[3 + len]) &&
	       at[4 + len] == ':';
}

/* At the beginning, behind who prints it, or in a bracket: "[rank1]:[E518 12:05:59.051911070 file.cpp:1870]". */
bool error_is_of_level(const char *text, char level)
{
	enum { MOST_BEFORE = 24 };
	const char *behind = strstr(text, "]: "), *first = past_blanks(text);

	if (is_level_at(first, level) || (behind && is_level_at(behind + strlen("]: "), level)))
		return true;
	for (const char *at = first; (at = strchr(at, '[')) && at - first <= MOST_BEFORE; at++)
		if (is_level_at(at + 1, level))
			return true;
	return false;
}

/* rmmod and modprobe -r, of a module at work: "Module nvidia is in use by: nvidia_uvm". */
static bool is_unloading(const char *text)
{
	static const char *const loaders[] = { "rmmod: ERROR: Module ", "modprobe: FATAL: Module " };

	return text_has_any(text, loaders, ARRAY_SIZE(loaders)) && strstr(text, " is in use");
}

/* rocm-smi -a, of what a card does not have: "ERROR: 2 GPU[0]: power cap: RSMI_STATUS_NOT_SUPPORTED …". */
static bool is_of_rocm_smi(const char *text)
{
	static const char *const words[] = { "NOT_SUPPORTED", "not supported on the given system", " is unsupported" };
	const char *at = scan_behind(text, "ERROR:");

	if (!at)
		return false;
	at += strspn(at, "0123456789 ");
	return text_begins(at, "GPU[") && text_has_any(at, words, ARRAY_SIZE(words));
}

/* What frameworks say wherever they start, and packages of what is not there. */
bool error_is_harmless(const char *text)
{
	static const char *const words[] = {
		"already been registered", "TF-TRT Warning", "Unable to register cu", "Could not find TensorRT", "libEGL", "libGL",
		"MESA",
		"(WW)", "warning", "WARN", "Warning", "INFO", "DEBUG", "level=info", "\"info\"", "deprecated",
		"libcudnn", "Could not load dynamic library 'libnvinfer",
		"NUMA node read from SysFS", "properly shut down", "vgpu-mgr", "nhc: ", "File exists",
		/* nvidia-powerd on desktops, which have no power to share; what makes room for NVIDIA's driver. */
		"Failed to initialize RM Client", "Module nouveau not found",
	};

	return text_has_any(text, words, ARRAY_SIZE(words)) || error_is_of_level(text, 'I') || is_unloading(text) ||
	       is_of_rocm_smi(text);
}

/* The same of lines that name no GPU as what failed: shells, what fetches, and what goes on with something else. */
bool error_is_harmless_beside(const char *text)
{
	static const char *const words[] = {
		"command not found", "(publickey", "curl: (", "wget: ", "not a git repository", " CANCELLED AT ",
		"Exception ignored in", "could not open file to read NUMA node", "libva error", "can't connect to X server",
		/* clinfo's last lines, traces of SYCL, loaders that pass over a library of 32 bits, nvidia-settings. */
		"<error: no ", "SYCL_PI_TRACE", "wrong ELF class", "Unable to assign attribute",
	};

	return text_has_any(text, words, ARRAY_SIZE(words));
}

/* Behind "name: ", who prints the line, as often as it comes; the beginning where nobody is named. */
const char *error_past_speakers(const char *text)
{
	static const char name[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./[]";

	for (size_t len; (len = strspn(text, name)) && text[len] == ':' && text[len + 1] == ' ';)
		text += len + 2;
	return text;
}

/* Whoever writes of himself, asks or advises is no program. */
bool error_is_written(const char *text)
{
	static const char *const words[] = {
		"i ", "i'm ", "i've ", "my ", "we ", "our ", "you ", "your ", "please ", "he ", "they ", "should ",
		"would ", "maybe ", "seems ", "because ", "when ", "after ", "indicates", "was seen", "is fixed", "last week",
	};
	size_t len = strlen(text);

	return !len || text[len - 1] == '?' || sentence_has_any(span_of(text), words, ARRAY_SIZE(words));
}

/* "Error Information Log Entries:      0": a table of a tool. */
bool error_is_field(const char *text)
{
	static const char *const marks_of_fields[] = { ":  ", ":\t", "  :", "  = " };
	const char *colon = strrchr(text, ':');

	return text_has_any(text, marks_of_fields, ARRAY_SIZE(marks_of_fields)) || (colon && !strcmp(colon, ": 0"));
}

/* "0 of 214 failed" */
static bool is_none_of(const char *text, const char *at)
{
	const char *from = strstr(text, " 0 of ");

	return from && from < at && from + strlen(" 0 of ") + strspn(from + strlen(" 0 of "), "0123456789") + 1 == at;
}

/* "0 failed", "failed=0", "failed: 0", "error rate: 0.0 %" */
bool error_counts_none(const char *text, const char *at, const char *behind)
{
	static const char *const zeros[] = { "=0", ": 0", " = 0", " rate: 0", ":0" };

	if (is_none_of(text, at))
		return true;
	if (at - text > 1 && text_begins(at - 2, "0 ") && (at - text == 2 || !is_digit(at[-3])))
		return true;
	return text_begins_any(behind, zeros, ARRAY_SIZE(zeros));
}

/* "[    2.1] hyperv_fb: probe of …": the kernel's, which has rules of its own. */
bool error_is_of_kernel(const char *text)
{
	size_t len = strspn(text + 1, " 0123456789.");

	return *text == '[' && len && text[1 + len] == ']' && memchr(text + 1, '.', len);
}

/* Ansible's, of a host, or of an item there: "fatal: [node7]: FAILED! => {…}", "failed: [node7] (item=nvsm) => …". */
bool error_is_of_ansible(const char *text)
{
	static const char *const begins[] = { "fatal: [", "failed: [" };

	return text_begins_any(past_blanks(text), begins, ARRAY_SIZE(begins)) && strstr(text, " => ");
}

/* Of a task that may fail: its last line, and below it "...ignoring". */
bool error_is_ignored(const struct dump_part *part, size_t at)
{
	enum { MOST_BELOW = 32 };

	if (!error_is_of_ansible(part->lines[at].text))
		return false;
	for (size_t i = at + 1; i < part->nr_lines && i - at < MOST_BELOW; i++) {
		if (strstr(part->lines[i].text, "...ignoring"))
			return true;
		if (strstr(part->lines[i].text, "TASK ["))
			break;
	}
	return false;
}
