//! The HTML page of `analyze`: a self-contained file with a board to replay each game, the score
//! graph, the best lines, the summaries, and the list of games.
//!
//! A page has one JSON object about all games and one JSON line per game, which the scripts parse
//! when the game is shown. Boards are stored as the cells that each move changes, so that the
//! scripts need no rules. Scripts: `model.js` (data, texts), `graph.js`, `tables.js`, `app.js`
//! (board, moves, lines, controls).

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::result::{GameAnalysis, MoveAnalysis, PHASES, ScoredLine};
use super::text::ScoreStyle;
use super::totals::AnalysisTotals;
use crate::game::score::Score;
use crate::game::{Player, counted};
use crate::games::any::AnyGame;
use crate::games::opening_names::names_reached;
use crate::html::board::{board_shape, changes};
use crate::html::{
    BASE_STYLE, BOARD_SCRIPT, REPLAY_BUTTONS, REPLAY_SCRIPT, REPLAY_STYLE, TextList, embedded_json,
    escape, fill_page,
};

/// The scripts, in dependency order.
const SCRIPTS: [&str; 6] = [
    BOARD_SCRIPT,
    REPLAY_SCRIPT,
    include_str!("model.js"),
    include_str!("graph.js"),
    include_str!("tables.js"),
    include_str!("app.js"),
];

/// Collects the analyses of a run for its page.
pub struct PageWriter {
    /// The start of the variant.
    start: AnyGame,
    style: ScoreStyle,
    /// A row of the list for each game.
    rows: Vec<Value>,
    /// A line of JSON for each game.
    games: Vec<String>,
}

impl PageWriter {
    /// A page of games of the variant of `start`.
    pub fn new(start: AnyGame) -> PageWriter {
        PageWriter {
            style: ScoreStyle::of(&start),
            start,
            rows: Vec::new(),
            games: Vec::new(),
        }
    }

    /// Adds a game.
    ///
    /// # Errors
    /// If a position or a move cannot be read.
    pub fn add(&mut self, game: &GameAnalysis) -> Result<()> {
        let data = self
            .game_data(game)
            .with_context(|| format!("{}: game {}", game.file, game.number))?;
        self.games.push(embedded_json(&data)?);
        let lost = Player::BOTH.map(|player| rounded(game.summary[player as usize].all.lost));
        self.rows.push(json!({
            "file": game.file,
            "number": game.number,
            "players": game.players,
            "date": game.date,
            "event": game.event,
            "opening": game.opening,
            "contradiction": game.contradiction,
            "result": game.result,
            "komi": game.komi,
            "outcome": game.outcome.map(|outcome| i32::from(outcome.half_points(Player::First)) - 1),
            "lost": lost,
        }));
        Ok(())
    }

    /// The text of the page. `conditions` are the limits of the searches in words.
    ///
    /// # Errors
    /// If the data cannot be serialized.
    pub fn text(&self, totals: &AnalysisTotals, conditions: &str) -> Result<String> {
        let variant = self.start.name();
        let files = self.rows.iter().filter_map(|row| row["file"].as_str());
        let mut files: Vec<&str> = files.collect();
        files.dedup();
        let number = counted(self.rows.len(), "game", "games");
        let title = match files[..] {
            [file] => format!("{variant}: {number} of {file}"),
            _ => format!("{variant}: {number} of {} files", files.len()),
        };
        let data = json!({
            "board": board_shape(variant)?,
            "discs": self.style.has_discs,
            "unit": self.style.unit,
            "decided": [Score::DECIDED.0, Score::DECIDED.0 - Score::LONGEST],
            "sides": self.style.sides,
            "marks": self.style.marks,
            "points": self.style.points,
            "phases": PHASES,
            "conditions": conditions,
            "files": files.len(),
            "games": self.rows,
            "players": totals.players,
        });
        let parts = vec![
            ("title", escape(&title)),
            ("buttons", REPLAY_BUTTONS.into()),
            ("data", embedded_json(&data)?),
            ("games", self.games.join("\n")),
        ];
        let style = [BASE_STYLE, REPLAY_STYLE, include_str!("style.css")];
        Ok(fill_page(
            include_str!("page.html"),
            [&style, &SCRIPTS],
            parts,
        ))
    }

