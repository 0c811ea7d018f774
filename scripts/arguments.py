"""Parsers of command-line values for argparse: what is out of range ends a script with status 2 before it does anything."""

from __future__ import annotations

import argparse
import shlex
import shutil
from pathlib import Path
from typing import Callable, Optional


def whole(least: int, most: Optional[int] = None) -> Callable[[str], int]:
    """Whole numbers from `least` to `most`."""
    span = f"{least} or more" if most is None else f"{least} to {most}"

    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least or (most is not None and number > most):
            raise argparse.ArgumentTypeError(f"{text}: expected a whole number, {span}")
        return number

    return parse


def duration(text: str) -> float:
    """A time above 0, at most an hour."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0.0 < number <= 3600.0:
        raise argparse.ArgumentTypeError(f"{text}: expected seconds, above 0 and at most 3600")
    return number


def input_file(text: str) -> Path:
    """A file to read."""
    if not Path(text).is_file():
        raise argparse.ArgumentTypeError(f"{text}: no such file")
    return Path(text)


def output_file(text: str) -> Path:
    """A file to write, in a folder that exists."""
    path = Path(text)
    if path.is_dir() or not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text}: expected a file in a folder that exists")
    return path


def output_folder(text: str) -> Path:
    """A folder, which may not exist yet."""
    if Path(text).exists() and not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"{text}: this is a file, expected a folder")
    return Path(text)


def engine_command(text: str) -> str:
    """An engine's command: a program, or a command line in shell syntax."""
    if shutil.which(text) is None and (not shlex.split(text) or shutil.which(shlex.split(text)[0]) is None):
        raise argparse.ArgumentTypeError(f"{text}: no such program (quote a path with blanks)")
    return text
