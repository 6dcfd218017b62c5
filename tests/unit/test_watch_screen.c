// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_watch_screen.c - the screen of watch: within its size, whatever it is; harmless, whatever the node's names are.
 */
#include "base/compat.h"
#include "render/watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/text.h"

enum { MOST_GPUS = 64 };

/* What a terminal would show: as many lines and columns as were used, and the text. */
struct shown {
	size_t rows, columns;
	struct strbuf text;		/* its lines, each ending in a line feed */
};

/* Any sequence that is no colour, no clearing and no move to the corner fails the test. */
static const char *skip_sequence(const char *at)
{
	assert_int_equal(at[1], '[');
	at += 2;
	at += strspn(at, "0123456789;");
	assert_non_null(strchr("HJKm", *at));
	return at + 1;
}

static void show(struct shown *ret, const char *screen)
{
	size_t column = 0;

	*ret = (struct shown){ .rows = 1, .text = STRBUF_INIT };
	for (const char *at = screen; *at;) {
		const char *from = at;

		if (*at == '\x1b') {
			at = skip_sequence(at);
		} else if (*at == '\r') {
			assert_int_equal(at[1], '\n');
			at += 2;
			ret->rows++;
			column = 0;
			strbuf_addch(&ret->text, '\n');
		} else {
			assert_true((unsigned char)*at >= 0x20);
			utf8_take(&at);
			column++;
			strbuf_add(&ret->text, from, (size_t)(at - from));
		}
		if (column > ret->columns)
			ret->columns = column;
	}
}

/* ---- a view */

struct scene {
	struct snapshot sealed;
	struct load_gpu gpus[MOST_GPUS];
	struct load_group groups[2];
	size_t places[MOST_GPUS];
	struct load_view view;
};

static const struct load_reason reasons[] = {
	{ "loader", "8 of 8 worker processes at 100 % of a CPU, 16 of 96 CPUs allowed" },
	{ "disk", "nvme0n1: 0.4 ms a read, 80 MB/s" },
};

static void make_gpu(struct load_gpu *ret, size_t index)
{
	*ret = (struct load_gpu){
		.index = index, .word = (enum bottleneck)(index % NR_BOTTLENECKS), .confidence = LOAD_SURE,
		.held_ns = UINT64_C(240000000000), .busy_percent = val_f64((double)(index * 37 % 101)),
		.sm_active_percent = val_f64(100), .tensor_active_percent = val_f64(100),
		.memory_active_percent = no_f64(VAL_UNSUPPORTED, NULL), .power_ratio = val_f64(1.0),
		.clock_ratio = val_f64(0.98),
		.power_mw = val_u64(287000), .power_limit_mw = val_u64(700000), .clock_mhz = val_u64(1980),
		.clock_max_mhz = val_u64(1980), .vram_used_bytes = val_u64(UINT64_C(50) << 30),
		.vram_total_bytes = val_u64(UINT64_C(80) << 30), .link_sent_bytes_per_s = val_f64(1e9),
		.link_received_bytes_per_s = val_f64(2e9), .link_limit_bytes_per_s = val_f64(63e9),
		.temperature_c = val_f64(64), .holder = "python3 18422", .nr_holders = 1 + index % 3,
		.sentence = "GPU waits for the loader: 8 of 8 worker processes at 100 % of a CPU, 16 of 96 CPUs allowed",
	};
}

