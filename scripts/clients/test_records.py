"""The exported records of every kind of game end, in every game, read by independent readers and compared with `games.jsonl`.

The match runner plays scripted engines (`scripted.py`). The rules are those of `plain_rules.py`; python-chess reads PGN headers;
the readers of movetext, GGF and the report share no code with the runner.
"""

from __future__ import annotations

import html
import io
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Optional

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from plain_rules import REVERSI, STARTS, Position  # noqa: E402
from test_clients import NULLWINDOW, has, needs  # noqa: E402

# Characters that PGN, JSON, HTML and a terminal treat specially; GGF cannot express brackets.
NAMES = ['A "one" \\ <b>&amp;', "B [two] ü"]
FAULTS = [("", ""), ("resign", "A"), ("resign", "B"), ("draw", "both"), ("late", "A"), ("illegal", "A"),
          ("illegal", "B"), ("crash", "A"), ("exit", "B"), ("stall", "B")]  # fmt: skip
REASONS = {"normal", "adjudicated-resign", "adjudicated-draw", "time-forfeit", "illegal-move", "crash", "early-exit", "stall"}
PGN_TERMINATIONS = {
    "normal": "normal", "adjudicated-exact": "adjudication", "adjudicated-resign": "adjudication",
    "adjudicated-draw": "adjudication", "time-forfeit": "time forfeit", "illegal-move": "rules infraction",
    "crash": "abandoned", "early-exit": "abandoned", "stall": "abandoned",
}  # fmt: skip


def openings(game: str, count: int) -> list[dict[str, Any]]:
    """Different openings, some from other positions, with either side to move."""
    rng, found = random.Random(7), []
    while len(found) < count:
        position, moves = Position(game), []
        for _ in range(2 + len(found) % 2 if len(found) % 3 == 2 else 2):
            moves.append(rng.choice(position.moves()))
            position.play(moves[-1])
        start = "startpos"
        if len(found) % 3 == 2:  # as a position, not as moves
            start, moves = text(position), []
        if all((one["start"], one["moves"]) != (start, moves) for one in found):
            found.append({"start": start, "moves": moves})
    return found


def text(position: Position) -> str:
    """The position in the notation of protocol.md."""
    side = {"tictactoe": 3, "scorefour": 4}.get(position.game) or REVERSI[position.game][0]
    rows = ["".join(position.cells[at : at + side]) for at in range(0, len(position.cells), side)]
    rows = [re.sub(r"\.+", lambda dots: str(len(dots[0])), row.replace("?", "*")) for row in rows]
    layers = ["/".join(rows[at : at + side]) for at in range(0, len(rows), side)]
    return f"{'|'.join(layers)} {position.to_move}"


