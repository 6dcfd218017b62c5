// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/program_end.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/dump/readers.h"
#include "import/program/error_lines.h"
#include "import/words/mention.h"

enum {
	MOST_FRAMES = 400,	/* lines of a traceback */
	MOST_OF_FRAME = 6,	/* of one of its frames */
};

/* ---- who prints a line: what stands before its words */

/* "[rank0]: ", "[0]: ", "3: ", "pool-1: ", "(Worker pid=17) ": those that print for many. */
static const char *past_printer(const char *text)
{
	for (int i = 0; i < 3; i++) {
		const char *at = text;
		size_t len;

		if (*at == '[' || *at == '(') {
			const char *end = strchr(at, *at == '[' ? ']' : ')');

			if (!end)
				return text;
			at = end + 1 + (end[1] == ':');
		} else {
			len = strspn(at, "0123456789");
			if (!len || at[len] != ':')
				return text;
			at += len + 1;
		}
		if (*at != ' ')
			return text;
		text = past_blanks(at);
	}
	return text;
}

/* ---- tracebacks of Python */

/* What names of exceptions end in. */
static const char *const kinds[] = { "Error", "Exception", "Failure", "Timeout", "NotFound", "Exit" };

static const char name_signs[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";

/* A name of `len` signs, of which at least so many stand before the kind. */
static bool ends_in_kind(const char *name, size_t len, size_t least_before)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t kind_len = strlen(kinds[i]);

		if (len >= kind_len + least_before && !strncmp(name + len - kind_len, kinds[i], kind_len))
			return true;
	}
	return false;
}

/* "ValueError: …", "torch.cuda.OutOfMemoryError", "subprocess.CalledProcessError: …": the name of an error, and alone. */
static bool names_exception(const char *text)
{
	size_t len = strspn(text, name_signs);

	if (!len || (text[len] && strncmp(text + len, ": ", 2) != 0 && strcmp(text + len, ":") != 0))
		return false;
	return ends_in_kind(text, len, 0) && strncmp(text, "SystemExit", len) != 0;
}

/* Behind what each line of a log begins with, as of another line: the same but for its digits. NULL: it does not. */
static const char *behind_same(const char *text, const char *other, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		/* A blank at a line's end is gone. */
		if (!text[i])
			return other[i] == ' ' && i + 1 == len ? text + i : NULL;
		if (text[i] != other[i] && !(is_digit(text[i]) && is_digit(other[i])))
			return NULL;
	}
	return text + len;
}

static const char traceback[] = "Traceback (most recent call last)";

/* What a destructor raises is printed, and the program goes on; so does what happens while Python ends. */
static bool is_ignored(const struct dump_line *lines, size_t head, const char *error)
{
	return (head && text_begins(lines[head - 1].text, "Exception ignored in")) ||
	       strstr(error, "Python is likely shutting down");
}

/*
 * The first line behind a traceback that is none of its frames, which are indented or in a frame of lines: there it
 * names the error. lines[head] has len bytes before the traceback's head, as each of them has.
 */
static bool is_behind(const struct dump_line *lines, size_t head, size_t at, size_t len)
{
	const char *before = lines[head].text, *error;
	bool is_indented = true;

	/* "╭─── Traceback (most recent call last) ───╮": of rich. */
	if ((unsigned char)*before >= 0x80)
		len = 0;
	for (size_t i = head + 1; i < at; i++) {
		const char *frame = behind_same(lines[i].text, before, len);

		/* People lose the indentation, too: then all up to the error is of it. */
		if (i == head + 1 && frame)
			is_indented = !text_begins(frame, "File \"");
		if (!frame || (is_indented && *frame && *frame != ' ' && (unsigned char)*frame < 0x80))
			return false;
	}
	error = behind_same(lines[at].text, before, len);
	return error && names_exception(error) && !is_ignored(lines, head, error);
}

/* "/opt/server/run.py:371 launch": of a frame where TensorFlow tells it. */
static bool has_place(const char *text)
{
	const char *at = strstr(text, ".py:");

	return at && is_digit(at[strlen(".py:")]);
}

/* The first line of a frame: "  File "/opt/server/run.py", line 371, in launch" */
static bool begins_frame(const char *text)
{
	const char *file = strstr(text, "File \"");

	return (file && strstr(file, "\", line ")) || (*text == ' ' && has_place(text));
}

/*
 * Just above: its file, its source and rows of marks are some lines. Of most lines that tells that they are none. It is
 * at + 1 where there is no such.
 */
