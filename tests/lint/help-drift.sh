#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Options in the help of each command, in the manual and in each shell's completion are the same, both
# ways. A command has man/gpudiag-COMMAND.1, or shares man/gpudiag.1 with run.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

commands() {
	"$GPUDIAG" --help | sed -n '/^usage/,/^gpudiag COMMAND/s/^  \([a-z][a-z-]*\)  *[^ ].*/\1/p'
}

# The long options of a command, or of gpudiag itself.
helped() {
	"$GPUDIAG" "$@" --help | sed -n 's/^  \(-.,\|   \) --\([a-z][a-z-]*\).*/\2/p' | sort -u
}

# The long options a page has an entry for; --help, which every command has, is gpudiag.1's.
documented() {
	sed 's/\\-/-/g' "$1" | grep '^\.It ' | grep -oE 'Fl -[a-z][a-z-]*' | sed 's/^Fl -//' | sort -u |
		if [ "$1" = man/gpudiag.1 ]; then cat; else grep -vx help; fi
}

# The long options a shell's completion knows for a command.
completed() {
	local script=build/completion.$1
	case $1 in
	bash) sed -n "s/^\t*$2) words=' --\(.*\)'.*/--\1/p" "$script" | tr ' ' '\n' | sed -n 's/^--//p' ;;
	zsh) sed -n "/^\t$2)\$/,/;;\$/s/^\t*'\*--\([a-z-]*\).*/\1/p" "$script" ;;
	fish) sed -n "s/^complete .*__fish_seen_subcommand_from $2' -l \([a-z-]*\).*/\1/p" "$script" ;;
	esac | grep -vx help | sort -u
}

page_of() {
	if [ -e "man/gpudiag-$1.1" ]; then
		echo "man/gpudiag-$1.1"
	else
		echo man/gpudiag.1
	fi
}

lint() {
	local command page option shell bad=0 all
	all=$(commands)
	if ! grep -qx run <<< "$all"; then
		echo "no command run in gpudiag --help"
		return 1
	fi
	if [ ! -e man/gpudiag.1 ]; then
		echo "no man/gpudiag.1"
		return 1
	fi
	for shell in bash zsh fish; do
		mkdir -p build
		"$GPUDIAG" completion "$shell" > "build/completion.$shell"
		for command in $all; do
			while read -r option; do
				echo "$shell completion: $command: --$option is in one of help and completion, not in both"
				bad=1
			done < <(comm -3 <(helped "$command" | grep -vx help | sort -u) <(completed "$shell" "$command") | tr -d '\t')
		done
	done
	# Each page against all commands that it is about.
	local -A options=(["man/gpudiag.1"]=$(helped))
	for command in $all; do
		page=$(page_of "$command")
		options[$page]=$(printf '%s\n' "${options[$page]-}" "$(helped "$command" | grep -vx help)" | grep . | sort -u)
		if ! grep -qwE "(Cm|Nm|Ic|Xr gpudiag-)[ ]*$command|gpudiag-$command" man/gpudiag.1; then
			echo "man/gpudiag.1: says nothing of command $command"
			bad=1
		fi
	done
	for page in "${!options[@]}"; do
		while read -r option; do
			echo "$page: --$option is in the help and not here"
			bad=1
		done < <(comm -23 <(echo "${options[$page]}" | grep .) <(documented "$page"))
		while read -r option; do
			echo "$page: --$option is here and in no help"
			bad=1
		done < <(comm -13 <(echo "${options[$page]}" | grep .) <(documented "$page"))
	done
	return "$bad"
}

[ -x "$GPUDIAG" ] || { not_ok "$GPUDIAG is there"; done_testing; }
finds_nothing lint

# A manual made from the help, without drift.
straight() {
	local command option
	rm -rf man
	mkdir man
	for command in $(commands); do
		echo ".It Cm $command"
	done > man/gpudiag.1
	{
		helped
		for command in $(commands); do
			helped "$command"
		done
	} | sort -u | sed 's/.*/.It Fl -&/' >> man/gpudiag.1
}
plant() { straight; }
spares "a manual without drift" . lint
plant() {
	straight
	sed -i '/Fl -level$/d' man/gpudiag.1
}
finds "an option that the manual lacks" 'man/gpudiag.1: --level is in the help and not here' lint
plant() {
	straight
	echo '.It Fl p Ar N , Fl \-planted Ar N' >> man/gpudiag.1
}
finds "an option that is no more" 'man/gpudiag.1: --planted is here and in no help' lint
plant() {
	straight
	sed -i '/Cm explain/d' man/gpudiag.1
}
finds "a command that the manual lacks" 'says nothing of command explain' lint
plant() {
	straight
	echo '.Dt GPUDIAG-COLLECT 1' > man/gpudiag-collect.1
}
finds "a page of a command without its options" 'man/gpudiag-collect.1: --output is in the help' lint

# A gpudiag whose completions lack an option.
real=$GPUDIAG
cat > "$WORK/planted" << END
#!/bin/sh
if [ "\$1" = completion ]; then
	"$real" "\$@" | sed 's/ --level//; s/ -l level//; /--level=/d'
else
	exec "$real" "\$@"
fi
END
chmod +x "$WORK/planted"
plant() { straight; }
GPUDIAG=$WORK/planted
for shell in bash zsh fish; do
	finds "an option that $shell does not complete" "$shell completion: run: --level is in one" lint
done

done_testing
