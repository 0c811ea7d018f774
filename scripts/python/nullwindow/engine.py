"""A client for UGI engines (Universal Game Interface). Needs only the standard library.

    >>> engine = Engine()
    >>> engine.set_option("MultiPV", 2)
    >>> engine.position(moves="f5 d6 c3")
    >>> result = engine.go(Limit(depth=6))
    >>> result.move == result.lines[1].pv[0] != result.lines[2].pv[0]
    True
    >>> with engine.analysis(Limit(infinite=True)) as analysis:  # streaming
    ...     for info in analysis:
    ...         if info.depth and info.depth >= 8:
    ...             break
    >>> analysis.result.info.depth >= 8
    True
    >>> engine.quit()
    0

**No call hangs.** Every call has a timeout. After it, the client sends `stop` and raises `EngineTimeout`; it can still be used, and
ignores late output. If the engine does not stop either, every further call raises `EngineTimeout`, until `restart()`. A call while an
analysis runs ends the analysis first.

**Threads.** Calls of several threads wait for each other. Hold `engine.lock` over calls that belong together:

    >>> engine.restart()
    >>> with engine.lock:
    ...     engine.position(moves="f5 d6")
    ...     move = engine.go(Limit(nodes=1000)).move

**No question is changed.** Arguments are checked, and an error that the engine prints raises `EngineError`.
"""

from __future__ import annotations

import json
import math
import operator
import os
import re
import shlex
import shutil
import sysconfig
import threading
import time
import weakref
from collections import deque
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Callable, Iterable, Iterator, Mapping, Optional, Sequence, Union

from .process import KEPT_LINES, EngineTerminated, EngineTimeout, Process, UgiError

Moves = Union[str, Iterable[str]]
LONGEST_SEARCH = 600.0  # seconds that `Engine.go` waits for a search without a time limit
ERROR = "info string error: "


class EngineError(UgiError):
    """The engine rejected a command or cannot carry it out; the message names what is wrong."""


@dataclass(frozen=True)
class Option:
    """An option as the engine declares it."""

    name: str
    kind: str
    default: str = ""
    minimum: Optional[int] = None
    maximum: Optional[int] = None
    values: tuple[str, ...] = ()


# Limits with their least values.
_NUMBERS = {
    "depth": 0,
    "nodes": 1,
    "movetime": 1,
    "p1time": 0,
    "p2time": 0,
    "p1inc": 0,
    "p2inc": 0,
    "movestogo": 1,
}
_MOST = 2**63 - 1


@dataclass(frozen=True)
class Limit:
    """The limits of a search, of which there is at least one: `depth` in plies, `nodes`, `movetime`, the clocks of both players
    (p1 is the first player of the game), or `infinite`. Times are in milliseconds. `exact` searches for the exact score, `wld` for win,
    loss or draw. `searchmoves` restricts the search to these moves; a string is one move. `TypeError` and `ValueError` name a limit
    that cannot be used.

    >>> Limit(nodes=1000, searchmoves=("d3", "c4")).words()
    'go nodes 1000 searchmoves d3 c4'
    >>> Limit(nodes=0)
    Traceback (most recent call last):
    ...
    ValueError: nodes 0: expected a whole number from 1
    """

    depth: Optional[int] = None
    nodes: Optional[int] = None
    movetime: Optional[int] = None
    p1time: Optional[int] = None
    p2time: Optional[int] = None
    p1inc: Optional[int] = None
    p2inc: Optional[int] = None
    movestogo: Optional[int] = None
    infinite: bool = False
    searchmoves: Union[str, Sequence[str]] = ()
    exact: bool = False
    wld: bool = False

    def __post_init__(self) -> None:
        for name, least in _NUMBERS.items():
            if getattr(self, name) is not None:
                object.__setattr__(self, name, whole(name, getattr(self, name), least))
        for name in ("infinite", "exact", "wld"):
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f"{name} {getattr(self, name)!r}: expected True or False")
        searchmoves = (self.searchmoves,) if isinstance(self.searchmoves, str) else self.searchmoves
        object.__setattr__(self, "searchmoves", tuple(move_words(searchmoves, "searchmoves")))
        if (self.p1time is None) != (self.p2time is None):
            raise ValueError("one clock: expected the times of both players, p1time and p2time")
        if self.p1time is None and any(value is not None for value in (self.p1inc, self.p2inc, self.movestogo)):
            raise ValueError("p1inc, p2inc and movestogo: expected p1time and p2time beside them")
        if self.exact and self.wld:
            raise ValueError("exact and wld: expected one of them")
        if not self._limited():
            raise ValueError("no limit: expected depth, nodes, movetime, p1time and p2time, infinite, exact or wld")

    def _limited(self) -> bool:
        numbers = (self.depth, self.nodes, self.movetime, self.p1time)
        return any(number is not None for number in numbers) or self.infinite or self.exact or self.wld

    def words(self) -> str:
        """The `go` command."""
        words = ["go"]
        for name in _NUMBERS:
            value = getattr(self, name)
            if value is not None:
                words += [name, str(value)]
        words += [name for name in ("infinite", "exact", "wld") if getattr(self, name)]
        if self.searchmoves:
            words += ["searchmoves", *self.searchmoves]
        return " ".join(words)

    def longest(self) -> Optional[float]:
        """The longest search in seconds that the limits allow; None if they do not limit the time."""
        if self.infinite:
            return None
        clock = None if self.p1time is None or self.p2time is None else max(self.p1time, self.p2time)
        times = [time for time in (self.movetime, clock) if time is not None]
        return min(times) / 1000 if times else None


