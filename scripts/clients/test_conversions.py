"""Conversions of game records against independent writers and readers of every format.

Random games of Othello are written here as other programs write them, converted by the engine to every format, and read here:
moves, winner and discs must be those of the game as far as the formats have them. Damaged files must be errors. The rules are
those of `plain_rules.py`; pyffish checks the games in flipello's notation, python-chess reads PGN headers.

NULLWINDOW_GAMES is the number of games (default 40), and of damages per format.
"""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Optional

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from plain_rules import Position  # noqa: E402
from test_clients import NULLWINDOW, has, needs  # noqa: E402

GAMES = int(os.environ.get("NULLWINDOW_GAMES", "40"))
NAMES = ["Anna", 'B. "Bo" C', "d3", "Zoë, P.", "x y z", "f5d6"]
START = "-" * 27 + "O*------*O" + "-" * 27


@dataclass
class Game:
    """A game, over or given up."""

    moves: list[str] = field(default_factory=list)
    players: tuple[str, str] = ("", "")
    is_over: bool = False
    # `x`, `o` or `draw`: of the moves, else as stated.
    winner: str = ""
    # Of the first player with the empties for the winner, if it is over; and its discs and the opponent's on the board.
    discs: Optional[int] = None
    board: str = ""
    counts: tuple[int, int] = (0, 0)

    @property
    def glued(self) -> str:
        return "".join(move for move in self.moves if move != "pass")


def random_game(rng: random.Random) -> Game:
    game, position = Game(players=tuple(rng.sample(NAMES, 2))), Position("othello")
    plies = rng.randrange(4, 58) if rng.random() < 0.4 else 99
    while not position.winner():
        moves = position.moves()
        if len(game.moves) >= plies and moves != ["pass"] and game.moves[-1] != "pass":
            break
        # Greedy moves wipe out the opponent now and then, which leaves empties.
        game.moves.append(rng.choice(moves))
        position.play(game.moves[-1])
    game.is_over = position.winner() is not None
    game.winner = position.winner() or rng.choice("xo")
    game.discs = position.discs() if game.is_over else None
    game.counts = position.cells.count("x"), position.cells.count("o")
    game.board = "".join(position.cells).upper().replace(".", "-") + " " + position.to_move.upper()
    return game


def numbered(words: list[str], number: str = "{}.") -> str:
    return " ".join(f"{number.format(at // 2 + 1)} {word}" if at % 2 == 0 else word for at, word in enumerate(words))


def quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def write_transcript(game: Game, rng: random.Random) -> str:
    moves = [move for move in game.moves if move != "pass"]
    return rng.choice(["", " ", "-", ", ", ";", "/", "|", "."]).join(moves) + "\n"


def write_pgn(game: Game, rng: random.Random) -> str:
    """Nothing says whose result comes first."""
    first = rng.random() < 0.5
    win = {"x": "1-0", "o": "0-1", "draw": "1/2-1/2"} if first else {"x": "0-1", "o": "1-0", "draw": "1/2-1/2"}
    result = win[game.winner]
    if game.is_over and rng.random() < 0.5:
        result = "-".join(map(str, game.counts if first else game.counts[::-1]))
    passes = rng.choice(["--", "pass", "Z0"])
    words = [passes if move == "pass" else move + rng.choice(["", "", " {well, 3/4 of 10s}"]) for move in game.moves]
    tags = [f'[Black "{quoted(game.players[0])}"]\n', f'[White "{quoted(game.players[1])}"]\n']
    rng.shuffle(tags)
    return f'[Event "Open"]\n[Date "2021.3.4"]\n{"".join(tags)}[Result "{result}"]\n\n{numbered(words)} {result}\n\n'


def from_bottom(square: str) -> str:
    return square[0] + str(9 - int(square[1]))


