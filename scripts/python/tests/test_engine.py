"""Tests of the client with faulty scripted engines and with nullwindow."""

from __future__ import annotations

import shlex
import sys
import tempfile
import textwrap
import time
import unittest
from pathlib import Path

from nullwindow import (
    Accuracy,
    Engine,
    EngineError,
    EngineTerminated,
    EngineTimeout,
    Info,
    Limit,
    moves_of,
)
from nullwindow.engine import _option, _split_windows, _words

# An engine with the fault that its first argument names.
SCRIPTED = textwrap.dedent(
    """
    import sys, threading, time
    fault = sys.argv[1]
    def say(text):
        sys.stdout.write(text + "\\n")
        sys.stdout.flush()
    def search():
        if fault == "deaf":
            time.sleep(3600)
        if fault == "late":
            stopped.wait()
            time.sleep(0.3)
        say("info depth 1 score cp 12 nodes x pv a1 b1")
        say("bestmove a1")
    stopped = threading.Event()
    for line in sys.stdin:
        word = line.split()[0]
        if word == "ugi" and fault != "silent":
            say("id name A B\\noption name Move Overhead type spin default 10 min -5 max 20\\nugiok")
        elif word == "isready":
            say("readyok")
        elif word == "query":
            say("noise\\nresponse true")
        elif word == "stop":
            stopped.set()
        elif word == "go":
            if fault == "crash":
                sys.exit(3)
            stopped.clear()
            threading.Thread(target=search, daemon=True).start()
        elif word == "quit" and fault != "deaf":
            break
    if fault == "deaf":
        time.sleep(3600)
    """
)


def scripted(fault: str, timeout: float = 5.0) -> Engine:
    return Engine([sys.executable, "-c", SCRIPTED, fault], timeout=timeout)


class Parsing(unittest.TestCase):
    def test_lines_are_read(self) -> None:
        info = Info.parse("info depth 8 seldepth 9 multipv 2 score cp -300 lowerbound nodes 67 nps 9 hashfull 1 time 6 pv c5 d6")
        self.assertEqual(
            info, Info(8, 9, 2, -300, "lowerbound", 67, 9, 1, 6, ("c5", "d6"))
        )
        self.assertEqual(Info.parse("info string depth 3").string, "depth 3")
        self.assertEqual(Info.parse("info depth x score cp 4"), Info(score=4))
        option = _option("Style type combo default Very Solid var Very Solid var Risky")
        self.assertEqual((option.name, option.default, option.values), ("Style", "Very Solid", ("Very Solid", "Risky")))

    def test_accuracies_are_read(self) -> None:
        text = "accuracy: within 3 discs of the exact in 88 % of 2000 positions, mean error 1.62 (depth 10, ...)"
        self.assertEqual(Accuracy.parse(text), Accuracy(3, 88, 2000, 1.62, "exact"))
        played = Accuracy.parse(text.replace("exact", "game result"))
        self.assertEqual(played, Accuracy(3, 88, 2000, 1.62, "game result"))
        self.assertIsNone(Accuracy.parse("accuracy: not measured (depth 2, selectivity 100 %, 58 empties)"))

    def test_transcripts_are_read(self) -> None:
        for text in ("f5d6c3", "1. F5 d6 2. C3", "f5, d6, c3", "f5 d6 -- c3"):
            self.assertEqual(moves_of(text), ["f5", "d6", "c3"])

    def test_limits_are_written(self) -> None:
        self.assertEqual(Limit(depth=3, searchmoves=("a1", "b2")).words(), "go depth 3 searchmoves a1 b2")
        self.assertEqual(Limit(infinite=True).words(), "go infinite")
        self.assertEqual(Limit(wld=True, movetime=9).words(), "go movetime 9 wld")
        self.assertEqual(Limit(p1time=500, p2time=400, p1inc=5).words(), "go p1time 500 p2time 400 p1inc 5")