@dataclass(frozen=True)
class Info:
    """An `info` line. The score is for the side to move, in hundredths (of a disc in Othello)."""

    depth: Optional[int] = None
    seldepth: Optional[int] = None
    multipv: int = 1
    score: Optional[int] = None
    bound: Optional[str] = None
    nodes: Optional[int] = None
    nps: Optional[int] = None
    hashfull: Optional[int] = None
    time: Optional[int] = None
    pv: tuple[str, ...] = ()
    string: Optional[str] = None

    @staticmethod
    def parse(line: str) -> Info:
        """Parses a line; ignores unknown words and malformed numbers."""
        if line.startswith("info string "):
            return Info(string=line[len("info string ") :])
        words = iter(line.split()[1:])
        numbers: dict[str, int] = {}
        bound = None
        pv: tuple[str, ...] = ()
        for word in words:
            if word == "pv":
                pv = tuple(words)
            elif word in ("lowerbound", "upperbound"):
                bound = word
            elif word in ("depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "time", "cp"):
                try:
                    numbers["score" if word == "cp" else word] = int(next(words, ""))
                except ValueError:
                    pass
        return replace(Info(bound=bound, pv=pv), **numbers)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Accuracy:
    """The accuracy of a score (nullwindow's option `Show Accuracy`): in `percent` % of `positions` similar positions the score was
    within `discs` discs of the `reference`; the mean error was `mean` discs. The reference is the `exact` score up to 24 empties, and
    above the `game result`: that of games which the engine played on from there."""

    discs: int
    percent: int
    positions: int
    mean: float
    reference: str

    @staticmethod
    def parse(text: str) -> Optional[Accuracy]:
        """Parses the text; None if it has no figures."""
        form = r"accuracy: within (\d+) discs of the (.*) in (\d+) % of (\d+) positions, mean error (\d+(?:\.\d+)?)"
        found = re.match(form, text)
        return Accuracy(int(found[1]), int(found[3]), int(found[4]), float(found[5]), found[2]) if found else None


@dataclass
class Result:
    """The result of a search: the move (None if there is none), the last complete line of each multipv, whether the score is
    exact, and its accuracy with option `Show Accuracy`."""

    move: Optional[str] = None
    lines: dict[int, Info] = field(default_factory=dict)
    exact: bool = False
    win_loss_draw: bool = False
    accuracy: Optional[Accuracy] = None

    @property
    def info(self) -> Info:
        """The best line."""
        return self.lines.get(1, Info())

    def take(self, info: Info) -> None:
        """Updates the result with a line."""
        if info.string == "exact":
            self.exact = True
        elif info.string == "wld":
            self.win_loss_draw = True
        elif info.string is not None and info.string.startswith("accuracy: "):
            self.accuracy = Accuracy.parse(info.string)
        elif info.score is not None and (info.bound is None or info.pv[:1] != self.info.pv[:1]):
            # A bound replaces the line only if it has another move, which an interrupted search may play.
            self.lines[info.multipv] = info


class Analysis:
    """A running search: iterate over its `Info`s. Leaving the `with` block stops it, and so does any other call of the engine; the
    iteration ends then. `result` is up to date at any time, and final when the search has ended. May be used from any thread."""

    def __init__(self, engine: Engine, limit: Limit, longest: Optional[float]) -> None:
        self._engine: Optional[Engine] = engine  # until the end, so that its process is not collected
        self._process = process = engine._process
        self._timeout = timeout = engine.timeout  # to stop
        self._deadline = None if longest is None else time.monotonic() + longest
        self._patience = timeout if longest is None else None
        self._result = Result()
        self._unread: deque[Info] = deque(maxlen=KEPT_LINES)
        self._errors: list[str] = []
        self._reading = threading.RLock()
        self._finished = False
        self._request = process.send(limit.words(), ending="bestmove")

    @property
    def finished(self) -> bool:
        """Whether the search has ended."""
        self._read()
        return self._finished

    @property
    def result(self) -> Result:
        """The result of the lines printed until now. `EngineError` if the engine rejected a word of the search."""
        self._read()
        if self._errors:
            raise EngineError("; ".join(self._errors))
        return self._result

    def _read(self) -> None:
        """Reads the lines received."""
        with self._reading:
            for _ in range(len(self._request.answers)):  # an engine may print without end
                line = self._request.answers.popleft()
                if line.startswith(ERROR):
                    self._errors = [*self._errors, line[len(ERROR) :]][:10]
                elif line.startswith("info "):
                    info = Info.parse(line)
                    self._result.take(info)
                    self._unread.append(info)
                elif line.split(None, 1)[:1] == ["bestmove"]:
                    self._finish(line.split())

    def _finish(self, words: list[str]) -> None:
        if len(words) < 2:
            self._errors.append("`bestmove` without a move")
        elif words[1] not in ("0000", "(none)") or words[1:2] == list(self._result.info.pv[:1]):
            self._result.move = words[1]  # with option PassMove, 0000 is also a pass, which has a variation
        self._finished = True
        self._engine = None

    def __iter__(self) -> Iterator[Info]:
        while True:
            self.result  # raises errors
            try:
                if not (self._finished or self._process.gone):
                    late = self._deadline is not None and time.monotonic() >= self._deadline
                    if late or not self._unread:
                        self._wait(lambda: not late and bool(self._request.answers), self._deadline, self._patience)
                        continue
            except EngineTimeout:
                self._process.send("stop")
                raise
            try:
                info = self._unread.popleft()
            except IndexError:
                return
            yield info

    def _wait(self, ready: Callable[[], bool], deadline: Optional[float], patience: Optional[float] = None) -> None:
        """Waits until `ready()`, or until the client itself ends the process."""
        try:
            self._process.wait(lambda: ready() or self._finished, deadline, patience)
        except EngineTerminated:
            if not self._process.gone:
                raise

    def end(self) -> None:
        """Stops the search if it is running, and waits for its end."""
        if self.finished or self._process.gone:
            return
        self._process.send("stop")
        self._wait(lambda: self._request.done, time.monotonic() + self._timeout)
        self._read()

    def stop(self) -> Result:
        """Stops the search if it is running, and waits for its result."""
        self.end()
        return self.result

    def __enter__(self) -> Analysis:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if kind is None:
            self.stop()
        elif not self.finished:
            self._process.send("stop")  # the next call waits for the end


class Engine:
    """An engine process. The command is a program, a command line in shell syntax (on Windows: double quotes around words with
    spaces), or a list of arguments; by default `engine_path()`. `timeout` is the longest response time in seconds; searches have their
    own limit in addition. Options set here or by `set_option` survive `restart()`. The process ends with `quit()`, the `with` block,
    the object, or the interpreter. An engine belongs to the process that started it: a forked one needs `restart()`.

    >>> with Engine(options={"Game": "othello6", "Strength": 10}) as engine:
    ...     engine.options["Strength"].maximum
    30
    """

    def __init__(
        self,
        command: Union[str, os.PathLike[str], Sequence[Union[str, os.PathLike[str]]], None] = None,
        timeout: float = 10.0,
        cwd: Union[str, os.PathLike[str], None] = None,
        options: Optional[Mapping[str, Union[str, int, bool]]] = None,
    ) -> None:
        if not isinstance(options, (Mapping, type(None))):
            raise TypeError(f"options {quoted(options)}: expected a mapping from names to values")
        self.command = _command(command)
        self.timeout = seconds(timeout)
        self.cwd = cwd
        self.name = ""
        self.author = ""
        self.options: dict[str, Option] = {}
        self.lock = threading.RLock()
        self._set: dict[str, Optional[str]] = {}
        self._game: Optional[str] = None  # if set by the client: the command line may select another
        self._start(options or {})

    # ------------------------------------------------------------------------------------------------ the process

    @property
    def pid(self) -> int:
        """The id of the engine's process, a new one after it was started again."""
        return self._process.pid

    def _start(self, options: Mapping[str, Union[str, int, bool, None]]) -> None:
        self._search: Optional[Analysis] = None
        self._game = None
        self._process = Process(self.command, self.cwd)
        self._end = weakref.finalize(self, self._process.kill)
        try:
            self._greet()
            if options:
                self._ask([self._setting(name, value) for name, value in options.items()])
                for name, value in options.items():
                    self._remember(name, value)
        except BaseException:
            self._end()
            raise

    def _greet(self) -> None:
        try:
            lines = self._process.answer(["ugi"], "ugiok", time.monotonic() + self.timeout)
        except EngineTimeout as error:
            raise EngineTimeout(f"{error}: no ugiok (the engine must speak UGI; UCI and GTP are not supported)") from None
        self.options = {}
        for line in lines:
            if line.startswith("id name "):
                self.name = line[len("id name ") :]
            elif line.startswith("id author "):
                self.author = line[len("id author ") :]
            elif line.startswith("option name "):
                option = _option(line[len("option name ") :])
                self.options[option.name] = option

    def restart(self) -> None:
        """Kills the process and starts it again with the same options, at the start of the game."""
        if self._process.owner != os.getpid():
            self.lock = threading.RLock()  # a thread of the other process may hold it
        with self.lock:
            self._end()
            settings, self._set = self._set, {}
            try:
                self._start(settings)
            except BaseException:
                self._set = settings
                raise

    def quit(self) -> int:
        """Sends `quit` and returns the exit status; kills an engine that does not exit in time."""
        self._own()
        with self.lock:
            status = self._process.quit(time.monotonic() + self.timeout)
            self._end()
            return status

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.quit()

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("an Engine is a process, which cannot be copied or pickled: start one in each worker")

    # ------------------------------------------------------------------------------------------------ lines

    def _own(self) -> None:
        if self._process.owner != os.getpid():
            raise EngineTerminated(f"{self.command[0]} belongs to process {self._process.owner}: restart() starts one for this process")

    def _end_search(self) -> None:
        """Ends a running search, of an analysis or after a timeout."""
        if self._search is not None:
            self._search.end()
            self._search = None

    def _ask(self, lines: Sequence[str]) -> list[str]:
        """Sends lines and returns their output; raises the errors in it."""
        for line in lines:
            _check_line(line)
        self._own()
        with self.lock:
            self._end_search()
            answers = self._process.answer([*lines, "isready"], "readyok", time.monotonic() + self.timeout)[:-1]
        errors = [answer[len(ERROR) :] for answer in answers if answer.startswith(ERROR)]
        if errors:
            raise EngineError("; ".join(errors))
        return answers

    # ------------------------------------------------------------------------------------------------ commands

    def ready(self) -> None:
        """Waits until the engine has processed all commands."""
        self._ask([])

    def set_option(self, name: str, value: Union[str, int, bool, None] = None) -> None:
        """Sets an option that the engine lists, in any case; a button has no value."""
        with self._locked():
            setting = self._setting(name, value)
            if setting.startswith(("setoption name Game ", "setoption name UCI_Variant ")):
                self._game = None  # until the engine has answered
            self._ask([setting])
            self._remember(name, value)

    def _known(self, name: str) -> Option:
        if not isinstance(name, str):
            raise TypeError(f"option {name!r}: expected the name of an option")
        for option in self.options.values():
            if option.name.lower() == name.lower():
                return option
        if "Game" in self.options and name.split() and "value" not in name.lower().split():
            return Option(name, "string")  # nullwindow also rejects names; other engines ignore unknown ones
        raise EngineError(f"no option {quoted(name)}, expected one of: {', '.join(self.options) or 'none'}")

    def _setting(self, name: str, value: Union[str, int, bool, None]) -> str:
        """The command that sets an option; raises an error if its type does not allow the value."""
        option = self._known(name)
        text = _value(option, value)
        return f"setoption name {option.name}" + ("" if text is None else f" value {text}")

    def _remember(self, name: str, value: Union[str, int, bool, None]) -> None:
        option = self._known(name)
        if option.kind != "button":
            # The order of setting is kept; `Game` and `UCI_Variant` set the same value.
            for other in (option.name, *({"Game", "UCI_Variant"} if option.name in ("Game", "UCI_Variant") else ())):
                self._set.pop(other, None)
            self._set[option.name] = _value(option, value)
        if option.name == "Game":
            self._game = self._set["Game"]

    def _locked(self) -> threading.RLock:
        self._own()
        return self.lock

    def new_game(self) -> None:
        """Starts a new game."""
        self._ask(["uginewgame"])

    def position(self, fen: Optional[str] = None, moves: Moves = ()) -> None:
        """Sets up a position (default: the start) and plays moves: a text in any form that the engine reads, or a sequence of moves."""
        if not isinstance(fen, (str, type(None))):
            raise TypeError(f"position {fen!r}: expected a text, or None for the start of the game")
        words = " ".join(move_words(moves))
        place = "startpos" if fen is None else f"fen {fen}"
        self._ask([f"position {place}" + (f" moves {words}" if words else "")])

    def set_game(self, game: str) -> None:
        """Selects a game by its name if another one is selected. An engine without option `Game` is expected to play it."""
        with self._locked():
            if "Game" in self.options and game != self._game:
                self.set_option("Game", game)

    def read(self, text: str, moves: Moves = ()) -> tuple[str, list[str]]:
        """Sets up a position, a list of moves or a game in any format that nullwindow reads, and plays moves. Returns the position
        before the first move, and the moves, including forced passes as option `PassMove` of the engine prints them."""
        if not isinstance(text, str):
            raise TypeError(f"position {text!r}: expected a text")
        if text.lstrip().startswith("["):  # PGN: remove comments, which may extend to the end of the line
            text = re.sub(r'("(?:\\.|[^"\\\n])*")|\{[^}]*\}|;[^\n]*', lambda found: found.group(1) or " ", text)
        lines = [line.strip() for line in text.splitlines()]
        with self._locked():
            self.position(" ".join(line for line in lines if not line.startswith(("#", "%"))), moves)
            start, history = self.queries("start", "history")
        if "unknown" in (start, history):
            raise EngineError("this engine does not support `query start` and `query history`")
        return start, [] if history == "none" else history.split()

    def query(self, question: str) -> str:
        """Queries the position; `unknown` if the engine does not support the query."""
        return self.queries(question)[0]

    def queries(self, *questions: str) -> list[str]:
        """Several queries at once."""
        for question in questions:
            if not isinstance(question, str):
                raise TypeError(f"query {question!r}: expected a text")
        answers = self._ask([f"query {question}" for question in questions])
        responses = [answer[len("response") :].strip() for answer in answers if answer.split(None, 1)[:1] == ["response"]]
        if len(responses) != len(questions):
            raise EngineError(f"{len(responses)} responses to {len(questions)} queries: {quoted(' '.join(answers))}")
        return responses

    def _known_answer(self, question: str, *values: str) -> str:
        answer = self.query(question)
        if answer not in values:
            raise EngineError(f"query {question}: the engine replied {quoted(answer)}, expected {' or '.join(values)}")
        return answer

    def diagram(self) -> str:
        """The board as the engine draws it (an extension of nullwindow)."""
        return "\n".join(line for line in self._ask(["d"]) if not line.startswith(("position:", "legal moves:", "hash:")))

    def p1_turn(self) -> bool:
        """Whether the first player is to move."""
        return self._known_answer("p1turn", "true", "false") == "true"

    def game_over(self) -> bool:
        """Whether the game is over."""
        return self._known_answer("gameover", "true", "false") == "true"

    def result(self) -> str:
        """`p1win`, `p2win`, `draw` or `none`."""
        return self._known_answer("result", "p1win", "p2win", "draw", "none")

    def legal_moves(self) -> list[str]:
        """The legal moves (an extension of nullwindow)."""
        answer = self.query("legalmoves")
        if answer == "unknown":
            raise EngineError("this engine does not support `query legalmoves`")
        return [] if answer == "none" else answer.split()

    def go(self, limit: Limit, timeout: Optional[float] = None) -> Result:
        """Searches and returns the result. The default timeout is the engine's `timeout` beyond the time limit of the search. Without a
        time limit, it is `LONGEST_SEARCH`, and an engine that neither prints nor replies to `isready` for `timeout` has hung."""
        check_limit(limit)
        if limit.infinite:
            raise ValueError(f'"{limit.words()}": expected a search that ends by itself; analysis() runs one that does not')
        with self._locked():
            search = self.analysis(limit, timeout)
            if search._deadline is None:
                search._deadline = time.monotonic() + LONGEST_SEARCH + self.timeout
            with search:
                for _ in search:
                    pass
            if not search.finished:
                raise EngineTerminated(f"{self.command[0]} ended during the search")
            return search.result

    def analysis(self, limit: Limit, timeout: Optional[float] = None) -> Analysis:
        """Starts a search of at most `timeout` seconds whose lines are read by iteration. The default is that of `go`, but without
        `LONGEST_SEARCH`."""
        check_limit(limit)
        longest = limit.longest()
        longest = seconds(timeout) if timeout is not None else None if longest is None else longest + self.timeout
        with self._locked():
            self._end_search()
            self._process.check()
            self._search = Analysis(self, limit, longest)
            return self._search


def engine_path() -> str:
    """The program `nullwindow`: the environment variable NULLWINDOW, the one installed with this package, or the one on the path."""
    name = "nullwindow.exe" if os.name == "nt" else "nullwindow"
    schemes = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user")]
    # `pip install --target FOLDER` installs programs to FOLDER/bin.
    folders = [*schemes, str(Path(__file__).resolve().parent.parent / "bin")]
    found = os.environ.get("NULLWINDOW") or shutil.which(name, path=os.pathsep.join(folders)) or shutil.which(name)
    if found is None:
        raise EngineTerminated(f"no program {name} in {', '.join(folders)} or on the path: install it, or set NULLWINDOW")
    return found


def _words(command: str) -> list[str]:
    """Splits a command line; the path of a program may contain spaces."""
    if shutil.which(command):
        return [command]
    return _split_windows(command) if os.name == "nt" else shlex.split(command)


def _split_windows(command: str) -> list[str]:
    """Splits at blanks outside double quotes; two double quotes inside quotes are one; a backslash is an ordinary character."""
    if command.count('"') % 2:
        raise ValueError(f"command {quoted(command)}: a quote is left open")
    words = re.findall(r'(?:[^\s"]|"(?:[^"]|"")*")+', command)
    return [re.sub(r'"((?:[^"]|"")*)"', lambda found: found[1].replace('""', '"'), word) for word in words]


def _option(text: str) -> Option:
    """Parses the text after `option name`; names and values may contain spaces."""
    fields: dict[str, list[str]] = {"name": []}
    values: list[list[str]] = []
    here = fields["name"]
    for word in text.split():
        if word == "var":
            here = []
            values.append(here)
        elif word in ("type", "default", "min", "max"):
            here = fields[word] = []
        else:
            here.append(word)

    def number(name: str) -> Optional[int]:
        words = fields.get(name)
        return int(words[0]) if words and words[0].lstrip("-").isdigit() else None

    kind, default = (" ".join(fields.get(name, [])) for name in ("type", "default"))
    names = tuple(" ".join(value) for value in values)
    return Option(" ".join(fields["name"]), kind, default, number("min"), number("max"), names)


def moves_of(transcript: Union[str, Iterable[str]]) -> list[str]:
    """The moves of an Othello transcript, without passes; `ValueError` if it contains anything else.

    >>> moves_of("1. F5 d6 2. c3")
    ['f5', 'd6', 'c3']
    """
    text = transcript if isinstance(transcript, str) else " ".join(_texts(transcript, "transcript"))
    moves: list[str] = []
    for word in re.sub(r"\d+\.+|[,;]", " ", text.lower()).split():
        if re.fullmatch(r"([a-h][1-8])+", word):
            moves += re.findall("..", word)
        elif word not in ("pass", "pa", "ps", "--", "0000", "@@@@", "null"):
            raise ValueError(f"{quoted(word)} in a transcript: expected moves such as f5")
    return moves


def quoted(value: object) -> str:
    """A value in an error message: a string in quotes, escaped, at most 40 characters of it."""
    text = value if isinstance(value, str) else repr(value)
    text = text if len(text) <= 40 else text[:40] + "..."
    return json.dumps(text, ensure_ascii=not text.isprintable()) if isinstance(value, str) else text


def is_iterable(value: object) -> bool:
    """Whether a value is an iterable other than a text, bytes or a mapping."""
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))


