"""The command lines of scripts. Value parsers for argparse: a value out of range ends the script with status 2 before any work."""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Callable, NoReturn, Optional

sys.path[:0] = [str(Path(__file__).resolve().parent / "python")]
from nullwindow.process import UgiError  # noqa: E402


def run_main(main: Callable[[], Optional[int]]) -> NoReturn:
    """Runs a script and exits with its status: 130 after Ctrl-C, 0 if the reader has closed the pipe, 2 after other errors of engines,
    files and programs that it runs."""
    try:
        status = main()
        sys.stdout.flush()
        sys.exit(status)
    except KeyboardInterrupt:
        sys.exit(130)
    except subprocess.CalledProcessError as error:
        command = error.cmd if isinstance(error.cmd, str) else shlex.join(map(str, error.cmd))
        print(f"{command}: exit status {error.returncode}\n{error.stderr or error.stdout or ''}".rstrip(), file=sys.stderr)
        sys.exit(2)
    except (OSError, UgiError) as error:
        with contextlib.suppress(OSError):
            sys.stdout.flush()  # the results before the error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left is flushed at exit
        if isinstance(error, BrokenPipeError):
            sys.exit(0)
        print(error, file=sys.stderr)
        sys.exit(2)


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


def part(text: str) -> tuple[int, int]:
    """The N and M of every Mth position, beginning with the Nth."""
    number, _, of = text.partition("/")
    if not (number.isdigit() and of.isdigit() and 1 <= int(number) <= int(of)):
        raise argparse.ArgumentTypeError(f"{text}: expected N/M with N from 1 to M")
    return int(number), int(of)


def duration(text: str) -> float:
    """Seconds: above 0, at most one hour."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0.0 < number <= 3600.0:
        raise argparse.ArgumentTypeError(f"{text}: expected a number of seconds above 0 and at most 3600")
    return number


def input_file(text: str) -> Path:
    """A file to read."""
    if not Path(text).is_file():
        raise argparse.ArgumentTypeError(f"{text}: no such file")
    return Path(text)


def output_file(text: str) -> Path:
    """A file to write in an existing folder."""
    path = Path(text)
    if path.is_dir() or not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text}: expected a file in an existing folder")
    return path


def output_folder(text: str) -> Path:
    """A folder, which may not exist yet."""
    if Path(text).exists() and not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"{text}: is a file, expected a folder")
    return Path(text)


def own_engine() -> str:
    """The default engine: NULLWINDOW, the program of a release archive, or the release build of this repository."""
    root = Path(__file__).resolve().parent.parent
    return os.environ.get("NULLWINDOW") or shutil.which(str(root / "nullwindow")) or str(root / "target/release/nullwindow")


def program(text: str) -> str:
    """A program, without arguments."""
    if shutil.which(text) is None:
        raise argparse.ArgumentTypeError(f"{text}: program not found")
    return text


def engine_command(text: str) -> str:
    """The command of an engine: a program, or a command line in shell syntax."""
    if shutil.which("".join(command_words(text)[:1])) is None:
        raise argparse.ArgumentTypeError(f"{text}: program not found (quote a path that contains spaces)")
    return text


def command_words(command: str) -> list[str]:
    """The words of an `engine_command`."""
    return [command] if shutil.which(command) else shlex.split(command)


def named_value(text: str) -> tuple[str, str]:
    """The name and value of `NAME=VALUE`."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text}: expected NAME=VALUE")
    return name, value


def obf_positions(file: Path) -> list[str]:
    """The positions of an OBF file, without the scores after them."""
    lines = [line.split(";")[0].strip() for line in file.read_text().splitlines()]
    return [line for line in lines if line and line[0] not in "#%"]
