# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154,SC2016
# (variables of one file are used in another; jq has its own)
#
# helpers.sh - what the tests of the command line share. A file of tests begins
#
#	load helpers.sh
#	setup() { begin; }
#
# bats ends a test at the first command that fails; "! command" is none that
# fails, so what must not be is said by hasnt, isnt and differ.

# bats reads a file once for each of its tests: what starts a process is done for the first alone.
if [ "${HELPED-}" != "${BASH_SOURCE[0]}" ]; then
	TOP=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
	GPUDIAG=$(realpath "${GPUDIAG:-$TOP/build/gpudiag}")
	# It starts in a tenth of the time of jq 1.6, which reads its own library first.
	FAST_JQ=$(command -v gojq || command -v jq)
	export TOP GPUDIAG FAST_JQ HELPED=${BASH_SOURCE[0]}
fi
NODES=$TOP/build/nodes
ICDS=$TOP/build/fakes/icd
HANGFS=${GPUDIAG_TEST_HANGFS:-$TOP/build/fakes/hangfs}
SLACK_MS=${GPUDIAG_TEST_SLACK_MS:-400}
POCL=${POCL:-/etc/OpenCL/vendors/pocl.icd}
NOBODY=65534

# is_timed, in setup_file: its tests depend on who else runs here. The first try has the strict limit, the second and the
# third twice and three times that (see at_most); what is wrong with gpudiag is wrong at the third too.
is_timed() {
	BATS_TEST_RETRIES=2
}

# Each test in a folder of its own, which is also the working folder; with its own home and locks, and no setting of ours.
begin() {
	bats_require_minimum_version 1.5.0
	untraced
	cd "$BATS_TEST_TMPDIR" || return 1
	OUT=$BATS_TEST_TMPDIR/.out ERR=$BATS_TEST_TMPDIR/.err REPORT=$BATS_TEST_TMPDIR/.report
	mkdir .home
	[ "${BATS_TEST_TRY_NUMBER:-1}" -eq 1 ] || echo "# try $BATS_TEST_TRY_NUMBER: $BATS_TEST_DESCRIPTION" >&3
	export HOME=$BATS_TEST_TMPDIR/.home GPUDIAG_RUNTIME_DIR=$BATS_TEST_TMPDIR/.run
	unset OCL_ICD_VENDORS OCL_ICD_FILENAMES OPENCL_VENDOR_PATH XDG_RUNTIME_DIR NO_COLOR COLUMNS
}

# bats notes where it is before each command, those of functions among them: a fifth of all that the tests take. It goes
# on to do so in the test itself; which function failed, and where, is said once it has.
untraced() {
	set +T
	trap 'bats_error_trap; failed_in' ERR
}

failed_in() {
	[ "$BASH_SUBSHELL" -gt 0 ] || [[ ${FUNCNAME[1]} == "$BATS_TEST_NAME" ]] ||
		echo "in ${FUNCNAME[1]}, ${BASH_SOURCE[1]##*/}:${BASH_LINENO[0]}" >> "${BATS_OUT:-/dev/stderr}"
}

# ---- running it

# gpudiag ARGUMENT…: its exit status in $status, what it said in $OUT and $ERR.
gpudiag() {
	status=0
	"$GPUDIAG" "$@" > "$OUT" 2> "$ERR" < /dev/null || status=$?
}

# The same with the environment and the wrapper given: with env TZ=x gpudiag run
with() {
	local -a before=()
	while [ "$1" != gpudiag ]; do
		before+=("$1")
		shift
	done
	shift
	status=0
	"${before[@]}" "$GPUDIAG" "$@" > "$OUT" 2> "$ERR" < /dev/null || status=$?
}

# The same under supervise.py, whose options come first: sets also elapsed_ms, ending_ms, signalled, unreaped, left.
supervised() {
	local -a before=()
	while [ "$1" != gpudiag ]; do
		before+=("$1")
		shift
	done
	shift
	rm -f "$REPORT"
	"$TOP/tests/cli/supervise.py" --limit 30 "${before[@]}" "$REPORT" "$GPUDIAG" "$@" > "$OUT" 2> "$ERR" < /dev/null
	# shellcheck source=/dev/null
	. "$REPORT"
}

# Nobody may come in here; the test's folder and those above it are opened for that. $AS_NOBODY COMMAND…
as_nobody_or_skip() {
	[ "$(id -u)" -eq 0 ] || skip "needs root, to become somebody else"
	command -v setpriv > /dev/null || skip "setpriv is not installed"
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR"/*/ "$BATS_TEST_TMPDIR"
	AS_NOBODY=(setpriv --reuid "$NOBODY" --regid "$NOBODY" --clear-groups)
	"${AS_NOBODY[@]}" test -r "$BATS_TEST_TMPDIR" -a -x "$GPUDIAG" ||
		skip "nobody cannot reach the files of this test"
}

