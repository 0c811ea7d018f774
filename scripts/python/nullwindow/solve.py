"""Exact scores."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import Optional, Union

from .board import LINE_GAMES, Board
from .engine import Engine, Limit


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
    game: str = "othello",
    engine: Optional[Engine] = None,
    timeout: Optional[float] = None,
) -> Solution:
    """Solves a position: a board, or a text in any format that nullwindow reads; without one, the start of the game. `engine`
    (default: a new process) sets options such as `Threads` and `Hash`. `EngineTimeout` after `timeout` seconds.

    >>> solve("--XXXXX--OOOXX-O-OOOXXOX-OXOXXOXOXXXXXO-OOXXX-O--OOXX---OOOOO--- X").score > 0
    True
    >>> solve(game="tictactoe").score
    0
    """
    board = position if isinstance(position, Board) else Board(game, position)
    with Engine() if engine is None else nullcontext(engine) as solver:
        board.set_up(solver)
        analysis = solver.analysis(Limit(exact=True), timeout)
        for _ in analysis:
            pass
    result = analysis.result
    score = result.info.score or 0
    value = (score > 0) - (score < 0) if board.game in LINE_GAMES else score // 100
    return Solution(value, result.move, result.info.pv, result.info.nodes or 0)