static size_t frame_above(const struct dump_line *lines, size_t at)
{
	for (size_t i = at; i-- && at - i <= MOST_OF_FRAME;)
		if (begins_frame(lines[i].text) || strstr(lines[i].text, "\u2570") || strstr(lines[i].text, traceback))
			return i;
	return at + 1;
}

/* Where a text begins within a traceback, its last frame tells as much. */
static bool is_behind_frame(const struct dump_line *lines, size_t frame, size_t at)
{
	const char *text = lines[frame].text, *file = strstr(text, "  File \"");

	if (!begins_frame(text))
		return false;
	return file ? is_behind(lines, frame, at, (size_t)(file - text)) : names_exception(past_blanks(lines[at].text));
}

static bool is_behind_traceback(const struct dump_line *lines, size_t at)
{
	size_t frame = frame_above(lines, at);

	if (frame > at)
		return false;
	for (size_t i = at; i-- && at - i <= MOST_FRAMES;) {
		const char *head = strstr(lines[i].text, traceback);

		if (head)
			return is_behind(lines, i, at, (size_t)(head - lines[i].text));
	}
	return is_behind_frame(lines, frame, at);
}

/* ---- programs, launchers and schedulers */

/* What a line begins with, and nobody writes in a sentence. */
static const char *const beginnings[] = {
	"Fatal Python error: ", "terminate called after throwing", "terminate called without an active exception",
	"*** Process received signal ***", "Signal: Segmentation fault (", "Signal: Bus error (", "Signal: Aborted (",
	"Signal: Floating point exception (", "Signal: Illegal instruction (", "*** An error occurred in MPI_",
	"Fatal error in ", "Charm++ fatal error:", "forrtl: severe",
	"BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES", "MPI_ABORT was invoked", "FATAL: ", "FATAL ERROR",
	"Fatal error:", "FATAL:", "thread 'main' panicked at", "fatal runtime error:", "Segmentation fault", "Bus error",
	"Illegal instruction", "Floating point exception", "double free or corruption", "free(): invalid",
	"malloc(): ", "corrupted size vs. prev_size", "*** stack smashing detected ***", "make: *** [",
	"make[1]: *** [", "make[2]: *** [", "make[3]: *** [", "ninja: build stopped: ", "CMake Error at ", "CMake Error: ", "ERROR: LoadError: ",
	"Exception in thread \"main\"", "Uncaught exception", "Unhandled exception", "Program terminated with signal",
	"Abnormal termination (signal ", "Unhandled Exception: ", "Caught fatal signal - signo:", "*** caught segfault ***",
	"handle_crash: Program crashed with signal ", "signal (11): ", "signal 11 (1): Segmentation fault",
	"fatal error: unexpected signal during runtime execution", "[signal SIGSEGV: ", "Received signal 11 SEGV_",
	"wine: Unhandled page fault on ", "wine: Unhandled exception ", "Segmentation violation detected at ",
	"LowLevelFatalError [", "omptarget fatal error ", "Libomptarget fatal error ",
	"Libomptarget error: ", "zsh: killed ", "zsh: segmentation fault ", "zsh: bus error ", "zsh: abort ",
	"X Error of failed request: ",
};

/* What stands anywhere in a line that a program prints. */
static const char *const pieces[] = {
	"(core dumped)", ": error while loading shared libraries: ", "mpirun noticed that process rank",
	"exits with return code = ", "Exited with exit code ", "Exited with exit code: ", ": executable file not found in $PATH",
	"terminated with exit code ", "exited with code ", "completed with exit code ", "died with <Signals.",
	"exitcode: -", "exitcode  : ", "Normal termination (return value ", "Abnormal termination (signal ", "Assertion `",
	"GGML_ASSERT(", "Child process terminated by signal", "received signal SIG",
	"received signal 11", "received signal 6", "received signal 7", "received signal 8", "terminated with code -", "failed (exitcode: ",
	"signaled to shutdown with signal ", "Caught signal ", "Signal 11 (SIGSEGV) received by PID",
	"Signal 6 (SIGABRT) received by PID", "Signal 9 (SIGKILL) received by PID",
	": Fatal error in PMPI_", ": Fatal error in internal_", "died unexpectedly",
	"A worker died or was killed while executing a task", "because its worker process has died",
	"It usually means the child failed", "application called MPI_Abort(", " terminated by signal SIG", " failed health check, stopping it",
	"finished with exit code ", "process has died [pid ", "KernelRestarter: restarting kernel (",
	"appears to have died. It will restart automatically", "DeadKernelError: Kernel died",
	"memory budget. Restarting", "KilledWorker: Attempted to run task", "ExecutorLostFailure (",
	": exit status 134", ": exit status 137", ": exit status 139",
	": undefined reference to `", ": undefined reference to '", "ld returned 1 exit status",
};