static void make_scene(struct scene *ret, size_t nr_gpus)
{
	*ret = (struct scene){ .sealed = { .nr_gpus = nr_gpus } };
	for (size_t i = 0; i < nr_gpus; i++) {
		make_gpu(&ret->gpus[i], i);
		ret->places[i] = i;
	}
	ret->groups[0] = (struct load_group){
		.confidence = LOAD_SETTLING, .nr_gpus = nr_gpus, .gpus = ret->places,
		.sentence = "GPUs 0-7 wait for the loader",
		.next = "Raise num_workers: 16 of 96 CPUs are allowed, 8 are used.",
		.nr_shown = 1, .shown = reasons, .nr_ruled_out = 2, .ruled_out = reasons,
	};
	ret->view = (struct load_view){
		.at_ns = UINT64_C(83000000000), .ticks = 84, .late = 1, .nr_gpus = nr_gpus,
		.nr_groups = nr_gpus ? 1 : 0,
		.gpus = ret->gpus, .groups = ret->groups,
		.host = { .cpu_busy_percent = val_f64(34), .io_full_percent = val_f64(12),
		.memory_full_percent = val_f64(0),
			  .swap_in_bytes_per_s = val_f64(1e6), .busiest_thread = "pt_data_worker 4711 99 %", .workers = 8,
			  .workers_pegged = 8, .disk = "nvme0n1 2.1 GB/s 0.4 ms", .network = "mlx5_0/1 46 of 50 GB/s" },
		.headline = "GPUs 0-7 wait for the loader: 8 of 8 worker processes at 100 % of a CPU, 16 of 96 CPUs allowed; "
			    "not the disk (0.4 ms a read, 80 MB/s), not the link (3 % of 63 GB/s).",
	};
}

static void draw(struct shown *ret, const struct scene *scene, struct watch_screen *screen, unsigned columns,
		 unsigned rows, const char *message)
{
	const struct watch_screen_state state = { .paused = message, .message = message };
	STRBUF_AUTO out = STRBUF_INIT;

	watch_screen_draw(&out, screen, &scene->view, (struct watch_screen_size){ columns, rows }, &state);
	show(ret, out.buf);
}

/* ---- tests */

static void try_all_sizes(const struct scene *scene, unsigned step, bool utf8, bool color)
{
	struct watch_screen *screen = watch_screen_new(&scene->sealed, utf8, color);

	for (int i = 0; i < 200; i++)
		watch_screen_add(screen, &scene->view);
	for (unsigned columns = 20; columns <= 200; columns += step + columns / 100 * 8)
		for (unsigned rows = 3; rows <= 60; rows += step + rows / 30 * 4) {
			struct shown shown;

			draw(&shown, scene, screen, columns, rows,
			     rows % 2 ? NULL : "saved: a-long-name-of-a-file.jsonl");
			assert_in_range(shown.columns, 1, columns);
			assert_in_range(shown.rows, 1, rows);
			strbuf_release(&shown.text);
			watch_screen_select(screen, 1);
		}
	watch_screen_free(screen);
}

static void no_screen_is_larger_than_its_terminal(void **state)
{
	static const size_t nrs[] = { 0, 1, 16, MOST_GPUS };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(nrs); i++) {
		struct scene scene;

		make_scene(&scene, nrs[i]);
		try_all_sizes(&scene, i < 2 ? 3 : 1, true, false);
		scene.view.trouble = "NVML has not answered for 7 s (in nvmlDeviceGetSamples)";
		try_all_sizes(&scene, 3, i % 2, true);
	}
}

static void before_the_first_tick_it_says_so(void **state)
{
	const struct watch_screen_state nothing = { .message = NULL };
	struct watch_screen *screen;
	struct scene scene;
	STRBUF_AUTO out = STRBUF_INIT;
	struct shown shown;

	(void)state;
	make_scene(&scene, 1);
	screen = watch_screen_new(&scene.sealed, true, false);
	watch_screen_draw(&out, screen, NULL, (struct watch_screen_size){ 80, 24 }, &nothing);
	show(&shown, out.buf);
	assert_non_null(strstr(shown.text.buf, "first tick"));
	strbuf_release(&shown.text);
	watch_screen_free(screen);
}

static void names_of_processes_steer_nothing(void **state)
{
	static const char *const names[] = {
		"\x1b[2J\x1b]0;owned\x07 1", "\xff\xfe 2", "\u202egnp 3", "漢字漢字漢字漢字 4", "a\u0301\u0301\u0301\u0301 5",
		"\r\n\r\n 6",
	};
	struct scene scene;

	(void)state;
	make_scene(&scene, ARRAY_SIZE(names));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		scene.gpus[i].holder = names[i];
		scene.gpus[i].sentence = names[i];
		scene.view.headline = names[i];
		scene.view.host.busiest_thread = names[i];
		try_all_sizes(&scene, 4, true, true);
	}
}

