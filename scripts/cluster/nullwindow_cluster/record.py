"""Result files in the manner of src/storage: resumable JSON lines with one writer at a time, and files that are replaced atomically."""

from __future__ import annotations

import errno
import json
import os
import re
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

# The beginning of a number or literal at the end of a truncated line.
BEGUN = re.compile(r"(-?\d*\.?\d*([eE][-+]?\d*)?|t(ru?)?|f(a(ls?)?)?|n(ul?)?)$")
REMEDY = "restore the file from a copy, or delete this line to repeat its work"
# The byte that msvcrt locks: beyond the text, so that others can read the text.
LOCKED_BYTE = 1 << 30


class RecordLock:
    """Exclusive access to a record until `release` or the end of the process, by a lock on `FILE.lock`, which names the process.
    nullwindow uses the same locks."""

    def __init__(self, record: Path) -> None:
        self.path = os.path.realpath(record) + ".lock"
        self.file: int | None = None
        try:
            while not self.take(record):
                pass
        except OSError as error:
            print(f"warning: cannot lock {record} ({error}): make sure that no other process writes it", file=sys.stderr)

    def take(self, record: Path) -> bool:
        """Takes the lock; `False` if the file was removed meanwhile. Raises `ValueError` if another process holds it."""
        try:
            file = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        except PermissionError:
            if os.name == "nt" and os.path.exists(self.path):
                self.refuse(record)  # nullwindow has opened it
            raise
        try:
            held = not try_lock(file)
            if held:
                self.refuse(record)
            if os.name != "nt":
                own = os.fstat(file)
                try:
                    now = os.stat(self.path)
                except FileNotFoundError:
                    return False
                if (own.st_dev, own.st_ino) != (now.st_dev, now.st_ino):
                    return False
            os.ftruncate(file, 0)
            since = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
            os.lseek(file, 0, os.SEEK_SET)
            os.write(file, f"process {os.getpid()} on {socket.gethostname()} since {since}\n".encode())
            self.file, file = file, -1
            return True
        finally:
            if file >= 0:
                os.close(file)

    def refuse(self, record: Path) -> None:
        """Raises an error that names the process holding the lock."""
        try:
            holder = Path(self.path).read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            holder = ""
        holder = holder or "another process"
        raise ValueError(f"{record} is being written by {holder}: wait until it ends, or stop it")

    def release(self) -> None:
        """Releases the lock and removes its file."""
        if self.file is None:
            return
        file, self.file = self.file, None
        if os.name == "nt":
            os.close(file)
        try:
            os.unlink(self.path)
        except OSError:
            pass  # another process has taken it
        if os.name != "nt":
            os.close(file)

    def __enter__(self) -> RecordLock:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def try_lock(file: int) -> bool:
    """Locks an open file without waiting; `False` if another process has locked it."""
    try:
        if os.name == "nt":
            import msvcrt

            os.lseek(file, LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EAGAIN, errno.EDEADLK, getattr(errno, "EDEADLOCK", -1)):
            return False
        raise
    return True


def is_cut_off(text: str, error: json.JSONDecodeError) -> bool:
    """Whether a line without a newline is the beginning of an object, truncated by a kill."""
    if not text.startswith("{"):
        return False
    if error.msg.startswith("Unterminated string"):
        return True
    if error.msg.startswith("Invalid \\"):
        return len(text) - error.pos < 7
    rest = text[error.pos :]
    return not rest or (error.msg.startswith(("Expecting value", "Expecting ','")) and bool(BEGUN.match(rest)))


def scan(path: Path, take: Callable[[int, dict[str, Any]], None]) -> tuple[int, bool]:
    """Passes each line of a record, an object, to `take` with its file offset. Returns the length of the complete lines in bytes,
    and whether the last one lacks its newline. Ignores an incomplete last line. Raises a `ValueError` with file and line for any
    other malformed line, or if `take` raises one."""
    end, open_ended = 0, False
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            open_ended = not line.endswith(b"\n")
            try:
                if b"\0" in line:
                    count = line.count(b"\0")
                    raise ValueError(f"the line contains {count} NUL bytes: a crash of the system has damaged the file")
                if not line.strip():
                    raise ValueError("the line is empty")
                try:
                    text = line.decode()
                except UnicodeDecodeError as error:
                    if not (open_ended and error.reason == "unexpected end of data"):
                        raise ValueError(f"not valid UTF-8 at byte {error.start + 1} of the line") from None
                    text = line[: error.start].decode()
                try:
                    row = json.loads(text)
                except json.JSONDecodeError as error:
                    if open_ended and is_cut_off(text, error):
                        return end, False
                    raise ValueError(f"not a line of this record: {error.msg} (column {error.colno})") from None
                if not isinstance(row, dict):
                    raise ValueError("not a line of this record: no object")
                take(end, row)
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}; {REMEDY}") from None
            end += len(line)
    return end, open_ended


@contextmanager
def replaced(path: Path) -> Iterator[Any]:
    """A file to write that replaces the file at `path` when it is complete."""
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        with new.open("wb") as file:
            yield file
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)
