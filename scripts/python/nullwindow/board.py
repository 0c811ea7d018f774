"""Positions of all games. The rules are plain Python; the engine reads positions and games in formats other than its own."""

from __future__ import annotations

import os
import re
import threading
from typing import Callable, ClassVar, Hashable, Optional, TypeVar

from .drawing import svg
from .engine import Engine, EngineError, Moves, check_engine, move_words, quoted
from .process import EngineTerminated, EngineTimeout, UgiError
from .rules import GAMES, Rules, State, rules_of

T = TypeVar("T")


class IllegalMove(UgiError, ValueError):
    """The move is not legal in the position."""


class _Reader:
    """The engine process that reads texts and draws diagrams for all boards of this process; started at the first use, again after a
    crash, and in a forked process."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self._lock = threading.RLock()
        self._engine: Optional[Engine] = None

    def ask(self, question: Callable[[Engine], T]) -> T:
        with self._lock:
            if self._engine is None:
                self._engine = Engine()
            try:
                return question(self._engine)
            except (EngineTerminated, EngineTimeout):
                self._engine.quit()
                self._engine = None
                raise


_reader = _Reader()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reader.forget)


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

    Boards are equal if game, stones and side to move are equal, however they were reached. A board changes, so it has no hash:
    use `key` in sets and dictionaries.

    >>> Board(moves="f5 d6 c3") == Board(position="8/8/2x5/3xx3/3oxx2/3o4/8/8 o")
    True
    >>> len({Board(moves="f5").key, Board(moves="f5").key, Board(moves="d3").key})
    2
    """

    def __init__(self, game: str = "othello", position: Optional[str] = None, moves: Moves = ()) -> None:
        if game not in GAMES:
            raise EngineError(f"unknown game {quoted(game)}, expected one of: {' '.join(GAMES)}")
        if not isinstance(position, (str, type(None))):
            raise TypeError(f"position {position!r}: expected a text, or None for the start of the game")
        words = move_words(moves)
        moves = moves if isinstance(moves, str) else words  # an iterator yields its moves once
        self.game = game
        self._rules: Rules = rules_of(game)
        self._legal: Optional[tuple[str, ...]] = None  # of the last state, if known
        start = self._rules.start if position is None else self._rules.parse(position)
        if start is None or not self._replay(start, words):
            # In another notation, or with an error, which the engine describes.
            text, words = _reader.ask(lambda engine: _read(engine, game, position, moves))
            start = self._rules.parse(text, trusted=True)
            if start is None or not self._replay(start, words):
                raise EngineError(f"the engine plays {game} by other rules: {text}, moves {' '.join(words)}")

    def _replay(self, start: State, words: list[str]) -> bool:
        """Plays moves from a position; false if one is not legal."""
        self._states = [start]
        self._moves: list[str] = []
        for word in words:
            after = self._rules.play(self._states[-1], word.lower())
            if after is None:
                return False
            self._states.append(after)
            self._moves.append(word.lower())
        return True

    def set_up(self, engine: Engine) -> None:
        """Selects the game in an engine and sets up the position with its moves. An engine without option `Game` is expected to play
        it. Other threads that use the engine must wait: hold `engine.lock` up to the answer."""
        check_engine(engine)
        with engine.lock:
            engine.set_game(self.game)
            engine.position(self.start, self._moves)

    @property
    def start(self) -> str:
        """The position before the first move, as text."""
        return self._rules.text(self._states[0])

    @property
    def moves(self) -> list[str]:
        """The moves played since `start`, including passes."""
        return list(self._moves)

    @property
    def legal_moves(self) -> list[str]:
        """The legal moves: `['pass']` if the side to move must pass, `[]` if the game is over."""
        return list(self._legal_moves())

    def _legal_moves(self) -> tuple[str, ...]:
        if self._legal is None:
            self._legal = self._rules.legal_moves(self._states[-1])
        return self._legal

    @property
    def p1_turn(self) -> bool:
        """Whether the first player (Black, X) is to move."""
        return self._states[-1].p1_turn

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return not self._legal_moves()

    @property
    def result(self) -> Optional[str]:
        """`p1win`, `p2win` or `draw`; None if the game is not over.

        >>> Board("tictactoe", moves="a1 b1 a2 b2 a3").result
        'p1win'
        """
        score = self.score
        return None if score is None else "p1win" if score > 0 else "p2win" if score < 0 else "draw"

    @property
    def score(self) -> Optional[int]:
        """The final score for the first player, None if the game is not over: discs, or 1, 0 or -1 in games won by a line. In
        `othello` and `othello6`, the winner gets the empty squares.

        >>> Board(position="8/8/8/8/8/8/8/xxxo4 x").score is None
        True
        >>> Board(position="8/8/8/8/8/8/8/xxx5 o").score
        64
        """
        return self._rules.score(self._states[-1]) if self.is_over else None

    @property
    def text(self) -> str:
        """The position as text, which `position` accepts."""
        return self._rules.text(self._states[-1])

    @property
    def key(self) -> Hashable:
        """A value that two boards have in common if and only if they are equal. Only its hash and equality are defined."""
        return (self.game, *self._states[-1])

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
        name = move.lower() if isinstance(move, str) else ""
        after = self._rules.play(self._states[-1], name)
        if after is None:
            raise IllegalMove(f"illegal move {quoted(move)} in {self._expected()}")
        self._states.append(after)
        self._moves.append(name)
        self._legal = None

    def _expected(self) -> str:
        """The position and its legal moves, for errors."""
        legal = " ".join(self._legal_moves())
        return f"{self.text}, {f'expected one of: {legal}' if legal else 'the game is over'}"

    def undo(self) -> str:
        """Undoes the last move (or pass) and returns it; `IndexError` at the start."""
        if not self._moves:
            raise IndexError("undo at the start of the game")
        self._legal = None
        self._states.pop()
        return self._moves.pop()

    def copy(self) -> Board:
        """An independent board with the same moves, as `copy.copy` and `copy.deepcopy` make it."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._states, other._moves = self._states[:], self._moves[:]
        return other

    __copy__ = copy

    def __eq__(self, other: object) -> bool:
        return self.key == other.key if isinstance(other, Board) else NotImplemented

    __hash__: ClassVar[None]  # type: ignore[assignment]

    def diagram(self) -> str:
        r"""The board as the engine draws it, for display.

        >>> print("board:", Board("othello4").diagram(), sep="\n")
        board:
          a b c d
        1 . + . .
        2 + o x .
        3 . x o +
        4 . . + .
        x to move, x 2, o 2
        """
        return _reader.ask(self._diagram)

    def _diagram(self, engine: Engine) -> str:
        self.set_up(engine)
        return engine.diagram()

    def _repr_svg_(self) -> str:
        """The board as a picture, which notebooks show, with the legal moves and the last move."""
        last = self._moves[-1] if self._moves else None
        return svg(self.game, self.rows, self._legal_moves(), last, self.p1_turn)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Board({self.game!r}, {self.start!r}, {' '.join(self._moves)!r})"


def _read(engine: Engine, game: str, position: Optional[str], moves: Moves) -> tuple[str, list[str]]:
    engine.set_game(game)
    return engine.read("startpos" if position is None else position, moves)
