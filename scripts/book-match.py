#!/usr/bin/env python3
"""Measure an opening book made from self-play: the Elo of playing from it, and the variety of its openings.

    scripts/book-match.py DIR [--games 20000] [--plies 10] [--minutes 60] [--widen 4] [--match 1000] [--both 200] [--nodes 60000]

1. GAMES games of self-play from random openings of 8 plies, at a twentieth of NODES nodes a move, make DIR/book of their
   first PLIES plies; the positions are searched at NODES nodes for MINUTES minutes, with those that Book Variety WIDEN
   reaches.
2. A match of MATCH games from the start, colors swapped, at NODES nodes a move, with the book (Book Variety 2, a seed for
   each game) against none. Prints the 95 % interval of Elo of all games, and with repeated games counted once.
3. BOTH games with the book on both sides. Prints the number of distinct openings of 12 plies, up to symmetry.

The default takes an hour and a half on two fast cores. What is in DIR already is continued. NULLWINDOW names the engine.
"""

import argparse
import json
import math
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]
from arguments import output_folder, own_engine, run_main, whole  # noqa: E402

ENGINE = own_engine()
VARIED = ["option.Book Variety=2"]


def run(*words, text=None):
    done = subprocess.run([ENGINE, *map(str, words)], input=text, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def play(folder, engines, nodes, games, openings, pairs=True):
    """Plays or continues a match, in pairs of games with colors swapped or not; returns its games."""
    if (folder / "tournament.json").exists():
        run("tournament", "--resume", folder)
    else:
        words = [word for settings in engines for word in ["--engine", f"cmd={shlex.quote(ENGINE)}", *settings]]
        words += ["--each", f"nodes={nodes}", "tc=inf", "--openings", *openings, "--out", folder]
        words += ["--rounds", max(games // 2, 1)] if pairs else ["--rounds", games, "--games", 1, "--noswap"]
        run("tournament", *words, "--concurrency", os.cpu_count())
    with open(folder / "games.jsonl") as lines:
        return [json.loads(line) for line in lines]


def elo(share):
    share = min(max(share, 1e-6), 1 - 1e-6)
    return 400 * math.log10(share / (1 - share))


def elo_text(games):
    """The score of the book, and its Elo with a 95 % interval."""
    points = []
    for game in games:
        winner = {"p1win": game["p1"], "p2win": game["p2"]}.get(game["result"])
        points.append(0.5 if winner is None else float(winner == "book"))
    mean = sum(points) / len(points)
    error = math.sqrt(sum((point - mean) ** 2 for point in points) / max(len(points) - 1, 1) / len(points))
    low, high = elo(mean - 1.96 * error), elo(mean + 1.96 * error)
    return f"score {100 * mean:.2f} %, Elo {elo(mean):+.1f}, 95 % interval {low:+.1f} to {high:+.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=output_folder)
    parser.add_argument("--games", type=whole(1), default=20000)
    parser.add_argument("--plies", type=whole(1), default=10)
    parser.add_argument("--minutes", type=whole(1), default=60)
    parser.add_argument("--widen", type=whole(0), default=4)
    parser.add_argument("--match", type=whole(1), default=1000)
    parser.add_argument("--both", type=whole(1), default=200)
    parser.add_argument("--nodes", type=whole(1), default=60000)
    args = parser.parse_args()
    if shutil.which(ENGINE) is None:
        parser.error(f"{ENGINE}: program not found: set NULLWINDOW")
    args.folder.mkdir(parents=True, exist_ok=True)
    book = args.folder.resolve() / "book"
    with_book = [f"book={book}", *VARIED]

    if not book.exists():
        engines = [["name=A"], ["name=B"]]
        # Equal engines would play the second game of a pair as the first one.
        play(args.folder / "selfplay", engines, max(args.nodes // 20, 1), args.games, ["random", "plies=8"], pairs=False)
        print(run("book", "add", book, args.folder / "selfplay" / "games.jsonl", "--plies", args.plies), end="")
        limits = ["--nodes", args.nodes, "--widen", args.widen, "--minutes", args.minutes]
        print(run("book", "extend", book, *limits), end="")
    print(run("book", "check", book), end="")

    engines = [["name=book", *with_book], ["name=none"]]
    games = play(args.folder / "match", engines, args.nodes, args.match, ["startpos"])
    distinct = {(game["p1"], *(move["move"] for move in game["moves"])): game for game in games}
    moves = [move for game in games for move in game["moves"]]
    from_book = sum(move.get("origin") == "book" for move in moves)
    print(f"book against none: {len(games)} games, {len(distinct)} distinct, {from_book / len(games):.1f} book moves a game")
    print("all games:", elo_text(games))
    print("repeated games counted once:", elo_text(distinct.values()))

    engines = [["name=A", *with_book], ["name=B", *with_book]]
    games = play(args.folder / "both", engines, args.nodes, args.both, ["startpos"])
    lines = "".join("".join(move["move"] for move in game["moves"][:12]) + "\n" for game in games)
    openings = run("convert", "-", "--to", "transcript", "--unique", text=lines).splitlines()
    print(f"book on both sides: {len(games)} games, {len(openings)} distinct openings of 12 plies")


if __name__ == "__main__":
    run_main(main)
