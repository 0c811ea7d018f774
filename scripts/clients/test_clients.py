"""Tests with third-party programs: python-chess, Fairy-Stockfish, GRhino, and pyffish as the arbiter of rules.

`scripts/clients/run.sh` installs them and runs the tests. A test whose program is absent is skipped; with
NULLWINDOW_CLIENTS=required, it fails.
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Iterator

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "python")]

from nullwindow import Engine  # noqa: E402
from skips import skip_unless  # noqa: E402

NULLWINDOW = os.environ.get("NULLWINDOW", str(ROOT / "target/release/nullwindow"))
FAIRY = ROOT / "target/clients/node_modules/fairy-stockfish-nnue.wasm/uci.js"
REQUIRED = os.environ.get("NULLWINDOW_CLIENTS") == "required"


def needs(there: object, name: str) -> Any:
    """Skips a test whose program is absent, unless programs are required."""
    return skip_unless(there or REQUIRED, "clients", f"{name} is not installed (scripts/clients/run.sh)")


def has(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


@needs(has("chess"), "python-chess")
class PythonChess(unittest.TestCase):
    """chess.engine with `FlipelloBoard`."""

    def setUp(self) -> None:
        import chess.engine

        self.chess = chess
        self.engine = chess.engine.SimpleEngine.popen_uci(NULLWINDOW, timeout=30)
        self.addCleanup(self.engine.close)

    def test_whole_games(self) -> None:
        from flipello import FlipelloBoard

        Limit = self.chess.engine.Limit
        for number in range(2):
            board = FlipelloBoard()
            for move in random.Random(number).sample(list(board.legal_moves), 1):
                board.push(move)
            while not board.is_game_over():
                limit = [Limit(time=0.02), Limit(depth=3), Limit(nodes=2000), Limit(white_clock=1, black_clock=1)]
                played = self.engine.play(board, limit[board.ply() % 4], game=number, info=self.chess.engine.INFO_ALL)
                self.assertIn(played.move, list(board.legal_moves))
                self.assertIn("score", played.info)
                board.push(played.move)
            self.assertIn(board.result(), ("1-0", "0-1", "1/2-1/2"))
            score = played.info["score"].pov(self.chess.WHITE)
            self.assertEqual(score.is_mate(), board.result() != "1/2-1/2", "the last move says how the game ends")

    def test_analysis_with_several_lines_and_stop(self) -> None:
        from flipello import FlipelloBoard

        board = FlipelloBoard()
        board.push_uci("P@e3")
        infos = self.engine.analyse(board, self.chess.engine.Limit(depth=8), multipv=3)
        self.assertEqual([info["multipv"] for info in infos], [1, 2, 3])
        self.assertEqual(len({info["pv"][0] for info in infos}), 3)
        with self.engine.analysis(board, multipv=2) as analysis:
            for info in analysis:
                if info.get("depth", 0) >= 6:
                    break
            analysis.stop()
            best = analysis.wait()
        self.assertIn(best.move, list(board.legal_moves))
        chosen = self.engine.play(board, self.chess.engine.Limit(depth=4), root_moves=[board.parse_uci("P@f3")])
        self.assertEqual(chosen.move.uci(), "P@f3")

    def test_options_are_read_and_quit_leaves(self) -> None:
        options = self.engine.options
        self.assertIn("flipello", options["UCI_Variant"].var)
        self.assertEqual(options["Hash"].default, 64)
        self.engine.configure({"Hash": 16, "Move Overhead": 5})
        self.engine.ping()
        self.engine.quit()


@needs(has("pyffish"), "pyffish")
class Rules(unittest.TestCase):
    """Legal moves compared with Fairy-Stockfish's."""

    def test_ten_thousand_positions_have_the_same_moves(self) -> None:
        import pyffish

        rng = random.Random(2026)
        positions = dead = passes = 0
        with Engine([NULLWINDOW, "--protocol", "uci"], timeout=30) as engine:
            # The known difference: when neither side has a move and the board is not full, Fairy-Stockfish expects a
            # pass from each side that has a disc; here the game is over.
            engine.set_option("UCI_Variant", "flipello")
            start = pyffish.start_fen("flipello")
            while positions < 10_000:
                moves: list[str] = []
                while True:
                    theirs = sorted(pyffish.legal_moves("flipello", start, moves))
                    engine.position(moves=moves)
                    ours = sorted(engine.legal_moves())
                    positions += 1
                    if ours != theirs:
                        self.assertEqual(ours, [], moves)
                        self.assertTrue(len(theirs) == 1 and is_pass(theirs[0]), (theirs, moves))
                        after = pyffish.legal_moves("flipello", start, moves + theirs)
                        self.assertTrue(all(is_pass(move) for move in after), (after, moves))
                        self.assertTrue(engine.game_over())
                        dead += 1
                    passes += is_pass(theirs[0]) if theirs else 0
                    if not ours:
                        break
                    moves.append(rng.choice(theirs))
        print(f"\n{positions} positions, {passes} passes, {dead} dead positions", file=sys.stderr)
        self.assertGreater(passes, 50)


