#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# snapshot-input.bats - a snapshot that cannot be used is refused: status 64, with file, line and cause; nothing is written.

load helpers.sh

setup() {
	begin
	echo 'as it was' > kept
}

HEAD='{"schema": "gpudiag.snapshot/1"'

# good: a snapshot of a machine, as ./good.
good() {
	need_tree l40s-4
	gpudiag collect --root "$NODES/l40s-4" -o good
	is "$status" 0
}

# refuses FILE LINE CAUSE…: whatever is asked for; no line is "".
refuses() {
	local file=$1 line=$2
	shift 2
	gpudiag run --snapshot "$file" --format json -o kept --format text=new --format snapshot=new2
	refused "gpudiag: $file${line:+:$line}: " "$@"
	is "$(cat kept)" 'as it was' "the file of -o"
	[ ! -e new ] || fail "a new file was written"
	[ ! -e new2 ] || fail "a new file was written"
	is "$(find . -name '.gpudiag-*' -o -name '*.tmp')" '' "files left over"
}

# refuses_text CAUSE LINE TEXT: written to ./bad, with printf's escapes.
refuses_text() {
	# shellcheck disable=SC2059 # that is what it is for
	printf "$3" > bad
	refuses bad "$2" "$1"
}

# ---- what is not there, or no file

@test "a file that is missing" {
	refuses nosuch '' 'No such file or directory'
}

@test "a folder" {
	mkdir folder
	refuses folder '' 'folder' 'no output that gpudiag knows'
}

@test "an empty file, and one of blanks" {
	refuses_text 'empty' '' ''
	refuses_text 'empty' '' ' \n\t\n'
	refuses /dev/null '' 'empty'
}

@test "a file that may not be read" {
	as_nobody_or_skip
	echo "$HEAD}" > secret
	chmod 600 secret
	with "${AS_NOBODY[@]}" gpudiag run --snapshot secret
	refused 'secret' 'Permission denied'
}

@test "a file that fails while it is read" {
	gpudiag run --snapshot /proc/self/mem
	refused '/proc/self/mem' 'Input/output error'
}

# ---- what is no JSON

@test "binary" {
	head -c 4096 "$GPUDIAG" > bad
	refuses bad '' 'no output that gpudiag knows'
	head -c 4096 /dev/zero > bad
	refuses bad 1 ''
	refuses_text 'not valid UTF-8' 2 "$HEAD,\n"'"host": {"name": "\xff\xfe"}}'
	refuses_text 'byte order mark' 1 '\xef\xbb\xbf'"$HEAD}"
}

@test "cut, at any place" {
	good
	local len at
	len=$(wc -c < good)
	for at in 1 $((len / 3)) $((len / 2)) $((len - 2)); do
		head -c "$at" good > bad
		refuses bad "$(($(wc -l < bad) + 1))" ''
	done
	# The last line feed is no part of it.
	head -c "$((len - 1))" good > bad
	gpudiag run --snapshot bad
	is "$status" 0
}

@test "more after its end" {
	good
	cat good good > bad
	refuses bad "$(($(wc -l < good) + 1))" 'text after the end'
	refuses_text 'text after the end' 1 "$HEAD} // a remark"
}

@test "NaN, Infinity and what else is no JSON number" {
	local number
	for number in NaN Infinity -Infinity 0x10 01 +1 .5 1. 1e; do
		refuses_text '' 2 "$HEAD,\n\"bus\": {\"gpus\": $number}}"
	done
}

@test "numbers too large for anything" {
	refuses_text '"gpus"' 2 "$HEAD,\n"'"bus": {"gpus": 18446744073709551616}}'
	refuses_text 'too large' 3 "$HEAD,\n"'"bus":\n{"gpus": 1e999}}'
	refuses_text 'number longer than' 2 "$HEAD,\n"'"bus": {"gpus": '"$(printf '%0500d' 1 | tr 0 1)"'}}'
	refuses_text '"memory_full_avg10"' 2 "$HEAD,\n"'"pressure": {"memory_full_avg10": "nan"}}'
}

@test "the largest number there is, to the last digit" {
	printf '%s,\n"memory": {"total_bytes": 18446744073709551615}}\n' "$HEAD" > good
	gpudiag run --snapshot good --format snapshot
	has "$OUT" '"total_bytes": 18446744073709551615'
}

@test "100 MB, quickly and in little memory" {
	{
		printf '%s, "x": "' "$HEAD"
		head -c 100000000 /dev/zero | tr '\0' a
		printf '"}\n'
	} > bad
	refuses bad '' 'larger than 32 MiB'
	is_sanitized || (ulimit -v 200000 && gpudiag run --snapshot bad && is "$status" 64)
	rm bad
}

@test "an endless file" {
	with timeout 20 gpudiag run --snapshot /dev/zero
	refused '/dev/zero' 'larger than'
}

