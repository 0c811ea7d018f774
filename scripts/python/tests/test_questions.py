"""Every question is asked as it was put, or refused: limits, options, positions and moves."""

from __future__ import annotations

import dataclasses
import random
import sys
from pathlib import Path
from typing import Any, Callable

import pytest

from nullwindow import (
    Board,
    Engine,
    EngineError,
    EngineTerminated,
    EngineTimeout,
    IllegalMove,
    Limit,
    Option,
    engine_path,
    evaluate_agent,
    moves_of,
    play,
    solve,
)
from nullwindow.engine import _value

CONTROLS = ["\n", "\r", "\0", "\x1b[2J", "\x7f", "\x85", "\ud800"]


class Index:
    """A whole number as numpy has them."""

    def __index__(self) -> int:
        return 6


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"searchmoves": ("f5",)},
        {"p1inc": 5},
        {"movestogo": 5},
        {"movetime": 5, "movestogo": 5},
        {"p1time": 500},
        {"p2time": 500, "p2inc": 3},
        {"exact": True, "wld": True},
        {"exact": 1},
        {"infinite": "yes"},
        *({name: value} for name in ("depth", "nodes", "movetime") for value in ("x", "6", 1.5, -5, True, float("nan"), 2**63)),
        {"nodes": 0},
        {"movetime": 0},
        {"p1time": -1, "p2time": 5},
        {"p1time": 5, "p2time": 5, "p1inc": -1},
        {"p1time": 5, "p2time": 5, "movestogo": 0},
        *({"depth": 3, "searchmoves": moves} for moves in ("f5 d6", "", " f5", ("f5 d6",), ("",), ("f5\nquit",), (5,), (None,), 5, b"f5", {"f5": 1})),
    ],
)
def test_limits_that_cannot_be_used_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError)):
        Limit(**wrong)


@pytest.mark.parametrize(
    "call, bounds",
    [
        (lambda: Limit(nodes=0), "from 1"),
        (lambda: Limit(nodes="x"), "from 1"),  # type: ignore[arg-type]
        (lambda: Limit(nodes=2**63), f"from 1 to {2**63 - 1}"),
        (lambda: Limit(depth=2**63), f"from 0 to {2**63 - 1}"),
        (lambda: evaluate_agent(min, ladder=[31]), "from 0 to 30"),  # type: ignore[arg-type]
        (lambda: _value(Option("Size", "spin", minimum=2, maximum=9), 10), "from 2 to 9"),
        (lambda: _value(Option("Size", "spin", minimum=2), 1), "from 2"),
        (lambda: _value(Option("Size", "spin", maximum=9), 10), " to 9"),
    ],
)
def test_an_error_names_the_bound(call: Callable[[], object], bounds: str) -> None:
    with pytest.raises((ValueError, TypeError, EngineError), match=f"expected a whole number ?{bounds}$"):
        call()


def test_limits_that_can_be_used_are_sent_as_they_are() -> None:
    assert Limit(depth=0).words() == "go depth 0"
    assert Limit(depth=Index()).depth == 6  # type: ignore[arg-type]
    assert Limit(depth=3, searchmoves="f5") == Limit(depth=3, searchmoves=["f5"])
    assert Limit(depth=3, searchmoves="f5").words() == "go depth 3 searchmoves f5"
    assert Limit(p1time=0, p2time=5, movestogo=2).words() == "go p1time 0 p2time 5 movestogo 2"
    assert hash(Limit(nodes=3, searchmoves=["f5"])) == hash(Limit(nodes=3, searchmoves=("f5",)))
    assert dataclasses.replace(Limit(depth=3), depth=4).words() == "go depth 4"


@pytest.fixture(scope="module")
def engine() -> Any:
    with Engine() as engine:
        yield engine


