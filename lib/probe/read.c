// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/read.h"

#include <errno.h>

#include "base/text.h"

/* strerrorname_np() would do it, but glibc before 2.32 has none. */
#define NAMED(number) [number] = #number
static const char *const errno_names[] = {
	NAMED(EPERM), NAMED(ENOENT), NAMED(ESRCH), NAMED(EINTR), NAMED(EIO), NAMED(ENXIO), NAMED(E2BIG),
	NAMED(ENOEXEC), NAMED(EBADF), NAMED(ECHILD), NAMED(EAGAIN), NAMED(ENOMEM), NAMED(EACCES),
	NAMED(EFAULT), NAMED(EBUSY), NAMED(EEXIST), NAMED(EXDEV), NAMED(ENODEV), NAMED(ENOTDIR),
	NAMED(EISDIR), NAMED(EINVAL), NAMED(ENFILE), NAMED(EMFILE), NAMED(ENOTTY), NAMED(EFBIG),
	NAMED(ENOSPC), NAMED(ESPIPE), NAMED(EROFS), NAMED(EPIPE), NAMED(EDOM), NAMED(ERANGE),
	NAMED(ENAMETOOLONG), NAMED(ENOSYS), NAMED(ELOOP), NAMED(ENODATA), NAMED(ETIME), NAMED(EPROTO),
	NAMED(EOVERFLOW), NAMED(ELIBBAD), NAMED(EOPNOTSUPP), NAMED(ETIMEDOUT), NAMED(ESTALE),
	NAMED(EREMOTEIO), NAMED(ECANCELED),
};

const char *name_of_errno(int negative_errno)
{
	const char *name = NULL;

	if (negative_errno <= 0 && negative_errno > -(int)ARRAY_SIZE(errno_names))
		name = errno_names[-negative_errno];
	return name ? name : "unnamed errno";
}

enum val_state state_of_errno(int negative_errno)
{
	switch (-negative_errno) {
	case ENOENT:
	case ENOTDIR:
		return VAL_ABSENT;
	case EACCES:
	case EPERM:
		return VAL_DENIED;
	case ENODATA:
	case EOPNOTSUPP:
	case ENXIO:
		return VAL_UNSUPPORTED;
	case ENODEV:
		return VAL_LOST;
	case EREMOTE:		/* a path that root leaves alone */
		return VAL_SKIPPED;
	default:
		return VAL_ERROR;
	}
}

/* The text of a file, trimmed. False: the state and why of *ret have the reason. */
static bool read_trimmed(struct probe_env *env, const char *path, struct strbuf *text, struct val_head *ret)
{
	int error = root_read(env->root, text, "%s", path);

	if (error) {
		*ret = (struct val_head){ .state = state_of_errno(error), .why = name_of_errno(error) };
		return false;
	}
	strbuf_rtrim(text);
	if (!text->len) {
		*ret = (struct val_head){ .state = VAL_ABSENT, .why = "empty" };
		return false;
	}
	return true;
}

struct val_u64 read_u64(struct probe_env *env, struct arena *arena, const char *path_format, ...)
{
	STRBUF_AUTO text = STRBUF_INIT;
	struct val_head missing;
	char path[PATH_MAX];
	struct val_u64 ret;
	uint64_t value;
	int error;

	ROOT_TAKE_PATH(error, path, path_format);
	if (error)
		return no_u64(state_of_errno(error), name_of_errno(error));
	if (!read_trimmed(env, path, &text, &missing))
		return no_u64(missing.state, missing.why);
	/* A NUL would end the text for the parser and hide what comes after it. */
	if (strlen(text.buf) != text.len || parse_u64(text.buf, &value))
		ret = no_u64(VAL_ERROR, text_quoted(arena, text.buf, text.len));
	else
		ret = val_u64(value);
	ret.from = root_from(env->root, path);
	return ret;
}

struct val_u64 kept_number(const struct cached_fd *file, int (*parse)(const char *text, uint64_t *ret), uint64_t least,
			   uint64_t most, const char *otherwise)
{
	STRBUF_AUTO text = STRBUF_INIT;
	uint64_t number;
	int error = cached_fd_read(file, &text, MAX_TEXT_BYTES);

	if (error)
		return no_u64(state_of_errno(error), name_of_errno(error));
	if (parse(text.buf, &number) || number < least || number > most)
		return no_u64(VAL_ERROR, otherwise);
	return val_u64(number);
}

