#!/usr/bin/env python3
"""Count the tokens of Rust and JavaScript in src, or in other folders and files, by folder.

    scripts/count-tokens.py [--beside FILE] [PATH...]

FILE is an earlier output of this script; the change since then stands beside each number.

A token is:
  - an identifier, keyword or `_`, also raw (r#type);
  - a lifetime or label ('a);
  - a literal with its prefix and suffix: a number (0x1f_u32, 1.5e3), a string ("...", r#"..."#, b"...", c"..."), a
    character ('x', b'x');
  - each character of punctuation: `::`, `->`, `..=` and `&&` count 2, 2, 3 and 2.

Not counted:
  - blanks and comments (documentation too);
  - tests: items with the attribute #[test] or #[cfg(test)], with all their attributes; files named tests.rs, folders
    named tests; test.mjs;
  - a comma before a closing delimiter, which rustfmt writes or leaves out.
"""

import re
import sys
from collections import Counter
from pathlib import Path

IDENTIFIER = r"(?:r\#)?[^\W\d]\w*"
TOKEN = re.compile(
    rf"""
    (?P<blank> \s+ | //[^\n]* )
  | (?P<comment> /\* )
  | (?P<raw> (?:[bc]?r) (?P<hashes>\#*) " )
  | (?P<string> [bc]? " (?:[^"\\]|\\.)* " )
  | (?P<character> b? ' (?:[^'\\\n]|\\(?:u\{{[^}}]*\}}|x..|.)) ' )
  | (?P<lifetime> ' [^\W\d]\w* )
  | (?P<number> 0[box]\w+ | \d[\d_]* (?: \.(?![.\w]) | (?:\.\d[\d_]*)? (?:[eE][+-]?[\d_]+)? \w* ) )
  | (?P<identifier> {IDENTIFIER} )
  | (?P<punctuation> . )
    """,
    re.VERBOSE | re.DOTALL,
)
SCRIPT = re.compile(
    r"""
    (?P<blank> \s+ | //[^\n]* | /\*.*?\*/ )
  | (?P<string> " (?:[^"\\]|\\.)* " | ' (?:[^'\\]|\\.)* ' )
  | (?P<template> ` )
  | (?P<number> 0[box]\w+ | \d*\.?\d+ (?:[eE][+-]?\d+)? n? )
  | (?P<identifier> \#?[$\w]+ )
  | (?P<punctuation> . )
    """,
    re.VERBOSE | re.DOTALL,
)
# A slash after these begins a regular expression.
BEFORE_EXPRESSION = set("( , = : [ ! & | ? { } ; => return typeof".split())
EXPRESSION = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*")
DELIMITERS = {"(": ")", "[": "]", "{": "}"}
ITEMS = set("async const enum extern fn impl let macro_rules mod static struct trait type union unsafe use".split())


def comment_end(text, at):
    """The offset after the block comment at `at`; block comments nest."""
    depth = 0
    for mark in re.compile(r"/\*|\*/").finditer(text, at):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return mark.end()
    raise ValueError("unclosed comment")


def tokens(text):
    """The tokens of a Rust source text."""
    found = []
    at = 0
    while at < len(text):
        match = TOKEN.match(text, at)
        end = match.end()
        if match["comment"]:
            end = comment_end(text, at)
        elif match["raw"]:
            closing = '"' + match["hashes"]
            end = text.index(closing, end) + len(closing)
        if not match["blank"] and not match["comment"]:
            found.append(text[at:end])
        at = end
    return found


def template_end(text, at):
    """The offset after the template literal at `at`, in which expressions may contain others."""
    at += 1
    while text[at] != "`":
        if text[at] == "\\":
            at += 2
        elif text.startswith("${", at):
            depth = 0
            at += 1
            while True:
                depth += {"{": 1, "}": -1}.get(text[at], 0)
                at = template_end(text, at) if text[at] == "`" else at + 1
                if depth == 0:
                    break
        else:
            at += 1
    return at + 1


