"""Every method in every state of the engine: it returns or raises within its timeout, and later calls get their own answers."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from typing import Any, Callable

import pytest

from nullwindow import (
    Analysis,
    Board,
    Engine,
    EngineError,
    EngineTerminated,
    EngineTimeout,
    Limit,
    UgiError,
    evaluate_agent,
    play,
    solve,
)

TIMEOUT = 10.0  # of engines that answer
SHORT = 0.1  # of engines that do not
# No call waits longer than a few timeouts. The rest is for a loaded machine: a call that hangs takes minutes.
LONGEST = 30.0

# An engine that answers all commands, until a search or `setoption name Fault` brings about the fault of its first argument.
FAULTY = textwrap.dedent(
    """
    import sys, threading, time
    fault = sys.argv[1]
    searching = threading.Event()
    def say(text):
        sys.stdout.write(text + "\\n")
        sys.stdout.flush()
    def search():
        say("info depth 1 score cp 100 nodes 1 pv d3")
        searching.wait()
        say("bestmove d3")
    for line in sys.stdin:
        words = line.split()
        if words[0] == "ugi":
            games = "othello othello6 othello4 diamond diamond2 tictactoe scorefour"
            say("id name Faulty\\noption name Game type combo default othello var " + games.replace(" ", " var "))
            say("option name Fault type button\\noption name Strength type spin default 0 min 0 max 30\\nugiok")
        elif words[0] == "isready":
            say("readyok")
        elif words[0] == "query":
            answers = {"fen": "8/8/8/3ox3/3xo3/8/8/8 x", "start": "8/8/8/3ox3/3xo3/8/8/8 x", "history": "none"}
            answers.update(result="none", legalmoves="d3 c4 f5 e6")
            say("response " + answers.get(words[1], "true"))
        elif words[0] == "go" and "infinite" not in words:
            say("info depth 1 score cp 100 nodes 1 pv d3\\ninfo string exact\\nbestmove d3")
        elif words[0] == "go":
            searching.clear()
            threading.Thread(target=search, daemon=True).start()
        elif words[0] == "stop":
            searching.set()
        elif words[0] == "quit":
            break
        elif words[0] == "setoption" and "Fault" in words:
            if fault == "mute":
                for line in sys.stdin:
                    pass
                time.sleep(3600)
            elif fault == "blocked":
                time.sleep(3600)
            elif fault == "garbage":
                while True:
                    sys.stdout.write("noise " * 9 + "\\n")
            elif fault == "endless line":
                while True:
                    sys.stdout.write("noise " * 9)
            elif fault == "errors":
                while True:
                    sys.stderr.write("noise " * 9)
            elif fault == "exit":
                sys.stderr.write("x" * 1000000 + "\\nout of luck\\n")
                sys.exit(7)
    """
)


def faulty(fault: str = "none") -> Engine:
    return Engine([sys.executable, "-u", "-c", FAULTY, fault], timeout=TIMEOUT)


def broken(fault: str) -> Engine:
    """An engine that has just shown its fault."""
    engine = faulty(fault)
    engine._process.send("setoption name Fault")
    if fault == "exit":
        engine._process._popen.wait(LONGEST)
    engine.timeout = SHORT
    return engine


def running(_: str) -> Engine:
    engine = faulty()
    engine.analysis(Limit(infinite=True))
    return engine


def killed(_: str) -> Engine:
    engine = faulty()
    engine._process._popen.kill()
    engine._process._popen.wait()
    return engine


def closed(_: str) -> Engine:
    engine = faulty()
    assert engine.quit() == 0
    return engine


def idle(_: str) -> Engine:
    return faulty()


STATES: dict[str, tuple[Callable[[str], Engine], tuple[type[UgiError], ...]]] = {
    "idle": (idle, ()),
    "analysis": (running, ()),
    "killed": (killed, (EngineTerminated,)),
    "closed": (closed, (EngineTerminated,)),
    "exit": (broken, (EngineTerminated,)),
    "mute": (broken, (EngineTimeout,)),
    "blocked": (broken, (EngineTimeout,)),
    "garbage": (broken, (EngineTimeout,)),
    "endless line": (broken, (EngineTimeout,)),
    "errors": (broken, (EngineTimeout,)),
}


def iterate(engine: Engine) -> None:
    with engine.analysis(Limit(infinite=True)) as analysis:
        for _ in analysis:
            break


def leave(engine: Engine) -> None:
    with engine.analysis(Limit(infinite=True)):
        pass


def lowest(board: Board) -> str:
    return min(board.legal_moves)


LONG = " ".join(["d3"] * 100_000)  # more than a pipe holds
CALLS: dict[str, Callable[[Engine], Any]] = {
    "ready": lambda engine: engine.ready(),
    "set_option": lambda engine: engine.set_option("Strength", 5),
    "new_game": lambda engine: engine.new_game(),
    "position": lambda engine: engine.position(moves="d3"),
    "long position": lambda engine: engine.position(moves=LONG),
    "set_game": lambda engine: engine.set_game("othello6"),
    "read": lambda engine: engine.read("d3"),
    "query": lambda engine: engine.query("fen"),
    "queries": lambda engine: engine.queries("fen", "result"),
    "diagram": lambda engine: engine.diagram(),
    "p1_turn": lambda engine: engine.p1_turn(),
    "game_over": lambda engine: engine.game_over(),
    "result": lambda engine: engine.result(),
    "legal_moves": lambda engine: engine.legal_moves(),
    "go": lambda engine: engine.go(Limit(movetime=10)),
    "go depth": lambda engine: engine.go(Limit(depth=3)),
    "iterate": iterate,
    "leave": leave,
    "solve": lambda engine: solve(engine=engine),
    "play": lambda engine: play(engine, lowest, Board("othello", "xo6/8/8/8/8/8/8/8 x"), Limit(depth=1)),
    "evaluate_agent": lambda engine: evaluate_agent(lowest, [Board()], engine=engine, ladder=()),
    "set_up": lambda engine: Board().set_up(engine),
}
ENDS: dict[str, Callable[[Engine], Any]] = {
    "restart": lambda engine: engine.restart(),
    "quit": lambda engine: engine.quit(),
    "with": lambda engine: engine.__exit__(None, None, None),
}


def within(longest: float, call: Callable[[], Any]) -> Any:
    """The result or error of a call in a thread; fails if it takes longer."""
    outcome: list[Any] = []

    def work() -> None:
        try:
            outcome.append(call())
        except BaseException as error:
            outcome.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(longest)
    assert outcome, "the call hangs"
    return outcome[0]


def test_every_method_is_called() -> None:
    names = {name for name, value in vars(Engine).items() if callable(value) and not name.startswith("_")}
    assert names - {"analysis"} <= {*CALLS, *ENDS}  # analysis: "iterate", "leave"


@pytest.mark.parametrize("state", STATES)
def test_every_method_returns_or_raises_in_every_state(state: str) -> None:
    start, expected = STATES[state]
    engine = start(state)
    for name, call in CALLS.items():
        if state == "analysis":
            engine.analysis(Limit(infinite=True))
        outcome = within(LONGEST, lambda: call(engine))
        if expected:
            assert isinstance(outcome, expected), (name, outcome)
        elif name == "play":
            assert isinstance(outcome, UgiError), outcome  # its move is not legal there
        else:
            assert not isinstance(outcome, BaseException), (name, outcome)
    if state == "analysis":
        engine.analysis(Limit(infinite=True))
    for name in ("quit", "quit", "with", "restart", "restart", "quit"):
        engine.timeout = TIMEOUT if name == "restart" else SHORT if expected else TIMEOUT
        outcome = within(LONGEST, lambda: ENDS[name](engine))
        assert not isinstance(outcome, BaseException), (name, outcome)


@pytest.mark.parametrize("state", STATES)
def test_each_method_alone_in_every_state(state: str) -> None:
    # A fresh engine for the calls that do most: those before them may have changed the state.
    start, expected = STATES[state]
    for call in (CALLS["iterate"], CALLS["go depth"], ENDS["quit"], ENDS["restart"]):
        engine = start(state)
        engine.timeout = TIMEOUT if call is ENDS["restart"] else engine.timeout
        outcome = within(LONGEST, lambda: call(engine))
        fails = expected and call not in ENDS.values()
        assert isinstance(outcome, expected) if fails else not isinstance(outcome, BaseException), outcome
        within(LONGEST, engine.quit)


def test_a_new_call_ends_the_analysis() -> None:
    with faulty() as engine:
        with engine.analysis(Limit(infinite=True)) as analysis:
            iterator = iter(analysis)
            assert next(iterator).score == 100
            assert engine.p1_turn() and analysis.finished
            assert list(iterator) == [] and analysis.result.move == "d3"
            second = engine.analysis(Limit(infinite=True))
            assert engine.go(Limit(depth=1)).move == "d3" and second.result.move == "d3"
        assert analysis.stop().move == "d3"
        for way in (engine.restart, engine.quit):
            with engine.analysis(Limit(infinite=True)) as analysis:
                way()
            assert list(analysis)[1:] == []


def test_a_late_answer_is_not_that_of_the_next_call() -> None:
    with Engine(timeout=5.0) as engine:
        process = engine._process
        engine.ready()
        if sys.platform == "win32":
            pytest.skip("a process cannot be stopped and continued")
        os.kill(process.pid, signal.SIGSTOP)
        engine.timeout = 0.2
        for call in (lambda: engine.query("fen"), engine.p1_turn, lambda: engine.position(moves="f5"), lambda: engine.go(Limit(depth=1))):
            with pytest.raises(EngineTimeout):
                call()
        os.kill(process.pid, signal.SIGCONT)
        engine.timeout = 10.0
        assert engine.result() == "none" and engine.query("history") == "f5" and not engine.p1_turn()
        assert engine.go(Limit(depth=2, searchmoves="d6")).move == "d6"


def test_threads_wait_for_each_other() -> None:
    with Engine() as engine:
        wrong: list[object] = []

        def work(move: str) -> None:
            for _ in range(40):
                with engine.lock:
                    engine.position(moves=[move])
                    engine.go(Limit(nodes=200))
                    history = engine.query("history")
                if history != move:
                    wrong.append(history)
                engine.analysis(Limit(infinite=True))

        threads = [threading.Thread(target=work, args=(move,), daemon=True) for move in ("d3", "c4", "f5", "e6")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert not any(thread.is_alive() for thread in threads) and wrong == []
        scores: list[int] = []
        solvers = [
            threading.Thread(target=lambda board=board: scores.append(solve(board, engine=engine).score), daemon=True)
            for board in [Board("othello4"), Board("tictactoe")] * 4
        ]
        for thread in solvers:
            thread.start()
        for thread in solvers:
            thread.join(60)
        assert sorted(scores) == [-8] * 4 + [0] * 4


def test_an_error_line_of_a_search_raises() -> None:
    with Engine() as engine:
        limit = Limit(depth=30, searchmoves=("a1",))
        for call in (lambda: engine.go(limit), lambda: list(engine.analysis(limit)), lambda: stopped(engine.analysis(limit))):
            with pytest.raises(EngineError, match='illegal move "a1"'):
                call()
        with pytest.raises(EngineError, match='illegal move "a1"'):
            with engine.analysis(limit) as analysis:
                list(analysis)
        assert engine.go(Limit(depth=1)).move


def stopped(analysis: Analysis) -> None:
    time.sleep(0.2)
    analysis.stop()


def test_an_interrupted_call_leaves_the_engine_usable() -> None:
    if sys.platform == "win32":
        pytest.skip("no SIGALRM")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with Engine() as engine:
            for limit in (Limit(depth=60), Limit(exact=True)):
                signal.setitimer(signal.ITIMER_REAL, 0.3)
                with pytest.raises(KeyboardInterrupt):
                    engine.go(limit)
                assert engine.query("fen") == "8/8/8/3ox3/3xo3/8/8/8 x"
    finally:
        signal.signal(signal.SIGALRM, before)


def test_ctrl_c_at_a_terminal_does_not_reach_the_engine() -> None:
    if sys.platform == "win32":
        pytest.skip("process groups")
    with Engine() as engine:
        assert os.getpgid(engine._process.pid) != os.getpgid(0)


def test_a_wrapper_ends_with_the_processes_that_it_started() -> None:
    if sys.platform == "win32":
        pytest.skip("no sh")
    engine = Engine(["sh", "-c", '"$0" -u -c "$1" mute; true', sys.executable, FAULTY], timeout=TIMEOUT)
    engine._process.send("setoption name Fault")
    engine.timeout = SHORT
    began = time.monotonic()
    assert engine.quit() != 0 and time.monotonic() - began < LONGEST
    engine._process._error_reader.join(LONGEST)  # ends when no process has the pipe
    assert not engine._process._error_reader.is_alive()


@pytest.mark.parametrize("fault", ["idle", "mute"])
def test_no_process_outlives_its_engine(fault: str) -> None:
    engine = broken(fault)
    popen = engine._process._popen
    engine.analysis if fault == "mute" else engine.analysis(Limit(infinite=True))
    del engine
    gc.collect()
    assert popen.poll() is not None


def test_a_running_analysis_keeps_its_engine() -> None:
    analysis = Engine().analysis(Limit(depth=4))
    process = analysis._process
    depths = [info.depth for info in analysis]  # to the end: `bestmove` follows the lines
    assert 4 in depths and analysis.result.move
    assert process.gone


def test_the_interpreter_exits_with_engines_running() -> None:
    script = """
        import sys, threading
        from nullwindow import Board, Engine, Limit
        first, second = Engine(sys.argv[1:]), Engine()
        first._process.send("setoption name Fault")
        iterator = iter(second.analysis(Limit(infinite=True)))
        next(iterator)
        threading.Thread(target=lambda: list(iterator), daemon=True).start()
        Board(position="f5d6")
        print(first._process.pid, second._process.pid)
    """
    command = [sys.executable, "-c", textwrap.dedent(script), sys.executable, "-u", "-c", FAULTY, "mute"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST)
    assert (done.returncode, done.stderr) == (0, "")
    for pid in done.stdout.split() if os.name == "posix" else ():
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)


def test_an_engine_belongs_to_one_process() -> None:
    with faulty() as engine:
        for way in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="an Engine is a process"):
                way(engine)
        if not hasattr(os, "fork"):
            return
        child = os.fork()
        if child == 0:
            try:
                engine.p1_turn()
            except EngineTerminated:
                engine.restart()
                os._exit(0 if engine.p1_turn() and engine.quit() == 0 else 2)
            finally:
                os._exit(1)
        assert os.waitpid(child, 0)[1] == 0
        assert engine.p1_turn()


def test_a_crash_is_reported_with_the_last_lines_of_standard_error() -> None:
    with broken("exit") as engine:
        with pytest.raises(EngineTerminated, match="(?s)exited with status 7; standard error:.*out of luck"):
            engine.ready()
        engine.timeout = TIMEOUT
        engine.restart()
        engine.ready()
    with pytest.raises(EngineTerminated, match="was told to quit: restart"):
        engine.ready()
