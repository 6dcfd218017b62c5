#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The tally counts what TAP says, and what it leaves unsaid.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

# A suite of that name that prints its standard input, then runs the given commands.
suite() {
	local file=$WORK/$1
	shift
	{
		echo '#!/bin/sh'
		echo "cat <<'TAP'"
		cat
		echo TAP
		printf '%s\n' "$@"
	} > "$file"
	chmod +x "$file"
}

# counts NAME SUITE… = LAST-LINE
counts() {
	local name=$1 want status
	local -a arguments=()
	shift
	while [ "$1" != = ]; do
		case $1 in
		-*) arguments+=("$1") ;;
		[0-9]*) arguments+=("$1") ;;
		*) arguments+=("$(realpath --relative-to=. "$WORK/$1")") ;;
		esac
		shift
	done
	want=$2
	tests/tally "${arguments[@]}" > "$WORK/out" 2>&1
	status=$?
	if [ "$(tail -n 1 "$WORK/out")" != "$want" ]; then
		echo "(want as last line: $want)" >> "$WORK/out"
		not_ok "$name" "$WORK/out"
	elif [[ $want == *" 0 failed"* && $want != 0* ]] && [ $status -ne 0 ]; then
		not_ok "$name: exit status $status with nothing failed" "$WORK/out"
	elif [[ $want != *" 0 failed"* || $want == 0* ]] && [ $status -eq 0 ]; then
		not_ok "$name: exit status 0" "$WORK/out"
	else
		ok "$name"
	fi
}

# shows NAME PATTERN: in the output of the last count.
shows() {
	if grep -Eq -- "$2" "$WORK/out"; then
		ok "$1"
	else
		not_ok "$1" "$WORK/out"
	fi
}

hides() {
	if grep -Eq -- "$2" "$WORK/out"; then
		not_ok "$1" "$WORK/out"
	else
		ok "$1"
	fi
}

suite pass <<'TAP'
1..3
ok 1 - quiet one
ok 2 quiet two
ok
TAP
counts "all pass" pass = "3 passed, 0 failed"
shows "one line per suite" '^ok +.*pass  3 passed, 0 failed'
hides "passes are not listed" 'quiet one'
counts "all pass, shown" -v pass = "3 passed, 0 failed"
shows "-v lists passes" 'ok 1 - quiet one'

suite plan_last <<'TAP'
ok 1 - a
ok 2 - b
1..2
TAP
counts "the plan may come last" plan_last = "2 passed, 0 failed"

suite skips <<'TAP'
1..5
ok 1 - a
# no such device
not ok 2 # SKIP cmocka_says_it_so
ok 3 - no device here # SKIP needs /dev/fuse
ok 4 bats # skip
ok 5 - skipping is no skip
TAP
counts "a skip directive comes first" skips = "2 passed, 0 failed, 3 skipped"
shows "cmocka's skip is named, with the reason on the line before" 'skip: cmocka_says_it_so: no such device'
shows "a skip is shown with its reason" 'skip: no device here: needs /dev/fuse'

suite skip_all <<'TAP'
1..0 # SKIP no clang
TAP
counts "a whole suite may be skipped" skip_all pass = "3 passed, 0 failed, 1 skipped"
shows "its reason is shown" 'skip: all: no clang'
counts "nothing but skips is no success" skip_all = "0 passed, 0 failed, 1 skipped"

suite fail 'exit 1' <<'TAP'
1..2
ok 1 - a
not ok 2 - broken
# expected 1, got 2
TAP
counts "a failure" pass fail = "4 passed, 1 failed"
shows "a failure is shown" 'not ok 2 - broken'
shows "with its explanation" '# expected 1, got 2'

