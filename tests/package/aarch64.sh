#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# gpudiag for aarch64, by Debian's cross compiler, under qemu-user: it judges recordings as it does here, and unit
# programs pass. Nothing here says how it does on a machine.
# Takes long: fetches headers and libraries from Debian's mirror, and builds twice more.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

for program in aarch64-linux-gnu-gcc mmdebstrap qemu-aarch64-static jq; do
	has "$program" || skip_all "$program is not installed"
done
qemu=(qemu-aarch64-static -L "build/package/sysroot-aarch64-linux-gnu")
cross=(CC=aarch64-linux-gnu-gcc STRIP=aarch64-linux-gnu-strip RUN_BINARY=qemu-aarch64-static)
built=build/portable-aarch64-linux-gnu

succeeds "is made" make -s "${cross[@]}" portable
archive=build/package/gpudiag-$(make -s print-VERSION)-linux-aarch64.tar.gz
[ -f "$archive" ] || done_testing
tar -xzf "$archive" -C "$WORK"
binary=$(echo "$WORK"/gpudiag-*/bin/gpudiag)
succeeds "it is of that machine" grep -q 'aarch64' <(aarch64-linux-gnu-objdump -f "$binary")
succeeds "needs no glibc above 2.28" diff /dev/null <(aarch64-linux-gnu-objdump -T "$binary" | grep -E 'GLIBC_2\.(29|[3-9][0-9])')
succeeds "starts" grep -q '^libc: glibc 2.31 (built against 2.31)' <("${qemu[@]}" "$binary" --version)
succeeds "its completions are those of here" cmp "${binary%/bin/*}/share/bash-completion/completions/gpudiag" <("$GPUDIAG" completion bash)

# What a report of a tree says, without how long it took.
essence() {
	jq '{ verdict, exit_status, checks: [.checks[] | [.check, .gpu, .result]], findings: [.findings[] | [.id, .gpu, .title]] }'
}
for snapshot in tests/snapshots/*.json; do
	name=${snapshot##*/}
	"$GPUDIAG" run --snapshot "$snapshot" -f json > "$WORK/here"
	"${qemu[@]}" "$binary" run --snapshot "$snapshot" -f json > "$WORK/there"
	succeeds "$name: as here" cmp "$WORK/here" "$WORK/there"
done
if [ -e build/nodes.stamp ]; then
	for node in h100-8 h100-8-x8 mi300x-8 arc-a770; do
		[ -d "build/nodes/$node" ] || continue
		"$GPUDIAG" run --root "build/nodes/$node" -f json | essence > "$WORK/here"
		"${qemu[@]}" "$binary" run --root "build/nodes/$node" -f json | essence > "$WORK/there"
		succeeds "--root $node: as here" diff "$WORK/here" "$WORK/there"
	done
else
	skip "--root" "make nodes has not run"
fi

# Those that Debian 11 cannot compile are among the skips.
make -s -k "${cross[@]}" portable-tests > "$WORK/out" 2>&1
for source in tests/unit/test_*.c; do
	name=$(basename "$source" .c)
	[ -x "$built/tests/$name" ] || grep -q "^$name " tests/package/aarch64-skips || not_ok "$name is made" "$WORK/out"
done
for program in "$built"/tests/test_*; do
	name=${program##*/}
	if grep -q "^$name " tests/package/aarch64-skips; then
		skip "$name" "$(sed -n "s/^$name //p" tests/package/aarch64-skips)"
	else
		succeeds "$name" timeout 300 "${qemu[@]}" "$program"
	fi
done

done_testing
