"""A UGI engine that plays the first legal move and commits planned faults: `scripted.py PLAYER PLAN`.

PLAN is a JSON list of openings: `start` (a position, or `startpos`), `moves`, and `fault`. If `by` names PLAYER (or `both`), it
commits the fault at its second move after the opening: illegal, crash, exit, stall, late; resign and draw set its scores.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from plain_rules import Position

LATE = 3.0


def send(line: str) -> None:
    print(line, flush=True)


def main() -> None:
    player, plan = sys.argv[1], json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    game, position, fault, searches = "othello", Position("othello"), "", 0
    for line in sys.stdin:
        words = line.split()
        if words[:1] == ["ugi"]:
            send("id name \x1b[31mScripted\x07\noption name Game type combo default othello var " + " var ".join(sys.argv[3:]))
            send("ugiok")
        elif words[:3] == ["setoption", "name", "Game"]:
            game = words[-1]
        elif words[:1] == ["isready"]:
            send("readyok")
        elif words[:1] == ["uginewgame"]:
            searches = 0
        elif words[:1] == ["position"]:
            start, _, moves = line.removeprefix("position ").strip().partition(" moves ")
            start = start.removeprefix("fen ").strip()
            position = Position(game, None if start == "startpos" else start)
            for move in moves.split():
                position.play(move)
            opening = next(
                one for one in plan if one["start"] == start and moves.split()[: len(one["moves"])] == one["moves"]
            )
            fault = opening["fault"] if opening["by"] in (player, "both") else ""
        elif words[:2] == ["query", "p1turn"]:
            send(f"response {str(position.to_move == 'x').lower()}")
        elif words[:2] == ["query", "gameover"]:
            send(f"response {str(position.winner() is not None).lower()}")
        elif words[:2] == ["query", "result"]:
            send("response " + {"x": "p1win", "o": "p2win", "draw": "draw", None: "none"}[position.winner()])
        elif words[:1] == ["go"]:
            searches += 1
            if searches == 2 and fault in ("crash", "exit", "stall", "late", "illegal"):
                print("\x1b[2Jabout to misbehave", file=sys.stderr, flush=True)
                if fault == "crash":
                    os.abort()
                if fault == "exit":
                    sys.exit(0)
                if fault == "stall":
                    time.sleep(3600)
                if fault == "late":
                    time.sleep(LATE)
                if fault == "illegal":
                    send("bestmove \x1b[1mz9")
                    continue
            score = {"resign": -900, "draw": 0}.get(fault, 50)
            best = position.moves()[0]
            send(f"info depth 1 score cp {score} nodes 1 time 0 pv {best}\nbestmove {best}")
        elif words[:1] == ["quit"]:
            return


if __name__ == "__main__":
    main()
