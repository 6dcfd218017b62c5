// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_redact.c - nothing that the field table calls identity or personal is left anywhere in a redacted snapshot:
 * not of the recorded ones, and not of one that is made from the table with every field set.
 */
#include "base/compat.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "snapshot/domain.h"
#include "snapshot/redact.h"

static const struct redact_options options = { .key = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 } };

static void test_siphash_vectors(void **state)
{
	/* The reference implementation's, for inputs 00, 00 01, 00 01 02 … under the key 00 01 … 0f. */
	static const struct {
		size_t len;
		uint64_t hash;
	} vectors[] = {
		{ 0, UINT64_C(0x726fdb47dd0e0e31) },
		{ 1, UINT64_C(0x74f839c593dc67fd) },
		{ 7, UINT64_C(0xab0200f58b01d137) },
		{ 8, UINT64_C(0x93f5f5799a932462) },
		{ 15, UINT64_C(0xa129ca6149be45e5) },
	};
	uint8_t data[16];

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)i;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++)
		assert_true(siphash(options.key, data, vectors[i].len) == vectors[i].hash);
}

/* ---- a snapshot with every field set */

/* Texts that must be gone, kept by the test itself: a redacted snapshot has them no more. */
struct secrets {
	char text[2048][48];
	size_t nr;
};

/* The beginning and that many digits, which no other has. */
static const char *new_secret(struct secrets *secrets, const char *beginning, int digits)
{
	char *text = secrets->text[secrets->nr];

	assert_true(secrets->nr < ARRAY_SIZE(secrets->text));
	secrets->nr++;
	snprintf(text, sizeof(secrets->text[0]), "%s%0*zu", beginning, digits, secrets->nr);
	return text;
}

/* One that may stand anywhere: of each kind in turn. */
static const char *any_secret(struct secrets *secrets)
{
	static const struct {
		const char *beginning;
		int digits;
	} forms[] = {
		{ "private-name-", 5 }, { "GPU-0badcafe-1234-5678-9abc-", 12 }, { "abcdef0123456789abcdef01", 8 },
		{ "98765", 8 }, { "0xfeedface", 8 }, { "short", 4 },
	};
	size_t kind = secrets->nr % ARRAY_SIZE(forms);

	return new_secret(secrets, forms[kind].beginning, forms[kind].digits);
}

struct filling {
	struct snapshot *snapshot;
	struct secrets *secrets;
	unsigned nr;
};

/* What a field of a form holds, the same field's others apart by their number; NULL for one that takes any text. */
static const char *text_of_form(struct arena *arena, const struct field *field, int number)
{
	const char *const forms[] = {
		arena_printf(arena, "0000:5d:00.%d", number), arena_printf(arena, "opencl:nvidia.icd:%d", number),
		"2026-11-20T15:02:07Z", "quick", "auto", "files", arena_printf(arena, "transfer-%c", 'b' - number),
	};

	if (!domain_refuses(field, "No form takes this."))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (!domain_refuses(field, forms[i]))
			return forms[i];
	fail_msg("%s: no text of its form is known here", field->name);
	return NULL;
}

static const char *text_for(struct filling *f, const struct field *field)
{
	struct arena *arena = &f->snapshot->arena;
	struct secrets *secrets = f->secrets;
	const char *formed = text_of_form(arena, field, 0);

	if (formed)
		return formed;
	if (field->privacy == PRIVACY_PUBLIC)
		return arena_printf(arena, "seen /home/%s/x as \"%s\".", new_secret(secrets, "homeless", 5),
				    any_secret(secrets));
	if (field == &record_run.fields[FIELD_run_lock_folder] || field == &record_cgroup.fields[FIELD_cgroup_path] ||
	    field == &record_gpu_process.fields[FIELD_gpu_process_cgroup])
		return arena_printf(arena, "/run/%s/%s", new_secret(secrets, "way", 5),
				    new_secret(secrets, "8", 7));
	if (field == &record_host.fields[FIELD_host_kernel_command_line])
		return arena_printf(arena, "quiet root=%s pci=noaer x=\"a %s\" %s -- %s",
				    new_secret(secrets, "boot", 5), new_secret(secrets, "boot", 5),
				    new_secret(secrets, "boot", 5), new_secret(secrets, "boot", 5));
	if (field == &record_host.fields[FIELD_host_environment])
		return arena_printf(arena, "CUDA_VISIBLE_DEVICES=%s", new_secret(secrets, "env", 5));
	if (field == &record_run.fields[FIELD_run_argv])
		return new_secret(secrets, secrets->nr % 2 ? "--root=/data" : "data", 5);
	return any_secret(secrets);
}

