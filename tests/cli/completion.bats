#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# completion.bats - gpudiag completion: what the shells make of it.

load helpers.sh
setup() { begin; shells=$BATS_TEST_TMPDIR; }

script() {
	"$GPUDIAG" completion "$1" > "$shells/$1"
}

# What bash offers at the end of that command line.
in_bash() {
	script bash
	# shellcheck disable=SC2016 # for the inner shell
	bash --norc -c '
		source "$1"
		shift
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_gpudiag
		printf "%s\n" "${COMPREPLY[@]}"' bash "$shells/bash" "$@"
}

in_fish() {
	command -v fish > /dev/null || skip "fish is not installed"
	script fish
	HOME=$shells XDG_CONFIG_HOME=$shells fish --no-config -c "source $shells/fish; complete -C '$1'" | cut -f 1
}

@test "bash completes commands, and options of run where none is named" {
	run -0 in_bash gpudiag e
	[ "$output" = explain ]
	run -0 in_bash gpudiag --le
	[ "$output" = --level ]
	run -0 in_bash gpudiag collect --ou
	[ "$output" = --output ]
}

@test "bash completes words, checks after a comma, and what a command takes" {
	run -0 in_bash gpudiag run --level ''
	[ "$output" = $'read\nquick\nstandard\ndeep' ]
	run -0 in_bash gpudiag run --level = q
	[ "$output" = quick ]
	run -0 in_bash gpudiag run --check gpu-lost,pcie-wi
	[ "$output" = gpu-lost,pcie-width ]
	run -0 in_bash gpudiag list ch
	[ "$output" = checks ]
	run -0 in_bash gpudiag explain pcie-width.below-t
	[ "$output" = pcie-width.below-twins ]
}

@test "bash completes stages where checks are selected, and commands for help" {
	run -0 in_bash gpudiag run --check lin
	[ "$output" = link ]
	run -0 in_bash gpudiag run --skip pcie-width,thro
	[ "$(head -n 1 <<< "$output")" = pcie-width,throttle ]
	run -0 in_bash gpudiag run --require lin
	[ "$output" = '' ]
	run -0 in_bash gpudiag help ga
	[ "$output" = gate ]
}

@test "bash completes what gpudiag logs takes" {
	run -0 in_bash gpudiag logs --fo
	[ "$output" = $'--follow\n--format' ]
	run -0 in_bash gpudiag logs --format j
	[ "$output" = json ]
	touch "$shells/kern.log"
	run -0 in_bash gpudiag logs "$shells/ke"
	[ "$output" = "$shells/kern.log" ]
}

@test "bash completes what gpudiag bench takes" {
	run -0 in_bash gpudiag bench tr
	[ "$output" = transfer ]
	run -0 in_bash gpudiag bench --format ''
	[ "$output" = $'table\njson\ncsv\nplot\nhtml' ]
	run -0 in_bash gpudiag bench --pl
	[ "$output" = --plot ]
}

@test "bash completes files and folders" {
	mkdir "$shells/folder"
	touch "$shells/file"
	run -0 in_bash gpudiag run --snapshot "$shells/fi"
	[ "$output" = "$shells/file" ]
	run -0 in_bash gpudiag run --root "$shells/f"
	[ "$output" = "$shells/folder" ]
}

@test "fish completes commands, options and words" {
	run -0 in_fish 'gpudiag expl'
	[ "$output" = explain ]
	run -0 in_fish 'gpudiag --lev'
	[ "$output" = --level ]
	run -0 in_fish 'gpudiag run --level re'
	[ "$output" = read ]
	run -0 in_fish 'gpudiag schema '
	[ "$output" = $'baseline\nbench\ndiff\nevents\nfleet\nreport\nsnapshot\ntopology\nwatch' ]
	run -0 in_fish 'gpudiag bench lat'
	[ "$output" = latency ]
	touch "$shells/kern.log"
	run -0 in_fish "gpudiag logs $shells/ke"
	[ "$output" = "$shells/kern.log" ]
	run -0 in_fish 'gpudiag run --check gpu-lo'
	[ "$output" = gpu-lost ]
}

@test "zsh completes options and words" {
	command -v zsh > /dev/null || skip "zsh is not installed"
	script zsh
	zsh -n "$shells/zsh"
	run -0 python3 "$BATS_TEST_DIRNAME/complete_zsh.py" "$shells/zsh" 'gpudiag run --leve' 'gpudiag list probe' \
		'gpudiag expla' 'gpudiag run --check gpu-lo' 'gpudiag run --opencl-type au' \
		'gpudiag bench kern'
	[ "$output" = $'gpudiag run --level=\ngpudiag list probes\ngpudiag explain\ngpudiag run --check gpu-lost,\ngpudiag run --opencl-type auto\ngpudiag bench kernel' ]
}

@test "a shell nobody knows is an error that names those there are" {
	gpudiag completion tcsh
	refused '"tcsh"' 'bash, zsh or fish'
	gpudiag completion
	refused 'bash, zsh or fish'
}
