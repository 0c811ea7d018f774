"""Runs a shard with `nullwindow shard`, on a worker or here: a JSON object in, its lines out."""

from __future__ import annotations

import json
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import Any

# The engines that run in this process, by the names of their tasks.
RUNNING: dict[str, subprocess.Popen[bytes]] = {}


class EngineFailed(Exception):
    """The engine has not done its shard."""


def run_shard(engine: str, name: str, shard: dict[str, Any], out: Path | None = None) -> list[str]:
    """The lines of a shard, left in the file `out` if it is given. The engine ends with this process (its standard input
    does), or by `stop`."""
    with tempfile.TemporaryDirectory(prefix="nullwindow-shard-") as folder:
        file, log, out = Path(folder, "shard.json"), Path(folder, "stderr"), out or Path(folder, "lines.jsonl")
        file.write_text(json.dumps(shard), encoding="utf-8")
        command = [*shlex.split(engine), "shard", str(file), "--out", str(out), "--until-eof"]
        with log.open("wb") as stderr, subprocess.Popen(command, stdin=subprocess.PIPE, stderr=stderr) as process:
            RUNNING[name] = process
            try:
                status = process.wait()
            finally:
                del RUNNING[name]
                process.kill()
        if status != 0:
            text = log.read_text(encoding="utf-8", errors="replace").strip()
            raise EngineFailed(f"exit status {status}: {text[-1000:]}")
        return out.read_text(encoding="utf-8").splitlines() if out.exists() else []


def stop(names: list[str]) -> None:
    """Ends the engines of these tasks, if they run in this process."""
    for name in names:
        if process := RUNNING.get(name):
            process.kill()


def identity(engine: str) -> dict[str, Any]:
    """The version and the bench total of the engine, as shards name them."""
    try:
        shown = subprocess.run([*shlex.split(engine), "shard", "--identity"], capture_output=True, text=True, check=False)
    except OSError as error:
        hint = "; a path that contains blanks must be quoted within --engine" if " " in engine else ""
        raise EngineFailed(f"the engine cannot start: {engine}: {error.strerror}{hint}") from error
    if shown.returncode == 0 and shown.stdout.startswith("{"):
        return json.loads(shown.stdout)
    said = (shown.stderr or shown.stdout).strip()[-1000:] or "it printed nothing"
    raise EngineFailed(f"{engine} does not print its identity: exit status {shown.returncode}: {said}")
