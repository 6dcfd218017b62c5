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

# ask: "COMMAND OPTION" of every command goes to $WORK/helped, those of gpudiag itself to $WORK/own. Once: what is planted
# below are other manuals and other completions.
ask() {
	local command option
	helped > "$WORK/own"
	for command in $(commands); do
		while read -r option; do
			echo "$command $option"
		done < <(helped "$command")
	done | grep -v ' help$' | sort -u > "$WORK/helped"
}

# "PAGE OPTION" for each long option that a page has an entry for; --help, which every command has, is gpudiag.1's.
documented() {
	awk '{ gsub(/\\-/, "-") } /^\.It / {
		while (match($0, /Fl -[a-z][a-z-]*/)) {
			option = substr($0, RSTART + 4, RLENGTH - 4)
			if (option != "help" || FILENAME == "man/gpudiag.1")
				print FILENAME, option
			$0 = substr($0, RSTART + RLENGTH)
		}
	}' "$@" | sort -u
}

# "COMMAND OPTION" for each long option that a shell's completion knows.
completed() {
	local script=build/completion.$1
	case $1 in
	bash) sed -nE "s/^\t*([a-z][a-z-]*)\) words=' (--.*)'.*/\1 \2/p" "$script" |
		awk '{ for (i = 2; i <= NF; i++) if (sub(/^--/, "", $i)) print $1, $i }' ;;
	zsh) awk '/^\t[a-z][a-z-]*\)$/ { command = substr($0, 2, length($0) - 2) }
		command && sub(/^\t*'\''\*--/, "") { sub(/[^a-z-].*/, ""); print command, $0 }
		/;;$/ { command = "" }' "$script" ;;
	fish) sed -nE "s/^complete .*__fish_seen_subcommand_from ([a-z][a-z-]*)' -l ([a-z-]*).*/\1 \2/p" "$script" ;;
	esac | grep -v ' help$' | sort -u
}

lint() {
	local command page option shell bad=0
	if ! grep -q '^run ' "$WORK/helped"; then
		echo "no command run in gpudiag --help"
		return 1
	fi
	if [ ! -e man/gpudiag.1 ]; then
		echo "no man/gpudiag.1"
		return 1
	fi
	mkdir -p build
	for shell in bash zsh fish; do
		"$GPUDIAG" completion "$shell" > "build/completion.$shell"
		while read -r command option; do
			echo "$shell completion: $command: --$option is in one of help and completion, not in both"
			bad=1
		done < <(comm -3 "$WORK/helped" <(completed "$shell") | tr -d '\t')
	done
	for command in $(commands); do
		if ! grep -qwE "(Cm|Nm|Ic|Xr gpudiag-)[ ]*$command|gpudiag-$command" man/gpudiag.1; then
			echo "man/gpudiag.1: says nothing of command $command"
			bad=1
		fi
	done
	# Each page against all commands that it is about.
	{
		sed 's,^,man/gpudiag.1 ,' "$WORK/own"
		while read -r command option; do
			page=man/gpudiag-$command.1
			[ -e "$page" ] || page=man/gpudiag.1
			echo "$page $option"
		done < "$WORK/helped"
	} | sort -u > "$WORK/expected"
	cut -d ' ' -f 1 "$WORK/expected" | uniq > "$WORK/pages"
	# shellcheck disable=SC2046 # no page's name has a space
	documented $(cat "$WORK/pages") > "$WORK/documented"
	while read -r page option; do
		echo "$page: --$option is in the help and not here"
		bad=1
	done < <(comm -23 "$WORK/expected" "$WORK/documented")
	while read -r page option; do
		echo "$page: --$option is here and in no help"
		bad=1
	done < <(comm -13 "$WORK/expected" "$WORK/documented")
	return "$bad"
}

[ -x "$GPUDIAG" ] || { not_ok "$GPUDIAG is there"; done_testing; }
ask
finds_nothing lint

# A manual made from the help, without drift.
straight() {
	local command
	rm -rf man
	mkdir man
	for command in $(commands); do
		echo ".It Cm $command"
	done > man/gpudiag.1
	cut -d ' ' -f 2 "$WORK/own" "$WORK/helped" | sort -u | sed 's/.*/.It Fl -&/' >> man/gpudiag.1
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
