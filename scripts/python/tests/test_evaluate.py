"""The evaluation of players, and their errors in games."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any, Callable

import pytest

from nullwindow import Board, Engine, EngineError, IllegalMove, Limit, engine_path, evaluate_agent, play, solve

FEW = Limit(nodes=200)


def lowest(board: Board) -> str:
    return min(board.legal_moves)


def silent(board: Board) -> Any:
    return None


def positions(count: int = 8) -> list[Board]:
    rng = random.Random(5)
    boards = []
    for _ in range(count):
        board = Board("othello6")
        while len(board.moves) < 24 and not board.is_over:
            board.play(rng.choice(board.legal_moves))
        boards.append(board)
    return boards


def test_regrets_are_those_of_solved_positions() -> None:
    boards = [board for board in positions() if board.legal_moves not in ([], ["pass"])]
    regrets = []
    with Engine() as solver:
        for board in boards:
            values = {}
            for move in board.legal_moves:
                after = board.copy()
                after.play(move)
                values[move] = -solve(after, engine=solver).score
            assert max(values.values()) == solve(board, engine=solver).score
            regrets.append(max(values.values()) - values[lowest(board)])
        found = evaluate_agent(lowest, boards, ladder=[], engine=solver)
    assert found.regret == sum(regrets) / len(regrets) > 0 and found.worst == max(regrets)
    assert (found.positions, found.skipped, found.illegal, found.ladder) == (len(boards), 0, 0.0, ())
    assert found.best == regrets.count(0) / len(regrets)
    with Engine() as engine:
        strong = evaluate_agent(engine, boards, ladder=[], limit=Limit(exact=True))
    assert (strong.regret, strong.best) == (0, 1)


@pytest.mark.parametrize("wrong", [None, 19, "a1", "nonsense", ["d3"]])
def test_illegal_moves_are_counted(wrong: Any) -> None:
    boards = positions(4)
    turn = iter(range(100))
    found = evaluate_agent(lambda board: lowest(board) if next(turn) % 2 else wrong, boards, ladder=[20], games=2, limit=FEW)
    assert found.illegal == 0.5 and found.regret is not None
    assert found.ladder[0].illegal == found.ladder[0].losses == 2 and found.ladder[0].score == -36


def test_a_stronger_player_climbs_higher() -> None:
    with Engine() as engine:
        best = evaluate_agent(engine, (), "othello6", ladder=[30], limit=Limit(nodes=2000)).ladder[0]
    worst = evaluate_agent(lowest, (), "othello6", ladder=[0], limit=Limit(nodes=2000)).ladder[0]
    assert best.points > worst.points and best.score > worst.score
    assert (best.games, worst.losses, worst.illegal) == (4, 4, 0)


def test_options_of_the_engine_do_not_change_the_evaluation() -> None:
    options = ["UCI_LimitStrength=true", "UCI_Elo=1750", "PassMove=implicit", "Strength=30"]
    boards = positions(2)
    expected = evaluate_agent(lowest, boards, ladder=[0], games=2, limit=FEW)
    with Engine([engine_path(), *(f"--option={option}" for option in options)]) as engine:
        assert evaluate_agent(lowest, boards, ladder=[0], games=2, limit=FEW, engine=engine) == expected


def test_positions_without_a_choice_are_skipped() -> None:
    boards = [Board("othello", "xo6/8/8/8/8/8/8/8 o"), Board("othello", "8/8/8/8/8/8/8/xxx5 o"), Board("othello", "xo6/8/8/8/8/8/8/8 x")]
    found = evaluate_agent(lowest, boards, ladder=[])
    assert (found.positions, found.skipped, found.best, found.regret) == (3, 2, 1.0, 0.0)
    nothing = evaluate_agent(lowest, boards[:2], ladder=[])
    assert (nothing.illegal, nothing.best, nothing.regret, nothing.worst) == (None, None, None, None)
    assert str(nothing) == "2 positions, 2 without a choice"


def test_texts_are_of_the_game_of_the_first_board() -> None:
    board = positions(1)[0]
    assert evaluate_agent(lowest, [" ".join(board.moves), board], ladder=[]).positions == 2


def test_games_of_lines_have_no_ladder() -> None:
    found = evaluate_agent(lowest, ["", "a1 b2"][1:], "tictactoe")
    assert found.ladder == () and found.regret is not None
    with pytest.raises(ValueError, match="tictactoe has no ladder"):
        evaluate_agent(lowest, (), "tictactoe", ladder=[5])


class Interrupted(Exception):
    pass


def counted(calls: list[str], most: int) -> Callable[[Board], str]:
    def agent(board: Board) -> str:
        if len(calls) == most:
            raise Interrupted
        calls.append(board.text)
        return lowest(board)

    return agent


def test_an_interrupted_evaluation_continues(tmp_path: Path) -> None:
    whole, file = tmp_path / "whole.jsonl", tmp_path / "agent.jsonl"
    boards = positions(3)
    arguments: dict[str, Any] = {"ladder": [20, 0], "games": 2, "limit": FEW}
    expected = evaluate_agent(counted([], 1000), boards, record=whole, **arguments)
    calls: list[str] = []
    for most in (2, 5, 40):
        with pytest.raises(Interrupted):
            evaluate_agent(counted(calls, most), boards, record=file, **arguments)
        with file.open("ab") as end:
            end.write(b'{"kind": "posi')  # an interrupted write
    assert evaluate_agent(counted(calls, 1000), boards, record=file, **arguments) == expected
    assert file.read_text() == whole.read_text()
    assert len(set(calls[:3])) == 3
    # Nothing is repeated; more positions and opponents are added.
    assert evaluate_agent(counted([], 0), boards, record=file, **arguments) == expected
    assert evaluate_agent(counted([], 0), boards[:1], record=file, ladder=[0], games=1, limit=FEW).positions == 1
    more = evaluate_agent(counted([], 1000), positions(4), record=file, **{**arguments, "ladder": [20, 10, 0]})
    assert (more.positions, len(more.ladder)) == (4, 3)
    for line in file.read_text().splitlines():
        assert json.loads(line)["kind"] in ("position", "game")


def test_a_record_of_other_questions_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "agent.jsonl"
    evaluate_agent(lowest, positions(2), record=file, ladder=[0], games=1, limit=FEW)
    before = file.read_text()
    calls: list[Callable[[], object]] = [
        lambda: evaluate_agent(lowest, positions(2)[::-1], record=file, ladder=[0], games=1, limit=FEW),
        lambda: evaluate_agent(lowest, positions(2), record=file, ladder=[0], games=1, limit=Limit(nodes=300)),
        lambda: evaluate_agent(lowest, positions(2), record=file, ladder=[0], games=1, limit=FEW, seed=2),
    ]
    for wrong in calls:
        with pytest.raises(ValueError, match="expected .*: use another record"):
            wrong()
    assert file.read_text() == before


def test_a_record_of_another_agent_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "agent.jsonl"
    skipped = Board("othello6", "xo4/6/6/6/6/6 o")
    arguments: dict[str, Any] = {"record": file, "games": 1, "limit": FEW}
    evaluate_agent(lowest, [skipped, *positions(1)], ladder=[0], **arguments)
    before = file.read_text()
    with pytest.raises(ValueError, match="position 1 has agent 'lowest', expected 'silent': use another record"):
        evaluate_agent(silent, [skipped, *positions(1)], ladder=[], **arguments)
    with pytest.raises(ValueError, match="game 0 has agent 'lowest', expected 'silent': use another record"):
        evaluate_agent(silent, [skipped], ladder=[0], **arguments)
    assert evaluate_agent(silent, [skipped], ladder=[], **arguments).skipped == 1  # no agent made a move
    assert file.read_text() == before


def test_a_damaged_record_is_refused_and_kept(tmp_path: Path) -> None:
    file = tmp_path / "agent.jsonl"
    turn = iter(range(100))
    boards = [*positions(1) * 2, Board("othello6", "xo4/6/6/6/6/6 o")]

    def agent(board: Board) -> str:
        return lowest(board) if next(turn) else "a1"

    evaluate_agent(agent, boards, record=file, ladder=[20], games=1, limit=FEW)
    before = file.read_text()
    illegal, legal, skipped, game = (json.loads(line) for line in before.splitlines())
    damaged: list[Any] = [5, [], {}, {"kind": "position", "index": [0], "regret": 1}, {"kind": []}]
    for line in (illegal, legal, skipped, game):
        for name, value in line.items():
            rest = {other: line[other] for other in line if other != name}
            others: tuple[Any, ...] = (0, 1, 5.5, None, "x", True, False, [0], {})
            if name != "limit":  # which is compared with that of the call
                damaged += [rest, {**rest, f"{name}s": value}]
                damaged += [{**line, name: wrong} for wrong in others if type(wrong) is not type(value)]
    damaged += [{**legal, "legal": 5}, {**legal, "legal": False}, {**illegal, "legal": True}, {**skipped, "skipped": False}]
    lines = [json.dumps(line) for line in damaged]
    head = json.dumps(game)[:30]
    lines += ["nonsense", "", "\0" * 9, "[" * 100_000, before.splitlines()[0] + " x", head + "\0", head + '"} all my data', head + '" x']
    with Engine() as engine:
        for text in lines:
            for end in ("\n", "") if text else ("\n",):
                file.write_text(before + text + end)
                with pytest.raises(ValueError, match="agent.jsonl, line 5: not a line of evaluate_agent: "):
                    evaluate_agent(agent, boards, record=file, ladder=[], engine=engine)
                assert file.read_text() == before + text + end
        for line in before.splitlines():
            for length in range(len(line)):
                file.write_text(before + line[:length])
                evaluate_agent(agent, boards, record=file, ladder=[], engine=engine)
                assert file.read_text() == before
        # Only the end of the line is missing.
        file.write_text(before[:-1])
        evaluate_agent(agent, boards, record=file, ladder=[], engine=engine)
        assert file.read_text() == before


def test_a_foreign_file_is_not_a_record(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    for text in ("all my data", '{"kind": "game", "id": 5}', "{}", '{"kind": "position"} {', "first\nsecond"):
        file.write_text(text)
        with pytest.raises(ValueError, match="notes.txt, line 1: not a line of evaluate_agent: "):
            evaluate_agent(lowest, record=file, ladder=[])
        assert file.read_text() == text


def test_a_record_is_a_regular_file(tmp_path: Path) -> None:
    files: list[Any] = [5, True, 1.5, b"agent.jsonl", ["agent.jsonl"], tmp_path]
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        files += [os.devnull, tmp_path / "pipe"]
    for file in files:
        with pytest.raises((TypeError, ValueError), match="expected the path of a file|not a regular file"):
            evaluate_agent(lowest, [Board("othello4")], record=file, ladder=[])
    with pytest.raises(OSError):
        evaluate_agent(lowest, [Board("othello4")], record=tmp_path / "missing" / "file", ladder=[])


def test_an_agent_may_have_any_attributes(tmp_path: Path) -> None:
    class Agent:
        name = 5

        def __call__(self, board: Board) -> str:
            return lowest(board)

    file = tmp_path / "agent.jsonl"
    for _ in range(2):
        evaluate_agent(Agent(), [Board("othello4")], record=file, ladder=[])
    assert json.loads(file.read_text())["agent"] == "Agent"


def test_a_record_has_one_writer(tmp_path: Path) -> None:
    file = tmp_path / "agent.jsonl"

    def twice(board: Board) -> str:
        with pytest.raises(ValueError, match="is being written by another process"):
            evaluate_agent(lowest, positions(1), record=file, ladder=[])
        return lowest(board)

    assert evaluate_agent(twice, positions(1), record=file, ladder=[]).positions == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"ladder": [31]},
        {"ladder": [-1]},
        {"ladder": ["x"]},
        {"games": 0},
        {"games": 1.5},
        {"limit": Limit(infinite=True)},
        {"limit": Limit(p1time=5, p2time=5)},
        {"timeout": 0},
        {"timeout": "x", "positions": []},
        {"seed": None},
        {"seed": "x"},
        {"seed": 1.5},
        {"engine": 5},
        {"positions": [Board("othello6"), Board("othello4")]},
        {"agent": "lowest"},
    ],
)
def test_arguments_are_checked(wrong: dict[str, Any]) -> None:
    arguments = {"agent": lowest, "positions": [Board("othello4")], "ladder": [0], **wrong}
    with pytest.raises((ValueError, TypeError)):
        evaluate_agent(**arguments)


@pytest.mark.parametrize("wrong", [5, "30", b"30", {30: 1}, Board("othello4")])
def test_an_argument_of_a_wrong_type_is_named(wrong: Any) -> None:
    with pytest.raises(TypeError, match="^positions: expected several"):
        evaluate_agent(lowest, wrong, ladder=[])
    with pytest.raises(TypeError, match="^ladder .*: expected a sequence of strengths$"):
        evaluate_agent(lowest, ladder=wrong)


@pytest.mark.parametrize("wrong, error", [("f5 e1", EngineError), ("f5\x1b", ValueError), (5, TypeError)])
def test_a_text_that_cannot_be_read_is_numbered(wrong: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="^position 2: "):
        evaluate_agent(lowest, ["f5", wrong], ladder=[])


@pytest.mark.parametrize("move, shown", [(None, "None"), (19, "19"), ("a1", '"a1"'), ("a1\x1b[2J", '"a1\\\\u001b\\[2J"')])
def test_an_illegal_move_names_its_player(move: Any, shown: str) -> None:
    def agent(board: Board) -> Any:
        return move

    with pytest.raises(IllegalMove, match=f"player 2: illegal move {shown} by agent in .* o, expected one of: "):
        play(lowest, agent)
    with pytest.raises(IllegalMove, match=f"player 1: illegal move {shown} by agent in .* x, expected one of: "):
        play(agent, lowest)
    with pytest.raises(TypeError, match='player 2: "lowest": expected an Engine or a function'):
        play(lowest, "lowest")  # type: ignore[arg-type]