@test "10,000 deep" {
	printf '%s,\n"x": %s%s}' "$HEAD" "$(printf '%010000d' 0 | tr 0 '[')" "$(printf '%010000d' 0 | tr 0 ']')" > bad
	refuses bad 2 'nested deeper than 64'
	printf '{"a":%s' "$(printf '%010000d' 0 | tr 0 '[')" > bad
	refuses bad 1 'nested deeper than 64'
	printf '%s,\n"x": %s' "$HEAD" "$(printf '%010000d' 0 | sed 's/0/{"a":/g')" > bad
	refuses bad 2 'nested deeper than 64'
}

@test "too many keys, too many values" {
	{ printf '%s' "$HEAD" && seq -f ', "k%.0f": 1' 2000 && echo '}'; } > bad
	refuses bad 1024 'more than 1024 keys'
	{ printf '%s, "x": [\n0' "$HEAD" && yes ',0' | head -n 1100000 && echo ']}'; } > bad
	gpudiag run --snapshot bad
	refused 'bad:' 'more than 1048576 values'
}

# ---- what is JSON, and no snapshot

@test "another kind of document" {
	refuses_text 'not a gpudiag snapshot' 1 '{}'
	refuses_text 'no output that gpudiag knows' '' '[]'
	refuses_text 'no output that gpudiag knows' '' '"gpudiag.snapshot/1"'
	refuses_text 'not a gpudiag snapshot' 2 '{\n"schema": 1}'
	refuses_text 'not a gpudiag snapshot' 2 '{\n"schema": "gpudiag.report/1"}'
	refuses_text 'not a gpudiag snapshot' 3 '{"x": 1,\n\n"schema": "gpudiag.snapshot"}'
}

@test "a report in place of its snapshot" {
	need_tree head-node
	gpudiag run --root "$NODES/head-node" --format json=report
	refuses report 2 'not a gpudiag snapshot'
}

@test "of a newer schema" {
	good
	sed 's,gpudiag.snapshot/1,gpudiag.snapshot/2,' good > bad
	refuses bad 2 'gpudiag.snapshot/2' 'gpudiag.snapshot/1' 'newer'
	refuses_text 'gpudiag.snapshot/10' 1 '{"schema": "gpudiag.snapshot/10"}'
}

@test "a key said twice" {
	refuses_text 'key "name" twice' 3 "$HEAD,\n"'"host": {"name": "a",\n"name": "a"}}'
	refuses_text 'key "host" twice' 3 "$HEAD,\n"'"host": {},\n"host": {}}'
	refuses_text 'key "schema" twice' 2 "$HEAD,\n"'"schema": "gpudiag.snapshot/1"}'
	# Spelled differently, one key all the same; also below a key that nobody knows.
	refuses_text 'key "name" twice' 2 "$HEAD,\n"'"host": {"name": "a", "n\\u0061me": "b"}}'
	refuses_text 'key "a" twice' 2 "$HEAD,\n"'"xyz": {"a": 1, "a": 2}}'
}

@test "an element said twice" {
	refuses_text '"comm" said twice' 3 "$HEAD,\n"'"tasks": [{"key": "1", "comm": "a"},\n{"key": "1", "comm": "b"}]}'
}

@test "wrong types" {
	refuses_text '"name": a text expected' 3 "$HEAD,\n"'"host": {\n"name": 5}}'
	refuses_text '"name": a text expected' 3 "$HEAD,\n"'"host": {\n"name": ["a"]}}'
	refuses_text 'object expected' 2 "$HEAD,\n"'"host": []}'
	refuses_text 'object expected' 2 "$HEAD,\n"'"host": null}'
	refuses_text 'object expected' 2 "$HEAD,\n"'"request": "all"}'
	refuses_text '"gpus": a whole number' 2 "$HEAD,\n"'"bus": {"gpus": "8"}}'
	refuses_text '"gpus": a whole number' 2 "$HEAD,\n"'"bus": {"gpus": true}}'
	refuses_text '"gpus": a whole number' 2 "$HEAD,\n"'"bus": {"gpus": -1}}'
	refuses_text '"gpus": a whole number' 2 "$HEAD,\n"'"bus": {"gpus": 1.5}}'
	refuses_text '"gpus": a whole number' 2 "$HEAD,\n"'"bus": {"gpus": 1e3}}'
	refuses_text '"touch_hung": true or false' 2 "$HEAD,\n"'"request": {"touch_hung": 1}}'
	refuses_text '"memory_full_avg10": a number' 2 "$HEAD,\n"'"pressure": {"memory_full_avg10": "0.5"}}'
	refuses_text '"gpus": a list expected' 2 "$HEAD,\n"'"gpus": {}}'
	refuses_text '"gpus": a list expected' 2 "$HEAD,\n"'"gpus": null}'
	refuses_text 'without its "key"' 2 "$HEAD,\n"'"gpus": [1]}'
	refuses_text 'without its "key"' 2 "$HEAD,\n"'"gpus": [{"pci": {}}]}'
	refuses_text 'whose "key" is no text' 2 "$HEAD,\n"'"gpus": [{"key": 0}]}'
	refuses_text '"argv": a text expected' 3 "$HEAD,\n"'"run": {"argv": ["gpudiag",\n5]}}'
}

