#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# frameworks.bats - frameworks read by their files, and imported with --framework: environments made here, some of them
# broken on purpose. The interpreter is a real one.
# Runs beside one: it times a deadline.

load helpers.sh

setup() {
	begin
	PYTHON=$(realpath "$(command -v /usr/bin/python3 || command -v python3)")
	VERSION=$("$PYTHON" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
	SITE=$PWD/env/lib/python$VERSION/site-packages
	mkdir -p "$SITE/torch/lib" env/bin
	ln -s "$PYTHON" env/bin/python3
	printf 'home = %s\ninclude-system-site-packages = false\n' "${PYTHON%/*}" > env/pyvenv.cfg
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR"/*/ "$BATS_TEST_TMPDIR"
}

# torch [KEY=VALUE…]: the file that its build makes.
torch() {
	printf '%s\n' "__version__ = '2.5.0'" 'debug = False' "$@" > "$SITE/torch/version.py"
}


# read [ARGUMENT…]: the snapshot in ./seen.
read_frameworks() {
	gpudiag collect --level read --window 0 --python "$PWD/env" -o seen "$@"
	is "$status" 0
}

# like GOT PATTERN
like() {
	# shellcheck disable=SC2053
	[[ $1 == $2 ]] || fail "\"$1\", not like \"$2\"" "$(show)"
}

framework() { jq -r ".frameworks[] | select(.found_by == \"python\") | $1" seen; }
import() { jq -r ".framework_imports[] | $1" seen; }

@test "PyTorch for CUDA: version, toolkit and the GPUs that it has code for" {
	torch "cuda: Optional[str] = '12.4'" 'hip: Optional[str] = None'
	"$TOP/tests/fakes/gpu_library.py" "$SITE/torch/lib/libtorch_cuda.so" sm_80 sm_90 compute_90 sm_80
	read_frameworks
	is "$(framework .name)" torch
	is "$(framework .version)" 2.5.0
	is "$(framework .built_for)" cuda
	is "$(framework .toolkit_version)" 12.4
	is "$(framework .gpu_code)" "sm_80 sm_90 compute_90"
	is "$(framework .interpreter)" "$PWD/env/bin/python3"
}

@test "PyTorch for ROCm, and one for CPUs" {
	torch 'cuda = None' "hip = '6.2.41133'"
	"$TOP/tests/fakes/gpu_library.py" "$SITE/torch/lib/libtorch_hip.so" gfx90a:sramecc+ gfx942
	read_frameworks
	is "$(framework .built_for)" rocm
	is "$(framework .gpu_code)" "gfx90a gfx942"
	torch 'cuda = None' 'hip = None'
	rm "$SITE/torch/lib/libtorch_hip.so"
	read_frameworks
	is "$(framework .built_for)" cpu
	like "$(framework .unknown.gpu_code)" "*absent: no GPU code found*"
}

@test "PyTorch for Intel's GPUs: by version.py, by its version, by Intel's extension" {
	torch 'cuda = None' 'hip = None' "xpu: Optional[str] = '20250000'"
	read_frameworks
	is "$(framework .built_for)" xpu
	is "$(framework .toolkit_version)" 20250000
	printf '%s\n' "__version__ = '2.4.0+xpu'" 'cuda = None' 'hip = None' > "$SITE/torch/version.py"
	read_frameworks
	is "$(framework .built_for)" xpu
	torch 'cuda = None' 'hip = None'
	read_frameworks
	is "$(framework .built_for)" cpu
	mkdir "$SITE/intel_extension_for_pytorch-2.1.10+xpu.dist-info"
	printf 'Name: intel-extension-for-pytorch\nVersion: 2.1.10+xpu\n' > "$SITE/intel_extension_for_pytorch-2.1.10+xpu.dist-info/METADATA"
	read_frameworks
	is "$(framework .built_for)" xpu
}

@test "code of unknown form is unknown, whatever it claims" {
	torch "cuda = '12.4'"
	for entry in bad-kind bad-size endless garbage compressed; do
		"$TOP/tests/fakes/gpu_library.py" "$SITE/torch/lib/libtorch_cuda.so" $entry
		read_frameworks
		is "$(framework .gpu_code)" null
		like "$(framework .unknown.gpu_code)" "unsupported: lib/libtorch_cuda.so: *"
	done
}

@test "a wheel that was cut in half" {
	printf "__version__ = '2.5.0'\ncuda: Optional[str] = '12" > "$SITE/torch/version.py"
	for bytes in 0 1 63 64 4100 8000; do
		"$TOP/tests/fakes/gpu_library.py" --cut $bytes "$SITE/torch/lib/libtorch_cuda.so" sm_80 sm_90
		read_frameworks
		is "$(framework .built_for)" null
		is "$(framework .gpu_code)" null
		like "$(framework .unknown.gpu_code)" "*error: lib/libtorch_cuda.so: *"
	done
	rm "$SITE/torch/version.py"
	read_frameworks
	is "$(framework .version)" null
	is "$(framework .built_for)" null
}

@test "JAX by its plugin, TensorFlow by its build information, and NVIDIA's packages beside them" {
	mkdir -p "$SITE"/{jaxlib,tensorflow/python/platform} "$SITE"/{jaxlib-0.4.35,jax_cuda12_plugin-0.4.34}.dist-info \
		"$SITE"/{tensorflow-2.18.0,torch-2.5.0,nvidia_cudnn_cu12-9.0.0.312,requests-2.1}.dist-info
	echo "build_info = dict([('cuda_version', '12.5.1'), ('is_cuda_build', True), ('is_rocm_build', False)])" \
		> "$SITE/tensorflow/python/platform/build_info.py"
	echo 'Requires-Dist: nvidia-cudnn-cu12==9.1.0.70; platform_system == "Linux"' > "$SITE/torch-2.5.0.dist-info/METADATA"
	torch "cuda = '12.4'"
	read_frameworks
	is "$(jq -r '.frameworks[] | select(.name == "jax") | "\(.version) \(.built_for) \(.toolkit_version)"' seen)" \
		"0.4.35 cuda 12"
	is "$(jq -r '.frameworks[] | select(.name == "tensorflow") | "\(.version) \(.built_for) \(.toolkit_version)"' seen)" \
		"2.18.0 cuda 12.5.1"
	is "$(jq -r '.python_packages[] | select(.name == "nvidia-cudnn-cu12") | "\(.version) \(.required_version)"' seen)" \
		"9.0.0.312 9.1.0.70"
	is "$(jq -r '[.python_packages[].name] | index("requests")' seen)" null
	gpudiag run --snapshot seen --check framework-packages --format json
	is "$status" 1
	jq -r '.findings[].title' "$OUT" > titles
	has titles "nvidia-cudnn-cu12 9.0.0.312 is older" "jax-cuda12-plugin 0.4.34 does not fit jaxlib 0.4.35"
}

@test "an environment that sees the packages of the interpreter it was made with" {
	mkdir -p base/bin "base/lib/python$VERSION/site-packages/torch"
	cp "$(readlink -f env/bin/python3)" "base/bin/python$VERSION"
	ln -sf "$PWD/base/bin/python$VERSION" env/bin/python3
	rmdir "$SITE/torch/lib" "$SITE/torch"
	printf "__version__ = '1.0'\ncuda = '12.1'\n" > "base/lib/python$VERSION/site-packages/torch/version.py"
	printf 'home = %s\ninclude-system-site-packages = false\n' "$PWD/base/bin" > env/pyvenv.cfg
	read_frameworks
	is "$(framework .version)" ""
	printf 'home = %s\ninclude-system-site-packages = true\n' "$PWD/base/bin" > env/pyvenv.cfg
	read_frameworks
	is "$(framework .version)" 1.0
}

@test "a path without a Python is named" {
	gpudiag run --level read --window 0 --python "$PWD/nowhere" --check framework-build,probe-health
	is "$status" 3
	has "$OUT" "nowhere: no Python with PyTorch"
	gpudiag run --python ""
	is "$status" 64
	has "$ERR" "python: an empty path"
}

@test "a process that has a framework loaded is asked about by --pid" {
	torch "cuda = '12.4'"
	"$TOP/tests/fakes/gpu_library.py" "$SITE/torch/lib/libtorch_cuda.so" sm_90
	CUDA_VISIBLE_DEVICES='' SECRET=none-of-ours "$PYTHON" -c '
import mmap, sys, time
file = open(sys.argv[1], "rb")
held = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
print("ready", flush=True)
time.sleep(60)' "$SITE/torch/lib/libtorch_cuda.so" > ready &
	until [ -s ready ]; do sleep 0.05; done
	gpudiag collect --level read --window 0 --pid $! -o seen
	kill $!
	is "$(jq -r '.frameworks[] | select(.found_by == "process") | "\(.name) \(.toolkit_version)"' seen)" "torch 12.4"
	jq -r '.process_setups[0].variables[]' seen > variables
	has variables "CUDA_VISIBLE_DEVICES="
	hasnt seen none-of-ours
}

@test "--framework imports it, and tells how long that takes" {
	torch "cuda = '12.4'"
	printf 'from .version import __version__\nclass cuda:\n    device_count = staticmethod(lambda: 3)\nprint("hello")\n' \
		> "$SITE/torch/__init__.py"
	read_frameworks --framework
	is "$(import .version)" 2.5.0
	is "$(import .devices)" 3
	is "$(import .output)" hello
	gpudiag run --snapshot seen --check framework-import
	has "$OUT" "torch 2.5.0 is imported in "
	# Nothing was written beside it.
	is "$(find env -name '*.pyc')" ""
	read_frameworks
	is "$(jq .framework_imports seen)" null
}

@test "an import that crashes, fails, forks, floods or lies costs its own answer alone" {
	torch "cuda = '12.4'"
	echo 'import os; os.kill(os.getpid(), 11)' > "$SITE/torch/__init__.py"
	read_frameworks --framework
	like "$(import .unknown.version)" "*ended by signal 11*"
	echo 'import nothing_of_that_name' > "$SITE/torch/__init__.py"
	read_frameworks --framework
	like "$(import .output)" "*ModuleNotFoundError: No module named 'nothing_of_that_name'*"
	like "$(import .unknown.version)" "*ended with status 1*"
	printf 'import sys\nfor i in range(300000):\n    print("x" * 100)\nsys.exit("no more")\n' > "$SITE/torch/__init__.py"
	read_frameworks --framework
	like "$(import .output)" "*no more*"
	printf 'import os\nos.write(3, b"version \\xff\\xfe\\ndevices -1\\n" * 1000)\nos._exit(0)\n' > "$SITE/torch/__init__.py"
	read_frameworks --framework
	is "$(import .devices)" null
	jq -e . seen > /dev/null
}

@test "an import that hangs, with a daemon of its own, ends at the run's deadline and leaves nobody behind" {
	torch "cuda = '12.4'"
	cat > "$SITE/torch/__init__.py" <<-'END'
		import os, time
		if not os.fork():
		    os.setsid()
		    os.execv("/bin/sleep", ["sleep", "4711.25"])
		time.sleep(4711)
	END
	gpudiag run --level read --window 0 --timeout 3s --python "$PWD/env" --framework --check framework-import
	is "$status" 3
	has "$OUT" "not imported"
	is "$(pgrep -f 'sleep 4711.25')" ""
}

@test "an import has the rights of who owns the files, never root's" {
	as_nobody_or_skip
	torch "cuda = '12.4'"
	echo 'import os; __version__ = "uid.%d.%d.%s" % (os.getuid(), os.getgid(), os.getresuid()[2])' > "$SITE/torch/__init__.py"
	echo 'cuda = type("cuda", (), {"device_count": staticmethod(lambda: 0)})' >> "$SITE/torch/__init__.py"
	read_frameworks --framework
	is "$(import .version)" "uid.$NOBODY.$NOBODY.$NOBODY"
	is "$(import .user_id)" "$NOBODY"
	chown -R 12345:12346 env/lib
	read_frameworks --framework
	is "$(import .version)" "uid.12345.12346.12345"
	# An interpreter of a third user is run by neither.
	cp --remove-destination "$PYTHON" env/bin/python3
	chown 12347 env/bin/python3
	read_frameworks --framework
	like "$(import .unknown.version)" "*its interpreter belongs to another user*"
	rm env/bin/python3
	ln -s "$PYTHON" env/bin/python3
	chmod 777 .
	with "${AS_NOBODY[@]}" gpudiag collect --level read --window 0 --python "$PWD/env" --framework -o theirs
	like "$(jq -r '.framework_imports[0].unknown.version' theirs)" "*run gpudiag as that user*"
}
