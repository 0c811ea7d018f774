"""The definition of a token, by examples."""

import importlib.util
import tempfile
import unittest
from pathlib import Path

spec = importlib.util.spec_from_file_location("count_tokens", Path(__file__).with_name("count-tokens.py"))
count_tokens = importlib.util.module_from_spec(spec)
spec.loader.exec_module(count_tokens)


def read(text):
    return count_tokens.tokens(text)


def kept(text):
    return count_tokens.countable(read(text))


class Tokens(unittest.TestCase):
    def test_identifiers_lifetimes_and_characters(self):
        self.assertEqual(read("r#type _x größe"), ["r#type", "_x", "größe"])
        self.assertEqual(read("&'a x 'static 'l: loop"), ["&", "'a", "x", "'static", "'l", ":", "loop"])
        characters = ["'a'", "'\\''", "'\\\\'", "'\"'", "'/'", "'é'", "'\\u{1f600}'", "'\\x7f'", "b'x'", "b'\\n'"]
        for character in characters:
            self.assertEqual(read(f"f({character})"), ["f", "(", character, ")"])
        generic = read("m::<'a,'b>('c','d')")
        self.assertEqual(generic, ["m", ":", ":", "<", "'a", ",", "'b", ">", "(", "'c'", ",", "'d'", ")"])

    def test_numbers(self):
        for number in ["0", "1_000u64", "0x1f_u8", "1.5", "1.", "1e9", "2.5e-3", "1E+2f64", "0b1010", "1.0_f32"]:
            self.assertEqual(read(number), [number])
        self.assertEqual(read("0..9"), ["0", ".", ".", "9"])
        self.assertEqual(read("1..=2"), ["1", ".", ".", "=", "2"])
        self.assertEqual(read("pair.0.1"), ["pair", ".", "0.1"])
        self.assertEqual(read("1.max(2)"), ["1", ".", "max", "(", "2", ")"])
        self.assertEqual(read("0xe+1"), ["0xe", "+", "1"])
        self.assertEqual(read("1e3-2"), ["1e3", "-", "2"])

    def test_strings(self):
        strings = ['"a // b"', '"\\""', '"\\\\"', '"/*"', '""', 'b"z"', 'c"z"']
        raw_strings = ['r"\\"', 'r#"a " b"#', 'br##"x"# y"##']
        for string in strings + raw_strings:
            self.assertEqual(read(f"x({string});"), ["x", "(", string, ")", ";"])
        self.assertEqual(read('"two\nlines"'), ['"two\nlines"'])

    def test_comments_nest(self):
        text = "a // b 'c\n/// \"d\n//! e\nf /* g /* h */ i */ j /**/ k"
        self.assertEqual(read(text), ["a", "f", "j", "k"])
        with self.assertRaises(ValueError):
            read("a /* b")

    def test_punctuation_counts_by_character(self):
        self.assertEqual(read("a::b -> c"), ["a", ":", ":", "b", "-", ">", "c"])


class Scripts(unittest.TestCase):
    def test_tokens_of_javascript(self):
        read = count_tokens.script_tokens
        self.assertEqual(read("a // b\n/* c */ $d?.#e"), ["a", "$d", "?", ".", "#e"])
        for literal in ['"a // b"', "'\\''", "`a ${`b ${c}` + \"}\"} d`", "0x1f", "1.5e3", "12n", ".5"]:
            self.assertEqual(read(f"f({literal});"), ["f", "(", literal, ")", ";"])
        self.assertEqual(read("x = /[/'\"]+\\//g;"), ["x", "=", "/[/'\"]+\\//g", ";"])
        self.assertEqual(read("a / b / c"), ["a", "/", "b", "/", "c"])
        self.assertEqual(read("[1, 2,]"), ["[", "1", ",", "2", "]"])


class Kept(unittest.TestCase):
    def test_items_of_tests_go_with_their_attributes(self):
        text = """
            use a::b;
            #[cfg(test)]
            use c::{d, e};
            #[derive(Debug)]
            #[cfg(test)]
            struct S { x: [u8; 2] }
            fn f() {}
            #[test]
            #[should_panic]
            fn g(x: (u8, u8)) -> [u8; 3] { h! { } }
            #[cfg(test)]
            pub(crate) use i::{j};
            #[cfg(test)]
            mod tests;
            #[cfg(test)]
            mod more { #[test] fn k() { "}"; '}'; } }
            const L: u8 = 1;
        """
        self.assertEqual(kept(text), read("use a::b; fn f() {} const L: u8 = 1;"))

    def test_fields_and_arms_of_tests_go(self):
        text = "struct S { a: u8, #[cfg(test)] b: u8, #[cfg(test)] pub c: u8 } match x { #[cfg(test)] A => {} B => 1 }"
        self.assertEqual(kept(text), kept("struct S { a: u8 } match x { B => 1 }"))
        generic = "#[cfg(test)] pub(crate) fn f<A, B>(x: A) where A: C, B: D { 1; } g"
        self.assertEqual(kept(generic), ["g"])

    def test_other_attributes_stay(self):
        text = "#[cfg(not(test))] fn f() {} #![deny(x)] #[inline(always)] fn g() {}"
        self.assertEqual(kept(text), read(text))

    def test_trailing_commas_do_not_count(self):
        self.assertEqual(kept("f(a, b,)"), kept("f(a, b)"))
        self.assertEqual(kept("[1, 2,\n]; S { x, }"), kept("[1, 2]; S { x }"))

    def test_files_are_grouped_by_folder_without_test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name in ["lib.rs", "a/mod.rs", "a/b/c.rs", "a/tests.rs", "a/tests/d.rs", "a/note.txt"]:
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text("x\n", encoding="utf-8")
            found = [path.relative_to(root).as_posix() for path in count_tokens.files_of(root)]
        self.assertEqual(sorted(found), ["a/b/c.rs", "a/mod.rs", "lib.rs"])


if __name__ == "__main__":
    unittest.main()