static void fill_value(struct filling *f, const struct field *field, void *member)
{
	struct arena *arena = &f->snapshot->arena;

	if (field->kind == FIELD_STR)
		*(struct val_str *)member = val_str(arena_strdup(arena, text_for(f, field)));
	else if (field->kind == FIELD_U64 && field->privacy != PRIVACY_PUBLIC)
		*(struct val_u64 *)member = val_u64(strtoull(new_secret(f->secrets, "40", 8), NULL, 10));
	else if (field->kind == FIELD_U64)
		*(struct val_u64 *)member = val_u64(++f->nr);
	else if (field->kind == FIELD_F64)
		*(struct val_f64 *)member = val_f64(++f->nr / 8.0);
	else
		*(struct val_bool *)member = val_bool(true);
}

/* A reason that names what is known elsewhere. */
static struct val_str a_reason(struct filling *f)
{
	return no_str(VAL_ERROR, arena_printf(&f->snapshot->arena, "no: %s, /home/%s", any_secret(f->secrets),
					      new_secret(f->secrets, "homeless", 5)));
}

static void fill(struct filling *f, const struct record *record, char *base, bool reasons);

static void fill_list(struct filling *f, const struct field *field, char *base, bool reasons)
{
	struct arena *arena = &f->snapshot->arena;

	for (int i = 0; i < 2; i++) {
		const char *formed = text_of_form(arena, &field->record->fields[0], i);
		const char *key = formed ? formed : arena_printf(arena, "%c/%s", 'b' - i, any_secret(f->secrets));
		char *element = list_element_(arena, field->record, (void **)(void *)(base + field->offset),
					      (size_t *)(void *)(base + field->offset_nr), key);

		fill(f, field->record, element, reasons && i);
	}
}

static void fill(struct filling *f, const struct record *record, char *base, bool reasons)
{
	for (size_t i = 0; i < record->nr; i++) {
		const struct field *field = &record->fields[i];
		char *member = base + field->offset;

		if (field->kind == FIELD_RECORD)
			fill(f, field->record, member, reasons);
		else if (field->kind == FIELD_LIST)
			fill_list(f, field, base, reasons);
		else if (field->kind == FIELD_STRS)
			for (int k = 0; k < 3; k++)
				strs_add(&f->snapshot->arena, (struct strs *)(void *)member, text_for(f, field));
		else if (field->kind == FIELD_F64S)
			f64s_add(&f->snapshot->arena, (struct f64s *)(void *)member, ++f->nr);
		else if (strcmp(field->name, "key") != 0 && field != &record_run.fields[FIELD_run_redacted]) {
			if (reasons && field->privacy == PRIVACY_PUBLIC && field->kind == FIELD_STR)
				*(struct val_str *)(void *)member = a_reason(f);
			else
				fill_value(f, field, member);
		}
	}
}

static char *dump(const struct snapshot *snapshot)
{
	struct strbuf out = STRBUF_INIT;

	snapshot_write(&out, snapshot);
	return strbuf_detach(&out);
}

static void make_full(struct snapshot *ret, struct secrets *secrets)
{
	struct filling f = { .snapshot = ret, .secrets = secrets };

	memset(ret, 0, sizeof(*ret));
	memset(secrets, 0, sizeof(*secrets));
	fill(&f, &record_snapshot, (char *)ret, true);
}

/* Secrets that no field holds as its value are known by nobody: those of public texts are looked for elsewhere. */
static void tell_secrets(struct snapshot *snapshot, const struct secrets *secrets)
{
	for (size_t i = 0; i < secrets->nr; i++) {
		struct holder *holder =
			list_element(&snapshot->arena, snapshot, holders, holder,
				     arena_printf(&snapshot->arena, "1%06zu:/dev/nvidia0", i));

		holder->comm = val_str(secrets->text[i]);
	}
}