    /// A game for the scripts: its moves and lines, which are indices into `steps`. A step is a
    /// move, a space, and the cells that it changes.
    fn game_data(&self, game: &GameAnalysis) -> Result<Value> {
        let mut steps = TextList::default();
        let mut board = self.start.clone();
        if let Some(start) = &game.start {
            board.set_position(start)?;
        }
        let start: String = board.cells().iter().collect();
        let mut moves = Vec::with_capacity(game.moves.len());
        for analysis in &game.moves {
            let ply = || format!("ply {}", analysis.ply);
            moves.push(
                self.move_data(&mut board, analysis, &mut steps)
                    .with_context(ply)?,
            );
        }
        Ok(json!({
            "start": start,
            "steps": steps.texts(),
            "moves": moves,
            "won": board.winning_cells(),
            "openings": names_reached(&board).collect::<Vec<_>>(),
            "summary": game.summary,
        }))
    }

    /// Plays a move on the board. Returns it for the scripts.
    fn move_data(
        &self,
        board: &mut AnyGame,
        analysis: &MoveAnalysis,
        steps: &mut TextList,
    ) -> Result<Value> {
        let search = &analysis.search;
        let mut lines = Vec::with_capacity(search.lines.len());
        for line in &search.lines {
            let mut board = AnyGame::from(board.position());
            let mut indices = Vec::with_capacity(line.pv.len());
            for word in &line.pv {
                indices.push(steps.index_of(play(&mut board, word)?));
            }
            lines.push(json!([line.score, indices]));
        }
        let is_best = |line: &&ScoredLine| analysis.best.iter().any(|word| word == line.word());
        let best = search.lines.iter().filter(is_best).count();
        Ok(json!([
            steps.index_of(play(board, &analysis.played)?),
            analysis.player as usize,
            u8::from(analysis.forced),
            u8::from(!analysis.origin.is_engine()),
            analysis.score,
            analysis.best_score,
            analysis.loss,
            if analysis.origin.is_engine() {
                self.style.mark(analysis.loss)
            } else {
                ""
            },
            search.depth,
            search.selectivity,
            u8::from(search.proven),
            search.expected_error.map(rounded),
            search.nodes,
            best,
            lines,
        ]))
    }
}

/// Plays a move and returns its step: the move and the cells that it changes.
fn play(board: &mut AnyGame, word: &str) -> Result<String> {
    let before = board.cells();
    board
        .play_legal(word)
        .with_context(|| format!("\"{word}\" is not a legal move"))?;
    let changed = changes(&before, &board.cells());
    Ok(format!("{word} {changed}"))
}

/// A number with two decimals.
fn rounded(number: f64) -> f64 {
    (100.0 * number).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::any::by_name;

    #[test]
    fn names_are_texts() {
        let start = by_name("tictactoe").unwrap();
        let name = "</script><b>\"x\"<!--";
        let tally = json!({ "moves": 0, "best": 0, "lost": 0.0 });
        let summary = json!({ "all": tally, "phases": [tally, tally, tally], "worst": [] });
        let mut game: GameAnalysis = serde_json::from_value(json!({
            "file": name, "number": 1, "variant": "tictactoe", "players": [name, null], "event": name,
            "moves": [], "summary": [summary, summary],
        }))
        .unwrap();
        let mut totals = AnalysisTotals::default();
        totals.add(&game, ScoreStyle::of(&start).sides);
        let mut page = PageWriter::new(start);
        page.add(&game).unwrap();
        let text = page.text(&totals, name).unwrap();
        assert_eq!(text.matches("</script>").count(), 3, "{text}");
        assert!(!text.contains("<b>") && !text.contains("<!--"), "{text}");
        // Errors name the game.
        game.start = Some("x".into());
        let error = page.add(&game).unwrap_err().to_string();
        assert_eq!(error, format!("{name}: game 1"));
    }
}
