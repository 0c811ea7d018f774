"""The rules of all games in plain Python, on integers as bitboards. The tests compare them with the engine on random games.

`python -m nullwindow.speed` prints the speed of random games.
"""

from __future__ import annotations

import re
from typing import NamedTuple, Optional


class State(NamedTuple):
    """A position: the stones of the side to move and of the other side, and whether the first player is to move."""

    own: int
    other: int
    p1_turn: bool


class Rules:
    """The rules of a game. `squares` are the bits of a position in the order of its text, 0 for a missing square."""

    def __init__(self, game: str, squares: list[list[int]], rows_per_layer: int) -> None:
        self.game = game
        self._rows = squares
        self._rows_per_layer = rows_per_layer
        self.board = sum(bit for row in squares for bit in row)
        self.start = State(0, 0, True)

    def __reduce__(self) -> tuple[object, ...]:
        return rules_of, (self.game,)  # one object per game, also after pickling

    def legal_moves(self, state: State) -> tuple[str, ...]:
        """The legal moves in the engine's order; `("pass",)` if the side to move must pass, `()` if the game is over."""
        raise NotImplementedError

    def play(self, state: State, move: str) -> Optional[State]:
        """The position after a move; None if it is not legal."""
        raise NotImplementedError

    def score(self, state: State) -> int:
        """The score of a finished game for the first player."""
        raise NotImplementedError

    def _is_plain(self, state: State) -> bool:
        """Whether the engine certainly accepts the position, given stones on squares of the board."""
        raise NotImplementedError

    def text(self, state: State) -> str:
        """The position as the engine writes it."""
        first, second = (state.own, state.other) if state.p1_turn else (state.other, state.own)
        rows = []
        for row in self._rows:
            pieces = "".join("*" if not bit else "x" if bit & first else "o" if bit & second else "." for bit in row)
            rows.append(re.sub(r"\.+", lambda run: str(len(run[0])), pieces))
        size = self._rows_per_layer
        layers = ["/".join(rows[first : first + size]) for first in range(0, len(rows), size)]
        return f"{'|'.join(layers)} {'x' if state.p1_turn else 'o'}"

    def parse(self, text: str, trusted: bool = False) -> Optional[State]:
        """Reads a position as the engine writes it. None for other forms, and, unless `trusted`, for positions that the engine may
        reject."""
        first = second = 0
        pieces = re.sub(r"[1-9]", lambda run: "." * int(run[0]), re.sub(r"[/|]", "", text[:-2]))
        squares = [bit for row in self._rows for bit in row]
        if len(pieces) != len(squares):
            return None
        for piece, bit in zip(pieces, squares):
            first |= bit if piece == "x" else 0
            second |= bit if piece == "o" else 0
        state = State(first, second, True) if text.endswith("x") else State(second, first, False)
        return state if self.text(state) == text and (trusted or self._is_plain(state)) else None


class Reversi(Rules):
    """Boards of Reversi. A row has one bit more than squares, which is never occupied, so that shifts do not wrap around."""

    def __init__(self, game: str, shape: str, empties_to_winner: bool) -> None:
        lines = shape.split("/")
        stride = len(lines[0]) + 1
        rows = [
            [0 if piece == "*" else 1 << stride * row + column for column, piece in enumerate(line)]
            for row, line in enumerate(lines)
        ]
        super().__init__(game, rows, len(rows))
        self._shifts = (1, stride - 1, stride, stride + 1)
        self._names = {bit: f"{'abcdefgh'[column]}{row + 1}" for row, line in enumerate(rows) for column, bit in enumerate(line)}
        self._names.pop(0, None)
        self._bits = {name: bit for bit, name in self._names.items()}
        self._empties_to_winner = empties_to_winner
        placed = [(bit, piece) for row, line in zip(rows, lines) for bit, piece in zip(row, line)]
        first, second = (sum(bit for bit, piece in placed if piece == kind) for kind in "xo")
        self.start = State(first, second, True)

    def _mobility(self, own: int, other: int) -> int:
        """The empty squares where `own` flips a disc."""
        moves = 0
        for shift in self._shifts:
            run = own << shift & other
            while run:
                run <<= shift
                moves |= run
                run &= other
            run = own >> shift & other
            while run:
                run >>= shift
                moves |= run
                run &= other
        return moves & (self.board ^ own ^ other)

    def legal_moves(self, state: State) -> tuple[str, ...]:
        own, other, _ = state
        moves = self._mobility(own, other)
        if not moves:
            return ("pass",) if self._mobility(other, own) else ()
        names = self._names
        found = []
        while moves:
            square = moves & -moves
            found.append(names[square])
            moves ^= square
        return tuple(found)

    def play(self, state: State, move: str) -> Optional[State]:
        own, other, p1_turn = state
        square = self._bits.get(move, 0)
        if not square:
            passes = move == "pass" and self.legal_moves(state) == ("pass",)
            return State(other, own, not p1_turn) if passes else None
        if square & (own | other):
            return None
        flips = 0
        for shift in self._shifts:
            run = square << shift
            if run & other:
                line = 0
                while run & other:
                    line |= run
                    run <<= shift
                if run & own:
                    flips |= line
            run = square >> shift
            if run & other:
                line = 0
                while run & other:
                    line |= run
                    run >>= shift
                if run & own:
                    flips |= line
        return State(other ^ flips, own | square | flips, not p1_turn) if flips else None

    def score(self, state: State) -> int:
        own, other = (bin(stones).count("1") for stones in state[:2])
        difference = own - other
        if self._empties_to_winner and difference:
            empties = bin(self.board).count("1") - own - other
            difference += empties if difference > 0 else -empties
        return difference if state.p1_turn else -difference

    def _is_plain(self, state: State) -> bool:
        return True


