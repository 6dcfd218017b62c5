#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: GPL-2.0-or-later
"""schema.py - is a document valid by a schema of man/? Answered in a fraction of the time that jsonschema takes.

tests/schema.py [--lines] SCHEMA FILE…    --lines: each line is a document. Exit status 1 and what is wrong, if any is not.

A schema becomes functions once, as far as its keywords are known here; one with another keyword is jsonschema's alone.
What is not valid is given to jsonschema, which knows where and why. tests/harness/schema.sh compares the two.
"""
import functools
import json
import re
import sys

SILENT = {"$schema", "$id", "$comment", "$defs", "title", "description", "default", "examples"}
ALL_TYPES = ("null", "boolean", "string", "number", "object", "array")
BOUNDS = {"minimum": ">=", "maximum": "<=", "exclusiveMinimum": ">"}
# Keywords of plain values: a schema of these alone becomes one expression, as most of a document's values have one.
PLAIN = {"type", "enum", "const", "pattern", "minLength", *BOUNDS}
OF_OBJECTS = ("properties", "required", "additionalProperties")
OF_ARRAYS = ("prefixItems", "items")


class Unknown(Exception):
    """A schema that is not understood here."""


def same(one, other):
    """Equal as JSON has it: true is not 1, and 1.0 is."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    return one == other


def both(checks):
    """One function of some."""
    if len(checks) < 2:
        return checks[0] if checks else lambda value: True
    if len(checks) == 2:
        first, second = checks
        return lambda value: first(value) and second(value)
    return lambda value: all(check(value) for check in checks)


def of_lists(check):
    return lambda value: not isinstance(value, list) or check(value)


class Maker:
    """Makes functions of one schema's parts."""

    def __init__(self, schema):
        self.schema, self.made = schema, {}

    def check(self, schema):
        if isinstance(schema, bool):
            return lambda value: schema
        left = {key: part for key, part in schema.items() if key not in SILENT}
        checks, types = [], left.get("type")
        for kind, name, keywords, make in ((dict, "object", OF_OBJECTS, self.of_object),
                                           (list, "array", OF_ARRAYS, self.of_array)):
            if not left.keys().isdisjoint(keywords):
                # With what else it may be, which is then looked at here.
                names = [types] if isinstance(types, str) else types or ALL_TYPES
                others = self.plain({"type": [each for each in names if each != name]})
                checks.append(make(others, name in names and kind, *(left.pop(keyword, None) for keyword in keywords)))
                left.pop("type", None)
        plain = {key: left.pop(key) for key in PLAIN & left.keys()}
        if plain:
            checks.insert(0, self.plain(plain))
        if "$ref" in left:
            checks.append(self.ref(left.pop("$ref")))
        if not left.keys().isdisjoint(("if", "then", "else")):
            checks.append(self.when(*(left.pop(key, True) for key in ("if", "then", "else"))))
        for keyword, part in left.items():
            if not hasattr(Maker, f"do_{keyword}"):
                raise Unknown(keyword)
            checks.append(getattr(self, f"do_{keyword}")(part))
        return both(checks)

    @staticmethod
    def plain(schema):
        """A function of one expression."""
        types = schema.get("type", ALL_TYPES)
        bounds = "".join(f" and v {sign} {schema[key]!r}" for key, sign in BOUNDS.items() if key in schema)
        text = f" and len(v) >= {schema['minLength']}" if "minLength" in schema else ""
        text += " and search(v) is not None" if "pattern" in schema else ""
        terms = {
            "null": "v is None", "boolean": "type(v) is bool", "string": f"type(v) is str{text}",
            "integer": f"(type(v) is int or type(v) is float and v.is_integer()){bounds}",
            "number": f"(type(v) is int or type(v) is float){bounds}",
            "object": "type(v) is dict", "array": "type(v) is list",
        }
        wanted = " or ".join(terms[name] for name in ([types] if isinstance(types, str) else types)) or "False"
        if "enum" in schema:
            is_known = "type(v) is str and v in known" if all(isinstance(each, str) for each in schema["enum"]) else \
                "any(same(v, each) for each in values)"
            wanted = f"{is_known} and ({wanted})"
        if "const" in schema:
            wanted = f"same(v, const) and ({wanted})"
        return eval(f"lambda v: {wanted}", {  # pylint: disable=eval-used
            "search": re.compile(schema.get("pattern", "")).search, "same": same, "const": schema.get("const"),
            "values": schema.get("enum"), "known": {each for each in schema.get("enum", ()) if isinstance(each, str)}})

    def ref(self, name):
        if name not in self.made:
            # It may be asked for within itself.
            self.made[name] = None
            place = self.schema
            for word in name.removeprefix("#").split("/")[1:]:
                place = place[word]
            self.made[name] = self.check(place)
        made = self.made
        return made[name] or (lambda value: made[name](value))

    def of_object(self, others, may_be, properties, required, additional):
        required = frozenset(required or ())
        checks = {key: self.check(part) for key, part in (properties or {}).items()}
        other = self.check(True if additional is None else additional)

        def check(value):
            if type(value) is not may_be:
                return others(value)
            if not required <= value.keys():
                return False
            for key, item in value.items():
                if not checks.get(key, other)(item):
                    return False
            return True
        return check

    def of_array(self, others, may_be, first, rest):
        firsts, rest = [self.check(part) for part in first or ()], self.check(True if rest is None else rest)

        def check(value):
            if type(value) is not may_be:
                return others(value)
            for each, item in zip(firsts, value):
                if not each(item):
                    return False
            for item in value[len(firsts):] if firsts else value:
                if not rest(item):
                    return False
            return True
        return check

    def when(self, condition, then, otherwise):
        condition, then, otherwise = self.check(condition), self.check(then), self.check(otherwise)
        return lambda value: then(value) if condition(value) else otherwise(value)

    def do_allOf(self, parts):
        return both([self.check(part) for part in parts])

    def do_anyOf(self, parts):
        checks = [self.check(part) for part in parts]
        return lambda value: any(check(value) for check in checks)

    def do_oneOf(self, parts):
        checks = [self.check(part) for part in parts]
        return lambda value: sum(map(bool, (check(value) for check in checks))) == 1

    def do_not(self, part):
        check = self.check(part)
        return lambda value: not check(value)

    def do_propertyNames(self, part):
        check = self.check(part)
        return lambda value: not isinstance(value, dict) or all(map(check, value))

    @staticmethod
    def do_minItems(least):
        return of_lists(lambda value: len(value) >= least)

    @staticmethod
    def do_maxItems(most):
        return of_lists(lambda value: len(value) <= most)

    @staticmethod
    def do_uniqueItems(wanted):
        return of_lists(lambda value: not wanted or not any(
            same(item, other) for at, item in enumerate(value) for other in value[:at]))


