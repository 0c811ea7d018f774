"""An engine process: lines out, lines in, each answer with a deadline.

Three threads serve a process, so that no call depends on an engine that does not read, does not print, or prints without end. An
answer belongs to the oldest request without one, so a late answer is never taken for that of a later request. The threads refer to
this object alone, not to its `Engine`, which can therefore be collected while they run.
"""

from __future__ import annotations

import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from pathlib import Path
from typing import Callable, Optional, Sequence, Union

LONGEST_LINE = 1 << 20  # bytes; the rest of a longer line is dropped
KEPT_LINES = 10_000  # unread lines of an answer; older ones are dropped
KEPT_ERRORS = 4096  # bytes of standard error


class UgiError(Exception):
    """The base class of all errors of this package."""


class EngineTimeout(UgiError):
    """The engine did not reply in time and was sent `stop`. The client can still be used."""


class EngineTerminated(UgiError):
    """The process of the engine has ended or closed its input or output. `restart()` starts it again."""


class Request:
    """Lines sent to an engine, and the answer: all lines up to one that begins with the word `ending`."""

    def __init__(self, lines: Sequence[str], ending: str) -> None:
        self.lines = lines
        self.ending = ending
        self.answers: deque[str] = deque(maxlen=KEPT_LINES)
        self.done = False