def test_searches_are_restricted_to_their_moves(engine: Engine) -> None:
    engine.position()
    assert engine.go(Limit(depth=3, searchmoves="f5")).move == "f5"
    for moves in ("a1", "f5d6", ("f5", "zz")):
        with pytest.raises(EngineError, match="illegal move"):
            engine.go(Limit(depth=6, searchmoves=moves))
    with pytest.raises(ValueError, match="expected a search that ends by itself"):
        engine.go(Limit(infinite=True))
    wrong: list[Any] = [None, 6, "depth 6"]
    for limit in wrong:
        for call in (engine.go, engine.analysis, lambda limit: play(engine, engine, limit=limit)):
            with pytest.raises(TypeError):
                call(limit)
    for timeout in (0, -1, float("nan"), float("inf"), 10**400, "1", True):
        with pytest.raises((TypeError, ValueError)):
            engine.go(Limit(depth=1), timeout=timeout)  # type: ignore[arg-type]
        with pytest.raises((TypeError, ValueError)):
            Engine(timeout=timeout)  # type: ignore[arg-type]


def test_options_are_those_of_the_engine(engine: Engine) -> None:
    refused: list[tuple[Any, Any]] = [
        ("Book", "x"),
        ("Hash value 5", None),
        ("", 3),
        ("Hash", None),
        ("Hash", "lots"),
        ("Hash", 0),
        ("Hash", 1 << 40),
        ("Hash", True),
        ("Hash", "16 "),
        ("Table", 1),
        ("Table", "yes"),
        ("Game", "chess"),
        ("Game", None),
        ("Clear Hash", 3),
        ("EvalFile", "no/such/file"),
        ("Debug Log File", " x"),
    ]
    for name, value in refused:
        with pytest.raises(EngineError):
            engine.set_option(name, value)
        with pytest.raises(EngineError):
            Engine(options={name: value})
    mistyped: list[tuple[Any, Any]] = [("Hash", 1.5), ("Hash", [1]), (3, 3), (None, None)]
    for name, value in mistyped:
        with pytest.raises(TypeError):
            engine.set_option(name, value)
    for control in CONTROLS:
        for name, text in [(f"Hash{control}", "3"), ("EvalFile", f"a{control}b"), ("Hash", f"3{control}")]:
            with pytest.raises((ValueError, EngineError)):
                engine.set_option(name, text)
    for options in (5, 0, "Hash", [("Hash", 5)], []):
        with pytest.raises(TypeError, match="expected a mapping"):  # before a process is started
            Engine("/nonexistent/engine", options=options)  # type: ignore[arg-type]
    engine.set_option("hash", 16)
    engine.set_option("Clear Hash")
    engine.set_option("table", True)
    engine.ready()


def test_the_game_is_the_requested_one() -> None:
    # However it was selected: by another spelling, on the command line, by an alias, or before a restart.
    with Engine([Engine().command[0], "--game", "othello6"]) as engine:
        assert engine.query("fen") == "6/6/2ox2/2xo2/6/6 x"
        Board("othello").set_up(engine)
        assert engine.query("fen") == "8/8/8/3ox3/3xo3/8/8/8 x"
        engine.set_option("game", "TicTacToe")
        engine.restart()
        assert engine.query("fen") == "3/3/3 x"
        Board("othello").set_up(engine)
        assert engine.query("fen") == "8/8/8/3ox3/3xo3/8/8/8 x"
    with Engine([Engine().command[0], "--protocol", "uci"], options={"Game": "othello"}) as engine:
        engine.set_option("UCI_Variant", "tictactoe")
        Board("othello").set_up(engine)
        assert len(engine.legal_moves()) == 4


