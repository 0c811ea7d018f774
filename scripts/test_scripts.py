"""Tests of the scripts with the engine (NULLWINDOW, or target/release/nullwindow). `python/tests` tests the Python package.

    python3 -m unittest discover -s scripts
"""

from __future__ import annotations

import io
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "python")]

from annotate import Note, annotate, svg, write_table  # noqa: E402
from nullwindow import Engine, EngineError, Limit  # noqa: E402

ROOT = Path(__file__).parent.parent
NULLWINDOW = os.environ.get("NULLWINDOW", str(ROOT / "target/release/nullwindow"))


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
