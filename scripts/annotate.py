"""Annotates a game of Othello: the score of each position, better moves, and a graph of the score as SVG.

    python3 scripts/annotate.py f5d6c3d3c4f4f6 --depth 10 --svg game.svg

An example of the package in `scripts/python`. A score is the disc difference that the engine expects for Black. If the engine reports the
accuracy of such scores (nullwindow's option `Show Accuracy`), the table shows it, and the graph has a band of the mean error.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Optional, TextIO

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent / "python")]
from arguments import output_file, whole  # noqa: E402
from nullwindow import Accuracy, Engine, Limit, UgiError  # noqa: E402


@dataclass(frozen=True)
class Note:
    """A position of the game: the side to move, the move played, and the engine's result."""

    ply: int
    black: bool
    played: Optional[str]
    best: Optional[str]
    score: float  # in discs, for Black
    exact: bool
    loss: float = 0.0  # discs lost by the move played
    accuracy: Optional[Accuracy] = None

    @property
    def error(self) -> Optional[float]:
        """The mean error of such scores in discs; 0 if the score is exact, None if unknown."""
        return 0.0 if self.exact else self.accuracy.mean if self.accuracy else None


def annotate(engine: Engine, game: str, limit: Limit, exact: int = 0) -> list[Note]:
    """Searches every position of the game; solves those with at most `exact` empties. The engine reads the game in any format
    and adds the passes."""
    notes: list[Note] = []
    engine.set_option("Game", "othello")
    start, moves = engine.read(game)
    moves = [move for move in moves if move != "pass"]
    squares = sum(int(c) for c in start.split()[0] if c.isdigit())
    engine.set_option("PassMove", "implicit")
    if "Show Accuracy" in engine.options:
        engine.set_option("Show Accuracy", True)
    for ply in range(len(moves) + 1):
        engine.position(fen=start, moves=moves[:ply])
        black = engine.p1_turn()
        played = moves[ply] if ply < len(moves) else None
        empties = squares - ply
        found = engine.go(Limit(depth=max(1, empties)) if empties <= exact else limit)
        score = (found.info.score or 0) / 100
        score = score if black else -score
        notes.append(Note(ply, black, played, found.move, score, found.exact, accuracy=found.accuracy))
    return [weighed(note, after) for note, after in zip(notes, notes[1:])] + notes[-1:]


def weighed(note: Note, after: Note) -> Note:
    """The note with its loss: the score before the move minus the score after it, for the player."""
    lost = note.score - after.score if note.black else after.score - note.score
    loss = 0.0 if note.played == note.best else max(0.0, lost)
    return replace(note, loss=loss)


def write_table(notes: list[Note], out: TextIO) -> None:
    """Prints one line per position."""
    print(f"{'ply':>4} {'side':5} {'move':5} {'best':5} {'Black':>7}  {'accuracy':19}  loss", file=out)
    for note in notes:
        side = "black" if note.black else "white"
        score = f"{note.score:+.2f}" + ("=" if note.exact else "")
        loss = f"{note.loss:.2f}" if note.loss >= 0.01 else ""
        found = note.accuracy
        accuracy = f"within {found.discs} in {found.percent} %" if found else "exact" if note.exact else ""
        row = f"{note.ply:>4} {side:5} {note.played or '-':5} {note.best or '-':5} {score:>7}  {accuracy:19}  {loss}"
        print(row.rstrip(), file=out)