/*
 * "exited with code 0", "received signal SIGTERM", "exited on signal 15 (Terminated)": nothing went wrong, or a person or
 * a scheduler ended it. A debugger interrupts what hangs.
 */
static bool ended_well(const char *text, const char *behind)
{
	static const char *const signals[] = { "TERM", "HUP", "INT", "USR", "CHLD", "WINCH", "CONT" };
	static const char *const of_launcher[] = { "exited on signal 15 (", "exited on signal 2 (" };
	uint64_t code;
	bool fits;

	if (text_has_any(behind, of_launcher, ARRAY_SIZE(of_launcher)))
		return true;
	if (!strncmp(behind - 3, "SIG", 3))
		return text_begins_any(behind, signals, ARRAY_SIZE(signals)) && !text_begins(past_blanks(text), "Thread ");
	if (!strncmp(behind - 7, "signal ", 7))
		return scan_u64(&behind, 10, &code, &fits) && (code == 2 || code == 15);
	return scan_u64(&behind, 10, &code, &fits) && !code;
}

static bool says_end(const char *text)
{
	const char *said = past_printer(past_blanks(text)), *at;
	size_t row;

	/* The frame of MPI's. */
	said += strspn(said, "= ");
	for (size_t i = 0; i < ARRAY_SIZE(beginnings); i++)
		if (text_begins(said, beginnings[i]))
			return !past_mention(text, said, strlen(beginnings[i]));
	at = text_find_row(text, pieces, sizeof(*pieces), ARRAY_SIZE(pieces), false, &row);
	if (!at || ended_well(text, at + strlen(pieces[row])) || past_mention(text, at, strlen(pieces[row])))
		return false;
	/* "foo: bar.c:12: main: Assertion `n > 0' failed." */
	return !text_begins(at, "Assertion `") && !text_begins(at, "GGML_ASSERT(") ? true : strstr(at, " failed") != NULL;
}

static bool is_word_char(char c)
{
	return is_letter_or_digit(c) || (unsigned char)c >= 0x80;
}

/* What ended a child, and blanks up to the column where bash prints its command. */
static bool has_command_behind(const char *cause)
{
	enum { COLUMN = 20 };	/* 24 less what is lost in copying */
	const char *blanks = strstr(cause, "  ");

	return is_word_char(*cause) && !is_digit(*cause) && blanks && past_blanks(blanks) - cause >= COLUMN;
}

/*
 * "run.sh: line 141: 11800 Killed                  ./solver": how bash tells of a child that a signal ended, in the user's
 * language: a word and the number of the line, the process, what ended it, and far behind it the command. NULL: none.
 */
static const char *cause_of_child(const char *text)
{
	const char *at = text;

	while ((at = strstr(at, ": "))) {
		at += 2;
		while (is_word_char(*at) && !is_digit(*at))
			at++;
		if (!scan_char(&at, ' ') || !is_digit(*at))
			continue;
		at += strspn(at, "0123456789");
		at = past_blanks(at);
		if (!scan_char(&at, ':'))
			continue;
		at = past_blanks(at);
		if (!is_digit(*at))
			continue;
		at += strspn(at, "0123456789");
		return scan_char(&at, ' ') && has_command_behind(at) ? at : NULL;
	}
	return NULL;
}

/* Of a child that its script ended, or that was to end. */
static bool tells_of_child(const char *text)
{
	static const char *const asked[] = { "Terminated", "Hangup", "Interrupt", "Quit", "Done", "Exit", "Running",
					     "Stopped" };
	const char *cause = cause_of_child(text);

	return cause && !text_begins_any(cause, asked, ARRAY_SIZE(asked));
}

/* "#  SIGSEGV (0xb) at pc=0x00007f3a1c2d4e10, pid=4411, tid=4420": of Java's machine, in a frame of such marks. */
static bool is_of_java(const char *text)
{
	return (text_begins(text, "#  SIG") || text_begins(text, "#  EXCEPTION_")) && strstr(text, ") at pc=0x");
}

