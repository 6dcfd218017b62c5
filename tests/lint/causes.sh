#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Each rule of causes.def has a case in which it names the cause, and a near miss: a case in which a finding that it
# takes for an effect has another cause, or none.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

PLANT_FOLDERS=(lib tests)

lint() {
	${CC:-cc} -E -P -x c -D 'CAUSE(effects, ...)=@RULE effects @BY __VA_ARGS__ @END' "$(the_file causes.def)" > "$WORK/rules" || return 1
	cat tests/cases/*.case > "$WORK/cases" || return 1
	python3 - "$WORK/rules" "$WORK/cases" << 'PYTHON'
import re
import sys

with open(sys.argv[1]) as file:
    rules = re.findall(r"@RULE (.*?) @BY ((?:\s*\"[^\"]*\")+)", file.read(), re.S)
with open(sys.argv[2]) as file:
    links = re.findall(r"^caused: (\S+) (\S+)$", file.read(), re.M)

def begins(finding, ids):
    # As id_listed() has it: a number at the end of a beginning is a whole one.
    return any(re.match(re.escape(word) + (r"(?!\d)" if word[-1].isdigit() else ""), finding) for word in ids)

told = not rules
for effects, causes in rules:
    effects, causes = ("".join(re.findall(r'"([^"]*)"', words)).split() for words in (effects, causes))
    seen = {begins(cause, causes) for effect, cause in links if begins(effect, effects)}
    for is_miss, what in ((True, "no case in which it holds"), (False, "no near miss")):
        if is_miss not in seen:
            print(f"causes.def: {effects[0]}… by {causes[0]}…: {what}")
            told = True
sys.exit(told)
PYTHON
}

finds_nothing lint
plant() { echo 'CAUSE("version-pins.driver", "oom-kills.", WARN, SAME, fits_always, MEMORY)' >> "$(the_file causes.def)"; }
finds "a rule without cases" 'version-pins.driver… by oom-kills.…: no case in which it holds' lint
finds "a rule without a near miss" 'version-pins.driver… by oom-kills.…: no near miss' lint
plant() { sed -i '/^caused: klog-errors.nvidia-xid-74-fatal -/d' tests/cases/cause-rules.case; }
finds "a near miss that is gone" 'klog-errors.nvidia-xid-74… by gpu-link.down…: no near miss' lint

done_testing
