// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faulty_icd.c - OpenCL drivers that fail, each in its own way.
 *
 * One source, one shared object for each fault:
 *
 *	cc -shared -fPIC -DFAULT=segv_devices -o segv_devices.so tests/fakes/faulty_icd.c
 *
 * and an .icd file that holds the object's path. The loader takes them for
 * what they are, real drivers: it opens them, asks for
 * clGetExtensionFunctionAddress(), clIcdGetPlatformIDsKHR() and
 * clGetPlatformInfo(), and reaches the rest through the dispatch table.
 * `control` is a driver without fault and without devices.
 *
 * No fault outlives a test by more than a minute.
 */
#include "base/compat.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl_icd.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* What FAULT can be. */
enum fault {
	control,
	error,			/* clIcdGetPlatformIDsKHR() returns one */
	segv_platforms,		/* SIGSEGV in clIcdGetPlatformIDsKHR() */
	segv_devices,		/* SIGSEGV in clGetDeviceIDs() */
	garbage_count,		/* clIcdGetPlatformIDsKHR() counts 0x7fffffff platforms */
	garbage_platforms,	/* it gives platforms that point nowhere */
	abort_constructor,	/* abort() while the loader opens it */
	exit_constructor,	/* _exit(42) there: the process ends without a word */
	close_stdout,		/* closes stdout there */
	sleep_constructor,	/* sleeps for ever there, */
	sleep_platforms,	/* in clIcdGetPlatformIDsKHR(), */
	sleep_devices,		/* in clGetDeviceIDs() */
	spin,			/* does not sleep but spins, in clIcdGetPlatformIDsKHR() */
	stop,			/* stops itself by SIGSTOP there */
	ignore_sigterm,		/* sleeps there with every signal blocked that can be */
	child_of_its_own,	/* leaves a child in a session of its own */
	/* and one that is none of its own any more: no descriptors, no environment, another program */
	daemonizes,
	child_holds_pipe,	/* leaves a child that holds every descriptor open */

	segv_exit,		/* SIGSEGV in its destructor, when all was answered */
	sleep_exit,		/* sleeps for ever there */
	eat_memory,		/* takes 128 MiB in clIcdGetPlatformIDsKHR(), and gives them back */

	/* Beyond those that were met in the wild: */
	close_all,		/* closes every descriptor but stdin, the pipe to the parent with them */
	garbage_devices,	/* clGetDeviceIDs() counts 0x7fffffff devices */
};

static const enum fault fault = FAULT;

enum { LONGEST_S = 60, CHILD_S = 30, EATEN_BYTES = 128 << 20, PAGE_BYTES = 4096 };

static void NORETURN sleep_for_ever(void)
{
	sleep(LONGEST_S);
	_exit(1);
}

static void NORETURN spin_for_ever(void)
{
	alarm(LONGEST_S);
	for (;;)
		;
}

static void crash(void)
{
	volatile int *volatile nowhere = NULL;

	*nowhere = 1;
}

static void eat(void)
{
	volatile char *bytes = malloc(EATEN_BYTES);

	for (size_t at = 0; bytes && at < EATEN_BYTES; at += PAGE_BYTES)
		bytes[at] = 1;
	free((void *)(uintptr_t)bytes);
}

static void leave_child(void)
{
	if (fork() == 0) {
		if (fault == child_of_its_own)
			setsid();
		sleep(CHILD_S);
		_exit(0);
	}
}