class Process:
    """A running engine. All methods may be called from any thread."""

    def __init__(self, command: Sequence[str], cwd: Union[str, os.PathLike[str], None]) -> None:
        self.command = command
        self.owner = os.getpid()  # of the process that may use the engine: a forked one has no threads to serve it
        self.gone: Optional[str] = None  # what the client did to end the process
        self._popen = _start(command, cwd)
        self.pid = self._popen.pid
        self._changed = threading.Condition()
        self._waiting: deque[Request] = deque()  # sent and not answered, oldest first
        self._out: queue.SimpleQueue[Optional[Request]] = queue.SimpleQueue()
        self._closed = False
        self._heard = time.monotonic()
        self._sent = self._received = ""  # the last lines, for errors
        self._errors = b""
        threads = [threading.Thread(target=target, daemon=True) for target in (self._write, self._read, self._read_errors)]
        self._error_reader = threads[2]
        for thread in threads:
            thread.start()

    # ------------------------------------------------------------------------------------------------ the threads

    def _write(self) -> None:
        stdin = self._popen.stdin
        assert stdin is not None
        try:
            while (request := self._out.get()) is not None:
                with self._changed:
                    if not (self._waiting and request.lines == ("isready",)):
                        self._sent = request.lines[0]
                    if request.ending:
                        self._waiting.append(request)
                stdin.write("".join(line + "\n" for line in request.lines).encode("utf-8", "replace"))
                stdin.flush()
        except OSError:
            self._close()
        try:
            stdin.close()
        except OSError:
            pass

    def _read(self) -> None:
        stdout = self._popen.stdout
        assert stdout is not None
        with stdout:
            inside = False  # a line whose beginning was longer than LONGEST_LINE
            while part := stdout.readline(LONGEST_LINE):
                if not inside:
                    self._take(_text(part))
                inside = not part.endswith(b"\n")
        self._close()

    def _take(self, line: str) -> None:
        word = (line.split(None, 1) or [""])[0]
        with self._changed:
            self._received = line or self._received
            if word in ("info", "bestmove", "readyok"):
                self._heard = time.monotonic()
            request = self._waiting[0] if self._waiting else None
            if word == "readyok" and request is not None and request.ending == "bestmove":
                # An engine answers `isready` at once, also during a search.
                request = next((later for later in self._waiting if later.ending == word), None)
            if request is not None and (request.ending != "bestmove" or word in ("info", "bestmove")):
                request.answers.append(line)
                if word == request.ending:
                    request.done = True
                    self._waiting.remove(request)
                self._changed.notify_all()

    def _read_errors(self) -> None:
        stderr = self._popen.stderr
        assert stderr is not None
        with stderr:
            while part := stderr.read1(1 << 16):  # type: ignore[attr-defined]
                self._errors = (self._errors + part)[-KEPT_ERRORS:]

    def _close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    # ------------------------------------------------------------------------------------------------ requests

    def send(self, *lines: str, ending: str = "") -> Request:
        """Sends lines; with `ending`, their answer is expected. Never blocks."""
        request = Request(lines, ending)
        self._out.put(request)
        return request

    def wait(self, ready: Callable[[], bool], deadline: Optional[float] = None, patience: Optional[float] = None) -> None:
        """Waits until `ready()`. Raises `EngineTimeout` after the deadline, or if no line of a search arrives for `patience`
        seconds, nor a reply to `isready`; `EngineTerminated` if the process has ended."""
        began = time.monotonic()
        asked = False
        with self._changed:
            while not ready():
                if self._closed or self.gone:
                    break
                now = time.monotonic()
                quiet = now - max(began, self._heard)
                asked = asked and patience is not None and quiet >= patience / 2
                if (deadline is not None and now >= deadline) or (patience is not None and quiet >= patience):
                    raise EngineTimeout(self._late())
                if patience is not None and quiet >= patience / 2 and not asked:
                    self.send("isready", ending="readyok")
                    asked = True
                rests = [1.0]  # a wait without end cannot be interrupted on Windows
                if deadline is not None:
                    rests.append(deadline - now)
                if patience is not None:
                    rests.append((patience if asked else patience / 2) - quiet)
                self._changed.wait(max(0.0, min(rests)))
            if ready():
                return
        raise EngineTerminated(self._end())

    def check(self) -> None:
        """Raises `EngineTerminated` if the process has ended."""
        if self._closed or self.gone:
            raise EngineTerminated(self._end())

    def answer(self, lines: Sequence[str], ending: str, deadline: float) -> list[str]:
        """Sends lines and returns their answer."""
        request = self.send(*lines, ending=ending)
        self.wait(lambda: request.done, deadline)
        return list(request.answers)

    def _late(self) -> str:
        last = f'its last line is "{self._received[:200]}"' if self._received else "it has printed nothing"
        return f'{self.command[0]} did not reply to "{self._sent[:200]}" in time; {last}'

    def _end(self) -> str:
        """How the engine ended, with its last lines on standard error."""
        if self.gone:
            return f"{self.command[0]} {self.gone}: restart() starts it again"
        try:
            status: Optional[int] = self._popen.wait(1.0)
        except subprocess.TimeoutExpired:
            status = None
        self._error_reader.join(1.0)
        lines = "\n".join(_text(line) for line in self._errors.splitlines()[-10:])
        how = f"exited with status {status}" if status is not None else "closed its input or output"
        return f"{self.command[0]} {how}" + (f"; standard error:\n{lines}" if lines else "")

    # ------------------------------------------------------------------------------------------------ the end

    def quit(self, deadline: float) -> int:
        """Sends `stop` and `quit`, and returns the exit status; kills an engine that does not exit in time."""
        if not self.gone:
            self.send("stop", "quit")
            try:
                self._popen.wait(max(0.0, deadline - time.monotonic()))
                # Its last lines, among them the result of a search.
                self.wait(lambda: self._closed, time.monotonic() + 1.0)
            except (subprocess.TimeoutExpired, UgiError):
                pass
            self.kill("was told to quit")
        return -9 if self._popen.returncode is None else self._popen.returncode

    def kill(self, reason: str = "was killed") -> None:
        """Kills the process with those that it started."""
        if self.owner != os.getpid() or self.gone:
            return
        self.gone = reason
        if self._popen.poll() is None:
            try:
                if sys.platform == "win32":
                    self._popen.kill()
                else:
                    os.killpg(self._popen.pid, signal.SIGKILL)
            except OSError:
                self._popen.kill()
            try:
                self._popen.wait(5.0)
            except subprocess.TimeoutExpired:
                pass
        self._out.put(None)
        self._close()


def _text(line: bytes) -> str:
    """A line as text, without control characters, which a terminal would obey."""
    text = line.decode("utf-8", "replace").rstrip()
    return re.sub(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]", lambda found: f"\\x{ord(found[0]):02x}", text)


def _start(command: Sequence[str], cwd: Union[str, os.PathLike[str], None]) -> subprocess.Popen[bytes]:
    """Starts an engine in a process group of its own: Ctrl-C interrupts the client, which decides what becomes of the engine."""
    pipe = subprocess.PIPE
    try:
        if sys.platform == "win32":
            group = subprocess.CREATE_NEW_PROCESS_GROUP
            return subprocess.Popen(command, cwd=cwd, stdin=pipe, stdout=pipe, stderr=pipe, creationflags=group)
        return subprocess.Popen(command, cwd=cwd, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
    except OSError as error:
        if cwd is not None and not Path(cwd).is_dir():
            raise EngineTerminated(f"cannot start {list(command)}: {cwd} is not a folder") from error
        hint = ""
        if isinstance(error, FileNotFoundError) and len(command) > 1:
            hint = "; quote a path that contains spaces, or pass a list of arguments"
        raise EngineTerminated(f"cannot start {list(command)}: {command[0]}: {error.strerror or error}{hint}") from error