def move_words(moves: Moves, what: str = "moves") -> list[str]:
    """The words of moves: a text, or a sequence with one move each."""
    if isinstance(moves, str):
        _check_line(moves)
        return moves.split()
    words = _texts(moves, what)
    for word in words:
        _check_line(word)
        if len(word.split()) != 1 or word != word.strip():
            raise ValueError(f"{what}: {quoted(word)}: expected one move")
    return words


def _texts(moves: Iterable[str], what: str) -> list[str]:
    """The items of a sequence of moves, each of them a text."""
    if not is_iterable(moves):
        raise TypeError(f"{what} {quoted(moves)}: expected a text or a sequence of moves")
    words = list(moves)
    for word in words:
        if not isinstance(word, str):
            raise TypeError(f"{what}: {quoted(word)}: expected a move")
    return words


def _check_line(line: str) -> None:
    """Raises an error for text that would be more than one line, or that a terminal would obey."""
    for character in line:
        if (ord(character) < 32 and character != "\t") or 127 <= ord(character) < 160 or 0xD800 <= ord(character) < 0xE000:
            raise ValueError(f"{quoted(line)}: a command is one line without control characters")


def whole(name: str, value: object, least: Optional[int], most: Optional[int] = _MOST) -> int:
    """A whole number in a range, also of numpy's types."""
    try:
        number = None if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    too_large = number is not None and most is not None and number > most
    bounds = _range(least, most if most != _MOST or too_large else None)
    if number is None:
        raise TypeError(f"{name} {quoted(value)}: expected a whole number{bounds}")
    if too_large or (least is not None and number < least):
        raise ValueError(f"{name} {number}: expected a whole number{bounds}")
    return number


