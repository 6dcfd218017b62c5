#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What is committed at the top is named here: a core or a log that a test left behind is not taken along.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

NAMES=(.ci .clang-format .clang-tidy .editorconfig .gitignore CHANGELOG.md CONTRIBUTING.md LICENSE
	Makefile README.md checks cmd kernels lib man tests)

lint() {
	! sed 's,/.*,,' "$WORK/committed" | sort -u | grep -vxFf <(printf '%s\n' "${NAMES[@]}")
}

git ls-files > "$WORK/committed" 2> /dev/null || skip_all "no git checkout"
finds_nothing lint
plant() { echo "planted.core" >> "$WORK/committed"; }
finds "a core" 'planted.core' lint

done_testing
