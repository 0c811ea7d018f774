"""Games between engines and functions."""

from __future__ import annotations

from typing import Callable, Optional, Union

from .board import Board, IllegalMove
from .engine import Engine, Limit, check_limit, quoted

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
    check_move_limit(limit)
    board = start.copy() if isinstance(start, Board) else Board(start)
    for number, player in enumerate((first, second), 1):
        check_player(player, f"player {number}")
        if isinstance(player, Engine):
            with player.lock:
                board.set_up(player)
                player.new_game()
    while not board.is_over:
        if board.legal_moves == ["pass"]:
            board.play("pass")
            continue
        number = 1 if board.p1_turn else 2
        player = first if number == 1 else second
        move = move_of(player, board, limit)
        try:
            board.play(move)  # type: ignore[arg-type]
        except IllegalMove:
            raise IllegalMove(f"player {number}: illegal move {quoted(move)} by {name_of(player)} in {board._expected()}") from None
    return board


def check_move_limit(limit: Limit) -> None:
    """Raises an error for limits that are not those of one move."""
    check_limit(limit)
    if limit.infinite or limit.p1time is not None:
        raise ValueError(f'"{limit.words()}": expected a limit per move: depth, nodes or movetime')


def check_player(player: Player, what: str) -> None:
    if not isinstance(player, Engine) and not callable(player):
        raise TypeError(f"{what}: {quoted(player)}: expected an Engine or a function from a board to a move")


def name_of(player: Player) -> str:
    """The name of an engine or function, for display."""
    names = (getattr(player, "name", None), getattr(player, "__name__", None), type(player).__name__)
    return next(name for name in names if name and isinstance(name, str))


def move_of(player: Player, board: Board, limit: Limit) -> Optional[object]:
    """What a player plays, legal or not."""
    if not isinstance(player, Engine):
        return player(board.copy())
    with player.lock:
        board.set_up(player)
        return player.go(limit).move
