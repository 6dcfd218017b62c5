#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The schemas in man/ are what gpudiag prints, and are schemas.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

PLANT_FOLDERS=(man)
[ -x "$GPUDIAG" ] || { not_ok "$GPUDIAG is there"; done_testing; }

# lint NAME
lint() {
	"$GPUDIAG" schema "$1" > "$WORK/printed" || return 1
	# 40 lines tell enough.
	diff -u "man/$1.schema.json" "$WORK/printed" > "$WORK/diff" && return
	head -n 40 "$WORK/diff"
	echo "(again: make schema)"
	return 1
}

lint_valid() {
	python3 - "$@" <<- 'PYTHON'
		import json
		import sys
		import jsonschema
		bad = 0
		for path in sys.argv[1:]:
		    try:
		        with open(path, encoding="utf-8") as file:
		            schema = json.load(file)
		        if "$schema" not in schema:
		            raise ValueError('names no "$schema"')
		        jsonschema.validators.validator_for(schema).check_schema(schema)
		    except (OSError, ValueError, jsonschema.SchemaError) as error:
		        print(f"{path}: {getattr(error, 'message', error)}")
		        bad = 1
		sys.exit(bad)
	PYTHON
}

for name in snapshot report events baseline bench diff fleet topology watch; do
	succeeds "man/$name.schema.json is what gpudiag prints" lint "$name"
done
plant() { "$GPUDIAG" schema snapshot | sed 's/"link_width"/"planted"/' > man/snapshot.schema.json; }
finds "a schema that was not made anew" '^-.*"planted"' lint snapshot

if python3 -c 'import jsonschema' 2> /dev/null; then
	succeeds "all are schemas" lint_valid man/*.schema.json
	# shellcheck disable=SC2016 # to be planted as it is
	plant() { echo '{ "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "planted" }' > man/report.schema.json; }
	finds "one that is none" "report.schema.json: 'planted' is not valid" lint_valid man/report.schema.json
else
	skip "all are schemas" "python3-jsonschema is not installed"
fi

done_testing