class Schema:
    def __init__(self, schema):
        self.schema = schema
        try:
            self.is_valid = Maker(schema).check(schema)
        except Unknown:
            self.is_valid = lambda value: False

    @classmethod
    def of_file(cls, path):
        with open(path, encoding="utf-8") as file:
            return cls(json.load(file))

    @functools.cached_property
    def validator(self):
        # pylint: disable=import-outside-toplevel  # it takes longer to start than most of what it is asked, as does site
        if sys.flags.no_site:
            import site
            site.main()
        import jsonschema
        return jsonschema.validators.validator_for(self.schema)(self.schema)

    def problems(self, document, most=5):
        """What is wrong with it, in words."""
        if self.is_valid(document):
            return
        try:
            errors = sorted(self.validator.iter_errors(document), key=lambda error: list(map(str, error.path)))
        except ImportError:
            yield "/: not valid (python3-jsonschema would say where)"
            return
        for error in errors[:most]:
            yield f"/{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"


def main():
    words = sys.argv[1:]
    by_line = words[:1] == ["--lines"]
    path, *files = words[by_line:]
    schema = Schema.of_file(path)
    wrong = False
    for name in files:
        with open(name, encoding="utf-8") as file:
            for number, text in enumerate(file if by_line else [file.read()], 1):
                for problem in schema.problems(json.loads(text)):
                    print(f"{name}{f':{number}' if by_line else ''}: {problem}")
                    wrong = True
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())