def write_flipello(game: Game, rng: random.Random) -> str:
    """White begins; a pass is the square of an own disc."""
    position, words = Position("othello"), []
    for move in game.moves:
        own = next(n for n, cell in enumerate(position.cells) if cell == position.to_move)
        square = from_bottom("abcdefgh"[own % 8] + str(own // 8 + 1))
        words.append(rng.choice([f"P{square}", square * 2]) if move == "pass" else f"P@{from_bottom(move)}")
        position.play(move)
    result = {"x": "1-0", "o": "0-1", "draw": "1/2-1/2"}[game.winner]
    tags = f'[White "{quoted(game.players[0])}"]\n[Black "{quoted(game.players[1])}"]\n[Variant "flipello"]\n'
    return f'[Event "x"]\n{tags}[Result "{result}"]\n\n{numbered(words)} {result}\n\n'


def write_ggf(game: Game, rng: random.Random) -> str:
    result = f"{game.discs:+}.000" if game.is_over else f"{64 if game.winner == 'x' else -64:+}.000:r"
    komi = rng.choice(["", "KM[+0.000]"])
    text, position = "", Position("othello")
    for move in game.moves:
        if move != "pass" or rng.random() < 0.5:  # passes may be omitted
            text += f"{'B' if position.to_move == 'x' else 'W'}[{'PA' if move == 'pass' else move}{rng.choice(['', '//0.5', '/1.5'])}]"
        position.play(move)
    names = [name.replace("[", " ") for name in game.players]
    return f"(;GM[Othello]PC[x]PB[{names[0]}]PW[{names[1]}]RE[{result}]{komi}TY[8]BO[8 {START} *]{text};)\n"


def write_sgf(game: Game, rng: random.Random) -> str:
    side = {"x": "B", "o": "W"}
    won = game.winner != "draw"
    result = f"{side[game.winner]}+{abs(game.discs) if game.is_over else 'Resign'}" if won else "0"
    text, position = "", Position("othello")
    for move in game.moves:
        value = rng.choice(["", "tt"]) if move == "pass" else move[0] + "abcdefgh"[int(move[1]) - 1]
        text += f"{rng.choice(['', chr(10)])};{side[position.to_move]}[{value}]"
        position.play(move)
    return f"(;FF[4]GM[2]SZ[8]PB[{game.players[0]}]PW[{game.players[1]}]RE[{result}]{text})\n"


def write_jsonl(game: Game, rng: random.Random) -> str:
    moves: object = rng.choice([
        game.moves, game.glued, [{"m": move, "t": at} for at, move in enumerate(game.moves)], [{"move": move} for move in game.moves],
    ])  # fmt: skip
    result = {"x": "p1win", "o": "p2win", "draw": "draw"}[game.winner]
    record = {"p1": game.players[0], "p2": game.players[1], "result": result, "moves": moves}
    return json.dumps(record, indent=rng.choice([None, 1])) + "\n"


def write_csv(game: Game, rng: random.Random) -> str:
    out = io.StringIO()
    winner = {"x": 1, "o": -1, "draw": 0}[game.winner] * rng.choice([1, -1])
    csv.writer(out, lineterminator="\n").writerow([rng.randrange(9999), *game.players, winner, game.glued])
    return out.getvalue()


def wthor_game(game: Game) -> bytes:
    discs = (64 + game.discs) // 2 if game.discs is not None else 64 if game.winner == "x" else 0
    moves = [10 * int(move[1]) + "abcdefgh".index(move[0]) + 1 for move in game.moves if move != "pass"]
    return struct.pack("<HHHBB", 0, 0, 0, discs, discs) + bytes(moves).ljust(60, b"\0")


def write_files(games: list[Game], seed: int) -> dict[str, bytes]:
    """The games in every source format."""
    rng = random.Random(seed)
    writers: dict[str, Callable[[Game, random.Random], str]] = {
        "transcript": write_transcript, "pgn": write_pgn, "flipello": write_flipello, "ggf": write_ggf, "sgf": write_sgf,
        "jsonl": write_jsonl, "csv": write_csv,
    }  # fmt: skip
    files = {name: "".join(write(game, rng) for game in games) for name, write in writers.items()}
    files["csv"] = "id,black,white,winner,game_moves\n" + files["csv"]
    array = ",".join(write_jsonl(game, rng) for game in games)
    found = {name: text.encode() for name, text in files.items()} | {"array": f"[{array}]\n".encode()}
    header = struct.pack("<BBBBIHHBBBB", 20, 26, 1, 1, len(games), 0, 2026, 8, 0, 0, 0)
    return found | {"wthor": header + b"".join(map(wthor_game, games))}


# The sources that define whose result they state.
DEFINED = ("flipello", "ggf", "sgf", "jsonl", "array", "wthor")


def known_winner(game: Game, source: str) -> Optional[str]:
    return game.winner if game.is_over or source in DEFINED else None


@dataclass
class Found:
    """What a reader finds: moves without passes, `x`, `o`, `draw` or None, and discs if the format has them."""

    glued: str
    winner: Optional[str] = None
    discs: Optional[int] = None


def winner_of(discs: float) -> str:
    return "draw" if discs == 0 else "x" if discs > 0 else "o"


def read_pgn(text: str) -> list[Found]:
    found = []
    for game in re.split(r"(?=^\[Event )", text, flags=re.M)[1:]:
        tags = dict(re.findall(r'^\[(\w+) "(.*)"\]$', game, flags=re.M))
        words = re.sub(r"\{[^}]*\}", " ", game.split("\n\n", 1)[1]).split()
        assert words.pop() == tags["Result"] and tags["FirstPlayer"] == "Black"
        moves = [word for word in words if not word.endswith(".")]
        winner = {"0-1": "x", "1-0": "o", "1/2-1/2": "draw", "*": None}[tags["Result"]]
        discs = int(tags["Discs"]) if "Discs" in tags else None
        found.append(Found("".join(move for move in moves if move != "pass"), winner, discs))
    return found


def read_ggf(text: str) -> list[Found]:
    found = []
    for line in text.splitlines():
        properties = re.findall(r"([A-Z]+)\[([^\]]*)\]", line)
        tags = dict(properties)
        moves = [value.split("/")[0].lower() for name, value in properties if name in ("B", "W")]
        score, _, reason = tags["RE"].partition(":")
        number = None if score == "?" else float(score)
        winner = None if number is None else winner_of(number)
        discs = int(number) if number is not None and not reason else None
        found.append(Found("".join(move for move in moves if move != "pa"), winner, discs))
    return found


def read_jsonl(text: str) -> list[Found]:
    found = []
    for record in map(json.loads, text.splitlines()):
        moves = [item["move"] for item in record["moves"] if item["move"] != "pass"]
        winner = {"p1win": "x", "p2win": "o", "draw": "draw", None: None}[record.get("result")]
        found.append(Found("".join(moves), winner, record.get("discs")))
    return found


def read_wthor(data: bytes) -> list[Found]:
    found = []
    for at in range(16, len(data), 68):
        discs, moves = data[at + 6], data[at + 8 : at + 68].rstrip(b"\0")
        glued = "".join("abcdefgh"[byte % 10 - 1] + str(byte // 10) for byte in moves)
        found.append(Found(glued, winner_of(2 * discs - 64), 2 * discs - 64))
    assert struct.unpack("<I", data[4:8]) == (len(found),)
    return found


class ConversionsTest(unittest.TestCase):
    folder: tempfile.TemporaryDirectory[str]
    games: list[Game]
    files: dict[str, bytes]

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        rng = random.Random(72)
        cls.games = [random_game(rng) for _ in range(GAMES)]
        cls.files = write_files(cls.games, 72)
        for name, data in cls.files.items():
            cls.path(name).write_bytes(data)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    @classmethod
    def path(cls, name: str) -> Path:
        return Path(cls.folder.name) / name

    def convert(self, source: str, target: str) -> tuple[int, bytes, str]:
        out = self.path(f"{source}-{target}.out")
        command = [NULLWINDOW, "convert", str(self.path(source)), "--to", target, "--out", str(out)]
        done = subprocess.run(command, capture_output=True, timeout=600)
        return done.returncode, out.read_bytes() if out.exists() else b"", done.stderr.decode()

    def test_every_pair_of_formats(self) -> None:
        for source in self.files:
            unknown = sum(known_winner(game, source) is None for game in self.games)
            stated = 0 if source == "transcript" else unknown
            for target in ("transcript", "pgn", "ggf", "jsonl", "obf", "wthor"):
                with self.subTest(source=source, target=target):
                    status, data, errors = self.convert(source, target)
                    is_left_out = target == "wthor" and unknown > 0
                    self.assertEqual(status, int(is_left_out), errors)
                    line = f"stated results: {stated} unknown (of unfinished games; see --result-order), 0 contradicted"
                    self.assertEqual(line in errors, stated > 0, errors)
                    games = [game for game in self.games if not is_left_out or known_winner(game, source)]
                    self.compare(source, target, games, data)

    def compare(self, source: str, target: str, games: list[Game], data: bytes) -> None:
        text = "" if target == "wthor" else data.decode()
        if target == "obf":
            self.assertEqual([line.split(";")[0] for line in text.splitlines()], [game.board for game in games])
            return
        if target == "transcript":
            self.assertEqual(text.splitlines(), [game.glued for game in games])
            return
        found = read_wthor(data) if target == "wthor" else {"pgn": read_pgn, "ggf": read_ggf, "jsonl": read_jsonl}[target](text)
        self.assertEqual(len(found), len(games))
        for game, one in zip(games, found):
            self.assertEqual(one.glued, game.glued)
            self.assertEqual(one.winner, known_winner(game, source), game)
            if game.is_over:
                self.assertEqual(one.discs, game.discs, game)

    @needs(has("chess") and has("pyffish"), "python-chess or pyffish")
    def test_third_party_readers(self) -> None:
        import chess.pgn
        import pyffish

        for game, text in zip(self.games, re.split(r"(?=^\[Event )", self.files["flipello"].decode(), flags=re.M)[1:]):
            fen, plies = pyffish.start_fen("flipello"), 0
            words = text.split("\n\n", 1)[1].split()[:-1]
            for word in (word for word in words if not word.endswith(".")):
                legal = pyffish.legal_moves("flipello", fen, [])
                # A pass may name any own disc.
                is_pass = "@" not in word and all("@" not in move for move in legal)
                self.assertTrue(word in legal or is_pass, (word, legal))
                fen, plies = pyffish.get_fen("flipello", fen, [legal[0] if is_pass else word]), plies + 1
            self.assertEqual(plies, len(game.moves))
        status, data, errors = self.convert("ggf", "pgn")
        self.assertEqual(status, 0, errors)
        stream = io.StringIO(data.decode())
        for game in self.games:
            headers = chess.pgn.read_headers(stream)
            # python-chess leaves escapes as they are.
            names = tuple(headers[name].replace('\\"', '"') for name in ("Black", "White"))
            self.assertEqual(names, game.players)
            self.assertEqual(headers["Result"], {"x": "0-1", "o": "1-0", "draw": "1/2-1/2"}[game.winner])

    def test_damage_never_shortens_a_game(self) -> None:
        rng = random.Random(73)
        for at in range(GAMES):
            game = random_game(rng)
            for name, data in write_files([game], rng.randrange(1 << 30)).items():
                damaged = damage(data, name, rng)
                with self.subTest(name=name, data=damaged):
                    self.path("damaged").write_bytes(damaged)
                    command = [NULLWINDOW, "convert", str(self.path("damaged")), "--to", "transcript"]
                    done = subprocess.run(command, capture_output=True, timeout=60)
                    if done.returncode == 0:
                        lengths = [len(line) for line in done.stdout.decode().splitlines()]
                        self.assertEqual(lengths, [len(game.glued)], (done.stdout, done.stderr))


def damage(data: bytes, name: str, rng: random.Random) -> bytes:
    """The file of a game with another character in a move, a key or a bracket."""
    if name == "wthor":
        at = rng.randrange(24, len(data.rstrip(b"\0")))
        return data[:at] + bytes([rng.randrange(1, 256)]) + data[at + 1 :]
    text = data.decode()
    places = [found.start() + rng.randrange(len(found[0])) for found in re.finditer(r"[a-hA-H][1-8]|[A-Za-z]+|[\[\](){}\"]", text)]
    at = rng.choice(places)
    other = rng.choice([c for c in "axX1359#%!?@_~^*+='\"[](){}<>;:,." if c != text[at]])
    return (text[:at] + other + text[at + 1 :]).encode()


if __name__ == "__main__":
    unittest.main()
