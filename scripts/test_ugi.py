"""Tests of the client with the real engine (NULLWINDOW, or target/release/nullwindow) and with faulty scripted engines.

    python3 -m unittest discover -s scripts
"""

from __future__ import annotations

import io
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from annotate import Note, annotate, svg, write_table  # noqa: E402
from ugi import (  # noqa: E402
    Accuracy,
    Engine,
    EngineError,
    EngineTerminated,
    EngineTimeout,
    Info,
    Limit,
    _option,
    _words,
    moves_of,
)

ROOT = Path(__file__).parent.parent
NULLWINDOW = os.environ.get("NULLWINDOW", str(ROOT / "target/release/nullwindow"))

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
        self.assertEqual(Accuracy.parse(text), Accuracy(3, 88, 2000, 1.62))
        self.assertIsNone(Accuracy.parse("accuracy: not measured (depth 2, selectivity 100 %, 58 empties)"))

    def test_transcripts_are_read(self) -> None:
        for text in ("f5d6c3", "1. F5 d6 2. C3", "f5, d6, c3", "f5 d6 -- c3"):
            self.assertEqual(moves_of(text), ["f5", "d6", "c3"])

    def test_limits_are_written(self) -> None:
        self.assertEqual(Limit(depth=3, searchmoves=("a1", "b2")).words(), "go depth 3 searchmoves a1 b2")
        self.assertEqual(Limit(infinite=True).words(), "go infinite")
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


class RealEngine(unittest.TestCase):
    def setUp(self) -> None:
        self.engine = Engine([NULLWINDOW])
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
        for act in (
            lambda: self.engine.set_option("Hash", "lots"),
            lambda: self.engine.set_option("Book", "x"),
            lambda: self.engine.position(fen="rubbish"),
        ):
            with self.assertRaises(EngineError):
                act()
        self.assertEqual(sorted(self.engine.legal_moves()), ["d6", "f4", "f6"])
        self.assertFalse(self.engine.p1_turn())
        self.assertTrue(self.engine.go(Limit(depth=4, searchmoves=("f6",))).move == "f6")

    def test_exactness(self) -> None:
        self.engine.set_option("Game", "tictactoe")
        found = self.engine.go(Limit(depth=9))
        self.assertTrue(found.exact)
        self.assertEqual(found.info.score, 0)