class Misbehavior(unittest.TestCase):
    def test_an_engine_that_overruns_gives_a_timeout_and_the_client_goes_on(self) -> None:
        with scripted("late") as engine:
            for _ in range(3):
                began = time.monotonic()
                with self.assertRaises(EngineTimeout):
                    engine.go(Limit(movetime=10), timeout=0.2)
                self.assertLess(time.monotonic() - began, 3)
                # The late reply is not taken for that of another command.
                self.assertTrue(engine.p1_turn())
            with engine.analysis(Limit(infinite=True)) as analysis:
                pass
            self.assertEqual((analysis.result.move, analysis.result.info.score), ("a1", 12))

    def test_one_that_never_stops_times_out_again_until_it_is_restarted(self) -> None:
        engine = scripted("deaf", timeout=1.0)
        with self.assertRaises(EngineTimeout):
            engine.go(Limit(depth=3), timeout=0.1)
        with self.assertRaises(EngineTimeout):
            engine.p1_turn()
        engine.restart()
        self.assertTrue(engine.p1_turn())
        began = time.monotonic()
        self.assertNotEqual(engine.quit(), 0)
        self.assertLess(time.monotonic() - began, 5)

    def test_one_that_dies_is_named_and_can_be_restarted(self) -> None:
        with scripted("crash") as engine:
            for _ in range(2):
                with self.assertRaises(EngineTerminated):
                    engine.go(Limit(depth=3))
                with self.assertRaises(EngineTerminated):
                    engine.p1_turn()
                engine.restart()
            self.assertEqual(engine.name, "A B")
            option = engine.options["Move Overhead"]
            self.assertEqual((option.kind, option.minimum, option.maximum), ("spin", -5, 20))

    def test_a_timeout_quotes_the_command_and_the_last_line(self) -> None:
        with scripted("late") as engine:
            with self.assertRaisesRegex(EngineTimeout, 'did not reply to "go depth 3" in time; its last line is "ugiok"'):
                engine.go(Limit(depth=3), timeout=0.2)
        with self.assertRaisesRegex(EngineTimeout, 'did not reply to "ugi" in time; it has printed nothing: no ugiok'):
            scripted("silent", timeout=0.5)

    def test_a_command_is_one_line(self) -> None:
        with scripted("none") as engine:
            with self.assertRaisesRegex(ValueError, "a command is one line"):
                engine.position(fen="8\nquit")
            self.assertTrue(engine.p1_turn())

    def test_one_that_never_greets_or_does_not_exist(self) -> None:
        with self.assertRaises(EngineTimeout):
            scripted("silent", timeout=0.5)
        with self.assertRaises(EngineTerminated):
            Engine(["/nonexistent/engine"])


