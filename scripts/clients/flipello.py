"""Othello as a board of python-chess, so that `chess.engine` can drive engines that play flipello over UCI.

White (`P`) moves first, as Black does in Othello. Ranks are numbered from the bottom, so flipello's e3 is Othello's e6. Discs are
pawns, a move is a drop (`P@e3`), a pass names one of the mover's discs twice (`e3e3`). The game ends when neither side has a move.

    import chess.engine
    from flipello import FlipelloBoard

    engine = chess.engine.SimpleEngine.popen_uci("nullwindow")
    board = FlipelloBoard()
    while not board.is_game_over():
        board.push(engine.play(board, chess.engine.Limit(time=0.1)).move)
"""

from __future__ import annotations

from typing import Iterator, Optional

import chess

DIRECTIONS = [(df, dr) for df in (-1, 0, 1) for dr in (-1, 0, 1) if (df, dr) != (0, 0)]
START = "8/8/8/3pP3/3Pp3/8/8/8[" + "P" * 60 + "p" * 60 + "] w - - 0 1"


class Pass(chess.Move):
    """A pass, which names one of the mover's discs twice; python-chess would treat it as a null move."""

    def __init__(self, square: chess.Square) -> None:
        super().__init__(square, square)

    def uci(self) -> str:
        return chess.square_name(self.to_square) * 2

    def __bool__(self) -> bool:
        return True


class FlipelloBoard(chess.Board):
    """A flipello position with its history."""

    aliases = ["Flipello", "Othello", "Reversi"]
    uci_variant = "flipello"
    xboard_variant = None
    starting_fen = START

    def __init__(self, fen: Optional[str] = START, chess960: bool = False) -> None:
        super().__init__(None)
        self.set_fen(fen or START)

    # ------------------------------------------------------------------------------------------------ positions

    def set_fen(self, fen: str) -> None:
        board, side = fen.split()[:2]
        self.clear_board()
        for row, rank in zip(board.split("[")[0].split("/"), range(7, -1, -1)):
            file = 0
            for character in row:
                if character.isdigit():
                    file += int(character)
                else:
                    piece = chess.Piece(chess.PAWN, character == "P")
                    chess.BaseBoard.set_piece_at(self, chess.square(file, rank), piece)
                    file += 1
        self.turn = chess.WHITE if side == "w" else chess.BLACK
        self.castling_rights = chess.BB_EMPTY
        self.ep_square = None
        self.halfmove_clock, self.fullmove_number = 0, 1
        self.clear_stack()

    def fen(self, **_options: object) -> str:  # type: ignore[override]
        empty = 64 - self.occupied.bit_count()
        side = "w" if self.turn == chess.WHITE else "b"
        return f"{self.board_fen()}[{'P' * empty}{'p' * empty}] {side} - - 0 {self.fullmove_number}"

    # ------------------------------------------------------------------------------------------------ rules

    def _flips(self, square: chess.Square, color: chess.Color) -> int:
        """The discs that a move flips."""
        own, other = self.occupied_co[color], self.occupied_co[not color]
        flips = 0
        if self.occupied & chess.BB_SQUARES[square]:
            return flips
        for df, dr in DIRECTIONS:
            line, file, rank = 0, chess.square_file(square) + df, chess.square_rank(square) + dr
            while 0 <= file < 8 and 0 <= rank < 8:
                here = chess.BB_SQUARES[chess.square(file, rank)]
                if here & other:
                    line |= here
                else:
                    flips |= line if here & own else 0
                    break
                file, rank = file + df, rank + dr
        return flips

    def _drops(self, color: chess.Color) -> list[chess.Square]:
        return [square for square in chess.SQUARES if self._flips(square, color)]

    def generate_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        drops = self._drops(self.turn)
        for square in drops:
            yield chess.Move(square, square, drop=chess.PAWN)
        if not drops and self._drops(not self.turn):
            yield Pass(chess.lsb(self.occupied_co[self.turn]))

    def generate_pseudo_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        return self.generate_legal_moves(from_mask, to_mask)

    def is_legal(self, move: chess.Move) -> bool:
        return any(move.uci() == legal.uci() for legal in self.generate_legal_moves())

    def is_pseudo_legal(self, move: chess.Move) -> bool:
        return self.is_legal(move)

    def is_game_over(self, *, claim_draw: bool = False) -> bool:
        return next(self.generate_legal_moves(), None) is None

    def result(self, *, claim_draw: bool = False) -> str:
        if not self.is_game_over():
            return "*"
        white, black = (self.occupied_co[color].bit_count() for color in (chess.WHITE, chess.BLACK))
        return "1-0" if white > black else "0-1" if black > white else "1/2-1/2"

    # ------------------------------------------------------------------------------------------------ moves

    def parse_uci(self, uci: str) -> chess.Move:
        for move in self.generate_legal_moves():
            if move.uci().lower() == uci.lower():
                return move
        raise chess.IllegalMoveError(f"illegal uci: {uci!r} in {self.fen()}")

    def push_uci(self, uci: str) -> chess.Move:
        move = self.parse_uci(uci)
        self.push(move)
        return move

    def push(self, move: chess.Move) -> None:
        self._stack.append(chess._BoardState(self))
        self.move_stack.append(move)
        if move.drop:
            turned = self._flips(move.to_square, self.turn) | chess.BB_SQUARES[move.to_square]
            self.pawns |= turned
            self.occupied |= turned
            self.occupied_co[self.turn] |= turned
            self.occupied_co[not self.turn] &= ~turned
        if self.turn == chess.BLACK:
            self.fullmove_number += 1
        self.turn = not self.turn
