"""Boards and their rules in Python, compared with the engine."""

from __future__ import annotations

import copy
import pickle
import random
import xml.etree.ElementTree as xml

import pytest

from nullwindow import Board, Engine, IllegalMove
from nullwindow.rules import GAMES, rules_of

# Leaf nodes of plies 1 to 5, as `nullwindow perft` counts them.
PERFT = {
    "othello": [4, 12, 56, 244, 1396],
    "othello6": [4, 12, 56, 244, 1364],
    "othello4": [4, 12, 44, 128, 424],
    "diamond": [4, 12, 44, 156, 672],
    "diamond2": [4, 12, 52, 180, 810],
    "tictactoe": [9, 72, 504, 3024, 15120],
    "scorefour": [16, 256, 4096],
}


def leaves(board: Board, plies: int) -> int:
    if plies == 0:
        return 1
    total = 0
    for move in board.legal_moves:
        board.play(move)
        total += leaves(board, plies - 1)
        board.undo()
    return total


@pytest.mark.parametrize("game", PERFT)
def test_perft(game: str) -> None:
    assert [leaves(Board(game), plies) for plies in range(1, len(PERFT[game]) + 1)] == PERFT[game]


@pytest.mark.parametrize("game", GAMES)
def test_random_games_are_those_of_the_engine(game: str) -> None:
    rng = random.Random(7)
    with Engine(options={"Game": game}) as engine:
        for _ in range(6):
            board = Board(game)
            while True:
                engine.position(moves=board.moves)
                text, turn, result, over, legal, start, history = engine.queries(
                    "fen", "p1turn", "result", "gameover", "legalmoves", "start", "history"
                )
                assert (board.text, board.p1_turn, board.is_over) == (text, turn == "true", over == "true")
                assert (board.result or "none", " ".join(board.legal_moves) or "none") == (result, legal)
                assert (board.start, " ".join(board.moves) or "none") == (start, history)
                # Its text denotes the same position, read here and by the engine.
                again = Board(game, board.text)
                assert again == board and again.key == board.key and again.legal_moves == board.legal_moves
                engine.position(board.text)
                assert engine.query("fen") == text
                if board.is_over:
                    break
                board.play(rng.choice(board.legal_moves))
            assert Board(game, moves=board.moves) == board


@pytest.mark.parametrize("game", GAMES)
def test_random_positions_are_those_of_the_engine(game: str) -> None:
    # Positions that play need not reach: what the rules read here, the engine reads in the same way.
    rng = random.Random(11)
    rules = rules_of(game)
    read = 0
    with Engine(options={"Game": game}) as engine:
        while read < 60:
            stones = {bit: rng.choice("xo...") for row in rules._rows for bit in row if bit}
            state = rules.start._replace(
                own=sum(bit for bit, piece in stones.items() if piece == "x"),
                other=sum(bit for bit, piece in stones.items() if piece == "o"),
                p1_turn=rng.random() < 0.5,
            )
            if game in ("tictactoe", "scorefour"):
                board = Board(game)
                for _ in range(rng.randrange(9)):
                    board.play(rng.choice(board.legal_moves or ["a1"])) if not board.is_over else None
                state = board._states[-1]
            text = rules.text(state)
            assert rules.parse(text, trusted=True) == state
            read += 1
            if rules.parse(text) is None:
                continue
            engine.position(text)
            fen, legal, result = engine.queries("fen", "legalmoves", "result")
            board = Board(game, text)
            assert (fen, legal, result) == (text, " ".join(board.legal_moves) or "none", board.result or "none")


def test_only_texts_that_the_engine_accepts_are_read_without_it() -> None:
    for game, text in [
        ("tictactoe", "xx1/3/3 x"),
        ("tictactoe", "xxx/ooo/3 x"),
        ("tictactoe", "3/3/3 o"),
        ("scorefour", "4/4/4/4|x3/4/4/4|4/4/4/4|4/4/4/4 o"),
        ("scorefour", "xxxx/4/4/4|oooo/4/4/4|4/4/4/4|4/4/4/4 x"),
        ("othello", "9/8/8/8/8/8/8/8 x"),
        ("othello", "8/8/8/3ox3/3xo3/8/8/8"),
        ("othello", "44/8/8/8/8/8/8/8 x"),
        ("othello", "x"),
        ("othello", ""),
        ("diamond", "6/6/2ox2/2xo2/6/6 x"),
        ("othello6", "6|6/2ox2/2xo2/6/6 x"),
    ]:
        assert rules_of(game).parse(text) is None, text


def test_finished_games_are_read() -> None:
    board = Board("tictactoe", "xxx/oo1/3 o")
    assert (board.result, board.legal_moves, board.score) == ("p1win", [], 1)
    with pytest.raises(IllegalMove, match="the game is over"):
        board.play("a1")
    assert Board("othello4", "xxxx/xxxx/xxxx/xxx1 x").score == 15
    assert Board("othello6", "xxxxxx/6/6/6/6/6 o").score == 36


@pytest.mark.parametrize("game", GAMES)
def test_boards_are_values(game: str) -> None:
    board = Board(game)
    board.play(board.legal_moves[0])
    for other in (board.copy(), copy.copy(board), copy.deepcopy(board), pickle.loads(pickle.dumps(board)), eval(repr(board))):
        assert other == board and other.key == board.key and other.moves == board.moves
        other.play(other.legal_moves[0])
        assert other != board and len(board.moves) == 1 and board.undo() == other.moves[0]
        board.play(other.moves[0])
        other.undo()
        other.undo()
        assert other == Board(game)
    assert all(Board(game) != other for other in (Board(name) for name in GAMES if name != game))
    assert Board(game) != Board(game).text and Board(game) != None  # noqa: E711
    with pytest.raises(TypeError, match="unhashable"):
        hash(board)


def test_a_subclass_keeps_its_attributes_in_copies() -> None:
    class Named(Board):
        name = ""

    board = Named("othello4")
    board.name = "mine"
    other = copy.copy(board)
    assert isinstance(other, Named) and other.name == "mine" and other == Board("othello4")


def test_the_position_decides_equality() -> None:
    one, other = Board(moves="f5 d6 c3 d3 c4"), Board(moves="f5 d6 c4 d3 c3")
    assert one == other and one.moves != other.moves
    assert Board(position="8/8/8/3ox3/3xo3/8/8/8 x") != Board(position="8/8/8/3ox3/3xo3/8/8/8 o")


@pytest.mark.parametrize("move", [None, 19, 1.5, b"f5", ["f5"], "", "f5 ", "f5d6", "pass", "zz\n\x1b[2J" * 99])
def test_words_that_are_not_moves_are_illegal(move: object) -> None:
    board = Board()
    with pytest.raises(IllegalMove) as error:
        board.play(move)  # type: ignore[arg-type]
    assert board.moves == [] and str(error.value).isprintable() and len(str(error.value)) < 200


@pytest.mark.parametrize("game", GAMES)
def test_a_picture_shows_the_position(game: str) -> None:
    board = Board(game)
    squares = sum(piece != "*" for row in board.rows for piece in row)
    space = "{http://www.w3.org/2000/svg}"
    for _ in range(5):
        board.play(board.legal_moves[0])
        root = xml.fromstring(board._repr_svg_())
        assert len(root.findall(f".//{space}rect")) == squares
        stones = sum(piece in "xo" for row in board.rows for piece in row)
        marks = root.findall(f".//{space}circle") + root.findall(f".//{space}path")
        assert len(marks) == stones + len(board.legal_moves) + 1