# Built with sanitizers? Then memory is large, ends are slow, and /proc/self is read.
is_sanitized() {
	[[ $GPUDIAG == */asan/* ]]
}

# ---- what must be

fail() {
	printf '%s\n' "$@"
	return 1
}

# is GOT WANTED [WHAT]
is() {
	[ "$1" = "$2" ] || fail "${3:-got}: \"$1\", not \"$2\"" "$(show)"
}

isnt() {
	[ "$1" != "$2" ] || fail "${3:-got}: \"$1\"" "$(show)"
}

# What was said, to explain a failure. Of a report in JSON what it comes to.
show() {
	[ ! -s "$ERR" ] || sed 's/^/stderr: /;20q' "$ERR"
	if [ "$(head -c 1 "$OUT" 2> /dev/null)" = '{' ]; then
		jq -c '{argv, exit_status, headline, messages}, .findings[]?.title, (.checks[]? | select(.result == "unknown") |
			[.check, .subject, .reason]), (.probes[]? | select(.outcome != "ok") | [.probe, .target, .outcome, .why])' "$OUT"
	else
		sed 's/^/stdout: /;20q' "$OUT"
	fi
}

# Of the assertions below hundreds are made: without a process each.

# has FILE TEXT…: somewhere, as it is.
has() {
	local LC_ALL=C file=$1 all text
	shift
	all=$(< "$file") || fail "no ${file##*/} can be read"
	for text; do
		[[ $all == *"$text"* ]] || fail "no \"$text\" in ${file##*/}" "$(show)"
	done
}

hasnt() {
	local LC_ALL=C file=$1 all text
	shift
	all=$(< "$file") || fail "no ${file##*/} can be read"
	for text; do
		[[ $all != *"$text"* ]] || fail "\"$text\" in ${file##*/}" "$(show)"
	done
}

empty() {
	[ ! -s "$1" ] || fail "${1##*/} is not empty" "$(show)"
}

same() {
	cmp "$1" "$2" || fail "$(diff -a "$1" "$2" | head -n 20)"
}

# What stderr has is one line of gpudiag's.
is_one_line() {
	local -a lines
	mapfile lines < "$ERR"
	is "${#lines[@]}" 1 "lines on stderr"
	[[ ${lines[0]} == "gpudiag: "*$'\n' ]] || fail "stderr: ${lines[0]}"
}

# refused [TEXT…]: exit status 64, one line on stderr that says so, nothing on stdout.
refused() {
	is "$status" 64 "exit status"
	empty "$OUT"
	is_one_line
	hasnt "$ERR" $'\033'
	[ $# -eq 0 ] || has "$ERR" "$@"
}

# failed_to_write [TEXT…]: exit status 70 and one line that says why.
failed_to_write() {
	is "$status" 70 "exit status"
	is_one_line
	has "$ERR" "cannot write" "$@"
}

# at_most MS LIMIT WHAT: the limit is that of the first try; see is_timed.
at_most() {
	local limit=$(($2 * ${BATS_TEST_TRY_NUMBER:-1}))
	[ "$1" -le "$limit" ] || fail "$3 took $1 ms, more than $limit" "$(show)"
}

# no_child_left: after supervised.
no_child_left() {
	is "$left" "" "processes left behind"
	is_sanitized || is "$unreaped" 0 "zombies left to others"
}

# valid_report [FILE]: JSON that names what it is. It is kept for reports_are_valid: to start a validator takes long.
valid_report() {
	local file=${1:-$OUT} nr
	is "$(jq -r .schema "$file")" gpudiag.report/1 schema
	nr=$(find "$BATS_FILE_TMPDIR" -name 'report-*.json' | wc -l)
	cp "$file" "$BATS_FILE_TMPDIR/report-$nr-of-test-$BATS_TEST_NUMBER.json"
}

# valid_by NAME FILE…: by man/NAME.schema.json, which gpudiag schema prints. With --lines as a first FILE, each line.
valid_by() {
	local -a how=()
	[ "$2" != --lines ] || how=(--lines)
	"$TOP/tests/schema.py" "${how[@]}" "$TOP/man/$1.schema.json" "${@:2 + ${#how[@]}}"
}

# The last test of a file: all reports that its tests kept are valid by the schema.
reports_are_valid() {
	local -a reports
	mapfile -t reports < <(find "$BATS_FILE_TMPDIR" -name 'report-*.json')
	[ "${#reports[@]}" -gt 0 ] || skip "no test gave a report"
	valid_by report "${reports[@]}"
}

# Keys come in any order without -S, which gojq has no need of.
jq() {
	if [[ $FAST_JQ == */gojq && $1 == -*S* ]]; then
		set -- "${1/S/M}" "${@:2}"
	fi
	"$FAST_JQ" "$@"
}

# json FILTER: of the report.
json() {
	jq -r "$@" "$OUT"
}

# finding ID: the title of the first of that name, and nothing where it was not raised.
finding() {
	json --arg id "$1" 'first(.findings[] | select(.id == $id)).title // ""'
}

# outcome KEY: what became of a probe, "opencl faulty.icd".
outcome() {
	json --arg key "$1" '.probes[] | select((.probe + " " + (.target // "")) == $key) | .outcome'
}

# result CHECK [SUBJECT]
result() {
	json --arg check "$1" --arg subject "${2:-}" \
		'[.checks[] | select(.check == $check and ($subject == "" or .subject == $subject)) | .result] | unique | join(" ")'
}

# ---- worlds

# vendors FAULT…: a folder with an .icd file for each, beside one for PoCL where that is installed; in OCL_ICD_VENDORS.
vendors() {
	local fault
	mkdir -p vendors
	for fault; do
		[ -f "$ICDS/$fault.so" ] || fail "no $ICDS/$fault.so: make fakes"
		echo "$ICDS/$fault.so" > "vendors/$fault.icd"
	done
	if has_pocl; then
		cp "$POCL" vendors/pocl.icd
	fi
	export OCL_ICD_VENDORS=$BATS_TEST_TMPDIR/vendors
}

has_pocl() {
	# The .icd file outlives the package that brought it.
	[ -f "$POCL" ] && [ -n "$(OCL_ICD_VENDORS=$POCL clinfo -l 2> /dev/null)" ]
}

pocl_or_skip() {
	has_pocl || skip "PoCL is not installed"
}

need_tree() {
	[ -d "$NODES/$1" ] || fail "no tree $NODES/$1: make nodes"
}

# copy_of TREE: one that may be changed, as ./tree.
copy_of() {
	need_tree "$1"
	cp -a "$NODES/$1" tree
}

# mount_hangfs TREE: ./tree, seen through ./mnt; hang PATH makes a file of it hang, and unhang_all ends that.
mount_hangfs() {
	[ -c /dev/fuse ] || skip "there is no /dev/fuse"
	[ -r /dev/fuse ] || skip "/dev/fuse may not be opened"
	[ -x "$HANGFS" ] || skip "hangfs is not built"
	mkdir mnt
	"$HANGFS" tree mnt > /dev/null 2>&1 3>&- || skip "a FUSE file system cannot be mounted here"
}

hang() {
	printf '%s hang\n' "$@" > tree/.faults
}

# The readers return, which had been killed, and go.
unmount_hangfs() {
	[ -d "$BATS_TEST_TMPDIR/mnt" ] || return 0
	cd "$BATS_TEST_TMPDIR" || return 1
	: > tree/.faults
	for _ in {1..50}; do
		! fusermount3 -u mnt 2> /dev/null || return 0
		mountpoint -q mnt || return 0
		sleep 0.1
	done
	fusermount3 -u -z mnt
}

# A task that never ends holds a lock of gpudiag: hold_lock NAME SINCE-S-AGO CALL [DEADLINE-MS], since boot at the longest.
# Its number is in $holder, how long ago it began in $held_s.
hold_lock() {
	mkdir -p "$GPUDIAG_RUNTIME_DIR"
	chmod 700 "$GPUDIAG_RUNTIME_DIR"
	local file=$GPUDIAG_RUNTIME_DIR/$1 uptime since
	uptime=$(cut -d . -f 1 /proc/uptime)
	since=$((uptime > $2 ? uptime - $2 : 1))
	held_s=$((uptime - since))
	(
		exec 9>> "$file" 3>&-
		flock -n 9 || exit 1
		printf 'pid %d\nsince %d\nboot %s\ncall %s\n' "$BASHPID" "$since" "$(cat /proc/sys/kernel/random/boot_id)" "$3" > "$file"
		[ -z "${4:-}" ] || echo "deadline_ms $4" >> "$file"
		exec sleep 60
	) > /dev/null 2>&1 &
	holder=$!
	for _ in {1..100}; do
		if [ -s "$file" ] && ! flock -n "$file" true; then
			return 0
		fi
		sleep 0.02
	done
	fail "the lock could not be taken"
}

# takes_options COMMAND LINE: each option in a command line is one of those that the command's help lists; names others.
takes_options() {
	local option bad=0
	"$GPUDIAG" help "$1" 2> /dev/null | sed '/^Examples:/,$d' > its_help
	[ -s its_help ] || { echo "no command: $2"; return 1; }
	while read -r option; do
		grep -qE -- "(^|[ ,])$option( |,|\$)" its_help || { echo "no option $option: $2"; bad=1; }
	done < <(sed -e 's/ -- .*//' -e "s/'[^']*'//g" -e 's/"[^"]*"//g' <<< "$2" | grep -oE -- ' --?[a-zA-Z][a-z-]*' |
		grep -vxE -- ' -(h|-help|V|-version)')
	return "$bad"
}
