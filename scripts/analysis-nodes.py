#!/usr/bin/env python3
"""Measures what `analyze` saves: the nodes of the analysis of each game, relative to the same searches run one by one.

    scripts/analysis-nodes.py FILE [--depth 16] [--exact 24] [--engine PATH]

Each search of the analysis is repeated in a new process, as the analysis of a game of one move from that position. Forced moves are
not searched. Prints a line per game and the totals, with the number of proven scores that differ (expected: none) and the mean
difference of the other losses. Exit status 1 if a proven score differs, or if the ratio of any complete game is above --at-most.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent)]
from arguments import input_file, own_engine, program, run_main, whole  # noqa: E402


def analyze(arguments, file, text=None):
    """The analyses of the games of a file, or of a text."""
    command = [arguments.engine, "analyze", str(file), "--json", "--game", arguments.game, "--depth", str(arguments.depth)]
    command += ["--exact", str(arguments.exact)]
    done = subprocess.run(command, check=True, input=text, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()][:-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=input_file)
    parser.add_argument("--engine", type=program, default=own_engine())
    parser.add_argument("--game", default="othello")
    parser.add_argument("--depth", type=whole(1, 60), default=16)
    parser.add_argument("--exact", type=whole(0, 60), default=24)
    parser.add_argument("--at-most", type=float, default=0.7, help="the largest ratio allowed (default: %(default)s)")
    arguments = parser.parse_args()
    print(f"{'game':>4} {'moves':>5} {'together':>11} {'alone':>11} {'ratio':>5}  exact part  other proven  mean difference")
    all_nodes, is_ok = [0, 0], True
    for game in analyze(arguments, arguments.file):
        nodes, proven_nodes, wrong, differences = [0, 0], [0, 0], 0, []
        for move in game["moves"]:
            if move["forced"]:
                continue
            [alone] = analyze(arguments, "-", f"{move['position']} moves {move['move']}\n")
            alone = alone["moves"][0]
            for index, found in enumerate((move, alone)):
                nodes[index] += found["nodes"]
                proven_nodes[index] += found["nodes"] if move["proven"] else 0
            if move["proven"] and alone["proven"]:
                wrong += any(move[name] != alone[name] for name in ("score", "best_score", "loss"))
            else:
                differences.append(abs(move["loss"] - alone["loss"]))
        ratio, exact = (of[0] / max(1, of[1]) for of in (nodes, proven_nodes))
        mean = sum(differences) / max(1, len(differences))
        print(f"{game['number']:>4} {len(game['moves']):>5} {nodes[0]:>11} {nodes[1]:>11} {ratio:>5.2f} {exact:>11.2f} {wrong:>13} {mean:>16.1f}",
              flush=True)  # fmt: skip
        all_nodes = [one + other for one, other in zip(all_nodes, nodes)]
        is_ok &= wrong == 0 and (ratio <= arguments.at_most or "result" not in game)
    print(f" all       {all_nodes[0]:>11} {all_nodes[1]:>11} {all_nodes[0] / max(1, all_nodes[1]):>5.2f}")
    return 0 if is_ok else 1


if __name__ == "__main__":
    run_main(main)
