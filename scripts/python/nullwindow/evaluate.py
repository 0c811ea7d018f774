"""The evaluation of a player: its moves against exact scores, and its games against opponents of rising strength."""

from __future__ import annotations

import json
import os
import random
import re
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, BinaryIO, Iterable, Optional, Sequence, Union

from .board import Board, IllegalMove
from .engine import LONGEST_SEARCH, Engine, EngineError, Limit, check_engine, is_iterable, quoted, seconds, whole
from .play import Player, check_move_limit, check_player, move_of, name_of
from .play import play as play_game
from .rules import LINE_GAMES
from .solve import solve

LADDER = (25, 20, 15, 10, 5, 0)
# Settled openings: random legal moves, few enough that neither player is lost.
OPENING_PLIES = {"othello": 6, "othello6": 4}


@dataclass(frozen=True)
class Rung:
    """The games against one opponent, from the player's side. A game with an illegal move is lost by all squares."""

    strength: int
    wins: int
    draws: int
    losses: int
    illegal: int
    score: float

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """The share of points: a draw is half a win."""
        return (self.wins + self.draws / 2) / self.games


@dataclass(frozen=True)
class Evaluation:
    """What `evaluate_agent` found. Scores are discs; in games won by a line, a win is 1 and a loss is -1. Figures without a position
    or game to measure are None."""

    positions: int
    skipped: int  # of them without a choice: finished, or a forced pass
    illegal: Optional[float]  # the share of illegal moves
    best: Optional[float]  # the share of moves, among all, that keep the exact score
    regret: Optional[float]  # the mean loss of a legal move against the exact score
    worst: Optional[int]  # the largest loss
    ladder: tuple[Rung, ...]

    def __str__(self) -> str:
        unit = "position" if self.positions == 1 else "positions"
        lines = [f"{self.positions} {unit}, {self.skipped} without a choice"]
        if self.illegal is not None and self.best is not None:
            lines.append(f"illegal moves: {self.illegal:.1%}, best moves: {self.best:.1%}")
        if self.regret is not None:
            lines.append(f"regret: {self.regret:.2f} per legal move, at most {self.worst}")
        for rung in self.ladder:
            score = f"{rung.wins} wins, {rung.draws} draws, {rung.losses} losses ({rung.illegal} by an illegal move)"
            lines.append(f"against Strength {rung.strength}: {score}, {rung.score:+.1f} a game")
        return "\n".join(lines)


def evaluate_agent(
    agent: Player,
    positions: Iterable[Union[Board, str]] = (),
    game: Optional[str] = None,
    *,
    ladder: Optional[Sequence[int]] = None,
    games: int = 4,
    limit: Limit = Limit(nodes=4_000),
    seed: int = 1,
    record: Union[str, os.PathLike[str], None] = None,
    engine: Optional[Engine] = None,
    timeout: float = LONGEST_SEARCH,
) -> Evaluation:
    """Evaluates a player: a function from a board to a move, or an engine.

    In each of `positions`, boards or texts of `game` (default: that of the first board, or `othello`), the agent's move is compared with
    the exact scores. Then it plays `games` games against each opponent of `ladder`, values of option `Strength` (default: `LADDER`; games
    won by a line have none), in pairs with both colors from random openings that depend on `seed`.
    `limit` is the limit per move of the engines. `engine` solves (default: a new process); a position must be solved in
    `timeout` seconds. An illegal move is counted; an exception of the agent is raised.

    `record` is a file of JSON lines, one for each position and game, written as soon as it is known. With a record that exists, what
    it contains is not repeated: the call continues after an interruption, or with more positions, games or opponents. A record belongs
    to one agent; `ValueError` if it contains an agent of another name, or other positions, openings or limits, `OSError` if it cannot be
    opened or written.

    >>> lowest = lambda board: min(board.legal_moves)
    >>> board = Board("othello6", moves="c2 b4 c5 d2 e4 c6 b3 a2")
    >>> print(evaluate_agent(lowest, [board], ladder=[]))
    1 position, 0 without a choice
    illegal moves: 0.0%, best moves: 0.0%
    regret: 12.00 per legal move, at most 12
    """
    check_player(agent, "agent")
    check_move_limit(limit)
    if engine is not None:
        check_engine(engine)
    games, seed, timeout = whole("games", games, 1), whole("seed", seed, None, None), seconds(timeout)
    if not is_iterable(positions):
        raise TypeError("positions: expected several, for instance a list with one board")
    positions = list(positions)
    if game is None:
        game = next((position.game for position in positions if isinstance(position, Board)), "othello")
    game = Board(game).game
    boards = []
    for number, position in enumerate(positions, 1):
        try:
            board = position.copy() if isinstance(position, Board) else Board(game, position)
        except (EngineError, TypeError, ValueError) as error:
            raise type(error)(f"position {number}: {error}") from error
        if board.game != game:
            raise ValueError(f"position {number} is one of {board.game}, expected {game}")
        boards.append(board)
    if ladder is not None and not is_iterable(ladder):
        raise TypeError(f"ladder {quoted(ladder)}: expected a sequence of strengths")
    rungs = (() if game in LINE_GAMES else LADDER) if ladder is None else tuple(ladder)
    if rungs and game in LINE_GAMES:
        raise ValueError(f"{game} has no ladder: option Strength needs discs")
    rungs = tuple(whole("ladder", strength, 0, 30) for strength in rungs)
    with ExitStack() as stack:
        lines = _Record(record, stack)
        if engine is None:
            engine = stack.enter_context(Engine())
        moves = [_position(agent, board, index, lines, engine, limit, timeout) for index, board in enumerate(boards)]
        results = []
        for strength in dict.fromkeys(rungs):
            options: dict[str, Union[str, int, bool]] = {"Game": game, "UCI_LimitStrength": False, "Strength": strength}
            with Engine(engine.command, engine.timeout, engine.cwd, options) as opponent:
                played = [_game(agent, opponent, game, strength, index, lines, limit, seed) for index in range(games)]
            results.append(_rung(strength, played))
    return _evaluation(moves, tuple(results))


