#!/usr/bin/env python3
"""What tools/site makes of links, and which of them it finds dead."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
LOADER = importlib.machinery.SourceFileLoader("site_of_documents", str(Path(__file__).parent / "site"))
SITE = importlib.util.module_from_spec(importlib.util.spec_from_loader(LOADER.name, LOADER))
LOADER.exec_module(SITE)
GUIDE = SITE.DOCS / "guide" / "studies.md"
PLACES = {
    SITE.DOCS / "results.md": "results.md",
    SITE.ROOT / "examples" / "oven" / "README.md": "examples/oven.md",
    SITE.ROOT / "examples" / "README.md": "examples/index.md",
}


class Linked(unittest.TestCase):
    def linked(self, text: str) -> str:
        return str(SITE.linked(text, GUIDE, "guide/studies.md", PLACES))

    def test_pages_that_were_brought_in_are_linked_to(self) -> None:
        self.assertEqual(self.linked("[oven](../../examples/oven)"), "[oven](../examples/oven.md)")
        self.assertEqual(self.linked("[all](../../examples/README.md#a)"), "[all](../examples/index.md#a)")

    def test_links_on_the_site_and_to_others_stay(self) -> None:
        for text in ("[r](../results.md#how-fast)", "[s](https://example.org/a)", "[here](#below)", "![d](../figures/demo.png)"):
            self.assertEqual(self.linked(text), text)

    def test_other_files_are_shown_by_their_path(self) -> None:
        self.assertEqual(self.linked("[cite](../../CITATION.cff) it"), "cite (`CITATION.cff`) it")
        self.assertEqual(self.linked("[CITATION.cff](../../CITATION.cff)"), "`CITATION.cff`")

    def test_pictures_from_elsewhere_come_along(self) -> None:
        run = "../../crates/bench/runs/2026-11-16-xeon-2core-loops/figure_3.svg"
        self.assertTrue(self.linked(f"![f]({run})").startswith("![f](data:image/svg+xml;base64,"))

    def test_code_is_left_alone(self) -> None:
        for text in ("`[a](../../check)`", "```text\n[a](../../check)\n```"):
            self.assertEqual(self.linked(text), text)


class Check(unittest.TestCase):
    def test_dead_links_and_headings_are_found(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            book = Path(folder)
            (book / "a.html").write_text('<h1 id="top"></h1><a href="b.html#here">b</a><a href="c.html">c</a><a href="b.html#gone">b</a>')
            (book / "b.html").write_text('<h2 id="here"></h2><a href="a.html#top">a</a><a href="https://example.org">e</a><img src="no.png">')
            count, found = SITE.check(book)
        self.assertEqual(count, 5)
        self.assertEqual(
            found,
            [
                "a.html: c.html leads nowhere",
                "a.html: b.html#gone names no heading of that page",
                "b.html: no.png leads nowhere",
            ],
        )


if __name__ == "__main__":
    unittest.main()