static void without_utf8_all_is_ascii(void **state)
{
	struct watch_screen *screen;
	struct scene scene;
	struct shown shown;

	(void)state;
	make_scene(&scene, 8);
	scene.gpus[3].holder = "naïve 7";
	screen = watch_screen_new(&scene.sealed, false, false);
	for (int i = 0; i < 50; i++)
		watch_screen_add(screen, &scene.view);
	draw(&shown, &scene, screen, 120, 40, NULL);
	for (size_t i = 0; i < shown.text.len; i++)
		assert_true((unsigned char)shown.text.buf[i] < 0x80);
	strbuf_release(&shown.text);
	watch_screen_free(screen);
}

static void eighty_columns_hold_what_matters(void **state)
{
	static const char *const parts[] = {
		"GPUs 0-7 wait for the loader", "Next: Raise num_workers", "18422", "100/100/–", "pt_data_worker",
		"q quit",
		"ruled out", "287 W of 700 W", "settling",
	};
	struct watch_screen *screen;
	struct scene scene;
	struct shown shown;

	(void)state;
	make_scene(&scene, 8);
	screen = watch_screen_new(&scene.sealed, true, false);
	watch_screen_add(screen, &scene.view);
	draw(&shown, &scene, screen, 80, 28, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (!strstr(shown.text.buf, parts[i]))
			fail_msg("no \"%s\" in:\n%s", parts[i], shown.text.buf);
	strbuf_release(&shown.text);
	watch_screen_free(screen);
}

static void the_selected_gpu_is_always_visible(void **state)
{
	struct watch_screen *screen;
	struct scene scene;

	(void)state;
	make_scene(&scene, 16);
	screen = watch_screen_new(&scene.sealed, true, false);
	for (int i = 0; i < 20; i++) {
		struct shown shown;

		draw(&shown, &scene, screen, 40, 10, NULL);
		assert_non_null(strchr(shown.text.buf, '>'));
		strbuf_release(&shown.text);
		watch_screen_select(screen, 1);
	}
	watch_screen_free(screen);
}

static void a_line_is_one_line(void **state)
{
	struct scene scene;
	STRBUF_AUTO out = STRBUF_INIT;

	(void)state;
	make_scene(&scene, 2);
	scene.view.headline = "two\nlines \x1b[31m";
	scene.view.trouble = "NVML has not answered";
	render_watch_line(&out, &scene.view, false);
	assert_null(strchr(out.buf, '\x1b'));
	assert_ptr_equal(strchr(out.buf, '\n'), out.buf + out.len - 1);
	assert_non_null(strstr(out.buf, "83.0 s"));
	assert_non_null(strstr(out.buf, "NVML has not answered"));
}

static void what_is_unknown_is_null_with_a_reason(void **state)
{
	struct tick tick = { .seq = val_u64(83) };
	struct json_error error;
	struct json_doc doc;
	struct scene scene;
	const cJSON *gpu;
	STRBUF_AUTO out = STRBUF_INIT;

	(void)state;
	make_scene(&scene, 2);
	render_watch_json(&out, &scene.view, &tick);
	assert_ptr_equal(strchr(out.buf, '\n'), out.buf + out.len - 1);
	assert_int_equal(json_parse(out.buf, out.len, 0, &doc, &error), 0);
	gpu = json_member(doc.root, "gpus")->child;
	assert_true(cJSON_IsNull(json_member(gpu, "memory_active_percent")));
	assert_string_equal(json_member(json_member(gpu, "unknown"), "memory_active_percent")->valuestring,
			    "unsupported");
	assert_non_null(json_member(json_member(doc.root, "tick"), "seq"));
	json_release(&doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_screen_is_larger_than_its_terminal),
		cmocka_unit_test(before_the_first_tick_it_says_so),
		cmocka_unit_test(names_of_processes_steer_nothing),
		cmocka_unit_test(without_utf8_all_is_ascii),
		cmocka_unit_test(eighty_columns_hold_what_matters),
		cmocka_unit_test(the_selected_gpu_is_always_visible),
		cmocka_unit_test(a_line_is_one_line),
		cmocka_unit_test(what_is_unknown_is_null_with_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
