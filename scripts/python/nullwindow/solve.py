"""Exact scores."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Iterator, Optional, Sequence, Union

from .board import Board
from .engine import Engine, EngineError, Limit, check_engine, quoted
from .rules import LINE_GAMES

# Below full strength, the engine reports the score of the weaker move that it plays. Without passes, it solves the position after them.
_SOLVING = {"Strength": "0", "UCI_LimitStrength": "false", "PassMove": "pass"}


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
    """Solves a position: a board, or a text in any format that nullwindow reads; without one, the start of the game. `game` (default:
    that of the board, or `othello`) is the game of the text. With `move`, the score is that of this legal move. `engine` (default: a new
    process) sets options such as `Threads` and `Hash`; it solves at full strength whatever its option `Strength`, with passes whatever
    its option `PassMove`. `EngineTimeout` after `timeout` seconds, or if the engine hangs.

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
    with Engine() if engine is None else nullcontext(engine) as solver, solver.lock, _solving(solver):
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
def _solving(engine: Engine) -> Iterator[None]:
    """Sets `_SOLVING`. The engine keeps the order of commands, so its options are restored even if it has not answered by then."""
    before: dict[str, Optional[str]] = {**_options_of_command(engine.command)}
    before.update((name.lower(), value) for name, value in engine._set.items())
    changed = [(name, value, before[name.lower()]) for name, value in _SOLVING.items() if before.get(name.lower(), value) != value]
    process = engine._process
    for name, neutral, _ in changed:
        process.send(f"setoption name {name} value {neutral}")
    try:
        yield
    finally:
        for name, _, value in changed:
            process.send(f"setoption name {name} value {value}")


def _options_of_command(words: Sequence[str]) -> dict[str, str]:
    """The options that a command line sets (`--option Strength=30`), by names in lower case."""
    settings = [word.removeprefix("--option=").partition("=") for word in words]
    return {name.strip().lower(): value for name, equals, value in settings if equals}