def is_pass(move: str) -> bool:
    """Whether a flipello move names one square twice."""
    return move[:2] == move[2:]


class Matches(unittest.TestCase):
    """Games of the match runner, every ply checked by Fairy-Stockfish's rules."""

    def play(self, name: str, settings: list[str], rounds: int) -> list[dict[str, Any]]:
        with tempfile.TemporaryDirectory() as folder:
            command = [NULLWINDOW, "tournament", "--engine", f"name={name}", *settings]
            command += ["--engine", f"cmd={NULLWINDOW}", "name=nullwindow", "depth=3", "option.Hash=8"]
            command += ["--rounds", str(rounds), "--openings", "random", "plies=4", "--seed", "7", "--out", folder]
            done = subprocess.run(command, capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            games = [json.loads(line) for line in (Path(folder) / "games.jsonl").read_text().splitlines()]
        self.assertEqual(len(games), 2 * rounds)
        for game in games:
            self.assertEqual(game["reason"], "normal", game)
            self.assertEqual({game["p1"], game["p2"]}, {name, "nullwindow"})
            judge(self, game)
        results = [(game["p1"], game["result"], game["discs"]) for game in games]
        print(f"\n{name}: {results}", file=sys.stderr)
        return games

    @needs(shutil.which("gtp-rhino"), "gtp-rhino")
    @needs(has("pyffish"), "pyffish")
    def test_gtp_rhino(self) -> None:
        self.play("rhino", ["conf=gtp-rhino", "args=--level=1"], 2)

    @needs(FAIRY.exists() and shutil.which("node"), "Fairy-Stockfish")
    @needs(has("pyffish"), "pyffish")
    def test_fairy_stockfish(self) -> None:
        self.play("fairy", ["conf=fairy-stockfish", f"dir={FAIRY.parents[2]}", "depth=3"], 1)

    @needs(has("pyffish"), "pyffish")
    def test_our_own_dialects(self) -> None:
        for protocol, limit in (("uci", "depth=3"), ("gtp", "tc=2+0"), ("nboard", "depth=3")):
            settings = [f"cmd={NULLWINDOW} --protocol {protocol}", f"proto={protocol}", limit, "timemargin=500"]
            self.play(f"ours-{protocol}", settings, 1)


def judge(test: unittest.TestCase, game: dict[str, Any]) -> None:
    """Replays a recorded game by Fairy-Stockfish's rules and compares the result."""
    import pyffish

    start, moves = pyffish.start_fen("flipello"), []
    for word in words(game):
        legal = pyffish.legal_moves("flipello", start, moves)
        move = next((move for move in legal if is_pass(move)), "a pass") if word == "pass" else drop(word)
        test.assertIn(move, legal, f"{word} after {moves}")
        moves.append(move)
    while legal := pyffish.legal_moves("flipello", start, moves):
        test.assertTrue(is_pass(legal[0]), f"the game goes on after {moves}")
        moves.append(legal[0])  # the passes in a dead position
    board = pyffish.get_fen("flipello", start, moves).split("[")[0]
    difference = board.count("P") - board.count("p")
    winner = "p1win" if difference > 0 else "p2win" if difference < 0 else "draw"
    test.assertEqual(game["result"], winner, board)


def words(game: dict[str, Any]) -> Iterator[str]:
    """The moves of a record."""
    for move in game["moves"]:
        yield move["move"]


def drop(word: str) -> str:
    """Converts an Othello square to a flipello drop, whose ranks are numbered from the bottom."""
    return f"P@{word[0]}{9 - int(word[1])}"


if __name__ == "__main__":
    unittest.main()
