"""A client for engines that speak UGI, the Universal Game Interface. Needs only the standard library.

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

Every call has a timeout. After it, the client sends `stop` and raises `EngineTimeout`; it can still be used, and ignores late
output. If the engine does not stop either, every further call raises `EngineTimeout`, until `restart()`.
"""

from __future__ import annotations

import collections
import os
import queue
import re
import shlex
import shutil
import subprocess
import sysconfig
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Iterable, Iterator, Mapping, Optional, Sequence, Union

Moves = Union[str, Sequence[str]]
LONGEST_SEARCH = 600.0  # seconds that `Engine.go` waits for a search without a time limit


class UgiError(Exception):
    """The base class of all errors of this client."""


class EngineTimeout(UgiError):
    """The engine did not reply in time and was sent `stop`. The client can still be used."""


class EngineTerminated(UgiError):
    """The process of the engine has ended or closed its output. `restart()` starts it again."""


class EngineError(UgiError):
    """The engine rejected a command; the message is the engine's."""


@dataclass(frozen=True)
class Option:
    """An option as the engine declares it."""

    name: str
    kind: str
    default: str = ""
    minimum: Optional[int] = None
    maximum: Optional[int] = None
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Limit:
    """The limits of a search. Times are in milliseconds; p1 is the first player of the game. `exact` searches for the exact score,
    `wld` for win, loss or draw.

    >>> Limit(nodes=1000, searchmoves=("d3", "c4")).words()
    'go nodes 1000 searchmoves d3 c4'
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
    searchmoves: tuple[str, ...] = ()
    exact: bool = False
    wld: bool = False

    def words(self) -> str:
        """The `go` command."""
        names = ("depth", "nodes", "movetime", "p1time", "p2time", "p1inc", "p2inc", "movestogo")
        words = ["go"]
        for name in names:
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
        times = [time for time in (self.movetime, max(self.p1time or 0, self.p2time or 0)) if time]
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
    within `discs` discs of the exact score; the mean error was `mean` discs."""

    discs: int
    percent: int
    positions: int
    mean: float

    @staticmethod
    def parse(text: str) -> Optional[Accuracy]:
        """Parses the text; None if it has no figures."""
        form = r"accuracy: within (\d+) discs of .* in (\d+) % of (\d+) positions, mean error (\d+(?:\.\d+)?)"
        found = re.match(form, text)
        return Accuracy(int(found[1]), int(found[2]), int(found[3]), float(found[4])) if found else None


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
    """A running search: iterate over its `Info`s. Leaving the `with` block stops it. `result` is final when it has ended."""

    def __init__(self, engine: Engine, timeout: Optional[float]) -> None:
        self._engine = engine
        self._deadline = None if timeout is None else time.monotonic() + timeout
        self.result = Result()
        self.finished = False

    def __iter__(self) -> Iterator[Info]:
        while not self.finished:
            line = self._engine._search_line(self._deadline)
            if line.startswith("info"):
                info = Info.parse(line)
                self.result.take(info)
                yield info
            elif line.startswith("bestmove"):
                self._finish(line)

    def _finish(self, line: str) -> None:
        words = line.split()
        self.result.move = words[1] if len(words) > 1 and words[1] not in ("0000", "(none)") else None
        self.finished = True
        self._engine._owed = 0

    def stop(self) -> Result:
        """Stops the search if it is running, and waits for its result."""
        if not self.finished:
            self._engine._send("stop")
            self._deadline = time.monotonic() + self._engine.timeout
            for _ in self:
                pass
        return self.result

    def __enter__(self) -> Analysis:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if kind is None or not issubclass(kind, UgiError):
            self.stop()


