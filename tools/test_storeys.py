"""Tests of tools/storeys on tiny workspaces."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

PROGRAM = Path(__file__).with_name("storeys")
sys.dont_write_bytecode = True
loader = SourceFileLoader("storeys", str(PROGRAM))
storeys = module_from_spec(spec_from_loader("storeys", loader))
sys.modules["storeys"] = storeys
loader.exec_module(storeys)


class Storeys(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()

    def faults(self, files: dict[str, str], metadata: str = "") -> list[str]:
        """What is wrong with one crate `house` that has these files in its `src`."""
        crate = self.folder / "crates" / "house"
        for name, text in files.items():
            (crate / "src" / name).parent.mkdir(parents=True, exist_ok=True)
            (crate / "src" / name).write_text(text)
        (crate / "Cargo.toml").write_text(f'[package]\nname = "house"\n{metadata}')
        return storeys.faults(self.folder)

    def test_a_clean_tree_passes(self) -> None:
        self.assertEqual([], self.faults({
            "lib.rs": "mod roof;\nmod wall;\npub use roof::Roof;\n",
            "wall.rs": "pub struct Wall;",
            "roof.rs": "use crate::wall::Wall;\npub struct Roof(Wall);",
        }))

    def test_a_circle_is_found_with_a_file_and_a_line_for_each_edge(self) -> None:
        (fault,) = self.faults({
            "lib.rs": "mod roof; mod wall;",
            "wall.rs": "\nuse crate::roof::Roof;",
            "roof.rs": "\n\nuse super::wall::Wall;",
        })
        self.assertIn("house: a circle of roof, wall", fault)
        self.assertIn("roof -> wall  crates/house/src/roof.rs:3: super::wall::Wall", fault)
        self.assertIn("wall -> roof  crates/house/src/wall.rs:2: crate::roof::Roof", fault)

    def test_a_longer_circle_is_found(self) -> None:
        (fault,) = self.faults({
            "lib.rs": "mod a; mod b; mod c;",
            "a.rs": "use crate::b::B;",
            "b.rs": "fn f() -> crate::c::C { todo!() }",
            "c.rs": "fn f() { super::a::g() }",
        })
        self.assertIn("a circle of a, b, c", fault)

    def test_nested_trees_over_many_lines_are_read(self) -> None:
        (fault,) = self.faults({
            "lib.rs": "mod a; mod b; mod c;",
            "a.rs": "use std::fmt;\npub(crate) use crate::{\n    c::{self, X as Y},\n    b::{\n        inner::{P, Q},\n    },\n};",
            "b.rs": "pub mod inner { use crate::a::fmt; }",
            "c.rs": "",
        })
        self.assertIn("a -> b  crates/house/src/a.rs:5: crate::b::inner::P", fault)

    def test_a_name_counts_as_the_module_it_comes_from(self) -> None:
        (fault,) = self.faults({
            "lib.rs": "mod a; mod b;\npub use b::B;\npub use a::*;",
            "a.rs": "pub struct A;\nfn f() -> crate::B { todo!() }",
            "b.rs": "pub struct B(crate::A);",
        })
        self.assertIn("a circle of a, b", fault)

    def test_circles_inside_a_folder_are_found(self) -> None:
        (fault,) = self.faults({
            "lib.rs": "mod house;",
            "house.rs": "mod a; mod b;",
            "house/a.rs": "use super::b::B;",
            "house/b.rs": "use crate::house::a::A;",
        })
        self.assertIn("house::house: a circle of a, b", fault)

    def test_a_grandchild_speaks_for_its_ancestors(self) -> None:
        (fault,) = self.faults({
            "lib.rs": "mod a; mod b;",
            "a.rs": "mod deep;",
            "a/deep.rs": "use super::super::b::B;",
            "b.rs": "use crate::a::A;",
        })
        self.assertIn("a -> b  crates/house/src/a/deep.rs:1", fault)

    def test_a_parent_and_its_children_are_a_family(self) -> None:
        self.assertEqual([], self.faults({
            "lib.rs": "mod a;",
            "a.rs": "mod one; mod two;\npub use one::One;\npub struct Shared;\nfn f() { two::g() }",
            "a/one.rs": "use super::Shared;\npub struct One;",
            "a/two.rs": "use super::{Shared, One};\npub fn g() {}",
        }))

    def test_tests_comments_and_strings_do_not_count(self) -> None:
        self.assertEqual([], self.faults({
            "lib.rs": "mod a; mod b;\n#[cfg(test)]\nmod tests;",
            "a.rs": "use crate::b::B;",
            "b.rs": """
                //! See [`crate::a::A`].
                /* use crate::a::A; /* nested */ use crate::a::A; */
                const TEXT: &str = "use crate::a::A;";
                const RAW: &str = r#"" use crate::a::A;"#;
                fn quote() -> char { '"' }
                #[cfg(test)]
                use crate::a::A;
                #[cfg(test)]
                #[allow(dead_code)]
                pub(crate) fn only_there<'a, T>(a: &'a T) { crate::a::f() }
                #[test]
                fn sentence() { crate::a::f() }
                #[cfg(test)]
                mod tests { use super::*; use crate::a::A; }
                pub struct B { #[cfg(test)] seen: crate::a::A, real: u8 }
            """,
        }))

    def test_what_follows_an_item_for_tests_counts(self) -> None:
        (fault,) = self.faults({
            "lib.rs": "mod a; mod b;",
            "a.rs": "use crate::b::B;",
            "b.rs": "#[cfg(test)]\nuse std::{fmt, io};\n#[cfg(test)]\nmod tests {}\nuse crate::a::A;",
        })
        self.assertIn("b.rs:5", fault)

    def test_an_attribute_may_name_a_module(self) -> None:
        (fault,) = self.faults({
            "lib.rs": "#![cfg_attr(test, allow(unused))]\nmod a; mod b;",
            "a.rs": "use crate::b::B;",
            "b.rs": '#[error("no {}", crate::a::NAME)]\nstruct B;',
        })
        self.assertIn("a circle of a, b", fault)

    def test_the_modules_of_a_program_are_read(self) -> None:
        (fault,) = self.faults({
            "main.rs": "mod a; mod b; fn main() {}",
            "a.rs": "use crate::b::B;",
            "b/mod.rs": "use crate::a::A;",
        })
        self.assertIn("a circle of a, b", fault)

    def test_an_import_against_the_order_is_found(self) -> None:
        files = {"lib.rs": "mod roof; mod wall;", "wall.rs": "use crate::roof::Roof;", "roof.rs": ""}
        (fault,) = self.faults(files, '[package.metadata.storeys]\norder = ["wall", "roof"]\n')
        self.assertIn("`wall` uses `roof`, which stands above it", fault)
        self.assertIn("crates/house/src/wall.rs:1: crate::roof::Roof", fault)
        self.assertEqual([], self.faults(files, '[package.metadata.storeys]\norder = ["roof", "wall"]\n'))

    def test_the_order_inside_a_module_holds_too(self) -> None:
        (fault,) = self.faults(
            {"lib.rs": "mod a;", "a.rs": "mod b;", "a/b.rs": "mod low; mod high;", "a/b/low.rs": "use super::high::H;", "a/b/high.rs": ""},
            '[package.metadata.storeys]\n"a::b" = ["low", "high"]\n',
        )
        self.assertIn("house::a::b: `low` uses `high`", fault)

    def test_an_order_names_every_module_once_and_no_other(self) -> None:
        found = self.faults(
            {"lib.rs": "mod a; mod b;", "a.rs": "", "b.rs": ""},
            '[package.metadata.storeys]\norder = ["a", "a", "cellar"]\nattic = []\n',
        )
        self.assertEqual(4, len(found))
        for part in ("names `cellar`", "`b` has no place", "names `a` twice", "`attic`, which has no children"):
            self.assertTrue(any(part in fault for fault in found), part)

    def test_the_exit_code_says_whether_anything_is_wrong(self) -> None:
        self.faults({"lib.rs": "mod a; mod b;", "a.rs": "use crate::b::B;", "b.rs": ""})
        self.assertEqual(0, subprocess.run([sys.executable, PROGRAM, self.folder], capture_output=True).returncode)
        self.faults({"b.rs": "use crate::a::A;"})
        failed = subprocess.run([sys.executable, PROGRAM, self.folder], capture_output=True, text=True)
        self.assertEqual(1, failed.returncode)
        self.assertIn("a circle of a, b", failed.stdout)


if __name__ == "__main__":
    unittest.main()
