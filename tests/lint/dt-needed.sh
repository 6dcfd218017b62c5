#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# gpudiag starts on the most broken node: it needs libc, libm and libcjson, all else is dlopened in workers.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

# lint BINARY. The loader itself is part of libc; so are libdl and libpthread, of their own before glibc 2.34.
lint() {
	readelf -d "$1" > "$WORK/dynamic" || return 1
	if ! grep -q '(NEEDED)' "$WORK/dynamic"; then
		echo "$1: needs nothing: not linked as it should be"
		return 1
	fi
	! sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' "$WORK/dynamic" |
		grep -vE '^(libc\.so\.6|libm\.so\.6|libcjson\.so\.1|libdl\.so\.2|libpthread\.so\.0|ld-linux.*\.so\.[0-9]+)$' |
		sed "s|^|$1 needs |" | grep .
}

succeeds "nothing found" lint "$GPUDIAG"

echo 'int main(void) { return 0; }' > "$WORK/planted.c"
"${CC:-cc}" -o "$WORK/planted" "$WORK/planted.c" -Wl,--no-as-needed -lpci
if lint "$WORK/planted" > "$WORK/found"; then
	not_ok "finds a linked libpci"
else
	succeeds "finds a linked libpci" grep 'planted needs libpci' "$WORK/found"
fi

done_testing
