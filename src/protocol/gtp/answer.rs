//! The text of GTP answers, without status sign and id.

use crate::engine::event::{BoardView, Certainty, Event, Player, RankedMove};
use crate::protocol::nboard;

/// Text unchanged; empty if the command has no other result.
pub fn text(event: &Event) -> String {
    match event {
        Event::Text(text) => text.clone(),
        _ => String::new(),
    }
}

fn gtp_move(word: &str) -> String {
    if word == "pass" { word.into() } else { word.to_ascii_uppercase() }
}

/// The best move; a pass if there is none.
pub fn vertex(event: &Event) -> String {
    match event {
        Event::Best { word, .. } => gtp_move(word.as_deref().unwrap_or("pass")),
        _ => String::new(),
    }
}

/// A line per move: move, score, depth, principal variation.
pub fn ranking(event: &Event) -> String {
    let Event::Ranked { moves, depth, selectivity } = event else { return String::new() };
    let line = |RankedMove { score, pv, certainty }: &RankedMove| {
        let depth = nboard::depth(*depth, *selectivity, *certainty == Certainty::Exact);
        let words: Vec<_> = pv.iter().map(|word| gtp_move(word)).collect();
        let first = words.first().map_or("pass", String::as_str);
        format!("{first} {:+.2} {depth} {}", f64::from(*score) / 100.0, words.join(" "))
    };
    moves.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// An answer about the board.
fn of_board(event: &Event, format: impl Fn(&BoardView) -> String) -> String {
    match event {
        Event::Board(view) => format(view),
        _ => String::new(),
    }
}

/// The board diagram, starting on a new line.
pub fn diagram(event: &Event) -> String {
    of_board(event, |view| format!("\n{}", view.diagram.trim_end()))
}

/// The difference of discs.
pub fn score(event: &Event) -> String {
    of_board(event, |view| {
        let [black, white] = view.disc_counts();
        match black.abs_diff(white) {
            0 => "0".into(),
            more if black > white => format!("B+{more}"),
            more => format!("W+{more}"),
        }
    })
}

/// The game: all rectangular boards are Othello.
pub fn game_id(event: &Event) -> String {
    of_board(event, |view| {
        let holes = view.rows.iter().any(|row| row.contains('*'));
        if holes { "Diamond" } else { "Othello" }.into()
    })
}

/// The number of rows.
pub fn board_size(event: &Event) -> String {
    of_board(event, |view| view.rows.len().to_string())
}

/// The rows, last one first.
pub fn board(event: &Event) -> String {
    let square = |piece| match piece {
        'x' => 'X',
        'o' => 'O',
        '*' => '?',
        other => other,
    };
    of_board(event, |view| {
        let rows = view.rows.iter().rev().map(|row| row.chars().map(square).collect::<String>());
        format!("\n{}", rows.collect::<Vec<_>>().join("\n"))
    })
}

/// The side to move.
pub fn side_to_move(event: &Event) -> String {
    of_board(event, |view| if view.to_move == Player::First { "black" } else { "white" }.into())
}

/// The legal moves.
pub fn legal_moves(event: &Event) -> String {
    of_board(event, |view| view.moves.iter().map(|word| gtp_move(word)).collect::<Vec<_>>().join(" "))
}

/// The result in words.
pub fn final_result(event: &Event) -> String {
    of_board(event, |view| {
        let [black, white] = view.disc_counts();
        match (view.result, black.cmp(&white)) {
            (None, _) => format!("the game goes on, Black {black}, White {white}"),
            (_, std::cmp::Ordering::Equal) => format!("draw, {black} to {white}"),
            (_, std::cmp::Ordering::Greater) => format!("Black wins {black} to {white}"),
            (_, std::cmp::Ordering::Less) => format!("White wins {white} to {black}"),
        }
    })
}

/// GoGui graphics commands.
pub fn board_gfx(event: &Event) -> String {
    of_board(event, |view| {
        let [black, white] = view.disc_counts();
        let mark = view.last.as_ref().map_or_else(String::new, |word| format!("CIRCLE {}\n", gtp_move(word)));
        format!("{mark}TEXT Black {black}, White {white}")
    })
}
