"""Exact scores."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Iterator, Optional, Sequence, Union

from .board import Board
from .engine import Engine, EngineError, Limit, check_engine, quoted
from .rules import LINE_GAMES


@dataclass(frozen=True)
class Solution:
    """An exact score for the side to move: discs, or 1 (won), 0 and -1 in games won by a line; with a best move (None if the game is
    over), a variation that reaches the score, and the number of nodes searched."""

    score: int
    move: Optional[str]
    pv: tuple[str, ...]
    nodes: int


def solve(
    position: Union[Board, str, None] = None,
    game: Optional[str] = None,
    engine: Optional[Engine] = None,
    timeout: Optional[float] = None,
    move: Optional[str] = None,
) -> Solution:
    """Solves a position: a board, or a text in any format that nullwindow reads; without one, the start of the game. With `move`, the
    score is that of this legal move. `engine` (default: a new process) sets options such as `Threads` and `Hash`; it solves at full
    strength whatever its option `Strength`. `EngineTimeout` after `timeout` seconds, or if the engine hangs.

    >>> solve("--XXXXX--OOOXX-O-OOOXXOX-OXOXXOXOXXXXXO-OOXXX-O--OOXX---OOOOO--- X").score > 0
    True
    >>> solve(game="tictactoe").score
    0
    >>> solve("c2 b4 c5 d2 e4 c6 b3 a2", "othello6", move="a3").score
    -6
    """
    if engine is not None:
        check_engine(engine)
    board = position if isinstance(position, Board) else Board("othello" if game is None else game, position)
    if game is not None and game != board.game:
        raise ValueError(f"game {quoted(game)}: the board is one of {board.game}")
    if move is not None:
        board.copy().play(move)  # raises `IllegalMove`
    limit = Limit(exact=True, searchmoves=() if move is None else move.lower())
    with Engine() if engine is None else nullcontext(engine) as solver, solver.lock, _full_strength(solver):
        board.set_up(solver)
        with solver.analysis(limit, timeout) as analysis:
            for _ in analysis:
                pass
        result = analysis.result
    if not result.exact or result.info.score is None:
        raise EngineError(f"{solver.name} ended the search of {board.text} without an exact score")
    score = result.info.score
    value = (score > 0) - (score < 0) if board.game in LINE_GAMES else score // 100
    return Solution(value, result.move, result.info.pv, result.info.nodes or 0)


@contextmanager
def _full_strength(engine: Engine) -> Iterator[None]:
    """Below full strength, the engine reports the score of the weaker move that it plays. The engine keeps the order of commands, so
    its option is restored even if it has not answered by then."""
    strength = engine._set.get("Strength") or _strength_of_command(engine.command)
    process = engine._process
    if strength != "0":
        process.send("setoption name Strength value 0")
    try:
        yield
    finally:
        if strength != "0":
            process.send(f"setoption name Strength value {strength}")


def _strength_of_command(words: Sequence[str]) -> str:
    """The option `Strength` that a command line sets (`--option Strength=30`)."""
    settings = [word.removeprefix("--option=").partition("=") for word in words]
    values = [value for name, _, value in settings if name.strip().lower() == "strength"]
    return values[-1] if values else "0"