def _position(
    agent: Player, board: Board, index: int, lines: _Record, engine: Engine, limit: Limit, timeout: float
) -> dict[str, Any]:
    """The agent's move in a position: a line of the record."""
    asked: dict[str, Any] = {"kind": "position", "game": board.game, "index": index, "position": board.text}
    if isinstance(agent, Engine):
        asked["limit"] = limit.words()
    known = lines.find(asked, agent)
    if known is not None:
        return known
    if len(board.legal_moves) == 0 or board.legal_moves == ["pass"]:
        return lines.add({**asked, "move": None, "skipped": True})
    move = move_of(agent, board, limit)
    line = {**asked, "agent": name_of(agent), "move": move if isinstance(move, str) else repr(move)}
    after = board.copy()
    try:
        after.play(move)  # type: ignore[arg-type]
    except IllegalMove:
        return lines.add({**line, "legal": False})
    best = solve(board, engine=engine, timeout=timeout)
    played = after.moves[-1]
    score = best.score if played == best.move else solve(board, engine=engine, timeout=timeout, move=played).score
    return lines.add({**line, "legal": True, "best": best.move, "exact": best.score, "score": score, "regret": best.score - score})


def _game(
    agent: Player, opponent: Engine, game: str, strength: int, index: int, lines: _Record, limit: Limit, seed: int
) -> dict[str, Any]:
    """A game of the ladder: a line of the record."""
    start = _opening(game, seed, index // 2)
    first = index % 2 == 0
    asked = {"kind": "game", "game": game, "strength": strength, "index": index, "first": first, "opening": " ".join(start.moves)}
    asked["limit"] = limit.words()
    known = lines.find(asked, agent)
    if known is not None:
        return known
    asked["agent"] = name_of(agent)
    try:
        board = play_game(agent if first else opponent, opponent if first else agent, start, limit)
    except IllegalMove as error:
        if not str(error).startswith(f"player {1 if first else 2}:"):
            raise
        squares = sum(square != "*" for row in start.rows for square in row)
        return lines.add({**asked, "illegal": str(error), "score": -squares})
    score = board.score or 0
    return lines.add({**asked, "illegal": None, "moves": " ".join(board.moves), "score": score if first else -score})


def _opening(game: str, seed: int, number: int) -> Board:
    """A position after random legal moves, the same for each opponent."""
    rng = random.Random(f"{game} {seed} {number}")
    while True:
        board = Board(game)
        while not board.is_over and len(board.moves) < OPENING_PLIES.get(game, 2):
            board.play(rng.choice(board.legal_moves))
        if not board.is_over:
            return board


def _rung(strength: int, played: Sequence[dict[str, Any]]) -> Rung:
    scores = [int(line["score"]) for line in played]
    wins, losses = sum(score > 0 for score in scores), sum(score < 0 for score in scores)
    illegal = sum(line["illegal"] is not None for line in played)
    return Rung(strength, wins, len(scores) - wins - losses, losses, illegal, sum(scores) / len(scores))


def _evaluation(moves: Sequence[dict[str, Any]], ladder: tuple[Rung, ...]) -> Evaluation:
    chosen = [line for line in moves if not line.get("skipped")]
    regrets = [int(line["regret"]) for line in chosen if line["legal"]]
    return Evaluation(
        positions=len(moves),
        skipped=len(moves) - len(chosen),
        illegal=1 - len(regrets) / len(chosen) if chosen else None,
        best=regrets.count(0) / len(chosen) if chosen else None,
        regret=sum(regrets) / len(regrets) if regrets else None,
        worst=max(regrets) if regrets else None,
        ladder=ladder,
    )


_POSITION = {"kind": "position", "game": str, "index": int, "position": str}
_MOVE = {**_POSITION, "agent": str, "move": str}
_GAME = {"kind": "game", "game": str, "strength": int, "index": int, "first": bool, "opening": str, "agent": str, "score": int}
# The fields of each line of a record, with their types or values. `limit` may stand beside them.
_LINES: tuple[dict[str, object], ...] = (
    {**_POSITION, "move": None, "skipped": True},
    {**_MOVE, "legal": False},
    {**_MOVE, "legal": True, "best": str, "exact": int, "score": int, "regret": int},
    {**_GAME, "illegal": str},
    {**_GAME, "illegal": None, "moves": str},
)
# A line without its end: fields, and a part of one.
_HEADS = (b'{"kind": "position", "game": "', b'{"kind": "game", "game": "')
_STRING = rb'"(?:[ !#-\[\]-~]|\\[ -~])*'
_CUT_OFF = re.compile(
    rb'\{(?:"[a-z]+": (?:%b"|-?\d+|[a-z]+), )*(?:"[a-z]*(?:"(?:: ?(?:%b\\?"?|[-\w]+)?)?)?,?)?' % (_STRING, _STRING)
)


class _Record:
    """A file of JSON lines that grows, with one writer. An incomplete last line, which an interrupted process leaves, is dropped; any
    other damage is an error."""

    def __init__(self, path: Union[str, os.PathLike[str], None], stack: ExitStack) -> None:
        self._path = path
        self._lines: dict[tuple[Any, ...], dict[str, Any]] = {}
        self._file: Optional[BinaryIO] = None
        if path is None:
            return
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"record {quoted(path)}: expected the path of a file")
        if os.path.exists(path) and not os.path.isfile(path):
            raise ValueError(f"record {os.fspath(path)}: not a regular file")
        self._file = stack.enter_context(open(path, "a+b"))
        if not _lock(self._file):
            raise ValueError(f"{os.fspath(path)} is being written by another process: wait until it ends, or stop it")
        self._file.seek(0)
        known = self._file.read().split(b"\n")
        rest = known[-1]
        cut_off = _is_cut_off(rest)
        for number, line in enumerate(known[:-1] if cut_off else known, 1):
            value = _parse(line)
            if value is None:
                text = quoted(line.decode("utf-8", "replace"))
                raise ValueError(f"{os.fspath(path)}, line {number}: not a line of evaluate_agent: {text}")
            self._lines[self._key(value)] = value
        end = self._file.seek(0, os.SEEK_END)
        if cut_off:
            self._file.truncate(end - len(rest))
        else:
            self._file.write(b"\n")

    @staticmethod
    def _key(line: dict[str, Any]) -> tuple[Any, ...]:
        return line["kind"], line.get("strength"), line["index"]

    def find(self, asked: dict[str, Any], agent: Player) -> Optional[dict[str, Any]]:
        """The line of this position or game; an error if it answers another question or has another agent."""
        line = self._lines.get(self._key(asked))
        if line is None:
            return None
        expected = {"agent": name_of(agent), **asked}
        if line.get("skipped"):
            del expected["agent"]  # no agent made a move
        for name, value in expected.items():
            if line.get(name) != value:
                what = f"{asked['kind']} {asked['index']}"
                raise ValueError(f"{self._path}: {what} has {name} {line.get(name)!r}, expected {value!r}: use another record")
        return line

    def add(self, line: dict[str, Any]) -> dict[str, Any]:
        if self._file is not None:
            self._file.write((json.dumps(line) + "\n").encode())
            self._file.flush()
        self._lines[self._key(line)] = line
        return line


def _parse(line: bytes) -> Optional[dict[str, Any]]:
    """A line of a record; None if it is something else."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and any(_fits(value, fields) for fields in _LINES) else None


def _fits(line: dict[str, Any], fields: dict[str, object]) -> bool:
    if line.keys() - {"limit"} != fields.keys():
        return False
    return all(type(line[name]) is form or (type(line[name]), line[name]) == (type(form), form) for name, form in fields.items())


def _is_cut_off(line: bytes) -> bool:
    """Whether the bytes are the beginning of a line of a record, or none."""
    if not any(head.startswith(line) or line.startswith(head) for head in _HEADS):
        return False
    return not line or _CUT_OFF.fullmatch(line) is not None


def _lock(file: BinaryIO) -> bool:
    """Locks a file until it is closed; false if another process has locked it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(1 << 30)  # beyond the text, which others may read
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
