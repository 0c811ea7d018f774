#!/usr/bin/env python3
"""Compare the library's public interface with tests/public_api.txt.

    scripts/check-public-api.py [--write]

Lists what the root exports, with fields, variants, methods and their signatures as they stand in the source. rustdoc
writes them as JSON, which stable compilers do with RUSTC_BOOTSTRAP; links that do not resolve without feature `cli` are
errors, too. --write replaces the file.
"""

import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILE = ROOT / "tests" / "public_api.txt"


def document():
    with tempfile.TemporaryDirectory() as folder:
        # Only rustdoc sees RUSTC_BOOTSTRAP: dependencies that read it would be built anew.
        rustdoc = pathlib.Path(folder) / "rustdoc"
        rustdoc.write_text('#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec rustdoc "$@"\n')
        rustdoc.chmod(0o755)
        command = ["cargo", "rustdoc", "--locked", "--no-default-features", "--features", "weights", "--lib", "--quiet", "--"]
        flags = ["-Zunstable-options", "--output-format", "json", "--document-hidden-items", "-Dwarnings"]
        subprocess.run(command + flags, cwd=ROOT, env={**os.environ, "RUSTDOC": str(rustdoc)}, check=True)
    metadata = ["cargo", "metadata", "--locked", "--no-deps", "--format-version", "1"]
    folder = json.loads(subprocess.run(metadata, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)["target_directory"]
    return json.loads((pathlib.Path(folder) / "doc" / "nullwindow.json").read_text())


def signature(item):
    """The source of an item up to its body."""
    lines = (ROOT / item["span"]["filename"]).read_text().splitlines()
    (first, column), (last, _) = item["span"]["begin"], item["span"]["end"]
    text = "\n".join([lines[first - 1][column - 1 :], *lines[first:last]])
    text = re.sub(r"(?m)^\s*(//|#\[).*\n", "", text)
    text = re.split(r"\{|;\s*$|(?<!Item) = ", text, maxsplit=1)[0]
    if "![" in text or item["name"] not in text:  # made by a macro
        return item["name"]
    return re.sub(r",? \)", ")", " ".join(text.split())).removeprefix("pub ").rstrip(",").replace("( ", "(")


def members(index, item):
    """The public fields, variants, items and methods of an item, a line each."""
    kind, inner = next(iter(item["inner"].items()))
    of = lambda ids: [index[str(each)] for each in ids if "hidden" not in str(index[str(each)]["attrs"])]
    if kind == "struct":
        fields = inner["kind"].get("plain", {}).get("fields", []) if isinstance(inner["kind"], dict) else []
        yield from (signature(field) for field in of(fields) if field["visibility"] == "public")
    elif kind == "enum":
        yield from (signature(variant) for variant in of(inner["variants"]))
    elif kind == "trait":
        yield from (signature(member) for member in of(inner["items"]))
    for implementation in of(inner.get("impls", [])):
        found = implementation["inner"]["impl"]
        if found["trait"] is None:
            methods = of(found["items"])
            yield from (signature(method) for method in methods if method["visibility"] == "public")


def interface(data):
    index = data["index"]
    for each in index[str(data["root"])]["inner"]["module"]["items"]:
        use = index[str(each)]["inner"].get("use")
        if use is None or "hidden" in str(index[str(each)]["attrs"]):
            continue
        item = index[str(use["id"])]
        kind = next(iter(item["inner"]))
        marks = " (non-exhaustive)" if "non_exhaustive" in str(item["attrs"]) else ""
        head = {"function": "fn", "constant": "const"}.get(kind, kind)
        head = re.sub(rf"^(?!\w+ )", f"{head} ", signature(item)).replace(item["name"], use["name"])
        yield "\n    ".join([head + marks, *sorted(members(index, item))])


def main():
    text = "".join(f"{line}\n" for line in sorted(interface(document())))
    if sys.argv[1:] == ["--write"]:
        FILE.write_text(text)
    old = FILE.read_text()
    if text != old:
        lines = difflib.unified_diff(old.splitlines(), text.splitlines(), str(FILE), "the source", lineterm="")
        sys.exit("\n".join(lines) + "\nthe public interface has changed: scripts/check-public-api.py --write")
    print(f"the public interface is that of {FILE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
