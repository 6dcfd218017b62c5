#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The words of gpudiag watch: series of every kind of bottleneck, near misses, healthy loads and hostile ones, in several
# seeds. Prints the confusion matrix; goals: 0.9 judged right, no healthy load accused, no near miss hit. SEEDS (3).
set -u
cd "$(dirname "$0")/../.." || exit 1

words=${WATCH_WORDS:-build/bench/watch_words}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
missed=0

for seed in $(seq "${SEEDS:-3}"); do
	echo "seed $seed"
	python3 tests/watch/series.py "$work" --seed "$seed" && "$words" "$work" || missed=1
done
exit "$missed"