def test_positions_and_moves_are_one_line(engine: Engine) -> None:
    engine.position(moves="f5")
    for control in CONTROLS:
        for call in (
            lambda: engine.position(fen=f"8/8/8/3ox3/3xo3/8/8/8 x{control}"),
            lambda: engine.position(moves=f"f5{control}d6"),
            lambda: engine.position(moves=["f5", f"d6{control}"]),
            lambda: engine.query(f"fen{control}"),
            lambda: engine.queries("fen", f"fen{control}"),
            lambda: Board(moves=["f5", f"{control}"]),
        ):
            with pytest.raises(ValueError):
                call()
    for wrong in (5, b"f5", [5], [None], {"f5": 1}):
        for call in (lambda: engine.position(moves=wrong), lambda: Board(moves=wrong)):  # type: ignore[arg-type]
            with pytest.raises(TypeError):
                call()
    for wrong_text in (5, b"8/8", ["f5"]):
        for call in (lambda: engine.position(wrong_text), lambda: Board(position=wrong_text)):  # type: ignore[arg-type]
            with pytest.raises(TypeError):
                call()
    with pytest.raises(TypeError):
        engine.read(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        engine.query(5)  # type: ignore[arg-type]
    for moves in (["f5 d6"], ["f5", ""]):
        with pytest.raises(ValueError):
            engine.position(moves=moves)
    for fen in ("", "rubbish"):
        with pytest.raises(EngineError):
            engine.position(fen)
        with pytest.raises(EngineError):
            Board(position=fen)
    with pytest.raises(EngineError):
        engine.position(moves="f5 " * 400_000)  # longer than a line may be
    engine.position(moves="f5")
    assert engine.query("history") == "f5"
    assert engine.read("2021-03-04\tA\t34-30\tB\tf5d6c3d3") == ("8/8/8/3ox3/3xo3/8/8/8 x", ["f5", "d6", "c3", "d3"])


def test_commands_are_words(tmp_path: Path) -> None:
    empty: list[Any] = ["", [], ()]
    for command in empty:
        with pytest.raises(ValueError, match="an empty command"):
            Engine(command)
    with Engine(Path(Engine().command[0])) as engine:
        engine.ready()
    with pytest.raises(EngineTerminated, match="is not a folder"):
        Engine(cwd=tmp_path / "missing")
    with pytest.raises(EngineTerminated, match="[Pp]ermission|not executable|denied"):
        Engine([str(tmp_path)])


@pytest.mark.parametrize("wrong", [5, True, b"nullwindow", {"nullwindow": 1}, [5]])
def test_invalid_commands_and_other_programs_are_refused(wrong: Any) -> None:
    calls: list[Callable[[], object]] = [
        lambda: Engine(wrong),
        lambda: Board().set_up(wrong),
        lambda: solve(engine=wrong),
        lambda: evaluate_agent(min, ["f5"], engine=wrong),  # type: ignore[arg-type]
    ]
    for call in calls:
        with pytest.raises(TypeError):
            call()


def test_a_game_beside_a_board_is_that_of_the_board() -> None:
    board = Board("othello4")
    assert solve(board, "othello4") == solve(board)
    assert evaluate_agent(lambda board: board.legal_moves[0], [board], "othello4", ladder=[]).positions == 1
    for game in ("othello", "nosuch", 5):
        calls: list[Callable[[Any], object]] = [
            lambda game: solve(board, game),
            lambda game: evaluate_agent(lambda board: board.legal_moves[0], [board], game, ladder=[]),
        ]
        for call in calls:
            with pytest.raises((ValueError, EngineError), match="the board is one of|position 1 is one of|unknown game"):
                call(game)


def test_an_answer_of_another_form_is_an_error() -> None:
    script = """
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "ugi": print("id name Odd\\nugiok")
    elif word == "isready": print("readyok")
    elif word == "query": print("response maybe" if "fen" not in line else "nothing")
    elif word == "go": print("info depth 1 score cp 3 pv a1\\nbestmove")
    elif word == "quit": break
    sys.stdout.flush()
"""
    with Engine([sys.executable, "-c", script]) as odd:
        for call in (odd.p1_turn, odd.game_over, odd.result):
            with pytest.raises(EngineError, match='replied "maybe", expected'):
                call()
        with pytest.raises(EngineError, match="0 responses to 1 queries"):
            odd.query("fen")
        with pytest.raises(EngineError, match="without a move"):
            odd.go(Limit(depth=1))
        with pytest.raises(EngineError, match='no option "Hash"'):
            odd.set_option("Hash", 3)


def endings(game: str, plies: int) -> list[Board]:
    """Positions of random games, with a choice."""
    rng = random.Random(3)
    boards: list[Board] = []
    while len(boards) < 8:
        board = Board(game)
        while len(board.moves) < plies and not board.is_over:
            board.play(rng.choice(board.legal_moves))
        if len(board.legal_moves) > 2:
            boards.append(board)
    return boards


def test_a_solution_is_exact_whatever_the_strength(engine: Engine) -> None:
    boards = endings("othello", 44)
    exact = [solve(board, engine=engine).score for board in boards]
    with Engine(options={"Strength": 30}) as weak:
        assert [solve(board, engine=weak).score for board in boards] == exact
        with pytest.raises(EngineTimeout):
            solve(engine=weak, timeout=0.2)
        # Its strength is restored, also after an error.
        played = 0
        for board in boards:
            board.set_up(weak)
            played += weak.go(Limit(exact=True)).info.score or 0
        assert played < 100 * sum(exact)
    elo = ["--option", "UCI_LimitStrength=true", "--option", "UCI_Elo=1750"]
    for command in (["--option", "Strength=30"], ["--option=strength=30"], elo, [*elo, "--protocol", "uci"]):
        with Engine([engine_path(), *command]) as weak:
            assert [solve(board, engine=weak).score for board in boards] == exact, command
    for board, score in zip(boards, exact):
        assert max(solve(board, engine=engine, move=move).score for move in board.legal_moves) == score
    assert solve("a1 b2 a2 b3", "tictactoe", move="A3").score == 1
    assert solve("a1 b2 a2 b3", "tictactoe", move="c3").score < 1
    with pytest.raises(IllegalMove, match='illegal move "a1"'):
        solve(game="othello", engine=engine, move="a1")


def test_a_pass_is_a_move_whatever_its_name() -> None:
    passing = Board(position="xo6/8/8/8/8/8/8/8 o")
    for name in ("pass", "0000"):
        with Engine(options={"PassMove": name}) as engine:
            passing.set_up(engine)
            assert engine.go(Limit(depth=2)).move == name
            passing.play("pass")
            passing.play("c1")
            passing.set_up(engine)
            assert engine.go(Limit(depth=2)).move is None
            passing.undo()
            passing.undo()
    assert solve(passing).score == solve(passing, move="pass").score == -64


@pytest.mark.parametrize("name", ["implicit", "0000", "pass"])
def test_a_solution_has_passes_whatever_their_name(name: str) -> None:
    passing = Board("othello4", "xo2/4/4/4 o")
    expected = solve(passing)
    assert (expected.score, expected.move, expected.pv) == (-3, "pass", ("pass", "c1"))
    for engine in (Engine(options={"passmove": name}), Engine([engine_path(), f"--option=PassMove={name}"])):
        with engine:
            for move in (None, "pass"):
                solution = solve(passing, engine=engine, move=move)
                assert (solution.score, solution.move, solution.pv) == (expected.score, expected.move, expected.pv)
            # The option is restored.
            passing.set_up(engine)
            assert engine.legal_moves() == ["c1" if name == "implicit" else name]


def test_a_transcript_contains_nothing_else() -> None:
    for text in ("f5 x9", "f5 d", "f9", "hello"):
        with pytest.raises(ValueError, match="expected moves such as f5"):
            moves_of(text)
    for value in (5, None, b"f5", {"f5": 1}):
        with pytest.raises(TypeError, match="^transcript .*: expected a text or a sequence of moves$"):
            moves_of(value)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="^transcript: 5: expected a move$"):
        moves_of(["f5", 5])  # type: ignore[list-item]


def test_the_text_of_an_engine_does_not_reach_a_terminal_as_it_is() -> None:
    script = r"""
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "ugi": print("id name \x1b[2JRed\x07\nugiok")
    elif word == "isready": print("info string error: \x1b[31mno\nreadyok")
    elif word == "quit": break
    sys.stdout.flush()
"""
    with Engine([sys.executable, "-c", script]) as engine:
        assert engine.name == "\\x1b[2JRed\\x07"
        with pytest.raises(EngineError, match=r"\\x1b\[31mno"):
            engine.ready()