def script_tokens(text):
    """The tokens of a JavaScript source text."""
    found = []
    at = 0
    while at < len(text):
        match = SCRIPT.match(text, at)
        end = match.end()
        if match["template"]:
            end = template_end(text, at)
        elif match[0] == "/" and (not found or found[-1] in BEFORE_EXPRESSION):
            end = EXPRESSION.match(text, at).end()
        if not match["blank"]:
            found.append(text[at:end])
        at = end
    return [token for token, after in zip(found, found[1:] + [""]) if token != "," or after not in DELIMITERS.values()]


def closing(found, at):
    """The index of the delimiter that closes the one at `at`."""
    depth = 0
    for index in range(at, len(found)):
        depth += (found[index] in DELIMITERS) - (found[index] in DELIMITERS.values())
        if depth == 0:
            return index
    raise ValueError(f"unclosed {found[at]}")


def item_end(found, at):
    """The index after the item, field, variant or match arm that begins at `at`.

    An item ends after its first `;` or braces, a `use` after its `;`, anything else also after a comma."""
    first = at
    if found[first] == "pub":
        first += 1
        if found[first] == "(":
            first = closing(found, first) + 1
    ends = {";", ","} - ({","} if found[first] in ITEMS else set())
    has_body = found[first] != "use"
    while at < len(found) and found[at] not in DELIMITERS.values():
        token = found[at]
        at = closing(found, at) + 1 if token in DELIMITERS else at + 1
        if token in ends or token == "{" and has_body:
            break
    return at


def countable(found):
    """The tokens that count: without tests and trailing commas."""
    kept = []
    at = 0
    while at < len(found):
        begin = at
        is_test = False
        while found[at : at + 2] == ["#", "["]:
            end = closing(found, at + 1) + 1
            is_test |= "".join(found[at:end]) in ("#[test]", "#[cfg(test)]")
            at = end
        if is_test:
            at = item_end(found, at)
        else:
            at = max(at, begin + 1)
            kept += found[begin:at]
    return [token for token, after in zip(kept, kept[1:] + [""]) if token != "," or after not in DELIMITERS.values()]


def count(path):
    """The number of tokens of a file."""
    if path.suffix != ".rs":
        return len(script_tokens(path.read_text(encoding="utf-8")))
    try:
        return len(countable(tokens(path.read_text(encoding="utf-8"))))
    except ValueError as error:
        sys.exit(f"{path}: {error}")


def files_of(root):
    """The source files below a folder; a file itself. Without test files."""
    if root.is_file():
        return [root]
    if not root.is_dir():
        sys.exit(f"{root}: no such file or folder")
    found = (path for path in sorted(root.rglob("*")) if path.suffix in (".rs", ".js", ".mjs") and path.name not in ("tests.rs", "test.mjs"))
    return [path for path in found if "tests" not in path.relative_to(root).parts]


def main():
    words = sys.argv[1:]
    earlier = {}
    if words[:1] == ["--beside"] and len(words) > 1:
        lines = Path(words[1]).read_text(encoding="utf-8").splitlines()
        earlier = {folder: int(number.replace(",", "")) for number, folder in (line.split()[:2] for line in lines)}
        words = words[2:]
    if any(word.startswith("-") for word in words):
        print(__doc__.strip())
        return
    roots = [Path(word) for word in words] or [Path(__file__).resolve().parent.parent / "src"]
    counts = Counter()
    for root in roots:
        for path in files_of(root):
            parts = path.relative_to(root).parts
            name = f"{root.name}/{parts[0]}" if len(parts) > 1 else root.name
            counts[name if path.suffix == ".rs" else f"{name}(js)"] += count(path)
    width = len(f"{counts.total():,}")
    rows = sorted(counts.items()) + [("total", counts.total())]
    for folder in earlier.keys() - counts.keys() - {"total"}:
        rows.insert(-1, (folder, 0))
    for folder, number in rows:
        change = f" {number - earlier.get(folder, 0):+,}" if earlier else ""
        print(f"{number:{width},} {folder}{change}")


if __name__ == "__main__":
    main()