class Lines(Rules):
    """Games of `size` stones in a row on `size` x `size` pegs, each of which holds `levels` stones."""

    def __init__(self, game: str, size: int, levels: int, last_row_first: bool) -> None:
        pegs = size * size
        rows = [[1 << size * row + column for column in range(size)] for row in range(size * levels)]
        super().__init__(game, rows[::-1] if last_row_first else rows, size)
        self._pegs = {f"{'abcd'[peg % size]}{peg // size + 1}": 1 << peg for peg in range(pegs)}
        self._levels = range(0, pegs * levels, pegs)
        self._lowest = (1 << pegs) - 1
        self._lines = []
        ends = (-1, 0, 1)
        for direction in [(z, y, x) for z in ends for y in ends for x in ends if (z, y, x) > (0, 0, 0)]:
            for cell in range(pegs * levels):
                start = (cell // pegs, cell // size % size, cell % size)
                cells = [tuple(place + step * ahead for place, step in zip(start, direction)) for ahead in range(size)]
                if all(0 <= z < levels and 0 <= y < size and 0 <= x < size for z, y, x in cells):
                    self._lines.append(sum(1 << pegs * z + size * y + x for z, y, x in cells))

    def _has_line(self, stones: int) -> bool:
        for line in self._lines:
            if stones & line == line:
                return True
        return False

    def legal_moves(self, state: State) -> tuple[str, ...]:
        if self._has_line(state.other):
            return ()
        top = (state.own | state.other) >> self._levels[-1]
        return tuple(name for name, peg in self._pegs.items() if not top & peg)

    def play(self, state: State, move: str) -> Optional[State]:
        own, other, p1_turn = state
        peg = self._pegs.get(move, 0)
        if not peg or self._has_line(other):
            return None
        for level in self._levels:
            if not (own | other) & peg << level:
                return State(other, own | peg << level, not p1_turn)
        return None

    def score(self, state: State) -> int:
        lost = self._has_line(state.other)
        return 0 if not lost else -1 if state.p1_turn else 1

    def _is_plain(self, state: State) -> bool:
        stones = state.own | state.other
        own, other = (bin(side).count("1") for side in state[:2])
        supported = stones << self._levels[1] | self._lowest if len(self._levels) > 1 else stones
        return (
            own == other - (not state.p1_turn)
            and not stones & ~supported
            and not self._has_line(state.own)
            and not self._has_line(state.other)
        )


_EIGHT, _SIX = "........", "......"
_RULES: dict[str, Rules] = {
    rules.game: rules
    for rules in (
        Reversi("othello", "/".join([_EIGHT] * 3 + ["...ox...", "...xo..."] + [_EIGHT] * 3), True),
        Reversi("othello6", "/".join([_SIX] * 2 + ["..ox..", "..xo.."] + [_SIX] * 2), True),
        Reversi("othello4", "..../.ox./.xo./....", False),
        Reversi("diamond", "**..**/*....*/..ox../..xo../*....*/**..**", False),
        Reversi("diamond2", "**..**/*....*/..ox../..ox../*....*/**..**", False),
        Lines("tictactoe", 3, 1, True),
        Lines("scorefour", 4, 4, False),
    )
}
GAMES = tuple(_RULES)
LINE_GAMES = ("tictactoe", "scorefour")  # decided games of these score 1 or -1; all others are scored in discs


def rules_of(game: str) -> Rules:
    """The rules of a game; `KeyError` for an unknown one."""
    return _RULES[game]
