"""Expansion on random trees, without an engine: whatever the order of answers and however wrong the guesses, the score is
that of minimax."""

from __future__ import annotations

import json
import random
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from nullwindow_cluster import expand
from nullwindow_cluster.folder import Results


def tree(rng: random.Random, plies: int, wld: bool) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """The lines of a random tree in which positions are met again, and the values of all positions."""
    step, end = (1, 1) if wld else (2, 20)
    levels = [[f"{ply}-{number}" for number in range(1 if ply == 0 else 4 * ply)] for ply in range(plies + 1)]
    rows, values = [], {}
    for ply in reversed(range(plies + 1)):
        for name in levels[ply]:
            row: dict[str, Any] = {"position": name, "step": step, "wld": wld, "nodes": rng.random() * 1e6}
            moves = rng.sample(levels[ply + 1], min(rng.randint(1, 4), len(levels[ply + 1]))) if ply < plies else []
            values[name] = max(-values[to] for to in moves) if moves else rng.randrange(-end, end + 1, step)
            if moves:
                row["moves"] = [[f"m{to}", to] for to in moves]
            elif rng.random() < 0.1:
                row["score"] = values[name]
            row["guess"] = int(100 * (values[name] + rng.gauss(0, 6)))
            rows.append(row)
    rows[-1]["n"] = 1
    return rows[::-1], values


def answer(task: Any, values: dict[str, int], wld: bool) -> list[str]:
    """What the engine would say."""
    problem = task.shard["job"]["solve"]["problems"][0]
    value, reaches = values[problem["text"]], problem.get("reaches")
    row = {"key": task.name, "position": problem["text"], "n": 1, "score": value, "nodes": 1, "cpu": 0.0}
    if not wld:
        lower = value >= reaches
        row |= {"reaches": reaches, "score": reaches if lower else reaches - 2, "bound": "lower" if lower else "upper"}
    return [json.dumps(row)]


@pytest.mark.parametrize("wld", [False, True])
@pytest.mark.parametrize("workers", [1, 3, 40])
def test_the_score_is_that_of_minimax(wld: bool, workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(12):
        rng = random.Random(seed)
        rows, values = tree(rng, 4, wld)
        monkeypatch.setattr(expand, "survey", lambda *_, rows=rows: rows)
        folder = tmp_path / str(seed)
        value = values[rows[0]["position"]]
        arguments = Namespace(position="", plies=4, task_nodes=0, guess=1, value=value, out=folder, at_least=None, at_most=None)
        asked, stopped, interruptions = 0, 0, 0
        results = Results(folder, {})
        source = expand.Expand(arguments, {}, results)
        running: list[Any] = []
        while True:
            while len(running) < workers and (task := source.next()):
                assert task.about not in [other.about for other in running]
                running.append(task)
            if not running:
                break
            task = running.pop(rng.randrange(len(running)))
            needless = source.take(task, answer(task, values, wld))
            running = [other for other in running if other not in needless]
            asked, stopped = asked + 1, stopped + len(needless)
            if interruptions < 3 and asked % 7 == 0:  # the driver is killed: answered tasks stay, running ones are repeated
                interruptions, running = interruptions + 1, []
                results.close()
                results = Results(folder, {})
                source = expand.Expand(arguments, {}, results)
        assert source.finish() == 0, f"seed {seed}"
        leaves = sum("moves" not in row and "score" not in row for row in rows)
        assert asked <= leaves * (1 if wld else 20)
        assert workers < 40 or stopped > 0 or asked < 4, "many workers have begun nothing needless"


def proof_tree(rows: list[dict[str, Any]], job: dict[str, Any]) -> list[dict[str, Any]]:
    """The part of a tree that the engine expands for a claim: one move of the claimant, and those that have failed."""
    of = {row["position"]: row for row in rows}
    claimant, reached, open_ = int(job["claim"].startswith("<=")), {}, [rows[0]["position"]]
    while open_:
        row = dict(of[open_.pop()])
        reached[row["position"]] = row
        moves = row.get("moves", [])
        if int(row["position"].split("-")[0]) % 2 == claimant and moves:
            chosen = next((to for _, to in moves if to not in job["refuted"]), None)
            row["moves"] = [[m, to] for m, to in moves if to in job["refuted"] or to == chosen]
            row["partial"] = len(row["moves"]) < len(moves)
        open_ += [to for _, to in row.get("moves", []) if to not in job["refuted"]]
    return [reached[row["position"]] for row in rows if row["position"] in reached]


@pytest.mark.parametrize("wld", [False, True])
def test_claims_are_decided_by_proof_trees(wld: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    smaller, failed, verdicts = 0, 0, set()
    for seed in range(40):
        rows, values = tree(random.Random(seed), 4, wld)
        built: list[int] = []

        def survey(_arguments: Any, _base: Any, job: dict[str, Any], rows: Any = rows, built: list[int] = built) -> Any:
            built.append(len(proof_tree(rows, job)))
            return proof_tree(rows, job)

        monkeypatch.setattr(expand, "survey", survey)
        value = values[rows[0]["position"]]
        for kind in (">=", "<="):
            for claimed in (value - 1, value, value + 1):
                if wld and abs(claimed) > 1:
                    continue
                folder = tmp_path / f"{seed} {kind} {claimed}"
                bounds = {"at_least": claimed if kind == ">=" else None, "at_most": claimed if kind == "<=" else None}
                arguments = Namespace(position="", plies=4, task_nodes=0, guess=1, value=None, out=folder, **bounds)
                results = Results(folder, {})
                source, asked = expand.Expand(arguments, {}, results), 0
                while task := source.next():
                    source.take(task, answer(task, values, wld))
                    asked += 1
                    if asked == 5:  # the driver is killed
                        results.close()
                        results = Results(folder, {})
                        source = expand.Expand(arguments, {}, results)
                holds = value >= claimed if kind == ">=" else value <= claimed
                assert source.verdict(*source.claim) == ("holds" if holds else "fails"), f"seed {seed}: {value} {kind} {claimed}"
                assert source.finish() == (0 if holds else 1)
                verdicts.add(holds)
                failed += len(source.refuted)
                smaller += max(built) < len(rows)
                results.close()
    assert failed > 0 and smaller > 0 and verdicts == {True, False}