def _range(least: Optional[int], most: Optional[int]) -> str:
    return ("" if least is None else f" from {least}") + ("" if most is None else f" to {most}")


def check_engine(engine: Engine) -> None:
    if not isinstance(engine, Engine):
        raise TypeError(f"engine {quoted(engine)}: expected an Engine")


def check_limit(limit: Limit) -> None:
    if not isinstance(limit, Limit):
        raise TypeError(f"limit {quoted(limit)}: expected a Limit")


def seconds(timeout: float) -> float:
    """A timeout."""
    if isinstance(timeout, (bool, str)) or not hasattr(timeout, "__float__"):
        raise TypeError(f"timeout {quoted(timeout)}: expected a number of seconds")
    try:
        number = float(timeout)
    except OverflowError:
        number = math.inf
    if not 0 < number < math.inf:
        raise ValueError(f"timeout {quoted(timeout)}: expected a finite number of seconds above 0")
    return number


def _value(option: Option, value: Union[str, int, bool, None]) -> Optional[str]:
    """The value of an option as text. `EngineError` if the engine does not accept it, judged by its list of options."""
    what = f"option {option.name}: value {quoted(value)}"
    if option.kind == "button":
        if value is not None:
            raise EngineError(f"{what}: a button has no value")
        return None
    if isinstance(value, str):
        _check_line(value)
        if value != value.strip():
            raise EngineError(f"{what}: begins or ends with a space")
        text = value
    elif isinstance(value, bool):
        text = str(value).lower()
    elif value is None:
        raise EngineError(f"option {option.name}: expected a value")
    else:
        text = str(whole(f"option {option.name}: value", value, None, None))
    if option.kind == "check" and text.lower() not in ("true", "false"):
        raise EngineError(f"{what}: expected True or False")
    if option.kind == "combo":
        for name in option.values:
            if name.lower() == text.lower():
                return name
        raise EngineError(f"{what}: expected one of: {', '.join(option.values)}")
    if option.kind == "spin":
        least, most = option.minimum, option.maximum
        number = int(text) if re.fullmatch(r"[-+]?[0-9]{1,18}", text) else None
        if number is None or (least is not None and number < least) or (most is not None and number > most):
            raise EngineError(f"{what}: expected a whole number{_range(least, most)}")
    return text


def _command(command: Union[str, os.PathLike[str], Sequence[Union[str, os.PathLike[str]]], None]) -> list[str]:
    if command is None:
        command = engine_path()
    if isinstance(command, str):
        words = _words(command)
    elif isinstance(command, os.PathLike):
        words = [os.fspath(command)]
    elif not is_iterable(command):
        raise TypeError(f"command {quoted(command)}: expected a program, a command line or a list of arguments")
    else:
        words = [os.fspath(word) for word in command]
    if not words:
        raise ValueError("an empty command: expected a program with its arguments")
    return words
