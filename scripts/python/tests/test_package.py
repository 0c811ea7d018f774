"""Tests of boards, exact scores and games, and of the installed package."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import nullwindow
from nullwindow import Board, Engine, EngineError, EngineTimeout, IllegalMove, Limit, play, solve

GAMES = ("othello", "othello6", "othello4", "diamond", "diamond2", "tictactoe", "scorefour")
FEW_EMPTIES = "--XXXXX--OOOXX-O-OOOXXOX-OXOXXOXOXXXXXO-OOXXX-O--OOXX---OOOOO--- X"


def test_the_games_are_those_of_the_engine() -> None:
    with Engine() as engine:
        assert engine.options["Game"].values == GAMES


@pytest.mark.parametrize("game", GAMES)
def test_a_random_game(game: str) -> None:
    rng = random.Random(5)
    board = Board(game)
    start = board.text
    assert not board.is_over and board.result is None and board.score is None and board.p1_turn
    texts = []
    while not board.is_over:
        texts.append(board.text)
        board.play(rng.choice(board.legal_moves))
    assert board.legal_moves == []
    score = board.score
    assert score is not None and board.result == ("p1win" if score > 0 else "p2win" if score < 0 else "draw")
    # The same game in one call.
    again = Board(game, moves=board.moves)
    assert (again.text, again.moves, again.result, again.score) == (board.text, board.moves, board.result, board.score)
    assert Board(game, board.text).score == score
    while board.moves:
        board.undo()
        assert board.text == texts.pop() and board.legal_moves
    assert board.text == start == board.start
    with pytest.raises(IndexError):
        board.undo()


def test_squares_are_counted() -> None:
    board = Board("othello", moves="f5 d6 c3 d3 c4 f4 f6 f3 e6 e7")
    squares = "".join(board.rows)
    assert len(board.rows) == 8 and len(squares) == 64 and 64 - squares.count(".") == 14
    assert [len(row) for row in Board("diamond").rows] == [6] * 6 and "".join(Board("diamond").rows).count("*") == 12
    assert [len(row) for row in Board("scorefour").rows] == [4] * 16


def test_positions_are_read_in_every_format() -> None:
    for text in ("f5d6c3", '[Event "x"]\n\n1. f5 {book} d6\n2. c3 *\n', '{"moves":[{"move":"f5"},{"move":"d6"},{"move":"c3"}]}'):
        board = Board(position=text)
        assert board.moves == ["f5", "d6", "c3"] and board.undo() == "c3"
    for moves in (["f5", "d6"], ["f5d6"]):
        assert Board(moves=iter(moves)).moves == ["f5", "d6"]  # an iterator yields its moves once
    with pytest.raises(EngineError):
        Board(moves=iter(["f5", "a1"]))
    for wrong in ("rubbish", "f5d6d8", "8/8\nquit"):
        with pytest.raises((EngineError, ValueError)):
            Board(position=wrong)
    with pytest.raises(EngineError):
        Board("chess")
    assert Board().legal_moves  # the engine still answers


def test_passes_are_moves_of_a_board() -> None:
    board = Board(position="8/8/8/8/8/xo6/8/ox6 x", moves=())
    while board.legal_moves != ["pass"] and not board.is_over:
        board.play(board.legal_moves[0])
    passing = Board(position="xo6/8/8/8/8/8/8/8 o")
    assert passing.legal_moves == ["pass"] and not passing.p1_turn
    with pytest.raises(IllegalMove, match='illegal move "c1".*expected one of: pass'):
        passing.play("c1")
    passing.play("pass")
    passing.play("C1")
    assert passing.moves == ["pass", "c1"] and passing.score == 64
    with pytest.raises(IllegalMove, match="the game is over"):
        passing.play("d1")


def test_a_copy_is_independent() -> None:
    board = Board(moves="f5")
    other = board.copy()
    other.play("d6")
    assert board.moves == ["f5"] and other.moves == ["f5", "d6"]
    assert eval(repr(other)).text == other.text == str(other)


def test_boards_of_several_threads_and_processes() -> None:
    texts: list[str] = []

    def walk(game: str) -> None:
        texts.extend(Board(game).text for _ in range(30))

    threads = [threading.Thread(target=walk, args=(game,)) for game in ("othello", "tictactoe", "othello")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (texts.count("8/8/8/3ox3/3xo3/8/8/8 x"), texts.count("3/3/3 x")) == (60, 30)
    if hasattr(os, "fork"):
        child = os.fork()
        if child == 0:
            os._exit(0 if Board("othello4").legal_moves else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert Board("tictactoe").text == "3/3/3 x"


def test_exact_scores() -> None:
    assert [solve(game=game).score for game in ("tictactoe", "othello4", "diamond")] == [0, -8, 0]
    solution = solve(FEW_EMPTIES)
    with Engine(options={"Threads": 2, "Hash": 16}) as engine:
        board = Board(position=FEW_EMPTIES)
        assert solve(board, engine=engine).score == solution.score
        for move in solution.pv:
            board.play(move)
        assert board.is_over and board.score == solution.score
        assert solve(board, engine=engine).move is None
        with pytest.raises(EngineTimeout, match='did not reply to "go exact" in time; its last line is "info '):
            solve(game="othello", engine=engine, timeout=0.5)
        assert solve("a1b2 a2b3", "tictactoe", engine).score == 1


def test_games_between_players() -> None:
    rng = random.Random(3)
    with Engine(options={"Hash": 1}) as engine:
        board = play(lambda board: rng.choice(board.legal_moves), engine, "othello6", Limit(depth=4))
        assert board.is_over and board.score is not None and board.score < 0
        assert play(engine, engine, Board("othello4"), Limit(depth=12)).score == -8
        # From the middle of a game, with a clock per move.
        start = Board(moves="f5")
        assert play(engine, engine, start, Limit(movetime=2)).moves[0] == "f5" and start.moves == ["f5"]
        with pytest.raises(IllegalMove, match='player 2: illegal move "a1"'):
            play(engine, lambda board: "a1", "othello", Limit(depth=2))
        with pytest.raises(ValueError, match="expected a limit per move"):
            play(engine, engine, limit=Limit(p1time=1000, p2time=1000))


def test_the_example_of_the_readme(capsys: pytest.CaptureFixture[str]) -> None:
    readme = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    exec(readme.split("```python\n")[1].split("```")[0], {})
    assert capsys.readouterr().out.startswith("-8 0\n")


def test_the_speed_of_games_is_printed() -> None:
    command = [sys.executable, "-m", "nullwindow.speed"]
    shown = subprocess.run([*command, "tictactoe"], capture_output=True, text=True)
    assert (shown.returncode, shown.stderr) == (0, "") and re.fullmatch(r"tictactoe: \d+ plies per second\n", shown.stdout)
    assert subprocess.run([*command, "--help"], capture_output=True).returncode == 0
    for word in ("chess", "--chess"):
        shown = subprocess.run([*command, "tictactoe", word], capture_output=True, text=True)
        assert (shown.returncode, shown.stdout) == (2, "") and word in shown.stderr.splitlines()[-1] and "Traceback" not in shown.stderr


def test_the_engine_is_found() -> None:
    path = Path(nullwindow.engine_path())
    assert path.is_file()
    assert (Path(nullwindow.__file__).parent / "py.typed").is_file()
    if not os.environ.get("NULLWINDOW"):
        assert path.parent.resolve() == Path(sys.executable).parent.resolve()
    shown = subprocess.run([str(path), "--version"], capture_output=True, text=True, check=True).stdout
    assert shown.startswith("nullwindow ")


def test_a_program_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NULLWINDOW", "/nonexistent/engine")
    with pytest.raises(nullwindow.EngineTerminated, match="cannot start"):
        Engine()
