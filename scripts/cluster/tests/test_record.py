"""Records: one writer at a time, here and in the engine; cut-off lines and damage."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nullwindow_cluster.folder import Results
from nullwindow_cluster.record import RecordLock, replaced, scan

ENGINE = os.environ.get("NULLWINDOW", str(Path(__file__).resolve().parents[3] / "target/release/nullwindow"))
JOB = {"job": "solve"}
# Holds the folder of its argument until it is killed.
HOLD = "import sys, time; from pathlib import Path; from nullwindow_cluster.folder import Results\n"
HOLD += "results = Results(Path(sys.argv[1]), {'job': 'solve'}); print('held', flush=True); time.sleep(600)"


def line(n: int) -> str:
    return json.dumps({"position": f"p{n} \u4e2d\n", "n": n, "score": -2.5, "exact": True, "best": None}, ensure_ascii=n > 1)


def test_a_record_resumes_after_a_cut_at_every_byte(tmp_path: Path) -> None:
    results = Results(tmp_path, JOB)
    results.begin(JOB)
    results.add([line(n) for n in range(3)])
    results.close()
    path = tmp_path / "results.jsonl"
    whole = path.read_bytes()
    for cut in range(len(whole)):
        path.write_bytes(whole[:cut])
        results = Results(tmp_path, JOB)
        results.add([line(n) for n in range(3)])
        results.close()
        assert path.read_bytes() == whole, cut
    assert sorted(os.listdir(tmp_path)) == ["job.json", "results.jsonl"]


@pytest.mark.parametrize(
    ("content", "number", "what"),
    [
        (b"garbage\n", 1, "Expecting value"),
        (b"%b\ngarbage", 2, "Expecting value"),
        (b"%b\n{garbage", 2, "Expecting property name"),
        (b"%b\n" + bytes(30), 2, "30 NUL bytes"),
        (b"%b\n{\"n\": \"\xff\"}\n", 2, "UTF-8"),
        (b"%b\n\n", 2, "the line is empty"),
        (b"%b\n[1]\n", 2, "no object"),
    ],
)
def test_damage_is_named_and_left_alone(tmp_path: Path, content: bytes, number: int, what: str) -> None:
    path = tmp_path / "results.jsonl"
    path.write_bytes(content := content.replace(b"%b", line(1).encode()))
    with pytest.raises(ValueError, match=rf"results\.jsonl, line {number}: .*{what}.*restore the file"):
        Results(tmp_path, JOB)
    assert path.read_bytes() == content
    assert not (tmp_path / "results.jsonl.lock").exists()


def test_a_second_driver_is_refused_and_a_killed_one_leaves_no_lock(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD, tmp_path], stdout=subprocess.PIPE) as first:
        assert first.stdout and first.stdout.readline() == b"held\n"
        with pytest.raises(ValueError, match=f"is being written by process {first.pid} on .* since "):
            Results(tmp_path, JOB)
        first.send_signal(signal.SIGKILL)
    results = Results(tmp_path, JOB)
    results.add([line(1)])
    results.close()
    assert scan(tmp_path / "results.jsonl", lambda *_: None)[1] is False


def test_the_engine_and_this_program_exclude_each_other(tmp_path: Path) -> None:
    shown = subprocess.run([ENGINE, "lab", "shard", "--identity"], capture_output=True, text=True, check=True).stdout
    job = {"selfplay": {"first": 0, "count": 10**9, "depth": 1, "mobility": True}}
    shard, out = tmp_path / "shard.json", tmp_path / "lines.jsonl"
    shard.write_text(json.dumps({**json.loads(shown), "seed": 1, "job": job}))
    command = [ENGINE, "lab", "shard", shard, "--out", out]
    lock = RecordLock(out)
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    lock.release()
    assert refused.returncode == 2 and f"is being written by process {os.getpid()} on " in refused.stderr
    assert not out.exists()
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as engine:
        while not out.exists() or not out.stat().st_size:
            time.sleep(0.01)
        with pytest.raises(ValueError, match=f"is being written by process {engine.pid} "):
            RecordLock(out)
        engine.kill()
    RecordLock(out).release()
    assert not Path(f"{out}.lock").exists()


def test_a_file_is_replaced_when_its_content_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "games.bin"
    path.write_bytes(b"old")
    with pytest.raises(RuntimeError), replaced(path) as file:
        file.write(b"half")
        raise RuntimeError
    assert path.read_bytes() == b"old"
    with replaced(path) as file:
        file.write(b"new")
    assert (path.read_bytes(), os.listdir(tmp_path)) == (b"new", ["games.bin"])
