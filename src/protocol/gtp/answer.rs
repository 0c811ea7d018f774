//! The texts of GTP's answers, without sign and number.

use crate::engine::event::{Certainty, Event, Player, RankedMove, View};
use crate::protocol::nboard;

/// A text as it is; nothing where a command was simply carried out.
pub fn text(event: &Event) -> String {
    match event {
        Event::Text(text) => text.clone(),
        _ => String::new(),
    }
}

/// A move as GTP writes it.
fn written(word: &str) -> String {
    if word == "pass" { word.into() } else { word.to_ascii_uppercase() }
}

/// The move that was found; a pass where there is none.
pub fn vertex(event: &Event) -> String {
    match event {
        Event::Best { word, .. } => written(word.as_deref().unwrap_or("pass")),
        _ => String::new(),
    }
}

/// Moves with their scores, and how they were searched.
pub fn ranking(event: &Event) -> String {
    let Event::Ranked { moves, depth, selectivity, certainty } = event else { return String::new() };
    let depth = nboard::depth(*depth, *selectivity, *certainty == Certainty::Exact);
    let line = |RankedMove { score, pv }: &RankedMove| {
        let words: Vec<_> = pv.iter().map(|word| written(word)).collect();
        let first = words.first().map_or("pass", String::as_str);
        format!("{first} {:+.2} {depth} {}", f64::from(*score) / 100.0, words.join(" "))
    };
    moves.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// What an answer says about the board.
fn of_board(event: &Event, tell: impl Fn(&View) -> String) -> String {
    match event {
        Event::Board(view) => tell(view),
        _ => String::new(),
    }
}

/// The board for human eyes, on lines of its own.
pub fn diagram(event: &Event) -> String {
    of_board(event, |view| format!("\n{}", view.diagram.trim_end()))
}

/// Who has how many discs more.
pub fn score(event: &Event) -> String {
    of_board(event, |view| {
        let [black, white] = view.counts();
        match black.abs_diff(white) {
            0 => "0".into(),
            more if black > white => format!("B+{more}"),
            more => format!("W+{more}"),
        }
    })
}

/// The game: every Othello board is Othello.
pub fn game_id(event: &Event) -> String {
    of_board(event, |view| {
        let holes = view.rows.iter().any(|row| row.contains('*'));
        if holes { "Diamond" } else { "Othello" }.into()
    })
}

/// How many rows there are.
pub fn board_size(event: &Event) -> String {
    of_board(event, |view| view.rows.len().to_string())
}

/// The rows, the last one first.
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

/// Whose turn it is.
pub fn side_to_move(event: &Event) -> String {
    of_board(event, |view| if view.to_move == Player::First { "black" } else { "white" }.into())
}

/// What may be played.
pub fn legal_moves(event: &Event) -> String {
    of_board(event, |view| view.moves.iter().map(|word| written(word)).collect::<Vec<_>>().join(" "))
}

/// Who has won.
pub fn final_result(event: &Event) -> String {
    of_board(event, |view| {
        let [black, white] = view.counts();
        match (view.result, black.cmp(&white)) {
            (None, _) => format!("the game goes on, Black {black}, White {white}"),
            (_, std::cmp::Ordering::Equal) => format!("draw, {black} to {white}"),
            (_, std::cmp::Ordering::Greater) => format!("Black wins {black} to {white}"),
            (_, std::cmp::Ordering::Less) => format!("White wins {white} to {black}"),
        }
    })
}

/// GoGui's graphic commands.
pub fn board_gfx(event: &Event) -> String {
    of_board(event, |view| {
        let [black, white] = view.counts();
        let mark = view.last.as_ref().map_or_else(String::new, |word| format!("CIRCLE {}\n", written(word)));
        format!("{mark}TEXT Black {black}, White {white}")
    })
}
