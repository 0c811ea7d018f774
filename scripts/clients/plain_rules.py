"""The rules of every game in plain loops, independent of the engine. Used to check exported records, and by the scripted engine.

A board is a list of cells, row by row as in the positions of protocol.md: `x` (first player), `o`, `.` (empty) or `?` (not part of
the board).
"""

from __future__ import annotations

from typing import Optional

REVERSI = {
    "othello": (8, "8/8/8/3ox3/3xo3/8/8/8 x"),
    "othello6": (6, "6/6/2ox2/2xo2/6/6 x"),
    "othello4": (4, "4/1ox1/1xo1/4 x"),
    "diamond": (6, "**2**/*4*/2ox2/2xo2/*4*/**2** x"),
    "diamond2": (6, "**2**/*4*/2ox2/2ox2/*4*/**2** x"),
}
STARTS = {name: start for name, (_, start) in REVERSI.items()}
STARTS |= {"tictactoe": "3/3/3 x", "scorefour": "4/4/4/4|4/4/4/4|4/4/4/4|4/4/4/4 x"}
# Games in which the empties count for the winner.
EMPTIES_COUNT = ("othello", "othello6")


class Position:
    """A position of the named game."""

    def __init__(self, game: str, text: Optional[str] = None) -> None:
        cells, self.to_move = (text or STARTS[game]).split()
        self.game = game
        self.cells: list[str] = []
        for c in cells:
            if c.isdigit():
                self.cells += "." * int(c)
            elif c not in "/|":
                self.cells.append("?" if c == "*" else c)

    @property
    def other(self) -> str:
        return "o" if self.to_move == "x" else "x"

    def _flips(self, square: int, mover: str) -> list[int]:
        size = REVERSI[self.game][0]
        flips: list[int] = []
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                row, column, line = square // size + down, square % size + right, []
                while 0 <= row < size and 0 <= column < size and (down or right):
                    cell = self.cells[row * size + column]
                    if cell in ".?":
                        break
                    if cell == mover:
                        flips += line
                        break
                    line.append(row * size + column)
                    row, column = row + down, column + right
        return flips

    def _squares(self, mover: str) -> list[int]:
        return [n for n, cell in enumerate(self.cells) if cell == "." and self._flips(n, mover)]

    def _name(self, square: int) -> str:
        if self.game == "tictactoe":  # the top row first
            return "abc"[square % 3] + str(3 - square // 3)
        size = REVERSI[self.game][0] if self.game in REVERSI else 4
        return "abcdefgh"[square % size] + str(square // size % size + 1)

    def winner(self) -> Optional[str]:
        """`x`, `o` or `draw`; None before the end."""
        if self.game in REVERSI:
            if self._squares("x") or self._squares("o"):
                return None
            discs = self.discs()
            return "draw" if discs == 0 else "x" if discs > 0 else "o"
        sides = (1, 3, 3) if self.game == "tictactoe" else (4, 4, 4)
        for start in range(len(self.cells)):
            place = (start // sides[1] // sides[2], start // sides[2] % sides[1], start % sides[2])
            for step in range(27):
                delta = (step // 9 - 1, step // 3 % 3 - 1, step % 3 - 1)
                line = [tuple(place[axis] + n * delta[axis] for axis in range(3)) for n in range(sides[2])]
                if delta == (0, 0, 0) or not all(0 <= p[axis] < sides[axis] for p in line for axis in range(3)):
                    continue
                found = {self.cells[(p[0] * sides[1] + p[1]) * sides[2] + p[2]] for p in line}
                if len(found) == 1 and found != {"."}:
                    return found.pop()
        return None if "." in self.cells else "draw"

    def discs(self) -> int:
        """The score of a finished Reversi game for the first player."""
        difference = self.cells.count("x") - self.cells.count("o")
        if self.game in EMPTIES_COUNT and difference:
            difference += self.cells.count(".") * (1 if difference > 0 else -1)
        return difference

    def moves(self) -> list[str]:
        """The legal moves; none after the end."""
        if self.winner():
            return []
        if self.game in REVERSI:
            return [self._name(square) for square in self._squares(self.to_move)] or ["pass"]
        if self.game == "scorefour":
            return [self._name(square) for square in range(16) if self.cells[48 + square] == "."]
        return [self._name(square) for square, cell in enumerate(self.cells) if cell == "."]

    def play(self, move: str) -> None:
        """Plays a legal move."""
        assert move in self.moves(), f"{self.game}: {move} is not one of {self.moves()}"
        if move != "pass":
            square = next(n for n, cell in enumerate(self.cells) if cell == "." and self._name(n) == move)
            for flipped in self._flips(square, self.to_move) if self.game in REVERSI else []:
                self.cells[flipped] = self.to_move
            self.cells[square] = self.to_move
        self.to_move = self.other
