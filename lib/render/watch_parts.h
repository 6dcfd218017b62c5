/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watch_parts.h - what stands around the table of GPUs on the screen of watch. Private to watch_*.c. */
#pragma once

#include "render/watch.h"
#include "render/watch_gpus.h"

/* The headline, and how sure it is where it is not. */
void watch_sentence(struct strbuf *out, const struct load_view *view);
/* The node, on at most so many lines. */
void watch_put_host(struct page *page, const struct load_host *host, const struct spark *cpu, size_t most);
/* A GPU: its sentence, its figures, what shows it and what was ruled out, on at most so many lines. */
void watch_put_details(struct page *page, const struct load_view *view, size_t place, size_t most);
/* Keys or a message at the left, time at the right. */
void watch_put_footer(struct page *page, const struct load_view *view, const struct watch_screen_state *state);
