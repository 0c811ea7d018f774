#!/usr/bin/env python3
"""Checks that the tests catch faults: puts one fault after another, at most one per file, into a copy of the source and runs the tests.

    scripts/seeded-faults.py FOLDER [--only WORD] [--first] [--skip TEST] [--silence 10]

FOLDER/repository becomes a clone of HEAD; its tests must pass without a fault. For each fault the tests that should catch it run
first, then, unless `--first`, the unit tests, the tests of `tests/` and `bench --check`, up to the first failure. Prints `FILE: caught by TEST`,
`FILE: caught by time` if no test ends within SILENCE minutes, or `FILE: MISSED`, and appends that to FOLDER/results.txt. Files that
have a line there are skipped: what was interrupted is continued. `--only` selects files by a part of their path. `--skip` names a
test that fails without a fault too, such as one that needs a missing program. Exit status 1: faults were missed.

All faults take hours; --first takes about a minute for each fault on two cores.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UNIT, INTEGRATION = ("--lib",), ("--test", "all")
UNCHANGED = "without a fault"

# File, text, which occurs once in the file, its replacement, and the tests to run first: of `src` (unit) or `tests` (all), or bench.
FAULTS = [
    # search
    ("search/core/nega_scout.rs", "depth: draft.depth - cost,", "depth: draft.depth.saturating_sub(cost + 1),", "bench"),
    ("search/core/parallel/mod.rs", "if best < window.beta {", "if best <= window.beta {", "all parallel::"),
    ("search/table.rs", "if old.draft == draft {", "if old.draft.depth == draft.depth {", "unit search::table"),
    ("search/time.rs", "into_iter().flatten().min();", "into_iter().flatten().max();", "unit search::time"),
    ("search/stop.rs", "is_some_and(|limit| nodes > limit)", "is_some_and(|limit| nodes >= limit)", "all session::"),
    ("search/deepening.rs", "== Draft::FULL && self.best.iter().all(is_final)", "== Draft::FULL && self.best.iter().any(is_final)", "all play::"),
    ("search/production.rs", "if score >= window.beta {\n                    best = m;", "if score > window.beta {\n                    best = m;", "bench"),
    # games
    ("games/reversi/mod.rs", "difference.signum() * (Self::COUNT - player - opponent)", "(Self::COUNT - player - opponent)", "all rules::"),
    ("games/reversi/kernel/portable.rs", "i32::from(LAST_FLIPS[row][file])", "i32::from(LAST_FLIPS[column][file])", "all kernels::"),
    ("games/reversi/endgame/last.rs", "worst = worst.min(last_1", "worst = worst.max(last_1", "all endgame::"),
    ("games/reversi/stability.rs", "stable::<K, B>(kernel, opponent, player).count_ones()", "stable::<K, B>(kernel, player, opponent).count_ones()", "all endgame::"),
    ("games/reversi/eval/othello.rs", "self.correction.map(|bias| -bias)", "self.correction", "unit games::reversi::eval"),
    ("games/reversi/ggf.rs", "kind.trim_end_matches('k')", "kind", "all convert::"),
    ("games/reversi/obf.rs", "filter(|&value| Some(value) != implied)", "filter(|_| implied.is_none())", "unit games::reversi::obf"),
    ("games/score_four/solver/split.rs", "i32::from(answer + self.left - self.moves[index].1.left)", "i32::from(answer)", "unit games::score_four"),
    ("games/tictactoe.rs", "self.stones() / 2 + 1)", "self.stones() + 1)", "all notation::"),
    ("games/record/sgf.rs", "is_escaped = !was_escaped,", "is_escaped = true,", "unit games::record::sgf"),
    ("games/record/pgn.rs", "seen_from(player).outcome == outcome", "seen_from(player).outcome != outcome", "all convert::"),
    ("games/record/sgf.rs", "a.min(b)..=a.max(b)", "a..=b", "unit games::record::sgf"),
    ("games/record/json.rs", "words.next().filter(|_| words.next().is_none())", "words.next()", "all formats::"),
    ("games/record/movetext.rs", "'{' => in_comment = true,", "'{' => {}", "all formats::"),
    ("games/record/wthor.rs", "if *score <= 64 {", "if *score < 64 {", "all convert::"),
    # engine
    ("engine/options.rs", "(o.game, o.drops) = (game, false);", "o.game = game;", "unit engine::"),
    ("engine/active_search.rs", "!self.is_open_ended() && self.release(out)", "self.release(out)", "all uci::"),
    ("engine/strength/loss_record.rs", "if past.to_move() == game.to_move()\n                && let", "if let", "unit engine::strength"),
    ("engine/limits.rs", "go.lines.unwrap_or(self.options.multi_pv as usize).max(1)", "go.lines.unwrap_or(1).max(1)", "all gtp::"),
    # protocol
    ("protocol/ugi/go.rs", 'is_bare &= ["ponder", SEARCH_MOVES].contains(&word);', 'is_bare &= word == "ponder";', "all uci::"),
    ("protocol/uci.rs", "end.plies.div_ceil(2)", "end.plies / 2", "unit protocol::"),
    ("protocol/gtp.rs", "to_ascii_uppercase().replace('*', \"?\")", "to_ascii_uppercase()", "all gtp::"),
    ("protocol/nboard.rs", "contempt.saturating_neg()", "contempt", "all nboard::"),
    ("protocol/writer.rs", "earlier.kind != OutputKind::BestMove", "true", "unit protocol::"),
    # arena
    ("arena/rules/clock.rs", "                    self.moves = 0;\n", "", "unit arena::rules"),
    ("arena/rules/adjudicate.rs", "*streak = if value.is_some_and(continues) {", "*streak = if value.is_none_or(continues) {", "unit arena::rules"),
    ("arena/elo/sprt.rs", "(self.beta / (1.0 - self.alpha)).ln(),", "(self.alpha / (1.0 - self.beta)).ln(),", "unit arena::elo"),
    ("arena/results/standings.rs", "i64::from(side.signed(earlier)) + discs", "i64::from(earlier) + discs", "unit arena::results"),
    ("arena/results/files.rs", "of_game.is_ok_and(|OfGame { game }| is_done(game))", "of_game.is_ok_and(|OfGame { game }| game > 0)", "unit arena::results"),
    ("arena/config/openings.rs", "first: selection.from as u64 - 1,", "first: selection.from as u64,", "unit arena::config"),
    ("arena/config/pairings.rs", "let is_other = parity(players) != parity(self.pairings[0]);", "let is_other = false;", "unit arena::config"),
    ("arena/translation.rs", "(ms as f64 / 1000.0).to_string()", "ms.to_string()", "unit arena::translation"),
    ("arena/client/uci.rs", "limits.clocks[side as usize].and_then", "limits.clocks[0].and_then", "unit arena::client"),
    # books and records
    ("book/mod.rs", "Some((score, level.min(leaf.level)))", "Some((score, level))", "all book::"),
    ("book/file.rs", "partition_point(|first| *first <= key)", "partition_point(|first| *first < key)", "all book::"),
    ("book/builder.rs", ".take(plies.saturating_add(1))", ".take(plies)", "all book::"),
    ("storage/json_lines.rs", 'if !ends_line {\n            record.write(b"\\n")?;\n        }', "let _ = ends_line;", "unit storage::"),
    ("storage/record_lock.rs", "with_suffix(identity.path(), ", "with_suffix(record, ", "all records::"),
    ("storage/whole_file.rs", "file.set_permissions(before.permissions())?;", "let _ = before;", "all convert::"),
    # commands, the system
    ("commands/analyze/search.rs", "score -= score.signum();", "score += score.signum();", "all analyze::"),
    ("commands/solve/solution.rs", "solved && (self.is_exact() || bound != Some(ScoreBound::Upper))", "solved", "all claims::"),
    ("commands/prove/claim_table.rs", "is_known && (is_partial || state.is_visited)", "is_known", "unit commands::prove"),
    ("commands/convert.rs", "(first..=last).contains(&plies)", "(first..last).contains(&plies)", "all convert::"),
    ("commands/play.rs", "game.to_move() == self.user && !game.must_pass()", "game.to_move() == self.user", "all play::"),
    ("platform/files.rs", "self.path == other.path || self.number.is_some() && self.number == other.number", "self.path == other.path", "all convert::"),
    ("platform/command_line.rs", "&other.to_lowercase()", "other", "unit platform::"),
    ("logging/date.rs", "u64::from(month <= 2)", "u64::from(month < 2)", "unit logging::date"),
]


class TestRun:
    """A run of `cargo test`, which ends at the first failure or after minutes without a finished test."""

    def __init__(self, words: list[str], folder: Path, silence: float) -> None:
        data = str(ROOT.parent / "shared")
        environment = {"NULLWINDOW_DATA": data, **os.environ}
        self.process = subprocess.Popen(
            ["cargo", "test", *words], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
        )
        self.silence, self.is_silent, self.tail = silence, False, ""

    def give_up(self) -> None:
        self.is_silent = True
        self.kill()

    def kill(self) -> None:
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def failure(self) -> str | None:
        """What failed, if anything."""
        try:
            while True:
                timer = threading.Timer(60 * self.silence, self.give_up)
                timer.daemon = True
                timer.start()
                line = self.process.stdout.readline()
                timer.cancel()
                if not line:
                    break
                self.tail = (self.tail + line)[-4000:]
                if found := re.match(r"test (\S+).* \.\.\. FAILED", line):
                    return found[1]
            status = self.process.wait()
            if self.is_silent:
                return "time"
            if status and "could not compile" in self.tail:
                raise SystemExit(f"seeded-faults: the source does not compile:\n{self.tail}")
            return f"exit status {status}" if status else None
        finally:
            self.kill()
            self.process.wait()


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True, stdout=subprocess.DEVNULL)


def faulty(path: Path, old: str, new: str) -> str:
    """The text of a file with its fault."""
    text = path.read_text()
    if text.count(old) != 1:
        raise SystemExit(f"seeded-faults: {path.name} has {text.count(old)} times, expected once: {old}")
    return text.replace(old, new)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", metavar="WORD")
    parser.add_argument("--first", action="store_true", help="run only the tests that should catch the fault")
    parser.add_argument("--skip", action="append", default=[], metavar="TEST")
    parser.add_argument("--silence", type=float, default=10, metavar="MINUTES")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))

    copy, results = args.folder / "repository", args.folder / "results.txt"
    args.folder.mkdir(parents=True, exist_ok=True)
    if not copy.exists():
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(copy)], check=True)
    git(copy, "fetch", "--quiet", str(ROOT), "HEAD")
    git(copy, "checkout", "--quiet", "--force", "--detach", "FETCH_HEAD")
    for file, old, new, _ in FAULTS:
        faulty(copy / "src" / file, old, new)
    skipped = [word for test in args.skip for word in ("--skip", test)]

    def failure(target: tuple[str, ...], *tests: str) -> str | None:
        return TestRun([*target, "--", *tests, *skipped], copy, args.silence).failure()

    def bench() -> str | None:
        subprocess.run(["cargo", "build", "--quiet"], cwd=copy, check=True)
        checked = subprocess.run(["cargo", "run", "--quiet", "--", "bench", "--check"], cwd=copy, capture_output=True)
        return "bench --check" if checked.returncode else None

    def done() -> dict[str, str]:
        return dict(line.split(": ", 1) for line in results.read_text().splitlines()) if results.exists() else {}

    def note(name: str, result: str) -> None:
        print(f"{name}: {result}", flush=True)
        with open(results, "a") as lines:
            lines.write(f"{name}: {result}\n")

    if UNCHANGED not in done():
        if failed := failure(UNIT) or failure(INTEGRATION):
            raise SystemExit(f"seeded-faults: {failed} fails without a fault: correct it, or --skip it")
        note(UNCHANGED, "passed")
    for file, old, new, tests in FAULTS:
        if file in done() or args.only not in file:
            continue
        path = copy / "src" / file
        path.write_text(faulty(path, old, new))
        try:
            kind, *words = tests.split()
            failed = bench() if kind == "bench" else failure(UNIT if kind == "unit" else INTEGRATION, *words)
            if not failed and args.first:
                print(f"{file}: not caught by {tests}", flush=True)
                continue
            failed = failed or failure(UNIT) or failure(INTEGRATION) or bench()
        finally:
            git(copy, "checkout", "--", ".")
        note(file, f"caught by {failed}" if failed else "MISSED")
    return int("MISSED" in done().values())


if __name__ == "__main__":
    sys.exit(main())
