"""`nullwindow-cluster` with the real engine (NULLWINDOW, or target/release/nullwindow) on local workers."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from nullwindow_cluster.cli import main, parser
from nullwindow_cluster.engine import command_words, split_windows
from nullwindow_cluster.pool import Task, failure

ENGINE = os.environ.get("NULLWINDOW", str(Path(__file__).resolve().parents[3] / "target/release/nullwindow"))
# Longer than any test takes, even on a loaded machine.
PATIENCE = 120.0


def nullwindow(*words: str) -> str:
    return subprocess.run([ENGINE, *words], capture_output=True, text=True, check=True).stdout


def wrapper(folder: Path, body: str) -> str:
    """An engine that notes each shard it is given in `folder/calls` and then does `body`."""
    path = folder / "engine.sh"
    note = f"[ \"$3\" = --identity ] || printf '%s\\n' \"$(cat \"$3\")\" >>{folder}/calls"
    path.write_text(f"#!/bin/sh\n{note}\n{body}\nexec {ENGINE} \"$@\"\n")
    path.chmod(0o755)
    return str(path)


def calls(folder: Path) -> int:
    """How many solving shards the wrapped engine was given."""
    return (folder / "calls").read_text().count('"solve"')


def run(*words: object) -> int:
    return main([str(word) for word in words])


@contextmanager
def driver_of(words: list[object], **settings: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A driver in a session of its own, which is killed at the end."""
    command = [sys.executable, "-m", "nullwindow_cluster.cli", *map(str, words)]
    driver = subprocess.Popen(command, start_new_session=True, **settings)
    try:
        yield driver
    finally:
        if driver.poll() is None:
            os.killpg(driver.pid, signal.SIGKILL)
            driver.wait()


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    file = tmp_path / "problems.obf"
    file.write_text("% a comment\n" + nullwindow("problems", "--empties", "10", "--count", "12", "--seed", "3"))
    return file


