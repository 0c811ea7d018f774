"""Runs a shard with `nullwindow lab shard`, on a worker or in this process: takes a JSON object, returns lines."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from distributed import get_worker

# The running engines of this process, by task name.
RUNNING: dict[str, subprocess.Popen[bytes]] = {}


class EngineFailed(Exception):
    """The engine failed to run its shard."""


def command_words(command: str) -> list[str]:
    """The words of a command: a program, whose path may contain spaces, or a command line."""
    if shutil.which(command):
        return [command]
    return split_windows(command) if os.name == "nt" else shlex.split(command)


def split_windows(command: str) -> list[str]:
    """Splits a command line by the rules of src/platform/command_line.rs: at blanks outside double quotes; two double quotes inside
    quotes are one; a backslash is an ordinary character."""
    if command.count('"') % 2:
        raise ValueError(f"{command}: a quote is left open")
    words = re.findall(r'(?:[^\s"]|"(?:[^"]|"")*")+', command)
    return [re.sub(r'"((?:[^"]|"")*)"', lambda found: found[1].replace('""', '"'), word) for word in words]


def run_shard(engine: str, name: str, shard: dict[str, Any], out: Path | None = None) -> list[str]:
    """Runs a shard and returns its lines; writes them to `out` if given. Errors begin with `name`. The engine ends at the end of this
    process, which closes its standard input, or by `stop`."""
    with tempfile.TemporaryDirectory(prefix="nullwindow-shard-", dir=worker_folder()) as folder:
        file, log, out = Path(folder, "shard.json"), Path(folder, "stderr"), out or Path(folder, "lines.jsonl")
        file.write_text(json.dumps(shard), encoding="utf-8")
        command = [*command_words(engine), "lab", "shard", str(file), "--out", str(out), "--until-eof"]
        with log.open("wb") as stderr, subprocess.Popen(command, stdin=subprocess.PIPE, stderr=stderr) as process:
            RUNNING[name] = process
            try:
                status = process.wait()
            finally:
                del RUNNING[name]
                process.kill()
        if status != 0:
            text = log.read_text(encoding="utf-8", errors="replace").strip().replace(f"{file}: ", "")  # the user has no such file
            raise EngineFailed(f"{name}: exit status {status}: {text[-1000:]}")
        return out.read_text(encoding="utf-8").splitlines() if out.exists() else []


def worker_folder() -> str | None:
    """The folder of this Dask worker, which Dask removes even after a kill; None in another process."""
    try:
        return get_worker().local_directory
    except ValueError:
        return None


def stop(names: list[str]) -> None:
    """Kills the engines of these tasks in this process."""
    for name in names:
        if process := RUNNING.get(name):
            process.kill()


def identity(engine: str) -> dict[str, Any]:
    """The version and bench total of the engine, as in shards."""
    try:
        shown = subprocess.run([*command_words(engine), "lab", "shard", "--identity"], capture_output=True, text=True, check=False)
    except OSError as error:
        hint = "; quote a path that contains spaces within --engine" if " " in engine else ""
        raise EngineFailed(f"cannot start the engine: {engine}: {error.strerror}{hint}") from error
    if shown.returncode == 0 and shown.stdout.startswith("{"):
        return json.loads(shown.stdout)
    output = (shown.stderr or shown.stdout).strip()[-1000:] or "it printed nothing"
    raise EngineFailed(f"{engine} does not print its identity: exit status {shown.returncode}: {output}")