class Annotation(unittest.TestCase):
    def random_game(self, engine: Engine) -> list[str]:
        """A complete game of random moves, some of which lose many discs."""
        rng = random.Random(7)
        moves: list[str] = []
        engine.set_option("PassMove", "implicit")
        while legal := engine.legal_moves():
            moves.append(rng.choice(legal))
            engine.position(moves=moves)
        return moves

    def test_a_game_is_annotated_and_drawn(self) -> None:
        with Engine([NULLWINDOW]) as engine:
            moves = self.random_game(engine)
            notes = annotate(engine, " ".join(moves), Limit(depth=4))
        self.assertEqual(len(notes), len(moves) + 1)
        self.assertEqual([note.played for note in notes[:-1]], moves)
        self.assertTrue(all(note.loss >= 0 for note in notes))
        self.assertGreater(max(note.loss for note in notes), 4)
        self.assertTrue(notes[-1].exact and notes[-1].best is None)
        table = io.StringIO()
        write_table(notes, table)
        self.assertEqual(len(table.getvalue().splitlines()), len(notes) + 1)
        picture = ElementTree.fromstring(svg(notes, 'a <game> & "more"', mark_from=1.0))
        circles = picture.findall("{http://www.w3.org/2000/svg}circle")
        self.assertEqual(len(circles), len(notes))
        # The middle of the game has figures; the first plies were not measured, and exact scores need none.
        self.assertTrue(all(note.accuracy and note.accuracy.positions > 0 and not note.exact for note in notes[12:40]))
        self.assertTrue(all(note.accuracy is None and note.error is None for note in notes[:8]))
        self.assertEqual((notes[-1].accuracy, notes[-1].error), (None, 0.0))
        self.assertRegex(table.getvalue().splitlines()[21], r"within 3 in \d+ %")
        bands = picture.findall("{http://www.w3.org/2000/svg}polygon")
        self.assertEqual(sum(len(band.attrib["points"].split()) for band in bands), 2 * (len(notes) - 8))

    def test_games_in_every_format_are_read(self) -> None:
        start = "8/8/8/3ox3/3xo3/8/8/8 x"
        with Engine([NULLWINDOW]) as engine:
            for text in (
                "f5d6c3 37-27",
                "# a comment\n1. F5 d6\n2. c3",
                '[Event "a; b"]\n\n1. f5 {a; b} d6 ; rest c4\n2. c3 *\n',
                f"1 (;GM[Othello]BO[8 {'-' * 27}O*{'-' * 6}*O{'-' * 27} *]\nB[F5//1]W[D6]B[C3];)\n",
                '{"moves":[{"move":"f5"},{"move":"d6"},{"move":"c3"}]}',
            ):
                self.assertEqual(engine.read(text), (start, ["f5", "d6", "c3"]), text)
            with self.assertRaisesRegex(EngineError, 'illegal move "d8" at ply 3'):
                engine.read("f5d6d8")

    def test_an_engine_that_says_nothing_of_accuracy_has_no_band(self) -> None:
        notes = [Note(ply, ply % 2 == 0, "a1", "a1", 1.0, False) for ply in range(3)]
        self.assertNotIn("<polygon", svg(notes, "a game"))

    def test_the_program_writes_its_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "game.svg"
            command = [sys.executable, str(ROOT / "scripts/annotate.py"), "f5d6c3", "--engine", NULLWINDOW]
            done = subprocess.run([*command, "--depth", "4", "--svg", str(file)], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue(file.read_text().startswith("<svg"))
            self.assertIn("3 plies, depth 4<", file.read_text())
            command += ["--movetime", "5", "--exact", "3", "--svg", str(file)]
            self.assertEqual(subprocess.run(command, capture_output=True).returncode, 0)
            self.assertIn("3 plies, 5 ms a position, solved from 3 empties<", file.read_text())
            done = subprocess.run([*command[:4], "/nonexistent"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)

    def test_nonsense_is_refused_with_status_2_and_leaves_nothing(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for words in (
                ["annotate.py", "gaem.txt"],
                ["annotate.py", "gamed3.txt"],
                ["annotate.py", "games/f5.txt"],
                ["annotate.py", ""],
                ["annotate.py", "f5d6", "--depth", "0"],
                ["annotate.py", "f5d6", "--movetime", "-1"],
                ["annotate.py", "f5d6", "--exact", "61"],
                ["annotate.py", "f5d6", "--svg", "no/such/folder.svg"],
                ["ladder.py", NULLWINDOW, "--depths", "5-3"],
                ["ladder.py", NULLWINDOW, "--rounds", "0"],
                ["ladder.py", "no/such/engine"],
                ["thread-scaling.py", "solve"],
                ["thread-scaling.py", "solve", "no/such/file", "--engine", NULLWINDOW],
                ["thread-scaling.py", "search", "--threads", "0", "--engine", NULLWINDOW],
                ["stress.py", "--stops", "0", "--engine", NULLWINDOW],
                ["stress.py", "--longest", "nan", "--engine", NULLWINDOW],
            ):
                command = [sys.executable, str(ROOT / "scripts" / words[0]), *words[1:]]
                done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stdout), (2, ""), f"{words}: {done.stderr}")
                self.assertEqual(os.listdir(folder), [], words)

    def test_positions_with_few_empties_are_solved(self) -> None:
        with Engine([NULLWINDOW]) as engine:
            moves = self.random_game(engine)
            engine.set_option("Selectivity", 100)
            last = len(moves) - 14
            notes = annotate(engine, " ".join(moves[:last]), Limit(nodes=100), exact=60 - last)
        self.assertEqual([note.exact for note in notes[-2:]], [False, True])

    def test_the_engine_is_found_on_the_path_from_any_folder(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "nullwindow").symlink_to(Path(NULLWINDOW).resolve())
            environment = {**os.environ, "PATH": folder + os.pathsep + os.environ["PATH"]}
            command = [sys.executable, str(ROOT / "scripts/annotate.py"), "f5d6c3", "--depth", "2"]
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(len(done.stdout.splitlines()), 5)


@unittest.skipUnless(shutil.which("bash"), "no bash")
class ShellScripts(unittest.TestCase):
    """The paths of engines are relative to the folder of the caller."""

    def run_in(self, folder: str, script: str, *arguments: str) -> str:
        (Path(folder) / "an engine").symlink_to(Path(NULLWINDOW).resolve())
        environment = {**os.environ, "NULLWINDOW": str(Path(NULLWINDOW).resolve())}
        command = ["bash", str(ROOT / "scripts" / script), *arguments]
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, start_new_session=True
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_matches_of_relative_engines(self) -> None:
        flags = ["--game", "tictactoe", "--rounds", "1", "--openings", "startpos", "--out", "record", "--each", "depth=2"]
        for script in ("match.sh", "sprt.sh"):
            with tempfile.TemporaryDirectory() as folder:
                shown = self.run_in(folder, script, "./an\\ engine", "'./an engine'", *flags)
                self.assertIn("games 2: won ", shown)
                self.assertEqual(len((Path(folder) / "record/games.jsonl").read_text().splitlines()), 2)

    def test_a_game_of_relative_engines(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            shown = self.run_in(folder, "play.sh", "tictactoe", "depth 9", "'./an engine'")
            self.assertTrue(shown.endswith("result: draw\n"), shown)


if __name__ == "__main__":
    unittest.main()