class Match:
    """A tournament of two scripted engines and its files."""

    def __init__(self, folder: Path, game: str, exact: Optional[int]) -> None:
        self.game, self.folder = game, folder / f"{game}-{exact}"
        faults = [("", "")] if exact else FAULTS
        plan = [one | {"fault": fault, "by": by} for one, (fault, by) in zip(openings(game, len(faults)), faults)]
        files = folder / f"{game}-{exact}.plan", folder / f"{game}-{exact}.openings"
        files[0].write_text(json.dumps(plan), encoding="utf-8")
        lines = [" ".join([one["start"], *(["moves", *one["moves"]] if one["moves"] else [])]) for one in plan]
        files[1].write_text("\n".join(lines) + "\n", encoding="utf-8")
        command = [NULLWINDOW, "tournament", "--game", game, "--rounds", str(len(plan)), "--out", str(self.folder)]
        limits = [["tc=60+0.5"], ["tc=60+0.5"]] if exact else [["tc=2+0.1", "depth=9"], ["depth=7"]]
        for player, name, own in zip("AB", NAMES, limits):
            words = [sys.executable, str(HERE / "scripted.py"), player, str(files[0]), *STARTS]
            command += ["--engine", f"cmd={shlex.join(words)}", f"name={name}", *own]
        command += ["--openings", f"file={files[1]}", "--concurrency", "2", "--affinity", "off", "--json"]
        command += ["--stall-timeout", "5", "--think-timeout", "0.5"]
        command += ["--exact", str(exact)] if exact else []
        command += ["--resign", "score=500", "movecount=1", "--draw", "score=5", "movecount=1"]
        done = subprocess.run(command, capture_output=True, timeout=240)
        self.printed = done.stderr.decode()
        assert done.returncode == 0, self.printed
        self.summary = json.loads(done.stdout)
        self.records = [json.loads(line) for line in (self.folder / "games.jsonl").read_text("utf-8").splitlines()]
        self.pgn = (self.folder / "games.pgn").read_text("utf-8")
        ggf = self.folder / "games.ggf"
        self.ggf = ggf.read_text("utf-8") if ggf.exists() else None
        done = subprocess.run([NULLWINDOW, "tournament", "--report", str(self.folder)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        self.page = Path(done.stdout.strip()).read_text("utf-8")


def winner_of(record: dict[str, Any]) -> Optional[str]:
    """The winner's name; None after a draw."""
    return {"p1win": record["p1"], "p2win": record["p2"], "draw": None}[record["result"]]


def mainline(movetext: str) -> tuple[list[str], str, bool]:
    """The moves and the result of a movetext, and whether the first move is the second of its number (`1...`)."""
    words = re.sub(r"\{[^}]*\}", " ", movetext).split()
    moves = [word for word in words[:-1] if not re.fullmatch(r"\d+\.+", word)]
    return moves, words[-1], words[0] == "1..."


def properties(game: str) -> list[tuple[str, str]]:
    """The properties of a game in GGF."""
    assert re.fullmatch(r"\(;(?:[A-Z]+\[[^\[\]]*\])+;\)", game), game
    return re.findall(r"([A-Z]+)\[([^\[\]]*)\]", game)


@needs(has("chess"), "python-chess")
class Records(unittest.TestCase):
    """All exports of all games."""

    matches: list[Match]

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        jobs = [(game, None) for game in STARTS] + [(game, 6) for game in REVERSI]
        with ThreadPoolExecutor(len(jobs)) as pool:
            cls.matches = list(pool.map(lambda job: Match(Path(folder.name), *job), jobs))

    def test_the_matches_have_every_end(self) -> None:
        for match in self.matches:
            with self.subTest(match=match.folder.name):
                reasons = {record["reason"] for record in match.records}
                expected = {"adjudicated-exact"} if match.folder.name.endswith("-6") else REASONS
                self.assertLessEqual(expected, reasons)
                self.assertLessEqual({"p1win", "p2win"} if len(match.records) > 2 else set(),
                                     {record["result"] for record in match.records})  # fmt: skip
                self.assertEqual({record["p1"] for record in match.records}, set(NAMES))
                self.assertNotRegex(match.printed, r"[\x00-\x08\x0b-\x1f\x7f]")
                # The records themselves agree with the rules.
                for record in match.records:
                    position = Position(match.game, record.get("start"))
                    for played in record["moves"]:
                        position.play(played["move"])
                    if record["reason"] == "normal":
                        self.assertEqual({"x": "p1win", "o": "p2win", "draw": "draw"}[position.winner()], record["result"])
                        if match.game in REVERSI:
                            self.assertEqual(position.discs(), record["discs"])
                    else:
                        self.assertIsNone(position.winner())
                    self.assertEqual("discs" in record, match.game in REVERSI and record["reason"] in ("normal", "adjudicated-exact"))

    def test_pgn(self) -> None:
        import chess.pgn

        for match in self.matches:
            texts = re.split(r"(?<=\n)\n(?=\[Event )", match.pgn)
            self.assertEqual(len(texts), len(match.records))
            stream = io.StringIO(match.pgn)
            for record, own in zip(match.records, texts):
                with self.subTest(match=match.folder.name, game=record["game"]):
                    header = chess.pgn.read_headers(stream)
                    assert header is not None
                    names = [header[tag].replace('\\"', '"').replace("\\\\", "\\") for tag in ("White", "Black")]
                    scores = {"1-0": names[0], "0-1": names[1], "1/2-1/2": None}
                    self.assertEqual(scores[header["Result"]], winner_of(record))
                    first = names[("White", "Black").index(header["FirstPlayer"])]
                    self.assertEqual(first, record["p1"])
                    self.assertEqual(header["FirstPlayer"], "Black" if match.game in REVERSI else "White")
                    self.assertEqual(list(header)[:7], ["Event", "Site", "Date", "Round", "White", "Black", "Result"])
                    self.assertRegex(header["Date"], r"^\d{4}\.\d\d\.\d\d$")
                    self.assertEqual(header["Termination"], PGN_TERMINATIONS[record["reason"]])
                    self.assertEqual((header["Reason"], header["Game"]), (record["reason"], str(record["game"])))
                    sides = dict(zip(names, (header["WhiteTimeControl"], header["BlackTimeControl"])))
                    self.assertEqual([sides[record["p1"]], sides[record["p2"]]], record["limits"])
                    self.assertEqual(header.get("TimeControl"), "60+0.5" if match.folder.name.endswith("-6") else None)
                    self.assertEqual((header.get("FEN"), header.get("SetUp")),
                                     (record.get("start"), "1" if "start" in record else None))  # fmt: skip
                    self.assertEqual(int(header["Discs"]) if "Discs" in header else None, record.get("discs"))
                    self.assertEqual(header["PlyCount"], str(len(record["moves"])))
                    movetext = own.split("\n\n", 1)[1]
                    self.assertLess(max(map(len, movetext.splitlines())), 80)
                    moves, result, second = mainline(movetext)
                    self.assertEqual(result, header["Result"])
                    self.assertEqual(moves, [played["move"] for played in record["moves"]])
                    self.assertEqual("o" if second else "x", Position(match.game, header.get("FEN")).to_move)
            self.assertIsNone(chess.pgn.read_headers(stream))

    def test_ggf(self) -> None:
        for match in self.matches:
            with self.subTest(match=match.folder.name):
                self.assertEqual(match.ggf is not None, match.game in ("othello", "othello6", "othello4"))
                lines = match.ggf.splitlines() if match.ggf else []
                self.assertEqual(len(lines), len(match.records) if match.ggf else 0)
                for record, line in zip(match.records, lines):
                    self.one_ggf(match, record, properties(line))

    def one_ggf(self, match: Match, record: dict[str, Any], found: list[tuple[str, str]]) -> None:
        tags = dict((name, value) for name, value in found if name not in "BW")
        names = [re.sub(r"[\[\]]", " ", record[player]) for player in ("p1", "p2")]
        self.assertEqual([tags["PB"], tags["PW"], tags["GM"]], [*names, "Othello"])
        score, _, why = tags["RE"].partition(":")
        sign = {"p1win": 1, "p2win": -1, "draw": 0}[record["result"]]
        squares = REVERSI[match.game][0] ** 2
        self.assertEqual(float(score), record.get("discs", sign * squares))
        self.assertEqual((float(score) > 0) - (float(score) < 0), sign)
        ends = {"normal": "", "adjudicated-exact": "", "time-forfeit": "t", "adjudicated-draw": "s"}
        self.assertEqual(why, ends.get(record["reason"], "r"))
        if match.folder.name.endswith("-6"):
            self.assertEqual([tags.get(name) for name in ("TI", "TB", "TW")], ["01:00/00:00.5", None, None])
        else:
            clocks = ["00:02/00:00.1" if "+" in limits else None for limits in record["limits"]]
            self.assertEqual([tags.get(name) for name in ("TI", "TB", "TW")], [None, *clocks])
        size, board = tags["BO"].split(" ", 1)
        *rows, side = board.split()
        cells = "".join(rows).translate(str.maketrans("*O-", "xo."))
        position = Position(match.game, record.get("start"))
        self.assertEqual((size, cells), (tags["TY"], "".join(position.cells)))
        self.assertEqual({"*": "x", "O": "o"}[side], position.to_move)
        moves = [(name, value.split("/")[0].lower()) for name, value in found if name in "BW"]
        self.assertEqual(["pass" if move == "pa" else move for _, move in moves], [one["move"] for one in record["moves"]])
        for player, move in moves:
            self.assertEqual(player, {"x": "B", "o": "W"}[position.to_move])
            position.play("pass" if move == "pa" else move)

    def test_report_and_summary(self) -> None:
        for match in self.matches:
            with self.subTest(match=match.folder.name):
                data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', match.page, re.S)[1])
                self.assertEqual(data["engines"], NAMES)
                games = {game["number"]: game for game in data["games"]}
                points, distinct = dict.fromkeys(NAMES, 0.0), set()
                for record in match.records:
                    game = games.pop(record["game"])
                    self.assertEqual([NAMES[game["p1"]], NAMES[game["p2"]]], [record["p1"], record["p2"]])
                    for field in ("result", "reason", "limits", "discs"):
                        self.assertEqual(game[field], record.get(field), field)
                    self.assertEqual([move[0] for move in game["moves"]], [move["move"] for move in record["moves"]])
                    for player, own in (("p1", "p1win"), ("p2", "p2win")):
                        points[record[player]] += {own: 1.0, "draw": 0.5}.get(record["result"], 0.0)
                    moves = [move["move"] for move in record["moves"]]
                    distinct.add((record["p1"], record.get("start"), *moves))
                self.assertEqual(games, {})
                for name in NAMES:
                    self.assertIn(html.escape(name, quote=False).replace('"', "&quot;"), match.page)
                engines = {engine["name"]: engine for engine in match.summary["engines"]}
                self.assertEqual({name: engine["points"] for name, engine in engines.items()}, points)
                self.assertEqual(engines[match.records[0]["p1"]]["limits"], match.records[0]["limits"][0])
                self.assertEqual(match.summary["distinct_games"], len(distinct))


if __name__ == "__main__":
    unittest.main()
