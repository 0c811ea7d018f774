"""Positions of all games. The rules are the engine's: one process, started at the first use, answers for all boards."""

from __future__ import annotations

import atexit
import os
import re
import threading
from dataclasses import dataclass
from typing import Optional

from .engine import Engine, EngineTerminated, EngineTimeout, Limit, Moves, UgiError

LINE_GAMES = ("tictactoe", "scorefour")  # decided games of these score 1 or -1; all others are scored in discs


class IllegalMove(UgiError, ValueError):
    """The move is not legal in the position."""


@dataclass(frozen=True)
class _State:
    """The state of a position, as the engine reports it."""

    text: str
    p1_turn: bool
    result: str
    legal_moves: tuple[str, ...]


class _Referee:
    """The engine process that answers for the boards of this process; started again after a crash and in a forked process."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self._lock = threading.RLock()
        self._engine: Optional[Engine] = None

    def quit(self) -> None:
        with self._lock:
            if self._engine is not None:
                self._engine.quit()
                self._engine = None

    def state(self, board: Board) -> _State:
        with self._lock, self as engine:
            board.set_up(engine)
            text, p1_turn, result, legal = engine.queries("fen", "p1turn", "result", "legalmoves")
        return _State(text, p1_turn == "true", result, () if legal == "none" else tuple(legal.split()))

    def read(self, game: str, position: Optional[str], moves: Moves) -> tuple[str, list[str]]:
        with self._lock, self as engine:
            engine.set_game(game)
            return engine.read(position or "startpos", moves)

    def final_score(self, board: Board) -> int:
        with self._lock, self as engine:
            board.set_up(engine)
            return engine.go(Limit(depth=0)).info.score or 0

    def diagram(self, board: Board) -> str:
        with self._lock, self as engine:
            board.set_up(engine)
            return engine.diagram()

    def __enter__(self) -> Engine:
        if self._engine is None:
            self._engine = Engine()
        return self._engine

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if isinstance(error, (EngineTerminated, EngineTimeout)):
            self.quit()


_referee = _Referee()
atexit.register(_referee.quit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_referee.forget)


class Board:
    """A position and the moves that led to it, in any game of nullwindow: `othello`, `othello6`, `othello4`, `diamond`, `diamond2`,
    `tictactoe` or `scorefour`. `position` is a text in any format that nullwindow reads (FEN, OBF, GGF, PGN, a list of moves).

    >>> board = Board("othello", moves="f5 d6")
    >>> board.legal_moves
    ['c3', 'c4', 'c5', 'c6', 'c7']
    >>> board.play("c3")
    >>> board.text
    '8/8/2x5/3xx3/3oxx2/3o4/8/8 o'
    >>> board.undo()
    'c3'
    >>> board.moves
    ['f5', 'd6']
    """

    def __init__(self, game: str = "othello", position: Optional[str] = None, moves: Moves = ()) -> None:
        self.game = game
        self.start, self._moves = _referee.read(game, position, moves)
        self._states: dict[int, _State] = {}  # by the number of moves played

    @property
    def _state(self) -> _State:
        ply = len(self._moves)
        if ply not in self._states:
            self._states[ply] = _referee.state(self)
        return self._states[ply]

    def set_up(self, engine: Engine) -> None:
        """Selects the game in an engine and sets up the position with its moves."""
        engine.set_game(self.game)
        engine.position(self.start, self.moves)

    @property
    def moves(self) -> list[str]:
        """The moves played since `start`, including passes."""
        return list(self._moves)

    @property
    def legal_moves(self) -> list[str]:
        """The legal moves: `['pass']` if the side to move must pass, `[]` if the game is over."""
        return list(self._state.legal_moves)

    @property
    def p1_turn(self) -> bool:
        """Whether the first player (Black, X) is to move."""
        return self._state.p1_turn

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.result is not None

    @property
    def result(self) -> Optional[str]:
        """`p1win`, `p2win` or `draw`; None if the game is not over.

        >>> Board("tictactoe", moves="a1 b1 a2 b2 a3").result
        'p1win'
        """
        return None if self._state.result == "none" else self._state.result

    @property
    def score(self) -> Optional[int]:
        """The final score for the first player, None if the game is not over: discs, or 1, 0 or -1 in games won by a line. In
        `othello` and `othello6`, the winner gets the empty squares.

        >>> Board(position="8/8/8/8/8/8/8/xxxo4 x").score is None
        True
        >>> Board(position="8/8/8/8/8/8/8/xxx5 o").score
        64
        """
        if not self.is_over:
            return None
        score = _referee.final_score(self) * (1 if self.p1_turn else -1)
        return (score > 0) - (score < 0) if self.game in LINE_GAMES else score // 100

    @property
    def text(self) -> str:
        """The position as text, which `position` accepts."""
        return self._state.text

    @property
    def rows(self) -> list[str]:
        """The squares row by row: `x` first player, `o` second player, `.` empty, `*` no square. In `scorefour`, rows 1 to 4 of the
        lowest layer come first.

        >>> Board("othello4").rows
        ['....', '.ox.', '.xo.', '....']
        """
        return re.split(r"[/|]", re.sub(r"\d", lambda run: "." * int(run[0]), self.text.split()[0]))

    def play(self, move: str) -> None:
        """Plays a legal move; `IllegalMove` leaves the board as it is.

        >>> Board("othello").play("a1")
        Traceback (most recent call last):
        ...
        nullwindow.board.IllegalMove: illegal move "a1" in 8/8/8/3ox3/3xo3/8/8/8 x, expected one of: d3 c4 f5 e6
        """
        if move.lower() not in self._state.legal_moves:
            legal = f"expected one of: {' '.join(self.legal_moves)}" if self.legal_moves else "the game is over"
            raise IllegalMove(f'illegal move "{move}" in {self.text}, {legal}')
        self._moves.append(move.lower())

    def undo(self) -> str:
        """Undoes the last move (or pass) and returns it; `IndexError` at the start."""
        self._states.pop(len(self._moves), None)
        return self._moves.pop()

    def copy(self) -> Board:
        """An independent board with the same moves."""
        other = Board.__new__(Board)
        other.game, other.start, other._moves, other._states = self.game, self.start, self.moves, dict(self._states)
        return other

    def diagram(self) -> str:
        r"""The board as the engine draws it, for people.

        >>> print("board:", Board("othello4").diagram(), sep="\n")
        board:
          a b c d
        1 . + . .
        2 + o x .
        3 . x o +
        4 . . + .
        x to move, x 2, o 2
        """
        return _referee.diagram(self)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Board({self.game!r}, {self.start!r}, {' '.join(self._moves)!r})"