suite report <<'TAP'
1..2
#: row   a b
ok 1 - quiet one
#:
#: one   0 !
# remark
not ok 2 - loud one
#: two   0 0
TAP
counts "a report is no test" report = "1 passed, 1 failed"
shows "a report is shown" '^      row   a b$'
shows "after a failure it is no explanation" '^      two   0 0$'
sed -i '/loud/d; s/1\.\.2/1..1/' "$WORK/report"
counts "a report of what passes" report = "1 passed, 0 failed"
shows "it is shown too" '^      one   0 !$'
hides "other comments of what passes are not" 'remark'
counts "a report, with all shown" -v report = "1 passed, 0 failed"
hides "it is shown once" '^      row   a b$'

suite todo <<'TAP'
1..1
not ok 1 - later # TODO one day
TAP
counts "TODO excuses nothing" todo = "0 passed, 1 failed"

suite missing <<'TAP'
1..4
ok 1 - a
TAP
counts "tests missing from the plan are failed" missing = "1 passed, 3 failed"

suite beyond <<'TAP'
1..1
ok 1 - a
ok 2 - b
TAP
counts "so are tests beyond it" beyond = "2 passed, 1 failed"

suite no_plan <<'TAP'
ok 1 - a
TAP
counts "no plan is a failure" no_plan = "1 passed, 1 failed"

suite empty < /dev/null
counts "so is no output" empty = "0 passed, 1 failed"

suite zero <<'TAP'
1..0
TAP
counts "so is a plan of nothing without a reason" zero = "0 passed, 1 failed"

suite exits 'exit 3' <<'TAP'
1..1
ok 1 - a
TAP
counts "an exit status without not ok is one failure" exits = "1 passed, 1 failed"
shows "the exit status is shown" 'exit status 3'

# shellcheck disable=SC2016 # the suite is to expand it
suite killed 'kill -SEGV $$' <<'TAP'
1..2
ok 1 - a
TAP
counts "a crash loses the tests that did not run" killed = "1 passed, 1 failed"

suite bail <<'TAP'
1..1
ok 1 - a
Bail out! no more
TAP
counts "Bail out! is a failure" bail = "1 passed, 1 failed"

suite groups <<'TAP'
1..2
ok 1 - a
ok 2 - b
1..3
not ok 0 - two [  FAILED  ] GROUP SETUP
TAP
counts "several plans, a group that could not start" groups = "2 passed, 3 failed"

suite slow 'sleep 60' <<'TAP'
1..1
ok 1 - a
TAP
counts "a time limit" -t 3 slow = "1 passed, 1 failed"
shows "it is told" 'not finished after 3'

suite orphan 'sleep 60 &' <<'TAP'
1..1
ok 1 - a
TAP
counts "a child left behind is not waited for" -t 20 orphan = "1 passed, 0 failed"

suite patient 'sleep 6' <<'TAP'
1..1
ok 1 - a
TAP
suite late 'sleep 9.5' <<'TAP'
1..1
ok 1 - a
TAP
counts "the limit of what is left over counts from when no others run" -t 9 patient --leftovers late = "2 passed, 0 failed"
counts "and is one then" -t 8 pass --leftovers late = "4 passed, 1 failed"
counts "who lets others go first has twice the limit" -t 4 --two pass --with patient = "4 passed, 0 failed"

counts "a suite that is not there" pass nosuch = "3 passed, 1 failed"
counts "serial ones count too" pass --serial fail plan_last = "6 passed, 1 failed"
counts "later ones do" pass --then fail --serial plan_last = "6 passed, 1 failed"
counts "those that run in twos do" pass --two fail --serial plan_last = "6 passed, 1 failed"
for when in early later two last; do
	suite "$when" "sleep 0.2; ls '$WORK/is-early' '$WORK/is-later' '$WORK/is-two' 2> /dev/null | wc -l > '$WORK/before-$when'" "touch '$WORK/is-$when'" <<'TAP'
1..1
ok 1 - a
TAP
done
tests/tally -j 3 "$(realpath --relative-to=. "$WORK/early")" --then "$(realpath --relative-to=. "$WORK/later")" \
	--two "$(realpath --relative-to=. "$WORK/two")" --serial "$(realpath --relative-to=. "$WORK/last")" > "$WORK/out" 2>&1
