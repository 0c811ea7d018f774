"""Pictures of boards, in SVG."""

from __future__ import annotations

from typing import Optional, Sequence

CELL = 40
MARGIN = 24  # for the coordinates
GREEN, LINE = "#2e7d4f", "#173f28"


def svg(game: str, rows: Sequence[str], legal: Sequence[str], last: Optional[str], p1_turn: bool) -> str:
    """Draws `rows` (as in `Board.rows`): Reversi with discs, games of lines with X and O, the layers of Score Four side by side, the
    lowest first. Legal moves have a dot, and the last move is marked. In Score Four both are marked where the stone lies or falls."""
    size = len(rows[0])
    layers = [rows[first : first + size] for first in range(0, len(rows), size)]
    upward = game == "tictactoe"  # row 1 at the bottom
    step = MARGIN + CELL * size + 8
    width, height = step * len(layers) + 8, MARGIN + CELL * size + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="13" text-anchor="middle">',
        f"<title>{game}: {'x' if p1_turn else 'o'} to move</title>" if legal else f"<title>{game}: game over</title>",
    ]
    stones: dict[str, int] = {}  # the number on each peg, which is 0 or 1 on a flat board
    for rows_of_layer in layers:
        for row, line in enumerate(rows_of_layer):
            for column, piece in enumerate(line):
                name = _name(row, column, size, upward)
                stones[name] = stones.get(name, 0) + (piece in "xo")
    for level, rows_of_layer in enumerate(layers):
        left = MARGIN + step * level
        for column in range(size):
            parts.append(f'<text x="{left + CELL * column + CELL // 2}" y="16">{"abcdefgh"[column]}</text>')
        for row, line in enumerate(rows_of_layer):
            top = MARGIN + CELL * row
            parts.append(f'<text x="{left - 12}" y="{top + CELL // 2 + 5}">{size - row if upward else row + 1}</text>')
            for column, piece in enumerate(line):
                if piece == "*":
                    continue
                name = _name(row, column, size, upward)
                x, y = left + CELL * column, top
                parts.append(f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{GREEN}" stroke="{LINE}"/>')
                parts += _piece(piece, x + CELL // 2, y + CELL // 2, len(layers) == 1 and game != "tictactoe")
                if piece == "." and name in legal and stones[name] == level:
                    parts.append(_circle(x + CELL // 2, y + CELL // 2, 4, "#000" if p1_turn else "#fff", ' opacity="0.5"'))
                if name == last and piece != "." and level == (stones[name] - 1 if len(layers) > 1 else 0):
                    parts.append(_circle(x + CELL // 2, y + CELL // 2, 5, "#e53935"))
    return "".join([*parts, "</svg>"])


def _name(row: int, column: int, size: int, upward: bool) -> str:
    return f"{'abcdefgh'[column]}{size - row if upward else row + 1}"


def _circle(x: int, y: int, radius: int, color: str, more: str = "") -> str:
    return f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{color}"{more}/>'


def _piece(piece: str, x: int, y: int, discs: bool) -> list[str]:
    if piece not in "xo":
        return []
    if discs:
        return [_circle(x, y, CELL // 2 - 4, "#111" if piece == "x" else "#f5f5f5")]
    if piece == "o":
        return [f'<circle cx="{x}" cy="{y}" r="12" fill="none" stroke="#f5f5f5" stroke-width="5"/>']
    return [f'<path d="M{x - 11} {y - 11}l22 22m0 -22l-22 22" stroke="#111" stroke-width="5"/>']