static void test_nothing_is_left_of_a_full_snapshot(void **state)
{
	static struct secrets secrets;
	struct snapshot snapshot;
	char *before, *after;

	(void)state;
	make_full(&snapshot, &secrets);
	tell_secrets(&snapshot, &secrets);
	before = dump(&snapshot);
	snapshot_redact(&snapshot, &options);
	after = dump(&snapshot);
	assert_true(secrets.nr > 200);
	for (size_t i = 0; i < secrets.nr; i++) {
		const char *bare = secrets.text[i] + (!strncmp(secrets.text[i], "--root=", 7) ? 7 : 0);

		assert_non_null(strstr(before, bare));
		if (strstr(after, bare))
			fail_msg("%s is left: %.100s", bare, strstr(after, bare) - 50);
	}
	free(before);
	free(after);
	snapshot_release(&snapshot);
}

/* The same without help: what only its own field holds, a path, an option, an argument. */
static void test_nothing_is_left_in_its_own_place(void **state)
{
	static struct secrets secrets;
	struct snapshot snapshot;
	char *after;

	(void)state;
	make_full(&snapshot, &secrets);
	snapshot_redact(&snapshot, &options);
	after = dump(&snapshot);
	assert_null(strstr(after, "/data0"));
	for (size_t i = 0; i < secrets.nr; i++) {
		static const char *const beginnings[] = { "homeless", "way", "boot", "env", "GPU-0bad", "40" };

		for (size_t k = 0; k < ARRAY_SIZE(beginnings); k++)
			if (!strncmp(secrets.text[i], beginnings[k], strlen(beginnings[k])) &&
			    strstr(after, secrets.text[i]))
				fail_msg("%s is left", secrets.text[i]);
	}
	free(after);
	snapshot_release(&snapshot);
}

static void test_it_loads_and_is_stable(void **state)
{
	static struct secrets secrets;
	struct redact_options other = options;
	struct merge_unknown unknown;
	struct json_error error;
	struct snapshot first, second, again;
	char *one, *two;

	(void)state;
	make_full(&first, &secrets);
	make_full(&second, &secrets);
	snapshot_redact(&first, &options);
	snapshot_redact(&second, &options);
	one = dump(&first);
	two = dump(&second);
	assert_string_equal(one, two);
	free(two);
	assert_int_equal(snapshot_load(&again, one, strlen(one), &unknown, &error), 0);
	assert_int_equal(unknown.nr, 0);
	assert_true(bool_or(again.run.redacted, false));
	two = dump(&again);
	assert_string_equal(one, two);
	free(two);
	/* Once is enough. */
	snapshot_redact(&again, &options);
	two = dump(&again);
	assert_string_equal(one, two);
	free(two);
	snapshot_release(&second);
	make_full(&second, &secrets);
	other.key[0]++;
	snapshot_redact(&second, &other);
	assert_string_not_equal(str_or(first.host.name, ""), str_or(second.host.name, ""));
	free(one);
	snapshot_release(&first);
	snapshot_release(&second);
	snapshot_release(&again);
}

/* ---- single values */

static struct snapshot snapshot_of(const char *name, const char *why)
{
	return (struct snapshot){ .host.name = val_str(name), .host.product = no_str(VAL_ERROR, why) };
}

static void assert_kind(const char *value, const char *form)
{
	struct snapshot snapshot = snapshot_of(value, NULL);
	const char *now;

	snapshot_redact(&snapshot, &options);
	now = str_or(snapshot.host.name, "");
	assert_int_equal(strlen(now), strlen(form));
	assert_string_not_equal(now, value);
	for (size_t i = 0; form[i]; i++) {
		bool is_digit = now[i] >= '0' && now[i] <= '9';
		bool fits = form[i] == '9' ? is_digit : form[i] == 'f' ? is_digit || (now[i] >= 'a' && now[i] <= 'f') :
									now[i] == form[i];

		if (!fits)
			fail_msg("%s became %s, not %s", value, now, form);
	}
	snapshot_release(&snapshot);
}

static void test_kinds_are_kept(void **state)
{
	(void)state;
	assert_kind("GPU-0badcafe-1234-5678-9abc-000000000001", "GPU-ffffffff-ffff-ffff-ffff-ffffffffffff");
	assert_kind("0badcafe-1234-5678-9abc-000000000001", "ffffffff-ffff-ffff-ffff-ffffffffffff");
	assert_kind("0BADCAFE1234567890ABCDEF12345678", "ffffffffffffffffffffffffffffffff");
	assert_kind("1653723052734", "9999999999999");
	assert_kind("1042", "999999999999999");
	assert_kind("0x1234567890abcdef", "0xffffffffffffffff");
	assert_kind("gpu-17", "anon-ffffffffffff");
	assert_kind("é", "anon-ffffffffffff");
}

