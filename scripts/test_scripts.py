"""Tests of the scripts with the engine (NULLWINDOW, or target/release/nullwindow). `python/tests` tests the Python package.

    python3 -m unittest discover -s scripts
"""

from __future__ import annotations

import json
import os
import runpy
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parent.parent
NULLWINDOW = os.environ.get("NULLWINDOW", str(ROOT / "target/release/nullwindow"))


def problems(folder: str, count: int) -> Path:
    """A file of this many positions of 12 empties."""
    file = Path(folder) / "positions"
    command = [NULLWINDOW, "problems", "--empties", "12", "--count", str(count), "--seed", "5", "--unsolved"]
    file.write_text(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return file


class SeededFaults(unittest.TestCase):
    def test_each_fault_has_its_one_place_in_the_source(self) -> None:
        faults = runpy.run_path(str(ROOT / "scripts/seeded-faults.py"))["FAULTS"]
        for file, old, *_ in faults:
            with self.subTest(file=file):
                self.assertEqual((ROOT / "src" / file).read_text().count(old), 1, old)


class AnalysisNodes(unittest.TestCase):
    def test_the_nodes_of_an_analysis_are_compared_with_those_of_single_searches(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "games"
            file.write_text("f5d6c3d3c4f4\nf5f6e6f4\n")
            command = [sys.executable, str(ROOT / "scripts/analysis-nodes.py"), str(file), "--engine", NULLWINDOW]
            done = subprocess.run([*command, "--depth", "5", "--exact", "0"], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            head, *rows = [line.split() for line in done.stdout.splitlines()]
            self.assertEqual([row[:2] for row in rows[:2]], [["1", "6"], ["2", "4"]])
            self.assertTrue(all(int(row[2]) > 0 and int(row[3]) > 0 for row in rows[:2]))
            self.assertEqual(rows[2][0], "all")


class CompareMoves(unittest.TestCase):
    def test_moves_that_differ_are_solved(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = problems(folder, 30)

            def compare(*words: str) -> list[str]:
                command = [sys.executable, str(ROOT / "scripts/compare-moves.py"), str(file), NULLWINDOW, *words]
                done = subprocess.run(command, capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                return done.stdout.splitlines()

            self.assertEqual(
                compare(NULLWINDOW, "--nodes", "500"),
                ["30 positions: better in 0, worse in 0, p = 1; gain +0.000 +- 0.000 discs"],
            )
            weak = [f"{NULLWINDOW} --option Algorithm=minimax --option Deepening=false", "--nodes", "20000"]
            *rows, total = compare(*weak)
            halves = [row for n in "12" for row in compare(*weak, "--every", f"{n}/2")[:-1]]
            self.assertEqual(sorted(rows), sorted(halves))
            gains = [float(row.split()[3]) - float(row.split()[4]) for row in rows]
            self.assertGreater(len(gains), 2)
            self.assertGreaterEqual(min(gains), 0)  # the new engine solves these positions
            self.assertIn(f"better in {sum(gain > 0 for gain in gains)}, worse in 0, ", total)


class EndgameTimes(unittest.TestCase):
    def test_an_engine_has_the_nodes_and_scores_of_its_twin(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file, out = problems(folder, 2), Path(folder) / "searches"
            engine = Path(folder) / "an engine"
            engine.symlink_to(Path(NULLWINDOW).resolve())
            command = [sys.executable, str(ROOT / "scripts/endgame-times.py"), f"'{engine}' --option Threads=1", str(engine)]
            command += ["--rounds", "1", "--hash", "1", "--out", str(out), f"{file}:1-2", "4-4"]
            for _ in range(2):  # the second run repeats no search
                done = subprocess.run(command, capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn("nodes 1.000 ", done.stdout)
                self.assertIn("scores that differ 0", done.stdout)
                self.assertEqual(len(out.read_text().splitlines()), 4 + 80)


class ThreadScaling(unittest.TestCase):
    def test_threads_are_compared_with_programs(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = problems(folder, 2)
            command = [sys.executable, str(ROOT / "scripts/thread-scaling.py"), "solve", "--rounds", "1", "--hash", "1", "--engine", NULLWINDOW]
            for words in ([], ["--apart"]):
                done = subprocess.run([*command, *words, str(file)], capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertRegex(done.stdout.splitlines()[-1], r"^2 threads relative to one: nodes [0-9.]+, .*; 2 programs: nodes/s [0-9.]+ ")


class MatchMeasures(unittest.TestCase):
    def test_equal_engines_are_measured(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "tournament.json").write_text('{"config": {"engines": [{"name": "A"}]}}')
            results = [("p1win", 2), ("p2win", -4), ("p2win", -4), ("p1win", 2), ("draw", 0), ("draw", 0)] * 2
            games = [{"p1": "AB"[at % 2], "pair": at // 2, "result": result, "discs": discs} for at, (result, discs) in enumerate(results)]
            games.append({"p1": "A", "pair": 9, "result": None})  # a fault of the referee
            (Path(folder) / "games.jsonl").write_text("".join(f"{json.dumps(game)}\n" for game in games))
            command = [sys.executable, str(ROOT / "scripts/match-measures.py"), folder]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("games needed by discs, Elo 1: inf, 95 %", done.stdout)


class NarrowChoices(unittest.TestCase):
    def test_a_complete_file_stays_as_it_is(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "choices.obf"
            words = [str(out), "--empties", "8-8", "--count", "2", "--engine", NULLWINDOW]
            for _ in range(2):
                subprocess.run([sys.executable, str(ROOT / "scripts/narrow-choices.py"), *words], check=True, timeout=300)
                lines = out.read_text().splitlines()
                self.assertEqual([line for line in lines if line.startswith("#")], ["# batch 0"])
                self.assertEqual(len(lines), 3)


class Arguments(unittest.TestCase):
    def test_invalid_arguments_have_status_2_and_leave_no_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for words in (
                ["analysis-nodes.py", "no/such/file", "--engine", NULLWINDOW],
                ["analysis-nodes.py", __file__, "--depth", "0", "--engine", NULLWINDOW],
                ["compare-moves.py", "no/such/file", NULLWINDOW, NULLWINDOW],
                ["compare-moves.py", __file__, NULLWINDOW, NULLWINDOW, "--every", "3/2"],
                ["ladder.py", NULLWINDOW, "--depths", "5-3"],
                ["ladder.py", NULLWINDOW, "--rounds", "0"],
                ["ladder.py", "no/such/engine"],
                ["match-scale.py", "no/such/engine"],
                ["match-scale.py", NULLWINDOW, "--rounds", "0"],
                ["match-measures.py", "no/such/match"],
                ["thread-scaling.py", "solve"],
                ["thread-scaling.py", "solve", "no/such/file", "--engine", NULLWINDOW],
                ["thread-scaling.py", "search", "--threads", "0", "--engine", NULLWINDOW],
                ["stress.py", "--stops", "0", "--engine", NULLWINDOW],
                ["stress.py", "--longest", "nan", "--engine", NULLWINDOW],
                ["ladder.py", f"{NULLWINDOW} --option Hash=1"],
                ["stress.py", "--engine", f"{NULLWINDOW} --option Hash=1"],
                ["book-match.py", "folder", "--both", "0"],
            ):
                command = [sys.executable, str(ROOT / "scripts" / words[0]), *words[1:]]
                done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stdout), (2, ""), f"{words}: {done.stderr}")
                self.assertEqual(os.listdir(folder), [], words)

    def test_an_error_of_the_engine_is_printed(self) -> None:
        for words in (["analysis-nodes.py", __file__, "--engine", NULLWINDOW, "--game", "chess"], ["ladder.py", NULLWINDOW, "--options", "Nope=1"]):
            command = [sys.executable, str(ROOT / "scripts" / words[0]), *words[1:]]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, ": exit status 2\nerror: .*(unknown game|unknown option)")
            self.assertNotIn("Traceback", done.stderr)
        with tempfile.TemporaryDirectory() as folder:
            file = str(problems(folder, 1))
            for words, error in (
                (["compare-moves.py", file, f"{NULLWINDOW} --game scorefour", NULLWINDOW], "position: "),
                (["endgame-times.py", NULLWINDOW, NULLWINDOW, file, "--option", "Nope=1"], "setoption: unknown option "),
                (["endgame-times.py", NULLWINDOW, NULLWINDOW, "no/such/file"], "[Errno 2] No such file "),
                (["endgame-times.py", NULLWINDOW, NULLWINDOW, "5-4"], "usage: "),
            ):
                command = [sys.executable, str(ROOT / "scripts" / words[0]), *words[1:]]
                done = subprocess.run(command, capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stdout, done.stderr[: len(error)]), (2, "", error))

    def test_a_closed_pipe_ends_a_script_without_a_traceback(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = str(problems(folder, 1))
            for unbuffered in ("", "1"):
                read_end, write_end = os.pipe()
                os.close(read_end)
                command = [sys.executable, str(ROOT / "scripts/compare-moves.py"), file, NULLWINDOW, NULLWINDOW]
                environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
                done = subprocess.run(command, env=environment, stdout=write_end, stderr=subprocess.PIPE, text=True, timeout=60)
                os.close(write_end)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_results_before_an_error_are_printed(self) -> None:
        code = "import arguments\ndef main():\n    print('rows')\n    raise OSError('no file')\narguments.run_main(main)"
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        run = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT / "scripts", env=environment, capture_output=True, text=True, check=False
        )
        self.assertEqual((run.returncode, run.stdout, run.stderr), (2, "rows\n", "no file\n"))

    @unittest.skipIf(os.name == "nt", "a shell script")
    def test_an_engine_that_crashes_fails_the_stress_test(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            engine = Path(folder) / "engine"
            engine.write_text("#!/bin/sh\nexit 3\n")
            engine.chmod(0o755)
            command = [sys.executable, str(ROOT / "scripts/stress.py"), "--engine", str(engine), "--only", "ends", "--stops", "1"]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("status 3", run.stderr)

    @unittest.skipIf(os.name == "nt", "signals")
    def test_an_interrupt_ends_a_script_without_a_traceback(self) -> None:
        command = [sys.executable, str(ROOT / "scripts/ladder.py"), NULLWINDOW]
        script = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a background job of a shell ignores it
        )  # fmt: skip
        assert script.stdout
        script.stdout.readline()  # the head of the table
        os.killpg(script.pid, signal.SIGINT)
        self.assertEqual(script.communicate(timeout=60)[1], "")
        self.assertEqual(script.returncode, 130)

    def test_the_default_engine_is_that_of_the_environment(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            missing = {**os.environ, "NULLWINDOW": str(Path(folder) / "missing")}
            for words in (
                ["analysis-nodes.py", __file__],
                ["book-match.py", "folder"],
                ["narrow-choices.py", "file"],
                ["stress.py"],
                ["thread-scaling.py", "search"],
            ):
                command = [sys.executable, str(ROOT / "scripts" / words[0]), *words[1:]]
                done = subprocess.run(command, cwd=folder, env=missing, capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stdout), (2, ""), words)
                self.assertIn("missing: program not found", done.stderr)
                self.assertEqual(os.listdir(folder), [], words)
            (Path(folder) / "games.txt").write_text("f5d6c3d3c4f4\n")
            command = [sys.executable, str(ROOT / "scripts/analysis-nodes.py"), "games.txt", "--depth", "2", "--exact", "0", "--at-most", "9"]
            here = {**os.environ, "NULLWINDOW": str(Path(NULLWINDOW).resolve())}
            done = subprocess.run(command, cwd=folder, env=here, capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, ""))


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
        apart = ["--game", "tictactoe", "--rounds", "1", "--openings", "startpos", "--out", "record", "--each", "depth=2"]
        joined = ["--game=tictactoe", "--rounds=1", "--openings=startpos", "--out=record", "--each=depth=2"]
        single = "-variant tictactoe -rounds 1 -openings startpos --out record -each depth=2".split()
        for script, flags in ((script, flags) for script in ("match.sh", "sprt.sh") for flags in (apart, joined, single)):
            with tempfile.TemporaryDirectory() as folder:
                shown = self.run_in(folder, script, "./an\\ engine", "'./an engine'", *flags)
                self.assertIn("games 2: won ", shown)
                self.assertEqual(len((Path(folder) / "record/games.jsonl").read_text().splitlines()), 2)

    def test_a_game_of_relative_engines(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            shown = self.run_in(folder, "play.sh", "tictactoe", "depth 9", "'./an engine'")
            self.assertTrue(shown.endswith("result: draw\n"), shown)

    def test_a_failed_game_ends_its_engines_and_not_the_caller(self) -> None:
        words = [str(ROOT / "scripts/play.sh"), "tictactoe", "nonsense", shlex.quote(str(Path(NULLWINDOW).resolve()))]
        caller = f"bash {shlex.join(words)}; echo status $?"
        environment = {**os.environ, "NULLWINDOW": NULLWINDOW}
        done = subprocess.run(["bash", "-c", caller], env=environment, capture_output=True, text=True, timeout=60, start_new_session=True)
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1:]), (0, ["status 1"]), done.stderr)
        self.assertIn("nonsense", done.stderr)

    def test_an_engine_that_exits_ends_the_game_with_an_error(self) -> None:
        command = ["bash", str(ROOT / "scripts/play.sh"), "tictactoe", "depth 9", "sh -c 'read x; echo ugiok'"]
        environment = {**os.environ, "NULLWINDOW": NULLWINDOW}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, start_new_session=True)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, "^engine 1 (has ended|does not reply to: )")

    def test_training_writes_to_a_relative_folder_and_continues(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            shown = self.run_in(folder, "train-scorefour.sh", "trained", "2", "0.002")
            self.assertIn("== generation 2: done", shown)
            self.assertTrue((Path(folder) / "trained/gen2.txt").stat().st_size)
            (Path(folder) / "an engine").unlink()
            self.assertIn("== generation 2: already trained", self.run_in(folder, "train-scorefour.sh", "trained", "2", "0.002"))

    def test_help_is_the_comment_of_the_script(self) -> None:
        for script in ("match.sh", "play.sh", "sprt.sh", "train-othello.sh", "train-scorefour.sh", "versus-commit.sh"):
            with self.subTest(script), tempfile.TemporaryDirectory() as folder:
                shown = self.run_in(folder, script, "--help")
                self.assertIn(f"\n\n  scripts/{script} ", shown)
                self.assertEqual(os.listdir(folder), ["an engine"])

    def test_an_incomplete_release_is_refused(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "src").mkdir()
            (root / "src/lib.rs").touch()
            (root / "scripts/release").mkdir(parents=True)
            shutil.copy(ROOT / "scripts/release/check.sh", root / "scripts/release")
            manifest = '[package]\nname = "nullwindow"\nversion = "1.2.3"\n'
            address = 'repository = "https://example.org/nullwindow"\n'
            complete = "# Changelog\n\n## 1.2.3 - 2026-01-02\n"
            for text, changes, tag, refusal in (
                (manifest + address, complete, "v1.2.3", None),
                (manifest, complete, "v1.2.3", "set repository in Cargo.toml"),
                (manifest + address, complete, "v1.2.4", "the tag is v1.2.4"),
                (manifest + address, "# Changelog\n\n## 1.2.3\n", "v1.2.3", "CHANGELOG.md does not begin"),
                (manifest + address, "# Changelog\n\n## 1.2.4 - 2026-01-02\n", "v1.2.3", "CHANGELOG.md does not begin"),
            ):
                (root / "Cargo.toml").write_text(text)
                (root / "CHANGELOG.md").write_text(changes)
                done = subprocess.run(["bash", "scripts/release/check.sh", tag], cwd=root, capture_output=True, text=True)
                self.assertEqual(done.returncode, 2 if refusal else 0, done.stderr)
                self.assertIn(refusal or "", done.stderr)


if __name__ == "__main__":
    unittest.main()
