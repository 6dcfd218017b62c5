// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "klog/unlisted.h"

#include "base/text.h"

/* Kernel levels from Documentation/core-api/printk-basics.rst; NVIDIA's driver writes its errors as warnings. */
enum { LEVEL_WARNING = 4 };

/* Does it stand there as a word, or as the beginning of one? "terror" is none, "timeouts" is. */
static bool has_word(struct span text, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = text.at; (at = memmem(at, (size_t)(text.end - at), word, len)); at += len)
		if (at == text.at || !is_letter_or_digit(at[-1]))
			return true;
	return false;
}

static bool has_any_word(struct span text, const char *const *words, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (has_word(text, words[i]))
			return true;
	return false;
}

/* What was looked for was not there, or the driver goes on without it. */
bool klog_denies_error(struct span text)
{
	static const char *const words[] = { "no error", "0 error", "without error", "error 0", "errors 0", "error: 0",
					     "errors: 0", "error=0", "err=0", "no fail", "recovered", "succeeded",
					     "falling back", "fallback", "ignoring", "skipping", "retrying" };

	return has_any_word(text, words, ARRAY_SIZE(words));
}

static bool has_words_of_error(struct span text)
{
	static const char *const words[] = {
		"failed", "Failed", "failure", "Failure", "FAILED", "fail ", "fails ", "error", "Error", "ERROR",
		"timeout",
		"Timeout", "timed out", "timedout", "fatal", "Fatal", "FATAL", "unable to", "Unable to", "could not",
		"Could not",
		"couldn't", "cannot", "can't", "not respond", "stuck", "hung", "hang", "corrupt", "Assertion",
		"assertion",
		"unrecoverable", "unexpected", "Unexpected", "bad ", "lost", "broken", "dead",
	};

	return has_any_word(text, words, ARRAY_SIZE(words));
}

/* Cables, docks, screens and modes: nobody's GPU fault, as in display.def. */
static bool is_of_display(struct span text)
{
	static const char *const words[] = {
		"pipe ", "underrun", "AUX", "DPCD", "EDID", "HDMI", "HDCP", "DP ", "DP-", "DDI", "TMDS", "LSPCON",
		"PSR", "CRTC",
		"crtc", "CONNECTOR", "connector", "Link Training", "link training", "DMUB", "dmub", "DMCU", "DMC ",
		"panel", "Panel",
		"backlight", "lspcon", "cursor", "fbdev", "pwm", "PHY ", "OUI", "DSB ", "dotclock", "audio", "flip",
		"vblank", "cdclk",
		"PLL", "dc_", "dm_", "display", "Display", "MST", "mst_", "power well",
	};

	return has_any_word(text, words, ARRAY_SIZE(words));
}

/* A bare "[drm]" may be any driver's. */
static bool is_of_gpus(const struct klog_source *source)
{
	return klog_family_drives_gpus(source->family) || source->family == KLOG_FAMILY_DRM ||
	       klog_source_is_of_accelerator(source);
}

/* "NVRM: " may stand at the beginning of what people write. */
static bool is_proven(const struct klog_line *line, const struct klog_source *source)
{
	return line->origin == KLOG_ORIGIN_KERNEL || line->time.has_boot || line->time.has_wall ||
	       source->is_device_line;
}

bool klog_tells_error(const struct klog_line *line, const struct klog_source *source)
{
	struct span before = { line->text.at, source->body.at };

	if (!is_of_gpus(source) || source->is_relayed || line->is_relayed || !span_len(before) ||
	    is_of_display(line->text))
		return false;
	if (memmem(before.at, span_len(before), "*ERROR*", strlen("*ERROR*")))
		return true;
	if (!is_proven(line, source) || line->level > LEVEL_WARNING || source->family == KLOG_FAMILY_DRM)
		return false;
	return has_words_of_error(source->body) && !klog_denies_error(source->body);
}

bool klog_error_device(struct span text, char ret[PCI_TEXT_BYTES])
{
	for (const char *at = text.at; at < text.end; at++) {
		struct span span = { at, text.end };

		/* A full address only: other numbers look like the beginning of one. */
		if ((at == text.at || !is_letter_or_digit(at[-1])) && span_take_pci(&span, ret) && span.at - at >= 12 &&
		    span.at[-2] == '.')
			return true;
	}
	ret[0] = '\0';
	return false;
}
