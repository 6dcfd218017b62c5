#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/schema.py answers what jsonschema does, of every part of every schema: plain values, those at its bounds, what it
# describes, and that with something missing, added or of another type.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

python3 -c 'import jsonschema' 2> /dev/null || skip_all "python3-jsonschema is not installed"

compare() {
	python3 - "$@" <<- 'PYTHON'
		import itertools, json, sys
		sys.path.insert(0, "tests")
		import jsonschema
		from schema import SILENT, Maker, Schema

		PLAIN = (None, True, False, 0, 1, -1, 2, 1.0, 1.5, 1 << 64, "", "x", "ab cd", "0000:19:00.0",
		         "2026-01-02T03:04:05.000Z", [], [1], ["x", "x"], [1, True], {}, {"x": 1}, {"X y": {}})
		DEEP = 4        # levels of what a part describes
		CHANGED = 6     # of so many of an object's keys

		def parts(schema):
		    """Every schema within one."""
		    if isinstance(schema, dict):
		        yield schema
		        for key, value in schema.items():
		            if key in ("properties", "$defs"):
		                for each in value.values():
		                    yield from parts(each)
		            elif key in ("items", "additionalProperties", "not", "if", "then", "else", "propertyNames"):
		                yield from parts(value)
		            elif key in ("anyOf", "oneOf", "allOf", "prefixItems"):
		                for each in value:
		                    yield from parts(each)

		def described(schema, top, deep=DEEP):
		    """Something that it describes, if no condition is against it."""
		    if not isinstance(schema, dict) or deep < 0:
		        return None
		    if "$ref" in schema:
		        place = top
		        for word in schema["$ref"].split("/")[1:]:
		            place = place[word]
		        return described(place, top, deep)
		    for key in ("const", "minimum"):
		        if key in schema:
		            return schema[key]
		    for key in ("enum", "anyOf", "oneOf"):
		        if key in schema:
		            return schema[key][0] if key == "enum" else described(schema[key][0], top, deep)
		    kind = schema.get("type")
		    kind = kind[0] if isinstance(kind, list) else kind
		    if kind == "object" or "properties" in schema:
		        return {key: described(part, top, deep - 1) for key, part in schema.get("properties", {}).items()}
		    if kind == "array":
		        firsts = [described(part, top, deep - 1) for part in schema.get("prefixItems", [])]
		        return firsts or [described(schema.get("items"), top, deep - 1)]
		    return {"integer": 1, "number": 1.5, "boolean": True, "string": "x"}.get(kind)

		def tried(schema, top):
		    yield from PLAIN
		    yield from schema.get("enum", ())
		    for key in ("const", "minimum", "maximum", "exclusiveMinimum"):
		        if key in schema:
		            yield schema[key]
		            if isinstance(schema[key], int):
		                yield from (schema[key] - 1, schema[key] + 1, float(schema[key]), schema[key] + 0.5, str(schema[key]))
		    value = described(schema, top)
		    yield value
		    if isinstance(value, list):
		        yield from (value * 2, [*value, None], value[1:])
		    if isinstance(value, dict):
		        yield {**value, "not known": 1}
		        for key in itertools.islice(value, CHANGED):
		            yield {other: item for other, item in value.items() if other != key}
		            yield {**value, key: 7 if isinstance(value[key], str) else "seven"}
		            yield {**value, key: None}

		wrong = compared = 0
		for path in sys.argv[1:]:
		    with open(path, encoding="utf-8") as file:
		        top = json.load(file)
		    validator, maker, seen = Schema(top).validator, Maker(top), set()
		    for part in parts(top):
		        bare = json.dumps({key: value for key, value in part.items() if key not in SILENT})
		        if bare in seen:
		            continue
		        seen.add(bare)
		        ours, theirs = maker.check(part), validator.evolve(schema=part)
		        for value in tried(part, top):
		            compared += 1
		            if bool(ours(value)) != theirs.is_valid(value):
		                print(f"{path}: {json.dumps(value)[:200]} is {'' if ours(value) else 'not '}valid by {bare[:300]}: "
		                      "jsonschema has it otherwise")
		                wrong += 1
		if compared < 1000:
		    sys.exit(f"only {compared} values were compared")
		sys.exit(bool(wrong))
	PYTHON
}
succeeds "it agrees with jsonschema on every part of man/*.schema.json" compare man/*.schema.json

# What no schema of ours has.
cat > "$WORK/any.schema.json" <<- 'END'
	{ "$schema": "https://json-schema.org/draft/2020-12/schema",
	  "type": "object", "required": ["a"], "additionalProperties": { "type": "integer", "maximum": 5 },
	  "properties": { "a": { "enum": [1, "x", null, [true]] }, "b": { "const": { "c": 1 } }, "d": { "oneOf": [
	    { "type": "integer" }, { "type": "number", "minimum": 2 } ] }, "e": { "type": "array", "prefixItems": [
	    { "type": "string" } ], "items": false }, "f": { "type": ["array", "null"], "uniqueItems": true, "minItems": 1,
	    "maxItems": 2 }, "g": false, "h": { "if": { "type": "string" }, "then": { "minLength": 2 },
	    "else": { "type": "boolean" } }, "i": { "$ref": "#" } } }
END
succeeds "and on what they have not" compare "$WORK/any.schema.json" man/report.schema.json

printf '%s\n' '{ "a": 1 }' '{ "a": 1, "z": 9 }' > "$WORK/lines"
printf '%s\n' '{ "a": 1 }' > "$WORK/good"
succeeds "a valid document" tests/schema.py "$WORK/any.schema.json" "$WORK/good"
refused() {
	! tests/schema.py --lines "$WORK/any.schema.json" "$WORK/lines" > "$WORK/said" && grep -q "lines:2: /z: 9 is greater" "$WORK/said"
}
succeeds "one that is not is named, with its place" refused
sed 's/"maximum"/"multipleOf"/' "$WORK/any.schema.json" > "$WORK/other.schema.json"
succeeds "a keyword that it does not know is jsonschema's" tests/schema.py --lines "$WORK/other.schema.json" "$WORK/good"
echo '{ "a": 1, "z": 9 }' > "$WORK/good"
succeeds "which refuses, too" bash -c "! tests/schema.py '$WORK/other.schema.json' '$WORK/good'"

done_testing