class Commands(unittest.TestCase):
    def test_a_command_is_a_program_a_command_line_or_words(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "an engine"
            program.symlink_to(sys.executable)
            file = Path(folder) / "engine.py"
            file.write_text(SCRIPTED)
            for command in (
                [sys.executable, str(file), "none"],
                shlex.join([sys.executable, str(file), "none"]),
                shlex.join([str(program), str(file), "none"]),
            ):
                with Engine(command) as engine:
                    self.assertEqual(engine.name, "A B", command)
            self.assertEqual(_words(str(program)), [str(program)])
            self.assertEqual(_words("nullwindow -q"), ["nullwindow", "-q"])

    def test_windows_words_keep_backslashes(self) -> None:
        line = r'''C:\engines\nw.exe --file "C:\my games\a.txt" "" x="1 2"3 "say ""no""" it's  '''
        words = [r"C:\engines\nw.exe", "--file", r"C:\my games\a.txt", "", "x=1 23", 'say "no"', "it's"]
        self.assertEqual(_split_windows(line), words)
        self.assertEqual(_split_windows("  "), [])
        with self.assertRaisesRegex(ValueError, "a quote is left open"):
            _split_windows('a "b')


class RealEngine(unittest.TestCase):
    def setUp(self) -> None:
        self.engine = Engine()
        self.addCleanup(self.engine.quit)

    def test_a_whole_game(self) -> None:
        engine = self.engine
        self.assertIn("nullwindow", engine.name)
        self.assertIn("othello6", engine.options["Game"].values)
        engine.set_option("Game", "othello6")
        engine.set_option("Table", True)
        engine.new_game()
        moves: list[str] = []
        engine.position()
        while not engine.game_over():
            found = engine.go([Limit(depth=3), Limit(nodes=500), Limit(p1time=200, p2time=200)][len(moves) % 3])
            self.assertIn(found.move, engine.legal_moves())
            self.assertEqual(found.move, found.info.pv[0])
            assert found.move
            moves.append(found.move)
            engine.position(moves=moves)
        self.assertIn(engine.result(), ("p1win", "p2win", "draw"))
        self.assertIsNone(engine.go(Limit(depth=3)).move)
        self.assertEqual(engine.quit(), 0)

    def test_streaming_stopping_and_several_lines(self) -> None:
        self.engine.set_option("MultiPV", 3)
        self.engine.position(moves="f5 d6")
        depths = []
        with self.engine.analysis(Limit(infinite=True)) as analysis:
            for info in analysis:
                if info.depth and info.pv:
                    depths.append(info.depth)
                if depths and depths[-1] >= 6:
                    break
        self.assertEqual(depths, sorted(depths))
        self.assertEqual(sorted(analysis.result.lines), [1, 2, 3])
        self.assertEqual(analysis.result.move, analysis.result.info.pv[0])
        scores = [analysis.result.lines[number].score or 0 for number in (1, 2, 3)]
        self.assertEqual(scores, sorted(scores, reverse=True))

    def test_errors_are_raised_and_change_nothing(self) -> None:
        self.engine.position(moves="f5")
        for name, value in (("Hash", "lots"), ("Book", "x")):
            with self.assertRaises(EngineError):
                self.engine.set_option(name, value)
        with self.assertRaises(EngineError):
            self.engine.position(fen="rubbish")
        self.assertEqual(sorted(self.engine.legal_moves()), ["d6", "f4", "f6"])
        self.assertFalse(self.engine.p1_turn())
        self.assertTrue(self.engine.go(Limit(depth=4, searchmoves=("f6",))).move == "f6")

    def test_games_in_every_format_are_read(self) -> None:
        start = "8/8/8/3ox3/3xo3/8/8/8 x"
        for text in (
            "f5d6c3 37-27",
            "# a comment\n1. F5 d6\n2. c3",
            '[Event "a; b"]\n\n1. f5 {a; b} d6 ; rest c4\n2. c3 *\n',
            r'''[Event "a \"b; {c\" \\"]''' + "\n\n1. f5 d6 2. c3 *",
            f"1 (;GM[Othello]BO[8 {'-' * 27}O*{'-' * 6}*O{'-' * 27} *]\nB[F5//1]W[D6]B[C3];)\n",
            '{"moves":[{"move":"f5"},{"move":"d6"},{"move":"c3"}]}',
        ):
            self.assertEqual(self.engine.read(text), (start, ["f5", "d6", "c3"]), text)
        with self.assertRaisesRegex(EngineError, 'illegal move "d8" at ply 3'):
            self.engine.read("f5d6d8")

    def test_options_at_the_start_survive_a_restart(self) -> None:
        with Engine(options={"Game": "tictactoe", "Hash": 1}) as engine:
            engine.restart()
            self.assertEqual(engine.query("fen"), "3/3/3 x")
        with self.assertRaises(EngineError):
            Engine(options={"Hash": "lots"})

    def test_exactness(self) -> None:
        self.engine.set_option("Game", "tictactoe")
        found = self.engine.go(Limit(depth=9))
        self.assertTrue(found.exact)
        self.assertEqual(found.info.score, 0)
