# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# pages.sh - what is asked of every page of HTML; for tests that load helpers.sh too.

# strictly PAGE…: as XML of our own elements, with nothing that a browser would fetch or run.
strictly() {
	python3 - "$@" <<- 'PYTHON'
		import re, sys
		import xml.etree.ElementTree as ET

		ELEMENTS = set("html head meta title style body main header section article div span p h1 h2 h3 ol ul li br b code pre details "
		               "summary table thead tbody tr th td svg path rect text line polygon polyline circle".split())
		# None is an address or a handler.
		ATTRIBUTES = set("lang charset http-equiv content name id class role tabindex aria-label scope open width height viewBox "
		                 "preserveAspectRatio x y x1 y1 x2 y2 cx cy r d rx fill fill-opacity stroke stroke-width stroke-opacity "
		                 "stroke-dasharray points font-size text-anchor".split())

		for name in sys.argv[1:]:
		    with open(name, encoding="utf-8") as file:
		        text = file.read()
		    root = ET.fromstring(text)
		    try:
		        for element in root.iter():
		            assert element.tag in ELEMENTS, element.tag
		            assert set(element.attrib) <= ATTRIBUTES, element.attrib
		            assert element.tag != "th" or element.get("scope"), "a head without a scope"
		            assert element.tag != "svg" or element.find("title").text, "a drawing without a title"
		            for value in element.attrib.values():
		                assert "nan" not in value.split() and "inf" not in value, value
		        ids = [element.get("id") for element in root.iter() if element.get("id")]
		        assert len(ids) == len(set(ids)), ids
		        assert len(list(root.iter("style"))) == 1 and len(list(root.iter("h1"))) == 1
		        style = root.find("head/style").text
		        assert "url(" not in style and "@import" not in style and "prefers-color-scheme:dark" in style
		        # Every column has a head.
		        for table in root.iter("table"):
		            columns = len(table.findall("thead/tr/th"))
		            assert all(len(row) == columns for row in table.findall("tbody/tr")), "a row of another length"
		        assert re.match("<!DOCTYPE html>\n<html lang=", text)
		    except AssertionError:
		        print(name)
		        raise
	PYTHON
}

# tidied PAGE…: without a warning of HTML Tidy, where it is installed.
tidied() {
	command -v tidy > /dev/null || return 0
	local page
	for page; do
		tidy -e -q "$page" > "$OUT" 2>&1 || fail "$page" "$(cat "$OUT")"
		[ ! -s "$OUT" ] || fail "$page" "$(cat "$OUT")"
	done
}
