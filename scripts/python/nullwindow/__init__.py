"""The Othello engine nullwindow from Python: search, the rules of all its games, exact scores, games between players.

The engine is a separate process; the rules are plain Python. The package needs only the standard library.

    >>> import nullwindow
    >>> with nullwindow.Engine() as engine:
    ...     engine.position(moves="f5 d6 c3")
    ...     result = engine.go(nullwindow.Limit(depth=8))
    >>> result.move in nullwindow.Board("othello", moves="f5 d6 c3").legal_moves
    True

`Engine` runs any engine that speaks UGI. `Board` knows the rules of every game of nullwindow, `solve` returns exact scores, `play`
plays a game between engines and functions, and `evaluate_agent` measures a player:

    >>> nullwindow.solve(game="othello4").score
    -8
"""

from importlib.metadata import PackageNotFoundError, version

from .board import Board, IllegalMove
from .engine import (
    Accuracy,
    Analysis,
    Engine,
    EngineError,
    Info,
    Limit,
    Option,
    Result,
    engine_path,
    moves_of,
)
from .evaluate import Evaluation, Rung, evaluate_agent
from .play import Player, play
from .process import EngineTerminated, EngineTimeout, UgiError
from .solve import Solution, solve

try:
    __version__ = version("nullwindow")
except PackageNotFoundError:  # a clone, without installation
    __version__ = "0+source"

__all__ = [
    "Accuracy",
    "Analysis",
    "Board",
    "Engine",
    "EngineError",
    "EngineTerminated",
    "EngineTimeout",
    "Evaluation",
    "IllegalMove",
    "Info",
    "Limit",
    "Option",
    "Player",
    "Result",
    "Rung",
    "Solution",
    "UgiError",
    "__version__",
    "engine_path",
    "evaluate_agent",
    "moves_of",
    "play",
    "solve",
]
