#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Frameworks by their files, in an environment of 400 distributions with a library of GPU code: under 100 ms, and against
# what the interpreter itself takes to list the same metadata (importlib.metadata), in one interleaved run. ROUNDS (9).
# Exit status 1 where the goal is missed.
set -u
cd "$(dirname "$0")/../.." || exit 1

gpudiag=${GPUDIAG:-build/gpudiag} rounds=${ROUNDS:-9} goal_ms=100
python=$(command -v python3) || { echo "python3 is not installed" >&2; exit 1; }
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
work=$(mktemp -d /tmp/gpudiag-bench-XXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT
export GPUDIAG_RUNTIME_DIR=$work/run

site=$work/env/lib/python$version/site-packages
mkdir -p "$site/torch/lib" "$work/env/bin"
ln -s "$python" "$work/env/bin/python3"
printf 'home = %s\n' "$(dirname "$(realpath "$python")")" > "$work/env/pyvenv.cfg"
printf "__version__ = '2.5.0'\ncuda = '12.4'\n" > "$site/torch/version.py"
for i in $(seq 400); do
	mkdir -p "$site/package_$i" "$site/package_$i-1.0.dist-info"
	printf 'Metadata-Version: 2.1\nName: package-%d\nVersion: 1.0\n' "$i" > "$site/package_$i-1.0.dist-info/METADATA"
done
# A blob for each of 2,400 sources, as PyTorch's library has them.
# shellcheck disable=SC2046 # a list of words
tests/fakes/gpu_library.py "$site/torch/lib/libtorch_cuda.so" \
	$(for _ in $(seq 400); do echo sm_50 sm_60 sm_70 sm_80 sm_86 sm_90; done)

ours() {
	"$gpudiag" collect --level read --window 0 --python "$work/env" -o "$work/seen"
	jq -e '.frameworks[] | select(.name == "torch" and .gpu_code == "sm_50 sm_60 sm_70 sm_80 sm_86 sm_90")' "$work/seen" \
		> "$work/found" || { echo "not found" >&2; exit 1; }
	jq '.probes[] | select(.probe == "frameworks").elapsed_ms' "$work/seen"
}

listing() {
	"$python" -I -c '
import importlib.metadata as m, sys, time
start = time.monotonic()
assert len([(d.metadata["Name"], d.version) for d in m.distributions(path=[sys.argv[1]])]) == 400
print(round(1000 * (time.monotonic() - start)))' "$site"
}

for ((round = 0; round <= rounds; round++)); do
	took=$(ours) || exit 1
	listed=$(listing) || exit 1
	# The first round warms the caches.
	((round)) && echo "$took $listed" >> "$work/figures"
done
median() { cut -d ' ' -f "$1" "$work/figures" | sort -n | sed -n "$(((rounds + 1) / 2))p"; }

took=$(median 1) listed=$(median 2)
echo "frameworks by files: $took ms (goal: under $goal_ms ms); importlib.metadata lists the packages in $listed ms"
[ "$took" -lt "$goal_ms" ]