static void assert_reason(const char *name, const char *why, const char *form)
{
	struct snapshot snapshot = snapshot_of(name, why);
	const char *now, *hidden;

	snapshot_redact(&snapshot, &options);
	now = snapshot.host.product.why;
	hidden = str_or(snapshot.host.name, "");
	for (; *form; form++, now++) {
		if (*form != '@') {
			if (*form != *now)
				fail_msg("%s of %s: at %s, not %s", why, name, now, form);
			continue;
		}
		assert_int_equal(strncmp(now, hidden, strlen(hidden)), 0);
		now += strlen(hidden) - 1;
	}
	assert_string_equal(now, "");
	snapshot_release(&snapshot);
}

static void test_whole_words_are_found(void **state)
{
	(void)state;
	assert_reason("gpu-17", "gpu-17: no", "@: no");
	assert_reason("gpu-17", "on gpu-17", "on @");
	assert_reason("gpu-17", "(gpu-17)/gpu-17.log", "(@)/@.log");
	assert_reason("gpu-17", "gpu-171 xgpu-17 gpu-1", "gpu-171 xgpu-17 gpu-1");
	assert_reason("ab", "ab is too short", "ab is too short");
	assert_reason("0badcafe-1234-5678-9abc-000000000001", "UUID 0badcafe-1234-5678-9abc-000000000001.", "UUID @.");
	assert_reason("", "nothing to find", "nothing to find");
}

static void test_parts_of_the_host_name(void **state)
{
	struct snapshot snapshot = snapshot_of("gpu-17.example.org", "gpu-17, gpu-18.example.org");

	(void)state;
	snapshot_redact(&snapshot, &options);
	assert_null(strstr(snapshot.host.product.why, "gpu-17"));
	assert_null(strstr(snapshot.host.product.why, "example"));
	snapshot_release(&snapshot);
}

/* What a check reads is what it read before. */
static void test_words_of_the_trade_stay(void **state)
{
	static const char *const common[] = { "Xorg", NULL };
	struct redact_options how = options;
	struct snapshot snapshot = { .host.name = val_str("nvidia"), .host.user_id = val_u64(0) };
	struct gpu *gpu;

	(void)state;
	how.common_words = common;
	gpu = list_element(&snapshot.arena, &snapshot, gpus, gpu, "0000:01:00.0");
	gpu->pci.driver = val_str("nvidia");
	gpu->pci.model = val_str("NVIDIA Corporation GH100 [H100 SXM5 80GB]");
	list_element(&snapshot.arena, &snapshot, holders, holder, "1:/dev/nvidia0")->comm = val_str("Xorg");
	list_element(&snapshot.arena, &snapshot, holders, holder, "2:/dev/nvidia0")->comm = val_str("H100");
	snapshot_redact(&snapshot, &how);
	assert_string_equal(str_or(snapshot.gpus[0].pci.driver, ""), "nvidia");
	assert_string_equal(str_or(snapshot.gpus[0].pci.model, ""), "NVIDIA Corporation GH100 [H100 SXM5 80GB]");
	assert_string_equal(str_or(snapshot.holders[0].key, ""), "1:/dev/nvidia0");
	assert_string_equal(str_or(snapshot.holders[0].comm, ""), "Xorg");
	assert_string_not_equal(str_or(snapshot.holders[1].comm, ""), "H100");
	assert_string_not_equal(str_or(snapshot.host.name, ""), "nvidia");
	assert_int_equal(u64_or(snapshot.host.user_id, 1), 0);
	snapshot_release(&snapshot);
}

static void assert_command_line(const char *line, const char *expected)
{
	struct snapshot snapshot = { .host.kernel_command_line = val_str(line) };

	snapshot_redact(&snapshot, &options);
	assert_string_equal(str_or(snapshot.host.kernel_command_line, ""), expected);
	snapshot_release(&snapshot);
}