/* As daemons are made, and as one that shares nothing with who started it. */
static void leave_daemon(void)
{
	char *const arguments[] = { (char[]){ "sleep" }, (char[]){ "30" }, NULL }, *const environment[] = { NULL };
	pid_t pid = fork();

	if (!pid) {
		setsid();
		if (fork())
			_exit(0);
		for (int fd = 0; fd < 256; fd++)
			close(fd);
		execve("/bin/sleep", arguments, environment);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
}

static void __attribute__((constructor)) loaded(void)
{
	switch (fault) {
	case abort_constructor:
		abort();
	case exit_constructor:
		_exit(42);
	case close_stdout:
		close(STDOUT_FILENO);
		break;
	case close_all:
		for (int fd = STDOUT_FILENO; fd < 256; fd++)
			close(fd);
		break;
	case sleep_constructor:
		sleep_for_ever();
	case child_holds_pipe:
	case child_of_its_own:
		leave_child();
		break;
	case daemonizes:
		leave_daemon();
		break;
	default:
		break;
	}
}

static void __attribute__((destructor)) unloaded(void)
{
	if (fault == segv_exit)
		crash();
	if (fault == sleep_exit)
		sleep_for_ever();
}

/* ---- the driver */

static struct _cl_icd_dispatch table;
static struct _cl_platform_id { struct _cl_icd_dispatch *dispatch; } platform = { .dispatch = &table };

static cl_int give_text(const char *text, size_t size, void *value, size_t *ret_size)
{
	size_t len = strlen(text) + 1;

	if (ret_size)
		*ret_size = len;
	if (!value)
		return CL_SUCCESS;
	if (size < len)
		return CL_INVALID_VALUE;
	memcpy(value, text, len);
	return CL_SUCCESS;
}

static cl_int CL_API_CALL platform_info(cl_platform_id of, cl_platform_info property, size_t size, void *value,
					size_t *ret_size)
{
	(void)of;	/* not looked at: garbage_platforms shall get past the loader */
	switch (property) {
	case CL_PLATFORM_PROFILE:
		return give_text("FULL_PROFILE", size, value, ret_size);
	case CL_PLATFORM_VERSION:
		return give_text("OpenCL 1.2 faulty_icd", size, value, ret_size);
	case CL_PLATFORM_NAME:
		return give_text("Faulty driver", size, value, ret_size);
	case CL_PLATFORM_VENDOR:
		return give_text("gpudiag tests", size, value, ret_size);
	case CL_PLATFORM_EXTENSIONS:
		return give_text("cl_khr_icd", size, value, ret_size);
	case CL_PLATFORM_ICD_SUFFIX_KHR:
		return give_text("FAULTY", size, value, ret_size);
	default:
		return CL_INVALID_VALUE;
	}
}

static cl_int CL_API_CALL device_ids(cl_platform_id of, cl_device_type type, cl_uint room, cl_device_id *devices,
				     cl_uint *ret_nr)
{
	(void)of;
	(void)type;
	(void)room;
	(void)devices;
	switch (fault) {
	case segv_devices:
		crash();
		break;
	case sleep_devices:
		sleep_for_ever();
	case garbage_devices:
		if (ret_nr)
			*ret_nr = 0x7fffffff;
		return CL_SUCCESS;
	default:
		break;
	}
	if (ret_nr)
		*ret_nr = 0;
	return CL_DEVICE_NOT_FOUND;
}

/* The faults of clIcdGetPlatformIDsKHR() that do not come back. */
static void fail_in_platforms(void)
{
	sigset_t all;

	switch (fault) {
	case segv_platforms:
		crash();
		break;
	case eat_memory:
		eat();
		break;
	case sleep_platforms:
		sleep_for_ever();
	case spin:
		spin_for_ever();
	case stop:
		raise(SIGSTOP);
		break;
	case ignore_sigterm:
		sigfillset(&all);
		sigprocmask(SIG_SETMASK, &all, NULL);
		sleep_for_ever();
	default:
		break;
	}
}

static cl_int CL_API_CALL platform_ids(cl_uint room, cl_platform_id *platforms, cl_uint *ret_nr)
{
	fail_in_platforms();
	if (fault == error)
		return CL_OUT_OF_HOST_MEMORY;
	if (ret_nr)
		*ret_nr = fault == garbage_count ? 0x7fffffff : 1;
	if (platforms && room)
		platforms[0] = fault == garbage_platforms ? (cl_platform_id)(uintptr_t)0xdeadbeef : &platform;
	return CL_SUCCESS;
}

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
	union { void *address; cl_int (CL_API_CALL *platform_ids)(cl_uint, cl_platform_id *, cl_uint *);
		cl_int (CL_API_CALL *platform_info)(cl_platform_id, cl_platform_info, size_t, void *, size_t *);
	} found = { .address = NULL };

	table.clGetPlatformIDs = platform_ids;
	table.clGetPlatformInfo = platform_info;
	table.clGetDeviceIDs = device_ids;
	if (!strcmp(name, "clIcdGetPlatformIDsKHR"))
		found.platform_ids = platform_ids;
	else if (!strcmp(name, "clGetPlatformInfo"))
		found.platform_info = platform_info;
	return found.address;
}
