// SPDX-License-Identifier: GPL-2.0-or-later
/* upgrade_system.c - what keeps this system and its driver, what waits for a reboot, nouveau blacklist. */
#include "base/compat.h"
#include "probe/upgrade/upgrade_internal.h"

#include "base/text_scan.h"
#include "probe/read.h"

enum { MAX_REBOOT_PACKAGES = 64 };

/* The first of them that is there. */
static struct val_str first_of(struct probe_env *env, const char *const *paths, size_t nr, const char *none)
{
	for (size_t i = 0; i < nr; i++) {
		int error = root_exists(env->root, "%s", paths[i]);

		if (!error)
			return val_str(paths[i]);
		if (state_of_errno(error) != VAL_ABSENT)
			return no_str(state_of_errno(error), name_of_errno(error));
	}
	return no_str(VAL_ABSENT, none);
}

/* ID=ubuntu, VARIANT_ID="coreos": os-release(5) */
static struct val_str release_word(const struct proc_text *release, struct arena *arena, const char *key)
{
	struct val_str value = proc_text_str(release, arena, key);
	const char *text = str_or(value, "");
	size_t quotes = *text == '"' || *text == '\'';

	if (!is_known(value))
		return value;
	return val_str(arena_strndup(arena, text + quotes, strcspn(text + quotes, "\"'")));
}

/*
 * The GPU Operator's driver container shows its root below /run/nvidia/driver,
 * and the validator says by a file that it is ready.
 */
void upgrade_system_read(struct probe_env *env, struct arena *arena, struct upgrade *ret)
{
	static const char *const container[] = {
		"/run/nvidia/driver/etc/os-release", "/run/nvidia/driver/usr/bin/nvidia-smi",
		"/run/nvidia/validations/.driver-ctr-ready",
	};
	static const char *const installer[] = { "/usr/bin/nvidia-uninstall", "/var/log/nvidia-installer.log" };
	static const char *const refresh[] = {
		"/etc/systemd/system/nvidia-cdi-refresh.path", "/usr/lib/systemd/system/nvidia-cdi-refresh.path",
		"/lib/systemd/system/nvidia-cdi-refresh.path",
	};
	PROC_TEXT_AUTO release = PROC_TEXT_INIT;
	int error;

	proc_text_read(env, &release, 0, "/etc/os-release");
	if (release.state == VAL_ABSENT)
		proc_text_read(env, &release, 0, "/usr/lib/os-release");
	ret->os_id = release_word(&release, arena, "ID");
	ret->os_variant = release_word(&release, arena, "VARIANT_ID");
	error = root_exists(env->root, "/run/ostree-booted");
	ret->is_ostree = !error || state_of_errno(error) == VAL_ABSENT ?
		val_bool(!error) : no_bool(state_of_errno(error), name_of_errno(error));
	ret->driver_container = first_of(env, container, ARRAY_SIZE(container), "no sign of one");
	ret->installer = first_of(env, installer, ARRAY_SIZE(installer), "no sign of it");
	ret->cdi_refresh = first_of(env, refresh, ARRAY_SIZE(refresh), "there is no such unit");
}

/* Debian's and Ubuntu's file with a list beside it, SUSE's, and the image that ostree starts next. */
void upgrade_reboot_read(struct probe_env *env, struct arena *arena, struct upgrade *ret)
{
	static const char *const files[] = {
		"/run/reboot-required", "/run/reboot-needed", "/run/ostree/staged-deployment",
	};
	STRBUF_AUTO text = STRBUF_INIT;

	ret->reboot_required_by = first_of(env, files, ARRAY_SIZE(files), "not configured in any file");
	if (!is_known(ret->reboot_required_by) || root_read(env->root, &text, "/run/reboot-required.pkgs"))
		return;
	for (const char *line = text.buf; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		struct val_str package = text_value(arena, line, strcspn(line, "\r\n"));
		bool is_new = is_known(package) && *str_or(package, "");

		/* A package says so each time it is configured. */
		for (size_t i = 0; i < ret->reboot_packages.nr && is_new; i++)
			is_new = strcmp(ret->reboot_packages.v[i], str_or(package, "")) != 0;
		if (is_new && ret->reboot_packages.nr < MAX_REBOOT_PACKAGES)
			strs_add(arena, &ret->reboot_packages, str_or(package, ""));
	}
}

static bool is_word(const char *word, size_t len, const char *text)
{
	return len == strlen(text) && !memcmp(word, text, len);
}

