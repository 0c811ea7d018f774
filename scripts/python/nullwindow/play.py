"""Games between engines and functions."""

from __future__ import annotations

from typing import Callable, Union

from .board import Board, IllegalMove
from .engine import Engine, Limit

Player = Union[Engine, Callable[[Board], str]]


def play(first: Player, second: Player, start: Union[str, Board] = "othello", limit: Limit = Limit(nodes=10_000)) -> Board:
    """Plays a game and returns its last board, with moves, result and score. A player is an engine or a function from the board to
    a move; `first` is the first player of the game (Black, X), even if `start` is a board with the second player to move. `limit`
    is the limit of an engine per move. Forced passes are played without asking. `IllegalMove` names a player that makes one.

    >>> with Engine(options={"Strength": 20}) as weak, Engine() as strong:
    ...     board = play(weak, strong, "othello6", Limit(nodes=2_000))
    >>> board.is_over and len(board.moves) > 8
    True
    >>> lowest = lambda board: min(board.legal_moves)
    >>> play(lowest, lowest, "tictactoe").moves
    ['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'c1']
    """
    if limit.infinite or limit.p1time is not None or limit.p2time is not None:
        raise ValueError(f'"{limit.words()}": expected a limit per move: depth, nodes or movetime')
    board = start.copy() if isinstance(start, Board) else Board(start)
    for player in (first, second):
        if isinstance(player, Engine):
            board.set_up(player)
            player.new_game()
    while not board.is_over:
        if board.legal_moves == ["pass"]:
            board.play("pass")
            continue
        number = 1 if board.p1_turn else 2
        move = _move(first if number == 1 else second, board, limit)
        try:
            board.play(move)
        except IllegalMove as error:
            raise IllegalMove(f"player {number}: {error}") from None
    return board


def _move(player: Player, board: Board, limit: Limit) -> str:
    if not isinstance(player, Engine):
        return player(board.copy())
    board.set_up(player)
    return player.go(limit).move or "no move"