@test "a null without its reason" {
	refuses_text '"name": null without its reason' 3 "$HEAD,\n"'"host": {\n"name": null}}'
	refuses_text '"name": null without its reason' 2 "$HEAD,\n"'"host": {"name": null, "unknown": {"kernel": "absent"}}}'
	refuses_text '"name": null without its reason' 2 "$HEAD,\n"'"host": {"name": null, "unknown": {"name": 5}}}'
	refuses_text '"name": null without its reason' 2 "$HEAD,\n"'"host": {"name": null, "unknown": "all"}}'
}

@test "texts that no text can be" {
	refuses_text 'NUL' 2 "$HEAD,\n"'"host": {"name": "a\\u0000b"}}'
	refuses_text 'surrogate' 2 "$HEAD,\n"'"host": {"name": "\\ud800"}}'
	refuses_text '' 2 "$HEAD,\n"'"host": {"name": "a\tb"}}'
}

@test "what a file says does not reach the terminal as it is" {
	refuses_text 'not known' 1 '{"schema": "gpudiag.snapshot/\\u001b[31m2"}'
	refuses_text 'twice' 1 "$HEAD"', "\\u001b[31m": 1, "\\u001b[31m": 2}'
}

# ---- what is odd, and accepted

@test "unknown keys are ignored, counted and named" {
	good
	gpudiag run --snapshot good --format json
	cp "$OUT" plain
	jq '.tomorrow = {"a": [1, {"b": null}]} | .host.colour = "grey"' good > odd
	gpudiag run --snapshot odd --format json
	is "$status" 0
	valid_report
	is "$(json '.messages | length')" 1 "messages"
	[[ $(json '.messages[0]') == *'2 unknown keys'*'"colour"'* ]] || fail "$(json .messages)"
	jq 'del(.messages)' plain > before
	jq 'del(.messages)' "$OUT" > after
	same before after
	gpudiag run --snapshot odd
	has "$OUT" '2 unknown keys' '"colour"'
	# What is written from it is what was understood.
	gpudiag run --snapshot odd --format snapshot
	same "$OUT" good
}

@test "an unknown key's escape sequences stay out of the text" {
	good
	jq '.["\u001b[31mred\u009b"] = 1' good > odd
	gpudiag run --snapshot odd
	is "$status" 0
	hasnt "$OUT" $'\033' $'\302\233'
	has "$OUT" '1 unknown key '
}

@test "a state of a newer gpudiag is an error's, not a value" {
	good
	jq '.host.name = null | .host.unknown.name = "shy: not today"' good > odd
	gpudiag run --snapshot odd --format json
	is "$status" 0
	is "$(json .host.name)" null
	has "$OUT" 'not today'
}

@test "a reason of several lines, in a report that is valid all the same" {
	good
	jq '.host.name = null | .host.unknown.name = "error: first\nsecond"' good > odd
	gpudiag run --snapshot odd --format json
	is "$status" 0
	valid_report
	is "$(json .host.unknown.name)" $'error: first\nsecond'
}

@test "nothing but its schema: all is unknown, nothing passes" {
	printf '%s}' "$HEAD" > least
	gpudiag run --snapshot least --format json
	is "$status" 3
	valid_report
	is "$(json .verdict)" unknown
	is "$(json '[.checks[] | select(.result == "pass")] | length')" 0 "passes"
	gpudiag run --snapshot least
	is "$status" 3
	has "$OUT" UNKNOWN
}

@test "from standard input" {
	good
	gpudiag run --snapshot good --format json
	cp "$OUT" by_name
	"$GPUDIAG" run --snapshot - --format json < good > by_stdin
	same by_name by_stdin
	# A pipe gives it in pieces.
	{ head -c 700 good && sleep 0.1 && tail -c +701 good; } | "$GPUDIAG" run --snapshot - --format json > by_pipe
	same by_name by_pipe
}

@test "what is wrong with standard input" {
	printf '%s,\n"bus": {"gpus": "8"}}' "$HEAD" > bad
	status=0
	"$GPUDIAG" run --snapshot - -o kept < bad > "$OUT" 2> "$ERR" || status=$?
	refused 'gpudiag: standard input:2: "gpus"'
	gpudiag run --snapshot - -o kept
	refused 'standard input: empty'
	status=0
	"$GPUDIAG" run --snapshot - -o kept <&- > "$OUT" 2> "$ERR" || status=$?
	refused 'standard input: Bad file descriptor'
	status=0
	"$GPUDIAG" run --snapshot - -o kept < /tmp > "$OUT" 2> "$ERR" || status=$?
	refused 'standard input: '
	is "$(cat kept)" 'as it was'
}

@test "texts that must have a form and do not" {
	refuses_text '"taken_at": a time' 2 "$HEAD,\n\"run\": {\"taken_at\": \"yesterday\"}}"
	refuses_text '"key": a PCI address' 2 "$HEAD,\n\"gpus\": [{\"key\": \"GPU 3\"}]}"
	refuses_text '"level": read, quick' 1 "$HEAD, \"request\": {\"level\": \"fast\"}}"
}

# ----

@test "the JSON of these tests is valid by the schema" { reports_are_valid; }