/* "blacklist nouveau", "install nouveau /bin/false", "alias nouveau off", "options nouveau modeset=0" */
static bool line_keeps_off(const char *line, const char *module)
{
	const char *at = line, *command, *name, *word;
	size_t command_len, len;

	command = scan_word(&at, &command_len);
	name = scan_word(&at, &len);
	if (!is_word(name, len, module))
		return false;
	if (is_word(command, command_len, "blacklist"))
		return true;
	for (word = scan_word(&at, &len); len; word = scan_word(&at, &len)) {
		if (is_word(command, command_len, "install"))
			return is_word(word, len, "/bin/false") || is_word(word, len, "/bin/true") ||
			       is_word(word, len, "/usr/bin/false") || is_word(word, len, "/usr/bin/true");
		if (is_word(command, command_len, "alias"))
			return is_word(word, len, "off");
		if (is_word(command, command_len, "options") && is_word(word, len, "modeset=0"))
			return true;
	}
	return false;
}

bool modprobe_keeps_off(const char *text, const char *module)
{
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (line_keeps_off(line, module))
			return true;
	return false;
}

/* Is it in a list such as "nouveau,nvidiafb"? */
static bool is_listed_in(const char *list, size_t len, const char *module)
{
	for (size_t at = 0; at <= len;) {
		size_t part = 0;

		while (at + part < len && list[at + part] != ',')
			part++;
		if (is_word(list + at, part, module))
			return true;
		at += part + 1;
	}
	return false;
}

bool command_line_keeps_off(const char *text, const char *module)
{
	static const char *const lists[] = { "module_blacklist=", "modprobe.blacklist=" };
	const char *at = text, *word;
	size_t len;

	for (word = scan_word(&at, &len); len; word = scan_word(&at, &len)) {
		size_t name = strlen(module);

		for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
			if (len > strlen(lists[i]) && !memcmp(word, lists[i], strlen(lists[i])) &&
			    is_listed_in(word + strlen(lists[i]), len - strlen(lists[i]), module))
				return true;
		if (len > name && !memcmp(word, module, name) && is_word(word + name, len - name, ".modeset=0"))
			return true;
	}
	return false;
}

/* In the order in which a folder's file hides one of the same name in a later folder: modprobe.d(5). */
static const char *const modprobe_folders[] = {
	"/etc/modprobe.d", "/run/modprobe.d", "/usr/local/lib/modprobe.d", "/usr/lib/modprobe.d", "/lib/modprobe.d",
};

static bool is_hidden(struct probe_env *env, size_t folder, const char *name)
{
	for (size_t i = 0; i < folder; i++)
		if (!root_exists(env->root, "%s/%s", modprobe_folders[i], name))
			return true;
	return false;
}

static struct val_str kept_off_in(struct probe_env *env, struct arena *arena, size_t folder)
{
	struct val_str found = no_str(VAL_ABSENT, "not blacklisted");
	struct name_list names = { 0 };

	if (root_list(env->root, &names, "%s", modprobe_folders[folder]))
		return found;
	for (size_t i = 0; i < names.nr && !is_known(found); i++) {
		const char *ending = strrchr(names.names[i], '.');
		STRBUF_AUTO text = STRBUF_INIT;

		if (!ending || strcmp(ending, ".conf") != 0 || is_hidden(env, folder, names.names[i]) ||
		    root_read(env->root, &text, "%s/%s", modprobe_folders[folder], names.names[i]))
			continue;
		if (modprobe_keeps_off(text.buf, "nouveau")) {
			const char *path = arena_printf(arena, "%s/%s", modprobe_folders[folder], names.names[i]);

			found = text_value(arena, path, strlen(path));
		}
	}
	name_list_release(&names);
	return found;
}

void upgrade_nouveau_read(struct probe_env *env, struct arena *arena, struct upgrade *ret)
{
	struct val_str command_line = read_str(env, arena, "/proc/cmdline");

	ret->nouveau_kept_off_by = no_str(VAL_ABSENT, "not blacklisted");
	if (is_known(command_line) && command_line_keeps_off(str_or(command_line, ""), "nouveau"))
		ret->nouveau_kept_off_by = val_str("the kernel's command line");
	for (size_t i = 0; i < ARRAY_SIZE(modprobe_folders) && !is_known(ret->nouveau_kept_off_by); i++)
		ret->nouveau_kept_off_by = kept_off_in(env, arena, i);
}
