"""The folder of a job: `job.json` describes the job, `results.jsonl` has one line per result. One process at a time uses it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Hashable

from .record import RecordLock, replaced, scan

Row = dict[str, Any]


def identity(row: Row) -> Hashable:
    """The key of a line: a game, the head of the games, or a question about a position."""
    if "game" in row:
        return row["game"]
    return "head" if "head" in row else tuple(row.get(name) for name in ("position", "text", "n", "reaches"))


class Results:
    """The results of a job. Keeps only their file offsets in memory."""

    def __init__(self, folder: Path, job: Row) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.path, description = folder, folder / "results.jsonl", folder / "job.json"
        self.lock = RecordLock(self.path)
        try:
            self.open(description, job)
        except BaseException:
            self.lock.release()
            raise

    def open(self, description: Path, job: Row) -> None:
        """Compares the job with that of the folder, and reads the results."""
        if description.exists():
            try:
                other = json.loads(description.read_text(encoding="utf-8"))
            except ValueError as error:
                raise ValueError(f"{description}: {error}: delete this file if {self.path} belongs to this job") from None
            if other != job:
                names = ", ".join(sorted(key for key in {*job, *other} if job.get(key) != other.get(key)))
                raise ValueError(f"{self.folder} holds the results of another job, which differs in: {names}")
        else:
            (self.folder / "positions.jsonl").unlink(missing_ok=True)  # of a job that could not be started
        self.places: dict[Hashable, int] = {}
        self.path.touch()
        self.end, open_ended = scan(self.path, self.know)
        os.truncate(self.path, self.end)
        self.reader, self.writer = self.path.open("rb"), self.path.open("ab", buffering=0)
        if open_ended:
            self.write(b"\n")

    def begin(self, job: Row) -> None:
        """Ties the folder to a job that can be run."""
        with replaced(self.folder / "job.json") as file:
            file.write((json.dumps(job, indent=1) + "\n").encode())

    def know(self, place: int, row: Row) -> None:
        """Registers a line. The lines of a shard may occur twice."""
        self.places.setdefault(identity(row), place)

    def __contains__(self, what: Hashable) -> bool:
        return what in self.places

    def __getitem__(self, what: Hashable) -> Row:
        self.reader.seek(self.places[what])
        return json.loads(self.reader.readline())

    def rows(self) -> Iterable[Row]:
        """All results, by number, or else in file order."""
        numbers = sorted(what for what in self.places if isinstance(what, int))
        return (self[what] for what in numbers or list(self.places))

    def write(self, text: bytes) -> None:
        """Appends to the file. After a failed write, the file is unchanged or ends with an incomplete line."""
        written = 0
        try:
            while written < len(text):
                written += self.writer.write(text[written:])
        except OSError:
            os.truncate(self.path, self.end)
            raise
        self.end += len(text)

    def add(self, lines: list[str]) -> list[Row]:
        """Appends the new lines; returns all of them."""
        rows = [json.loads(line) for line in lines]
        for row, line in zip(rows, lines):
            if (what := identity(row)) not in self.places:
                place = self.end
                self.write(line.encode() + b"\n")
                self.places[what] = place
        return rows

    def close(self) -> None:
        """Closes the files and unlocks the folder."""
        self.reader.close()
        self.writer.close()
        self.lock.release()