struct val_u64 kept_u64(const struct cached_fd *file)
{
	return kept_number(file, parse_u64, 0, UINT64_MAX, "reads no number");
}

struct val_str read_str(struct probe_env *env, struct arena *arena, const char *path_format, ...)
{
	STRBUF_AUTO text = STRBUF_INIT;
	struct val_head missing;
	char path[PATH_MAX];
	struct val_str ret;
	int error;

	ROOT_TAKE_PATH(error, path, path_format);
	if (error)
		return no_str(state_of_errno(error), name_of_errno(error));
	if (!read_trimmed(env, path, &text, &missing))
		return no_str(missing.state, missing.why);
	ret = text_value(arena, text.buf, text.len);
	ret.from = root_from(env->root, path);
	return ret;
}

struct val_str read_link_name(struct probe_env *env, struct arena *arena, const char *path_format, ...)
{
	STRBUF_AUTO target = STRBUF_INIT;
	char path[PATH_MAX];
	const char *name;
	int error;

	ROOT_TAKE_PATH(error, path, path_format);
	if (!error)
		error = root_readlink(env->root, &target, "%s", path);
	if (error)
		return no_str(state_of_errno(error), name_of_errno(error));
	name = strrchr(target.buf, '/');
	name = name ? name + 1 : target.buf;
	if (!*name)
		return no_str(VAL_ABSENT, "empty");
	return val_str(text_cleaned(arena, name, strlen(name)));
}

struct val_str read_choice(struct probe_env *env, struct arena *arena, const char *path_format, ...)
{
	struct val_str text;
	const char *open, *end;
	char path[PATH_MAX];
	int error;

	ROOT_TAKE_PATH(error, path, path_format);
	if (error)
		return no_str(state_of_errno(error), name_of_errno(error));
	text = read_str(env, arena, "%s", path);
	if (!is_known(text))
		return text;
	open = strchr(str_or(text, ""), '[');
	end = open ? strchr(open, ']') : NULL;
	if (end)
		return val_str(arena_strndup(arena, open + 1, (size_t)(end - open - 1)));
	if (strpbrk(str_or(text, ""), " \t\n["))
		return no_str(VAL_ERROR, text_quoted(arena, str_or(text, ""), strlen(str_or(text, ""))));
	return text;
}

struct val_u64 listed_of(struct probe_env *env, uint64_t nr, int error)
{
	if (error && !(error == -ENOENT && root_is_live(env->root)))
		return no_u64(state_of_errno(error), name_of_errno(error));
	return val_u64(nr);
}

void proc_text_read(struct probe_env *env, struct proc_text *ret, size_t max_bytes, const char *path)
{
	int error;

	strbuf_reset(&ret->text);
	if (max_bytes) {
		size_t len = 0;

		strbuf_grow(&ret->text, max_bytes);
		error = root_read_bytes(env->root, ret->text.buf, max_bytes, &len, "%s", path);
		strbuf_setlen(&ret->text, error ? 0 : len);
	} else {
		error = root_read(env->root, &ret->text, "%s", path);
	}
	ret->state = error ? state_of_errno(error) : VAL_OK;
	ret->why = error ? name_of_errno(error) : NULL;
	ret->from = root_from(env->root, path);
}

/* ---- /proc/PID/limits */

/* "Max locked memory         8388608              8388608              bytes" */
static struct val_u64 soft_limit(struct arena *arena, const char *text, const char *name)
{
	const char *line = text;
	const char *word;
	uint64_t limit;

	while (line && strncmp(line, name, strlen(name))) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	if (!line)
		return no_u64(VAL_ERROR, arena_printf(arena, "no \"%s\" there", name));
	word = line + strlen(name);
	word += strspn(word, " ");
	word = arena_strndup(arena, word, strcspn(word, " \t\n"));
	if (!strcmp(word, "unlimited"))
		return no_u64(VAL_ABSENT, "unlimited");
	if (parse_u64(word, &limit))
		return no_u64(VAL_ERROR, arena_printf(arena, "reads \"%.40s\"", word));
	return val_u64(limit);
}

struct val_u64 proc_memlock_limit(struct probe_env *env, struct arena *arena, const char *pid)
{
	STRBUF_AUTO text = STRBUF_INIT;
	int error = root_read(env->root, &text, "/proc/%.20s/limits", pid);
	enum val_state state = state_of_errno(error);

	if (error)
		return no_u64(state == VAL_ABSENT ? VAL_ERROR : state, name_of_errno(error));
	return soft_limit(arena, text.buf, "Max locked memory");
}
