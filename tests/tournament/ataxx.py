#!/usr/bin/env python3
"""A UGI engine of Ataxx on 7x7, a game that nullwindow lacks: the tests of `tournament` with other games play it.

    ataxx.py [FAULT]

Option `Random` (percent): how often it plays a random move. FAULT is what it does wrong; see FAULTS. Positions are FEN:
rows from the top, `x` (first player), `o` and digits, then the side to move and two numbers that are ignored. Moves are
`g1` (a new stone), `g1e1` (a jump) and `0000` (a pass, where there is no other move). The game is over when a side has no
stone, when the board is full, or after 100 moves without a new stone, drawn; the majority wins otherwise.
"""

import os
import random
import sys
import time

START = "x5o/7/7/7/7/7/o5x x 0 1"
FAULTS = ("lie-gameover", "lie-result", "lie-islegal", "lie-p1turn", "hang", "crash")
FAULTS += ("crash-result", "once-crash", "silent", "mute", "perhaps", "illegal", "bell")
SIZE = 7
SQUARES = [(x, y) for y in range(SIZE) for x in range(SIZE)]


def near(square, distance):
    """The squares at exactly this distance."""
    x, y = square
    return [at for at in SQUARES if max(abs(at[0] - x), abs(at[1] - y)) == distance]


NEAR = {square: near(square, 1) for square in SQUARES}
FAR = {square: near(square, 2) for square in SQUARES}


def name(square):
    return "abcdefg"[square[0]] + str(square[1] + 1)


class Board:
    """A position; `stones` has the owner of each occupied square."""

    def __init__(self, fen):
        rows, side = fen.split()[:2]
        self.stones, self.side, self.quiet = {}, side, 0
        for y, row in enumerate(reversed(rows.split("/"))):
            x = 0
            for char in row:
                if char in "xo":
                    self.stones[x, y] = char
                x += int(char) if char.isdigit() else 1

    def moves(self):
        """All legal moves, as pairs of the squares that a stone leaves (or None) and enters."""
        own = [square for square in SQUARES if self.stones.get(square) == self.side]
        new = {to: None for at in own for to in NEAR[at] if to not in self.stones}
        jumps = [(at, to) for at in own for to in FAR[at] if to not in self.stones]
        return [(None, to) for to in new] + jumps or [None]

    def play(self, move):
        other = "o" if self.side == "x" else "x"
        self.quiet += 1
        if move:
            at, to = move
            if at is None:
                self.quiet = 0
            else:
                del self.stones[at]
            for square in [to] + [square for square in NEAR[to] if self.stones.get(square) == other]:
                self.stones[square] = self.side
        self.side = other

    def count(self, side):
        return sum(stone == side for stone in self.stones.values())

    def result(self):
        """`none` while the game goes on."""
        first, second = self.count("x"), self.count("o")
        if self.quiet >= 100:
            return "draw"
        if first and second and first + second < SIZE * SIZE:
            return "none"
        return "p1win" if first > second else "p2win" if second > first else "draw"

    def copy(self):
        board = Board.__new__(Board)
        board.stones, board.side, board.quiet = dict(self.stones), self.side, self.quiet
        return board


def word(move):
    return "0000" if move is None else "".join(name(square) for square in move if square is not None)


class Engine:
    def __init__(self, fault):
        self.fault, self.random, self.board, self.line = fault, 0, Board(START), None

    def position(self, words):
        """Sets a position; after the previous one it plays only the moves that are new."""
        start, _, moves = " ".join(words).partition(" moves ")
        moves = moves.split()
        old = self.line
        if not old or old[0] != start or moves[: len(old[1])] != old[1]:
            old = (start, [])
            self.board = Board(START if start == "startpos" else start.removeprefix("fen "))
        for text in moves[len(old[1]) :]:
            self.board.play(next(move for move in self.board.moves() if word(move) == text))
        self.line = (start, moves)
        # The same move in the same game, so that a match can be replayed.
        self.generator = random.Random(f"{start} {moves}")

    def search(self, words):
        """The move with the most stones after it; prints the line of each better one."""
        moves = self.board.moves()
        if self.fault == "illegal" and len(self.line[1]) >= 6:
            return "a1a1"
        if self.fault == "bell" and len(self.line[1]) >= 6:
            return "a\x07b"
        if self.generator.randrange(100) < self.random:
            return word(self.generator.choice(moves))
        best, side, limit = None, self.board.side, 10**9
        if "nodes" in words:
            limit = int(words[words.index("nodes") + 1])
        for nodes, move in enumerate(self.generator.sample(moves, len(moves))[:limit], 1):
            after = self.board.copy()
            after.play(move)
            score = 2 * after.count(side) - len(after.stones)
            if best is None or score > best[0]:
                best = (score, move, nodes)
        print(f"info depth 1 score cp {100 * best[0]} nodes {nodes} time 0 pv {word(best[1])}")
        return word(best[1])

    def answer(self, query):
        """The reply to a query, perhaps a wrong one."""
        over = self.board.result() != "none"
        late = len(self.line[1]) >= 6 if self.line else False
        if late and self.fault == "hang":
            time.sleep(1000)
        if late and self.fault == "crash" or query[0] == "result" and self.fault == "crash-result":
            sys.exit(3)
        if late and self.fault == "once-crash" and not os.path.exists(once := os.environ["NULLWINDOW_ONCE"]):
            open(once, "w").close()
            sys.exit(3)
        if self.fault == "mute":
            return None
        if late and self.fault in ("silent", "perhaps"):
            return "perhaps" if self.fault == "perhaps" else None
        truth = {
            "gameover": over,
            "p1turn": self.board.side == "x",
            "islegal": not over and query[-1] in map(word, self.board.moves()),
        }.get(query[0])
        if truth is None:
            result = self.board.result() if query[0] == "result" else "unknown"
            lie = {"p1win": "p2win", "p2win": "p1win", "draw": "p1win"}.get(result, result)
            return lie if self.fault == "lie-result" else result
        return str(truth != (late and self.fault == "lie-" + query[0])).lower()

    def execute(self, words):
        command, rest = (words or [""])[0], words[1:]
        if command == "ugi":
            print("id name Ataxx\nid author nullwindow\noption name Random type spin default 0 min 0 max 100")
            print("option name Exact Nodes type check default false\nugiok")
        elif command == "setoption" and rest[1:2] == ["Random"]:
            self.random = int(rest[-1])
        elif command == "uginewgame":
            self.board, self.line = Board(START), None
        elif command == "isready":
            print("readyok")
        elif command == "position":
            self.position(rest)
        elif command == "query":
            reply = self.answer(rest)
            if reply is not None:
                print(f"response {reply}")
        elif command == "go":
            print(f"bestmove {self.search(rest)}")


if __name__ == "__main__":
    engine = Engine(sys.argv[1] if len(sys.argv) > 1 else None)
    for text in sys.stdin:
        if text.strip() == "quit":
            break
        engine.execute(text.split())
        sys.stdout.flush()