/* People's lists, quotations, source and sentences. */
static bool is_printed(const char *text)
{
	const char *first = past_blanks(text);

	return *first && !strchr("#-|<>{}\"'`+/;", *first) && (*first != '*' || first[1] == '*');
}

/* ---- errors that a line of their own announces: the one below it says which */

/* "# backtrace", "Backtrace:", "======= Backtrace: =========": above the frames of the C library. */
static bool is_backtrace_head(const char *text)
{
	static const char *const words[] = { "backtrace", "stack trace" };

	text += strspn(text, "#=*- ");
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strncasecmp(text, words[i], strlen(words[i])))
			return !text[strlen(words[i]) + strspn(text + strlen(words[i]), ":= ")];
	return false;
}

/* "/usr/bin/blender(+0x1141923) [0x55d0a49af923]" */
static bool is_frame(const char *text)
{
	const char *offset = *past_blanks(text) == '/' ? strstr(text, "+0x") : NULL, *behind;

	if (!offset)
		return false;
	behind = offset + strcspn(offset, ")");
	return *behind == ')' && text_begins(past_blanks(behind + 1), "[0x");
}

/* GROMACS and NAMD set their message below such a head, MPI the signal's name. */
static bool announces_next(const char *text, const char *next)
{
	const char *said = past_printer(past_blanks(text));

	if (!strcmp(said, "Fatal error:") || !strcmp(said, "Charm++ fatal error:"))
		return is_printed(next);
	/* C++ and Rust say below it what it was. */
	if (text_begins(said, "terminate called after throwing"))
		return text_begins(past_blanks(next), "what(): ");
	if (text_begins(said, "thread '") && strstr(said, "' panicked at ") && text[strlen(text) - 1] == ':')
		return is_printed(next) && !text_begins(next, "note: ");
	return text_begins(said, "*** Process received signal ***") && says_end(next);
}

/* Of a frame the file: the program's own and the C library's are in every backtrace. */
static bool is_of_library(const char *frame, const char *first)
{
	static const char *const common[] = { "/libc.so", "/libc-", "/libpthread", "/ld-linux", "/libstdc++", "/libgcc_s" };
	size_t len = strcspn(first, "(");

	return strncmp(frame, first, len + 1) != 0 && !text_has_any(frame, common, ARRAY_SIZE(common));
}

/* The frame of a backtrace that tells most: where a library was, else its first. at is one of them. */
static bool is_telling_frame(const struct dump_part *part, size_t at)
{
	size_t first = at, telling;

	while (first && at - first < MOST_FRAMES && is_frame(part->lines[first - 1].text))
		first--;
	if (!first || !is_backtrace_head(part->lines[first - 1].text))
		return false;
	telling = first;
	while (telling < part->nr_lines && is_frame(part->lines[telling].text) &&
	       !is_of_library(past_blanks(part->lines[telling].text), past_blanks(part->lines[first].text)))
		telling++;
	return at == (telling < part->nr_lines && is_frame(part->lines[telling].text) ? telling : first);
}

/* "AttributeError            Traceback (most recent call last)": how a notebook heads one. */
static bool heads_notebooks(const char *text)
{
	size_t len = strspn(text, name_signs);

	return len && text[len] == ' ' && text_begins(past_blanks(text + len), traceback) &&
	       ends_in_kind(text, len, 1);
}

static bool is_announced(const struct dump_part *part, size_t at)
{
	const char *text = part->lines[at].text;

	if (is_frame(text))
		return is_telling_frame(part, at);
	return at && !says_end(text) && announces_next(part->lines[at - 1].text, text);
}

bool program_end_begins(const char *text)
{
	return strstr(text, traceback) || begins_frame(text) || is_frame(text) || is_of_java(text) ||
	       (is_printed(text) && says_end(text)) || tells_of_child(text);
}

bool program_end_is_at(const struct dump_part *part, size_t at)
{
	const char *text = part->lines[at].text;

	if (at + 1 < part->nr_lines && announces_next(text, part->lines[at + 1].text))
		return false;
	return (is_printed(text) && says_end(text)) || is_of_java(text) || tells_of_child(text) ||
	       is_announced(part, at) || heads_notebooks(text) ||
	       (text_has_any(text, kinds, ARRAY_SIZE(kinds)) && is_behind_traceback(part->lines, at));
}

void program_end_read(struct reading *reading)
{
	error_lines_read(reading, "ended", "the end of a program");
}
