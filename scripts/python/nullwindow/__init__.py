"""The Othello engine nullwindow from Python: search, the rules of all its games, exact scores, games between players.

Every answer comes from the engine, a separate process. The package needs only the standard library.

    >>> import nullwindow
    >>> with nullwindow.Engine() as engine:
    ...     engine.position(moves="f5 d6 c3")
    ...     result = engine.go(nullwindow.Limit(depth=8))
    >>> result.move in nullwindow.Board("othello", moves="f5 d6 c3").legal_moves
    True

`Engine` runs any engine that speaks UGI. `Board` knows the rules of every game of nullwindow, `solve` returns exact scores, and
`play` plays a game between engines and functions:

    >>> nullwindow.solve(game="othello4").score
    -8
"""

from .board import Board, IllegalMove
from .engine import (
    Accuracy,
    Analysis,
    Engine,
    EngineError,
    EngineTerminated,
    EngineTimeout,
    Info,
    Limit,
    Option,
    Result,
    UgiError,
    engine_path,
    moves_of,
)
from .play import Player, play
from .solve import Solution, solve

__all__ = [
    "Accuracy",
    "Analysis",
    "Board",
    "Engine",
    "EngineError",
    "EngineTerminated",
    "EngineTimeout",
    "IllegalMove",
    "Info",
    "Limit",
    "Option",
    "Player",
    "Result",
    "Solution",
    "UgiError",
    "engine_path",
    "moves_of",
    "play",
    "solve",
]