succeeds "later ones wait for the first, those in twos for both, serial ones for all" test \
	"$(cat "$WORK/before-early" "$WORK/before-later" "$WORK/before-two" "$WORK/before-last" | xargs)" = "0 1 2 3"

counts "those beside others do" pass --two plan_last --with fail --serial groups --leftovers exits = "9 passed, 5 failed"
# Each waits for the other to begin, and the last finds both.
for when in waits beside left; do
	# shellcheck disable=SC2016 # the suite is to expand it
	suite "$when" "touch '$WORK/in-$when'" 'nice=$(ps -o ni= -p $$ | xargs) class=$(ps -o cls= -p $$ | xargs)' \
		"echo \"\$nice \$class\" > '$WORK/class-$when'" \
		"for _ in \$(seq 500); do ls '$WORK/in-waits' '$WORK/in-beside' > /dev/null 2>&1 && exit; sleep 0.2; done; exit 1" <<'TAP'
1..1
ok 1 - a
TAP
done
# As nice as this is, or 5 nicer.
mine=$(ps -o ni= -p $$ | xargs)
counts "beside others at the same time" --two waits --with beside --serial last --leftovers left = "4 passed, 0 failed"
succeeds "who computes lets those go first that wait, and what is left over all others" test \
	"$(cat "$WORK/class-waits" "$WORK/class-beside" "$WORK/class-left" | xargs)" = \
	"$mine TS $((mine < 14 ? mine + 5 : 19)) TS - IDL"

# shellcheck disable=SC2016 # the suite is to expand it
suite environment 'test "$(cat)" = "" && test -d "$TMPDIR" && test "$CMOCKA_MESSAGE_OUTPUT" = TAP' <<'TAP'
1..1
ok 1 - a
TAP
counts "suites get no input, a folder of their own, TAP from cmocka" environment = "1 passed, 0 failed"

cat > "$WORK/two.bats" <<'BATS'
@test "one" { true; }
@test "two" { skip "why not"; }
BATS
# program NAME OUTCOME LINES: compiled after so many empty lines, with debugging information that names the line it is on.
program() {
	{
		yes '' | head -n "${3:-1}"
		cat <<-C
			#include <stdio.h>
			int main(void)
			{
				FILE *ran = fopen("$WORK/ran", "a");

				fputs("x", ran);
				fclose(ran);
				puts("1..1");
				puts("$2 1 - a");
				return 0;
			}
		C
	} > "$WORK/$1.c"
	gcc -g -o "$WORK/$1" "$WORK/$1.c"
}
# again NAME RUNS: the program was run that often so far.
again() {
	tests/tally --passed "$WORK/passed" --input "$WORK/inputs" "$(realpath --relative-to=. "$WORK/program")" > "$WORK/out" 2>&1
	if [ "$(tail -n 1 "$WORK/out")" = "1 passed, 0 failed" ] && [ "$(stat -c %s "$WORK/ran")" = "$2" ]; then
		ok "$1"
	else
		not_ok "$1: ran $(stat -c %s "$WORK/ran") times" "$WORK/out"
	fi
}
mkdir "$WORK/inputs"
echo a > "$WORK/inputs/a"
program program ok
again "a program is run the first time" 1
again "and not again, once it passed" 1
program program ok 9
again "nor where its lines moved" 1
echo b > "$WORK/inputs/a"
again "but where a file changed that it reads" 2
sed -i 's/"x"/"y"/' "$WORK/program.c" && gcc -o "$WORK/program" "$WORK/program.c"
again "and where it did itself" 3
program broken "not ok"
for _ in 1 2; do
	tests/tally --passed "$WORK/passed" "$(realpath --relative-to=. "$WORK/broken")" > "$WORK/out" 2>&1
done
succeeds "one that failed is run again" test "$(stat -c %s "$WORK/ran")" = 5

if has bats; then
	counts "bats files" two.bats = "1 passed, 0 failed, 1 skipped"
else
	skip "bats files" "bats is not installed"
fi

done_testing
