// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/sample/sample_kept_text.h"

#include "probe/read.h"

void kept_text_read(struct kept_text *file, const struct root *root, const char *path, size_t max_bytes)
{
	if (file->file.fd >= 0) {
		file->error = cached_fd_read(&file->file, &file->text, max_bytes);
		if (!file->error)
			return;
		cached_fd_close(&file->file);
	}
	file->file.fd = root_open_file(root, "%s", path);
	file->error = cached_fd_read(&file->file, &file->text, max_bytes);
	if (file->error)
		strbuf_reset(&file->text);
}

void kept_text_release(struct kept_text *file)
{
	cached_fd_close(&file->file);
	strbuf_release(&file->text);
}

struct val_u64 kept_text_u64(const struct kept_text *file, struct arena *arena, const char *key, uint64_t multiplier)
{
	struct proc_text text = {
		.text = file->text,
		.state = file->error ? state_of_errno(file->error) : VAL_OK,
		.why = file->error ? name_of_errno(file->error) : NULL,
	};

	return proc_text_u64(&text, arena, key, multiplier);
}