static void test_command_lines(void **state)
{
	(void)state;
	assert_command_line("root=UUID=1-2 ro iommu=pt pci=realloc,noaer intel_iommu=on",
			    "root=redacted ro iommu=pt pci=realloc,noaer intel_iommu=on");
	assert_command_line("nvidia.NVreg_X=1  hugepages=16 host17\tlogin=bob",
			    "nvidia.NVreg_X=1 hugepages=16 redacted login=redacted");
	assert_command_line("a=\"b c\" quiet -- single secret", "a=redacted quiet");
	assert_command_line("iommux=secret", "iommux=redacted");
	assert_command_line("", "");
}

/* ---- recorded snapshots */

/* The same on every machine. */
static bool is_everybodys(const char *text)
{
	return !strcmp(text, "nvidia-persiste") || !strcmp(text, "/system.slice") ||
	       !strcmp(text, "/run/gpudiag");
}

static void look_for_secret(const struct field *field, const char *text, const char *after)
{
	const char *at = text && strlen(text) > 3 && !is_everybodys(text) ? strstr(after, text) : NULL;

	if (at)
		fail_msg("%s: \"%s\" is left: %.80s", field->name, text, at - 20);
}

static void look_for_secrets(const struct record *record, const char *base, const char *after, size_t *nr)
{
	for (size_t i = 0; i < record->nr; i++) {
		const struct field *field = &record->fields[i];
		const void *member = base + field->offset;

		if (field->kind == FIELD_RECORD) {
			look_for_secrets(field->record, member, after, nr);
		} else if (field->kind == FIELD_LIST) {
			size_t nr_elements = *(const size_t *)(const void *)(base + field->offset_nr);
			const char *element = *(const char *const *)member;

			for (size_t k = 0; k < nr_elements; k++, element += field->record->size)
				look_for_secrets(field->record, element, after, nr);
		} else if (field->privacy != PRIVACY_PUBLIC && field->kind == FIELD_STR) {
			look_for_secret(field, str_or(*(const struct val_str *)member, NULL), after);
			++*nr;
		}
	}
}

static void assert_recorded(const char *path)
{
	struct redact_options how = options;
	static const char *const common[] = { "nvidia-persiste", NULL };
	struct snapshot before, snapshot;
	struct merge_unknown unknown;
	struct json_error error;
	struct strbuf text = STRBUF_INIT;
	FILE *file = fopen(path, "re");
	size_t nr = 0;
	char *after;
	int c;

	assert_non_null(file);
	while ((c = getc(file)) != EOF)
		strbuf_addch(&text, (char)c);
	fclose(file);
	how.common_words = common;
	assert_int_equal(snapshot_load(&before, text.buf, text.len, &unknown, &error), 0);
	assert_int_equal(snapshot_load(&snapshot, text.buf, text.len, &unknown, &error), 0);
	snapshot_redact(&snapshot, &how);
	after = dump(&snapshot);
	if (bool_or(before.run.redacted, false)) {
		char *recorded = dump(&before);

		/* It was redacted when it was taken, and that is enough. */
		assert_string_equal(after, recorded);
		free(recorded);
	} else {
		look_for_secrets(&record_snapshot, (const char *)&before, after, &nr);
		assert_true(nr > 0);
	}
	free(after);
	strbuf_release(&text);
	snapshot_release(&before);
	snapshot_release(&snapshot);
}

static void test_nothing_is_left_of_recorded_ones(void **state)
{
	DIR *folder = opendir("tests/snapshots");
	const struct dirent *entry;
	size_t nr = 0;

	(void)state;
	if (!folder)
		skip();	/* run from elsewhere than the project's top */
	while ((entry = readdir(folder))) {
		char path[512];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "tests/snapshots/%s", entry->d_name);
		assert_recorded(path);
		nr++;
	}
	closedir(folder);
	assert_true(nr > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_siphash_vectors),
		cmocka_unit_test(test_nothing_is_left_of_a_full_snapshot),
		cmocka_unit_test(test_nothing_is_left_in_its_own_place),
		cmocka_unit_test(test_it_loads_and_is_stable),
		cmocka_unit_test(test_kinds_are_kept),
		cmocka_unit_test(test_whole_words_are_found),
		cmocka_unit_test(test_parts_of_the_host_name),
		cmocka_unit_test(test_words_of_the_trade_stay),
		cmocka_unit_test(test_command_lines),
		cmocka_unit_test(test_nothing_is_left_of_recorded_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