class Engine:
    """An engine process. The command is a program, a command line in shell syntax, or a list of arguments; by default
    `engine_path()`. `timeout` is the longest response time in seconds; searches have their own limit in addition.

    >>> with Engine(options={"Game": "othello6", "Strength": 10}) as engine:
    ...     engine.options["Strength"].maximum
    30
    """

    def __init__(
        self,
        command: Union[str, Sequence[str], None] = None,
        timeout: float = 10.0,
        cwd: Optional[str] = None,
        options: Optional[Mapping[str, Union[str, int, bool]]] = None,
    ) -> None:
        if command is None:
            command = engine_path()
        self.command = _words(command) if isinstance(command, str) else list(command)
        self.timeout = timeout
        self.cwd = cwd
        self.name = ""
        self.author = ""
        self.options: dict[str, Option] = {}
        self._set: dict[str, Optional[str]] = {}
        self._start()
        try:
            for name, value in (options or {}).items():
                self.set_option(name, value)
        except UgiError:
            self._kill()
            raise

    # ------------------------------------------------------------------------------------------------ the process

    def _start(self) -> None:
        try:
            self._process = subprocess.Popen(
                self.command, cwd=self.cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        except OSError as error:
            raise EngineTerminated(self._start_failure(error)) from error
        self._errors: collections.deque[str] = collections.deque(maxlen=10)
        self._error_reader = threading.Thread(target=self._read_errors, args=(self._process, self._errors), daemon=True)
        self._error_reader.start()
        self._lines: queue.Queue[Optional[str]] = queue.Queue()
        self._owed = 0  # number of `bestmove` lines still expected
        self._sent = self._received = ""  # the last lines, for errors
        threading.Thread(target=self._read, args=(self._process, self._lines), daemon=True).start()
        try:
            self._greet()
        except UgiError:
            self._kill()
            raise

    def _start_failure(self, error: OSError) -> str:
        if self.cwd is not None and not os.path.isdir(self.cwd):
            return f"cannot start {self.command}: {self.cwd} is not a folder"
        reason = error.strerror or str(error)
        hint = ""
        if isinstance(error, FileNotFoundError) and len(self.command) > 1:
            hint = "; quote a path that contains spaces, or pass a list of arguments"
        return f"cannot start {self.command}: {self.command[0]}: {reason}{hint}"

    @staticmethod
    def _read_errors(process: subprocess.Popen[bytes], errors: collections.deque[str]) -> None:
        assert process.stderr is not None
        with process.stderr:
            for line in process.stderr:
                errors.append(line.decode("utf-8", "replace").rstrip())

    def _ended(self) -> str:
        """How the engine ended, with its last lines on standard error."""
        try:
            status: Optional[int] = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            status = None
        self._error_reader.join(1.0)
        lines = "\n".join(self._errors)
        return f"{self.command[0]} exited with status {status}" + (f"; standard error:\n{lines}" if lines else "")

    @staticmethod
    def _read(process: subprocess.Popen[bytes], lines: queue.Queue[Optional[str]]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.put(line.decode("utf-8", "replace").rstrip())
        lines.put(None)

    def _greet(self) -> None:
        self._send("ugi")
        deadline = time.monotonic() + self.timeout
        while (line := self._first_line(deadline)) != "ugiok":
            if line.startswith("id name "):
                self.name = line[len("id name ") :]
            elif line.startswith("id author "):
                self.author = line[len("id author ") :]
            elif line.startswith("option name "):
                option = _option(line[len("option name ") :])
                self.options[option.name] = option

    def _first_line(self, deadline: float) -> str:
        try:
            return self._line(deadline)
        except EngineTimeout as error:
            raise EngineTimeout(f"{error}: no ugiok (the engine must speak UGI; UCI and GTP are not supported)") from None

    def _kill(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                try:
                    stream.close()
                except OSError:
                    pass

    def restart(self) -> None:
        """Kills the process and starts it again with the same options."""
        self._kill()
        self._start()
        for name, value in list(self._set.items()):
            self.set_option(name, value)

    def quit(self) -> int:
        """Sends `quit` and returns the exit status; kills an engine that does not exit in time."""
        try:
            self._send("quit")
            self._process.wait(self.timeout)
        except (UgiError, subprocess.TimeoutExpired):
            pass
        self._kill()
        return self._process.returncode

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.quit()

    # ------------------------------------------------------------------------------------------------ lines

    def _send(self, *lines: str) -> None:
        assert self._process.stdin is not None
        for line in lines:
            if "\n" in line or "\r" in line:
                raise ValueError(f"{line!r}: a command is one line")
        self._sent = lines[0]
        try:
            self._process.stdin.write("".join(line + "\n" for line in lines).encode())
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise EngineTerminated(f"{self._ended()} ({error})") from error

    def _line(self, deadline: Optional[float]) -> str:
        try:
            rest = None if deadline is None else max(0.0, deadline - time.monotonic())
            line = self._lines.get(timeout=rest)
        except queue.Empty:
            last = f'its last line is "{self._received}"' if self._received else "it has printed nothing"
            raise EngineTimeout(f'{self.command[0]} did not reply to "{self._sent}" in time; {last}') from None
        if line is None:
            self._lines.put(None)  # for the next call
            raise EngineTerminated(self._ended())
        self._received = line
        return line

    def _search_line(self, deadline: Optional[float]) -> str:
        """The next line of a search; sends `stop` after the deadline."""
        try:
            return self._line(deadline)
        except EngineTimeout:
            self._send("stop")
            raise

    def _drain(self) -> None:
        """Waits for the late `bestmove` of abandoned searches."""
        deadline = time.monotonic() + self.timeout
        if self._owed:
            self._send("stop")
        while self._owed:
            if self._line(deadline).startswith("bestmove"):
                self._owed -= 1

    def _ask(self, lines: Sequence[str], ending: str) -> list[str]:
        """Sends lines and returns the output up to a line that begins with the word `ending`; raises the errors in it."""
        self._drain()
        self._send(*lines)
        deadline = time.monotonic() + self.timeout
        answers: list[str] = []
        while not answers or answers[-1].split(" ", 1)[0] != ending:
            answers.append(self._line(deadline))
        prefix = "info string error: "
        errors = [answer[len(prefix) :] for answer in answers if answer.startswith(prefix)]
        if errors:
            raise EngineError("; ".join(errors))
        return answers

    # ------------------------------------------------------------------------------------------------ commands

    def ready(self) -> None:
        """Waits until the engine has processed all commands; raises `EngineError` if it rejected one."""
        self._ask(["isready"], "readyok")

    def set_option(self, name: str, value: Union[str, int, bool, None] = None) -> None:
        """Sets an option; a button has no value."""
        text = str(value).lower() if isinstance(value, bool) else None if value is None else str(value)
        self._ask([f"setoption name {name}" + ("" if text is None else f" value {text}"), "isready"], "readyok")
        if text is not None:
            self._set.pop(name, None)  # keeps the order of setting
            self._set[name] = text

    def new_game(self) -> None:
        """Starts a new game."""
        self._ask(["uginewgame", "isready"], "readyok")

    def position(self, fen: Optional[str] = None, moves: Moves = ()) -> None:
        """Sets up a position (default: the start) and plays moves."""
        text = moves if isinstance(moves, str) else " ".join(moves)
        place = "startpos" if fen is None else f"fen {fen}"
        self._ask([f"position {place}" + (f" moves {text}" if text else ""), "isready"], "readyok")

    def set_game(self, game: str) -> None:
        """Selects a game by its name if another one is selected."""
        option = self.options.get("Game")
        if game != self._set.get("Game", option.default if option else None):
            self.set_option("Game", game)

    def read(self, text: str, moves: Moves = ()) -> tuple[str, list[str]]:
        """Sets up a position, a list of moves or a game in any format that nullwindow reads, and plays moves. Returns the position
        before the first move, and the moves, including forced passes."""
        if text.lstrip().startswith("["):  # PGN: remove comments, which may extend to the end of the line
            text = re.sub(r'("[^"\n]*")|\{[^}]*\}|;[^\n]*', lambda found: found.group(1) or " ", text)
        lines = [line.strip() for line in text.splitlines()]
        self.position(" ".join(line for line in lines if not line.startswith(("#", "%"))), moves)
        start, history = self.queries("start", "history")
        if "unknown" in (start, history):
            raise EngineError("this engine does not support `query start` and `query history`")
        return start, [] if history == "none" else history.split()

    def query(self, question: str) -> str:
        """Queries the position; `unknown` if the engine does not support the query."""
        return self._ask([f"query {question}"], "response")[-1][len("response") :].strip()

    def queries(self, *questions: str) -> list[str]:
        """Several queries at once."""
        answers = self._ask([*(f"query {question}" for question in questions), "isready"], "readyok")
        return [answer[len("response") :].strip() for answer in answers if answer.split(" ", 1)[0] == "response"]

    def diagram(self) -> str:
        """The board as the engine draws it (an extension of nullwindow)."""
        lines = self._ask(["d", "isready"], "readyok")[:-1]
        return "\n".join(line for line in lines if not line.startswith(("position:", "legal moves:", "hash:")))

    def p1_turn(self) -> bool:
        """Whether the first player is to move."""
        return self.query("p1turn") == "true"

    def game_over(self) -> bool:
        """Whether the game is over."""
        return self.query("gameover") == "true"

    def result(self) -> str:
        """`p1win`, `p2win`, `draw` or `none`."""
        return self.query("result")

    def legal_moves(self) -> list[str]:
        """The legal moves (an extension of nullwindow)."""
        answer = self.query("legalmoves")
        return [] if answer == "none" else answer.split()

    def go(self, limit: Limit, timeout: Optional[float] = None) -> Result:
        """Searches and returns the result. The default timeout is the time limit of the search, or `LONGEST_SEARCH` without one,
        plus the engine's `timeout`."""
        if timeout is None:
            timeout = (limit.longest() or LONGEST_SEARCH) + self.timeout
        analysis = self.analysis(limit, timeout)
        for _ in analysis:
            pass
        return analysis.result

    def analysis(self, limit: Limit, timeout: Optional[float] = None) -> Analysis:
        """Starts a search of at most `timeout` seconds whose lines are read by iteration."""
        self._drain()
        self._send(limit.words())
        self._owed = 1
        return Analysis(self, timeout)


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
    return shlex.split(command, posix=os.name != "nt")


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
    """The moves of an Othello transcript, without passes.

    >>> moves_of("1. F5 d6 2. c3")
    ['f5', 'd6', 'c3']
    """
    text = transcript if isinstance(transcript, str) else " ".join(transcript)
    return re.findall(r"[a-h][1-8]", re.sub(r"\d+\.+", " ", text.lower()))