def test_solve_agrees_with_the_engine_resumes_and_finds_wrong_scores(
    problems: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, engine = tmp_path / "out", wrapper(tmp_path, "")
    words = ["solve", problems, "--out", out, "--workers", 2, "--engine", engine, "--task-nodes", 300]
    assert run(*words) == 0
    rows = sorted(map(json.loads, (out / "results.jsonl").read_text().splitlines()), key=lambda row: row["n"])
    own = [json.loads(line) for line in nullwindow("solve", str(problems), "--json").splitlines()[:-1]]
    timed = ("seconds", "cpu", "nodes")
    for row, expected in zip(rows, own, strict=True):
        assert expected.items() - {name: expected[name] for name in timed}.items() <= row.items()
        assert set(timed) <= set(row)
    done = calls(tmp_path)
    # Half a line is a task that is not done; all others are not done again.
    text = (out / "results.jsonl").read_text()
    (out / "results.jsonl").write_text(text[:-40])
    assert run(*words) == 0
    assert (len((out / "results.jsonl").read_text().splitlines()), calls(tmp_path)) == (12, done + 1)
    # A score in the file that differs is told, from the results at hand.
    lines = problems.read_text().splitlines()
    best = lines[4].split("; ")[1].split(":")
    problems.write_text("\n".join([*lines, f"{lines[4].split(';')[0]}; {best[0]}:{int(best[1].rstrip(';')) + 2:+};", "what"]))
    assert run(*words) == 1
    said = capsys.readouterr()
    assert "line 14: score" in said.out and "line 15: " in said.err


def test_a_changed_line_is_solved_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, engine = tmp_path / "problems.obf", wrapper(tmp_path, "")
    words = ["solve", file, "--game", "othello4", "--out", tmp_path / "out", "--engine", engine]
    # Other scores to check, a position with the same canonical image, and texts that are known.
    lines = ["startpos moves a2; +5", "startpos moves a2; +6", "startpos moves a2", "startpos moves d3; +8", "startpos moves a2; +5"]
    for solved, (text, stated) in enumerate(zip(lines, (["+5"], ["+6"], [], [], ["+5"])), 1):
        file.write_text(f"{text}\n")
        assert run(*words) == len(stated), text
        assert re.findall("states wrongly: (.*)", capsys.readouterr().out) == stated, text
        assert calls(tmp_path) == min(solved, 4)


def test_analyze_agrees_with_the_engine_and_resumes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out, engine = tmp_path / "games.txt", tmp_path / "out", wrapper(tmp_path, "")
    file.write_text("f5d6c3d3c4f4\nf5f6e6f4\n")
    words = ["analyze", file, "--out", out, "--workers", 2, "--engine", engine, "--depth", 4]
    assert run(*words) == 0
    rows = sorted(map(json.loads, (out / "results.jsonl").read_text().splitlines()), key=lambda row: row["n"])
    own = [json.loads(line) for line in nullwindow("analyze", str(file), "--depth", "4", "--json").splitlines()[:-1]]
    for row, expected in zip(rows, own, strict=True):
        for game in (row, expected):
            for move in game["moves"]:
                del move["seconds"]
        assert expected.items() <= row.items()
    said = capsys.readouterr().out
    assert "2 of 2 games analyzed, 0 invalid" in said and "p1: 2 games, 5 moves" in said
    # Half a line is a game that is not done; the other one is not analyzed again.
    text = (out / "results.jsonl").read_text()
    (out / "results.jsonl").write_text(text[:-40])
    before = (tmp_path / "calls").read_text().count('"games": [{')
    assert run(*words) == 0
    assert (tmp_path / "calls").read_text().count('"games": [{') == before + 1
    # Another limit is another job, and another game has no result; an invalid game is named.
    assert run(*words[:-1], 5) == 2
    file.write_text("f5d6c3d3c4\nf5f6e6f4\n")
    assert run(*words) == 2
    assert "game 1 is not the one" in capsys.readouterr().err
    file.write_text("f5d6\nf5a1\n")
    words[3] = tmp_path / "other"
    assert run(*words) == 1
    assert "game 2: illegal move" in capsys.readouterr().err
    # An error of the engine names the file of the user.
    words[3] = tmp_path / "third"
    assert run(*words, "--game", "nogame") == 2
    said = capsys.readouterr().err
    assert said.startswith(f"error: {file}: exit status 2: ") and "shard.json" not in said


def test_an_analysis_accepts_its_options_and_refuses_others_before_its_tasks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "games.txt", tmp_path / "out"
    file.write_text("f5d6c3d3c4f4\n")
    words = ["analyze", file, "--out", out, "--depth", 2, "--engine", ENGINE, "--shards"]
    assert run(*words, "--option", "Strength=3") == 2
    assert "option Strength has no effect on the job analyze" in capsys.readouterr().err
    assert run(*words, "--option", "Selectivity=73", "--option", "Deepening=false") == 0
    assert '"Selectivity": "73"' in (out / "shards" / "analyze-1.json").read_text()


def test_failed_tasks_are_tried_again_and_listed(problems: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["solve", problems, "--out", tmp_path / "out", "--task-nodes", 300]
    # Each shard fails once: the file that notes it does not exist yet.
    once = f'm={tmp_path}/$(cksum <"$3" | tr " " -); if grep -q \'"solve"\' "$3" && [ ! -e $m ]; then touch $m; echo no >&2; exit 3; fi'
    assert run(*words, "--engine", wrapper(tmp_path, once), "--retries", 0) == 1
    failed = capsys.readouterr().err.count("failed: solve-")
    assert failed == 12
    for mark in tmp_path.glob("*-*"):
        mark.unlink()
    assert run(*words, "--engine", wrapper(tmp_path, once), "--retries", 1) == 0
    said = capsys.readouterr().err
    assert said.count("exit status 3: no; tried again") == 12 and "failed: " not in said


def test_a_cancelled_task_is_named() -> None:
    cancelled: Any = SimpleNamespace(exception=lambda: None)
    assert failure(Task("solve-3", {}), cancelled) == "solve-3: the scheduler lost the task"


def test_another_job_is_kept_out_of_a_folder(problems: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["solve", problems, "--out", tmp_path / "out", "--engine", ENGINE]
    assert run(*words) == 0
    assert run(*words, "--wld") == 2
    assert "another job, which differs in: wld" in capsys.readouterr().err
    assert run(*words, "--task-nodes", 300) == 0
    assert run("solve", problems, "--out", tmp_path / "other", "--engine", "no/such/engine") == 2


def test_a_command_that_cannot_run_leaves_its_folder_to_another_job(tmp_path: Path) -> None:
    words = ["expand", "--game", "othello4", "--out", tmp_path / "out", "--engine", ENGINE]
    assert run(*words, "--option", "Nope=1") == 2
    assert run(*words, "--position", "nothing") == 2
    assert run(*words, "--value", -8) == 0
    assert run(*words, "--value", -8, "--task-nodes", 300) == 2


def test_selfplay_that_cannot_run_leaves_its_folder_to_another_job(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["selfplay", "--games", 2, "--depth", 1, "--out", tmp_path / "out", "--engine", ENGINE]
    for wrong in (["--game", "othello6"], ["--option", "Nope=1"], ["--option", "EvalFile=none"], ["--game", "scorefour", "--mobility"]):
        assert run(*words, *wrong) == 2
        said = capsys.readouterr().err
        assert said.startswith("error: selfplay: exit status 2: ") and said.count("\n") == 1
    assert run(*words) == 0


@pytest.mark.parametrize("words", [["--at-least", 5], ["--at-most", -2], ["--value", 2]])
def test_bounds_and_values_of_a_game_of_lines_are_those_of_its_results(
    words: list[object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expand = ["expand", "--game", "tictactoe", "--engine", ENGINE, "--out", tmp_path / "out"]
    assert run(*expand, *words) == 2
    assert capsys.readouterr().err.endswith(" in tictactoe is 1 (win), 0 (draw) or -1 (loss)\n")
    assert run(*expand, words[0], 0) == 0


@pytest.mark.skipif(os.name == "nt", reason="the names of files")
def test_an_engine_is_a_program_or_a_command_line(tmp_path: Path) -> None:
    program = tmp_path / r"a\b c" / "nullwindow"
    program.parent.mkdir()
    program.symlink_to(Path(ENGINE).resolve())
    assert command_words(str(program)) == [str(program)]
    assert command_words("env 'a b' nullwindow") == ["env", "a b", "nullwindow"]
    words = ["selfplay", "--games", 1, "--depth", 1, "--out", tmp_path / "out", "--engine"]
    assert run(*words, program) == 0


def test_windows_words_keep_backslashes() -> None:
    line = r'''C:\engines\nw.exe --file "C:\my games\a.txt" "" x="1 2"3 "say ""no""" it's  '''
    assert split_windows(line) == [r"C:\engines\nw.exe", "--file", r"C:\my games\a.txt", "", "x=1 23", 'say "no"', "it's"]
    assert split_windows("  ") == []
    with pytest.raises(ValueError, match="a quote is left open"):
        split_windows('a "b')


def test_positions_that_the_file_no_longer_has_are_not_solved(
    problems: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["solve", problems, "--out", tmp_path / "out", "--engine", ENGINE]
    assert run(*words, "--shards") == 0
    problems.write_text("".join(problems.read_text().splitlines(keepends=True)[:3]))
    assert run(*words) == 0
    assert "2 of 2 positions solved" in capsys.readouterr().out


def test_the_examples_of_the_readme_are_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("nullwindow-cluster ")]
    assert len(lines) >= 6
    monkeypatch.chdir(tmp_path)
    for name in ["problems.obf", "games.pgn"]:
        (tmp_path / name).touch()
    for line in lines:
        parser().parse_args(shlex.split(line, comments=True)[1:])


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--workers", "0"], "--workers"),
        (["--workers", "-1"], "--workers"),
        (["--workers", "many"], "--workers"),
        (["--workers", "2", "--scheduler", "tcp://127.0.0.1:1"], "--scheduler"),
        (["--shards", "--workers", "2"], "--workers"),
        (["--retries", "-1"], "--retries"),
        (["--task-nodes", "nan"], "--task-nodes"),
        (["--option", "Hash"], "--option"),
    ],
)
def test_invalid_arguments_are_refused_at_once(
    words: list[str], named: str, problems: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run("solve", problems, "--out", tmp_path / "out", "--engine", ENGINE, *words)
    assert ended.value.code == 2 and named in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["solve", "no/such/file"],
        ["selfplay", "--games", "0"],
        ["selfplay", "--depth", "21"],
        ["selfplay", "--task-games", "0"],
        ["selfplay", "--seed", "-1"],
        ["expand", "--plies", "-1"],
        ["expand", "--guess", "0"],
        ["expand", "--game", "othello4", "--value", "100000"],
        ["tournament", "--", "--game", "othello4"],
        ["tournament", "--", "--seed=3"],
    ],
)
def test_invalid_arguments_of_a_job_are_refused_at_once(words: list[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        run(words[0], "--out", tmp_path / "out", "--engine", ENGINE, *words[1:])
    assert ended.value.code == 2
    assert not (tmp_path / "out").exists()


def test_selfplay_makes_the_file_of_the_engine(tmp_path: Path) -> None:
    out, alone = tmp_path / "out", tmp_path / "alone.bin"
    words = ["selfplay", "--depth", 2, "--seed", 5, "--task-games", 3, "--workers", 2, "--engine", ENGINE, "--out", out]
    assert run(*words, "--games", 5) == 0
    assert run(*words, "--games", 10) == 0
    nullwindow("lab", "selfplay", "--out", str(alone), "--games", "10", "--depth", "2", "--seed", "5")
    assert (out / "games.bin").read_bytes() == alone.read_bytes()


def test_a_tournament_is_played_and_evaluated(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    players = ["--engine", f"cmd={ENGINE}", "name=a", "depth=2", "--engine", f"cmd={ENGINE}", "name=b", "depth=1"]
    words = ["tournament", "--game", "othello4", "--workers", 2, "--engine", f"env {ENGINE}", "--out", tmp_path / "out"]
    assert run(*words, "--", *players, "--rounds", 3) == 0
    rows = [json.loads(line) for line in (tmp_path / "out/games.jsonl").read_text().splitlines()]
    assert [row["game"] for row in rows] == [1, 2, 3, 4, 5, 6] and "key" not in rows[0]
    assert "6 games, 0 to play" in capfd.readouterr().out


@pytest.mark.parametrize("position", ["startpos", "startpos moves b1 a1 c4"])
@pytest.mark.parametrize("plies", [0, 1, 6])
def test_a_small_position_has_best_moves(position: str, plies: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [json.loads(line) for line in nullwindow("solve", "--game", "othello4", "--position", position, "--best-moves", "--json").splitlines()]
    best = " ".join(sorted(move for move, score in rows[0]["moves"] if score == rows[0]["score"]))
    words = ["expand", "--game", "othello4", "--position", position, "--plies", plies, "--engine", ENGINE, "--out", tmp_path / "out"]
    assert run(*words) == 0
    score, found = capsys.readouterr().out.splitlines()[-1].split(" best ")
    assert score == f"score {rows[0]['score']:+}"
    assert set(found.split()) <= set(best.split()) and found


def test_a_finished_game_has_a_score_and_no_best_move(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["expand", "--game", "tictactoe", "--position", "xxx/oo1/3 o", "--engine", ENGINE, "--out", tmp_path / "out"]
    assert run(*words) == 0
    assert capsys.readouterr().out.endswith("score -1\n")


@pytest.mark.parametrize(("game", "value"), [("othello4", "-8"), ("diamond", None), ("tictactoe", "0")])
def test_expand_finds_the_value(game: str, value: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    value = value or str(json.loads(nullwindow("solve", "--game", game, "--json").splitlines()[0])["score"])
    words = ["expand", "--game", game, "--plies", 4, "--task-nodes", 0, "--workers", 2, "--engine", ENGINE]
    assert run(*words, "--value", value, "--out", tmp_path / "out") == 0
    assert f"score {int(value):+} best " in capsys.readouterr().out
    assert run(*words, "--value", int(value) + 1, "--out", tmp_path / "out") == 1


def test_shards_for_other_engines_are_taken_back(problems: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ["solve", problems, "--out", out, "--engine", wrapper(tmp_path, ""), "--task-nodes", 300]
    assert run(*words, "--shards") == 0
    for shard in (out / "shards").glob("*.json"):
        nullwindow("lab", "shard", str(shard), "--out", str(shard.with_suffix(".jsonl")))
    with (out / "results.jsonl").open("a") as file:
        file.writelines(path.read_text() for path in (out / "shards").glob("*.jsonl"))
    assert run(*words) == 0
    assert calls(tmp_path) == 0


def test_shards_of_recorded_results_are_removed(problems: Path, tmp_path: Path) -> None:
    out, shards = tmp_path / "out", tmp_path / "out/shards"
    words = ["solve", problems, "--out", out, "--engine", ENGINE, "--task-nodes", 1]
    assert run(*words, "--shards") == 0
    written = sorted(shards.glob("*.json"))
    assert len(written) == 12
    with (out / "results.jsonl").open("a") as file:
        for shard in written[:6]:
            nullwindow("lab", "shard", str(shard), "--out", str(shard.with_suffix(".jsonl")))
            file.write(shard.with_suffix(".jsonl").read_text())
    assert run(*words, "--shards") == 0
    assert sorted(shards.glob("*.json")) == written[6:] and len(list(shards.glob("*.jsonl"))) == 6


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_an_interrupted_driver_prints_how_to_resume(problems: Path, tmp_path: Path) -> None:
    slow, results = wrapper(tmp_path, "grep -q '\"solve\"' \"$3\" && sleep 0.3"), tmp_path / "out/results.jsonl"
    words = ["solve", problems, "--out", tmp_path / "out", "--engine", slow, "--task-nodes", 300, "--workers", 2]
    unignore = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with (tmp_path / "log").open("w") as log, driver_of(words, stderr=log, preexec_fn=unignore) as driver:
        deadline = time.monotonic() + PATIENCE
        while not results.exists() or results.read_bytes().count(b"\n") < 3:
            assert time.monotonic() < deadline and driver.poll() is None
            time.sleep(0.05)
        os.killpg(driver.pid, signal.SIGINT)
        assert driver.wait(PATIENCE) == 130
    said = (tmp_path / "log").read_text()
    assert said.endswith("\ninterrupted: run the same command to resume\n"), said
    assert "Traceback" not in said and "CancelledError" not in said, said


def test_a_killed_driver_leaves_no_engine_and_loses_nothing(
    problems: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", None)
    slow = wrapper(tmp_path, "grep -q '\"solve\"' \"$3\" && sleep 0.3")
    words = ["solve", problems, "--out", tmp_path / "out", "--engine", slow, "--task-nodes", 300, "--workers", 2]
    with driver_of(words) as driver:
        results, deadline = tmp_path / "out/results.jsonl", time.monotonic() + PATIENCE
        while not results.exists() or results.read_bytes().count(b"\n") < 5:
            assert time.monotonic() < deadline and driver.poll() is None
            time.sleep(0.05)
        driver.send_signal(signal.SIGKILL)
        driver.wait()
        while subprocess.run(["pgrep", "-s", str(driver.pid)], capture_output=True, check=False).returncode == 0:
            assert time.monotonic() < deadline, "workers or engines outlive their driver"
            time.sleep(0.1)
    before = results.read_bytes()
    whole, begun = before.count(b"\n"), calls(tmp_path)
    assert run(*words) == 0
    assert results.read_bytes().startswith(before[: before.rfind(b"\n") + 1])
    assert calls(tmp_path) - begun == 12 - whole
    assert not list(temporary.rglob("nullwindow-shard-*"))
