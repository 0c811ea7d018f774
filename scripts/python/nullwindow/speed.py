"""The speed of the rules: `python -m nullwindow.speed [GAME...]` prints plies per second of random games with `Board`, by default
for all games. Exit status 2 if a game is unknown."""

from __future__ import annotations

import argparse
import random
import time

from .board import Board
from .engine import EngineError
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


def _game(name: str) -> str:
    """A parser of games."""
    try:
        return Board(name).game
    except EngineError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _main() -> None:
    parser = argparse.ArgumentParser(prog="python -m nullwindow.speed", description="Print plies per second of random games.")
    # Without `choices`: before Python 3.12 they would have to contain the default.
    parser.add_argument("games", nargs="*", type=_game, default=GAMES, metavar="GAME", help=f"default: {' '.join(GAMES)}")
    for game in parser.parse_args().games:
        print(f"{game}: {speed(game):.0f} plies per second")


if __name__ == "__main__":
    _main()