def svg(notes: list[Note], title: str, mark_from: float = 4.0) -> str:
    """The graph of Black's score by ply. Moves that lose at least `mark_from` discs are marked."""
    width, height, left, top = 900, 360, 48, 40
    reach = max([8.0] + [abs(note.score) + (note.error or 0.0) for note in notes])
    last = max(1, notes[-1].ply)

    def x(ply: float) -> float:
        return left + (width - left - 16) * ply / last

    def y(score: float) -> float:
        return top + (height - 2 * top) * (1 - score / reach) / 2

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="{left}" y="22" font-size="15">{escape(title)}</text>',
        f'<text x="{width - 16}" y="22" text-anchor="end" fill="#555">discs; above 0: Black leads</text>',
    ]
    step = next(step for step in (2, 4, 8, 16, 32, 64) if reach / step <= 5)
    for line in range(-int(reach // step) * step, int(reach) + 1, step):
        color, label = ("#333", "0") if line == 0 else ("#ddd", f"{line:+d}")
        parts.append(f'<path d="M{left} {y(line):.1f}H{width - 16}" stroke="{color}"/>')
        parts.append(f'<text x="{left - 6}" y="{y(line) + 4:.1f}" text-anchor="end" fill="#555">{label}</text>')
    for ply in range(0, last + 1, 10 if last > 20 else 2):
        parts.append(f'<text x="{x(ply):.1f}" y="{height - 14}" text-anchor="middle" fill="#555">{ply}</text>')
    runs = [list(run) for is_known, run in groupby(notes, lambda note: note.error is not None) if is_known]
    for run in runs:
        rim = [(note.ply, note.score + (note.error or 0.0)) for note in run]
        rim += [(note.ply, note.score - (note.error or 0.0)) for note in reversed(run)]
        band = " ".join(f"{x(ply):.1f},{y(score):.1f}" for ply, score in rim)
        parts.append(f'<polygon points="{band}" fill="#1b6e3c" fill-opacity="0.15"/>')
    if any(note.error for note in notes):
        where = f'x="{width - 16}" y="{height - 28}" text-anchor="end" fill="#555"'
        parts.append(f"<text {where}>band: mean error of such scores</text>")
    points = " ".join(f"{x(note.ply):.1f},{y(note.score):.1f}" for note in notes)
    parts.append(f'<polyline points="{points}" fill="none" stroke="#1b6e3c" stroke-width="2"/>')
    for note in notes:
        bad = note.loss >= mark_from
        fill = "#c0392b" if bad else "#111" if note.black else "#fff"
        text = f"{note.ply + 1}. {note.played or 'end'}: {note.score:+.2f}"
        if note.accuracy:
            text += f", within {note.accuracy.discs} discs in {note.accuracy.percent} %"
        if note.loss >= 0.01:
            text += f", loss {note.loss:.2f} ({note.best})"
        parts.append(
            f'<circle cx="{x(note.ply):.1f}" cy="{y(note.score):.1f}" r="{5 if bad else 3}" fill="{fill}" stroke="#111">'
            f"<title>{escape(text)}</title></circle>"
        )
        if bad and note.played:
            parts.append(
                f'<text x="{x(note.ply):.1f}" y="{y(note.score) - 9:.1f}" text-anchor="middle" fill="#c0392b">'
                f"{escape(note.played)}</text>"
            )
    return "\n".join(parts + ["</svg>"]) + "\n"


def default_engine() -> str:
    """nullwindow on the PATH, else the one of the release archive, else this repository's release build."""
    root = Path(__file__).resolve().parent.parent
    found = shutil.which("nullwindow") or shutil.which("nullwindow", path=str(root))
    return shlex.quote(found or str(root / "target/release/nullwindow"))


def main() -> int:
    parser = argparse.ArgumentParser(description="Annotate a game of Othello and draw a graph of the score.")
    parser.add_argument("game", help="a game: a transcript such as f5d6c3, GGF or PGN, or a file that holds one")
    parser.add_argument("--engine", help="command of the engine (default: nullwindow on the PATH, else the one above this folder)")
    limits = parser.add_mutually_exclusive_group()
    limits.add_argument("--depth", type=whole(1, 60), default=10, help="search depth in plies (default: %(default)s)")
    limits.add_argument("--movetime", type=whole(1, 86_400_000), metavar="MS", help="search each position for MS milliseconds instead of to a depth")
    parser.add_argument("--exact", type=whole(0, 60), default=0, metavar="N", help="solve positions with at most N empties")
    parser.add_argument("--svg", type=output_file, help="write the graph to this file")
    arguments = parser.parse_args()
    text = arguments.game
    if Path(text).is_file():
        text = Path(text).read_text(encoding="utf-8-sig", errors="replace")
    how = f"{arguments.movetime} ms a position" if arguments.movetime else f"depth {arguments.depth}"
    limit = Limit(movetime=arguments.movetime) if arguments.movetime else Limit(depth=arguments.depth)
    if arguments.exact:
        how += f", solved from {arguments.exact} empties"
    try:
        with Engine(arguments.engine or default_engine()) as engine:
            notes = annotate(engine, text, limit, arguments.exact)
    except UgiError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    write_table(notes, sys.stdout)
    if arguments.svg:
        arguments.svg.write_text(svg(notes, f"{len(notes) - 1} plies, {how}"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
