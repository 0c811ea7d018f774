"""The speed of the rules: `python -m nullwindow.speed [GAME...]` prints plies per second of random games with `Board`."""

from __future__ import annotations

import random
import sys
import time

from .board import Board
from .rules import GAMES


def speed(game: str, seconds: float = 1.0) -> float:
    """Plies per second of CPU time; each ply lists the legal moves and plays one."""
    rng = random.Random(1)
    plies = 0
    began = time.process_time()
    while (spent := time.process_time() - began) < seconds:
        board = Board(game)
        while not board.is_over:
            board.play(rng.choice(board.legal_moves))
        plies += len(board.moves)
    return plies / spent


if __name__ == "__main__":
    for _game in sys.argv[1:] or GAMES:
        print(f"{_game}: {speed(_game):.0f} plies per second")
