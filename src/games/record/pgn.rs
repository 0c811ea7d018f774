//! Games in PGN: tags, then moves with numbers and comments, then the result.
//!
//! Moves are in native or UCI notation. `[FEN]` is the start, in any format of the game.
//! `[Variant]` must match the game, unless it is unknown. `1-0` means that the player in the tag
//! `White` won: the second player in Reversi, where `Black` moves first, the first player in other
//! games and under flipello's notation; `[FirstPlayer]` has the color. Comments have scores, depths
//! and times: `{+1.30/8 0.013s}`.

use super::entry::{EntryError, RecordEntry, check_variant};
use super::info::{Ending, Eval, GameInfo, MoveInfo, StatedResult, iso_date, known};
use super::line;
use super::movetext::{Token, next_token};
use crate::game::{Outcome, Player, quoted};
use crate::games::any::AnyGame;
use crate::games::notation::is_result;
use crate::games::transcript::play_word;

/// Reads a game; `board` is at its start.
pub fn parse(mut board: AnyGame, text: &str) -> Result<RecordEntry, EntryError> {
    let mut rest = text;
    let (mut tags, mut result, mut played) = (Vec::new(), None, 0);
    let mut has_drops = false;
    let mut moves = Vec::new();
    while let Some(token) = next_token(&mut rest, true) {
        match token {
            Token::Tag { name, value, whole } => {
                match name {
                    "FEN" => {
                        has_drops |= value.contains(['P', 'p']) && value.contains('/');
                        board = line::parse(board, &value)
                            .map_err(|error| error.at(text, whole))?
                            .game;
                    }
                    "Variant" => {
                        check_variant(&board, &value).map_err(|error| error.at(text, whole))?;
                    }
                    _ => {}
                }
                tags.push((name, value));
            }
            Token::Word(word) if is_result(word) => {
                result = Some(word);
                break;
            }
            Token::Word(word) => {
                has_drops |= word.contains('@');
                play_word(&mut board, word, &mut played)
                    .map_err(|error| EntryError::from(error).at(text, word))?;
            }
            Token::Comment(comment) => moves.push((board.history().len(), read_comment(comment))),
            Token::Unclosed(part) => return Err(line::unclosed(part).at(text, part)),
        }
    }
    let tags = TagList(tags);
    let mut entry = RecordEntry::of(board);
    tags.read(&mut entry, result, has_drops);
    for (count, info) in moves {
        if let Some(index) = count.checked_sub(1).filter(|_| info != MoveInfo::default()) {
            let moves = &mut entry.info.moves;
            moves.resize(moves.len().max(count), MoveInfo::default());
            if let Some(place) = moves.get_mut(index) {
                *place = info;
            }
        }
    }
    Ok(entry.finish())
}

/// The player in the tag `White`: the second one in Reversi, where Black moves first.
pub fn white(game: &AnyGame) -> Player {
    if game.discs().is_some() {
        Player::Second
    } else {
        Player::First
    }
}

/// The tags of a game, in the order of the text.
struct TagList<'t>(Vec<(&'t str, String)>);

/// The tags that have a field in [`GameInfo`] or follow from the game.
const FIELDS: [&str; 16] = [
    "Event",
    "Site",
    "Date",
    "Round",
    "White",
    "Black",
    "Result",
    "Variant",
    "FirstPlayer",
    "Termination",
    "Discs",
    "SetUp",
    "FEN",
    "PlyCount",
    "Winner",
    "Loser",
];

impl TagList<'_> {
    fn get(&self, wanted: &str) -> Option<&str> {
        let tag = self.0.iter().find(|(name, _)| *name == wanted);
        tag.map(|(_, value)| value.as_str())
    }

    /// The place of a tag in the list.
    fn index(&self, wanted: &str) -> Option<usize> {
        self.0.iter().position(|(name, _)| *name == wanted)
    }

    /// The names of the tags of the first and the second player, and the player for whom `1-0` is a
    /// win.
    fn players(&self, game: &AnyGame, has_drops: bool) -> ([&str; 2], Player) {
        let is_color = |name: &str| self.index(name).is_some();
        if !is_color("White") && !is_color("Black") {
            // UGI runners name colors as they like: their tags follow that of the round.
            let colors = self
                .index("Round")
                .and_then(|at| self.0.get(at + 1..at + 3));
            if let Some([(first, _), (second, _)]) = colors
                && !FIELDS.contains(first)
                && !FIELDS.contains(second)
            {
                return ([first, second], Player::First);
            }
        }
        let is_flipello = has_drops
            || self
                .get("Variant")
                .is_some_and(|name| name.to_ascii_lowercase().starts_with("flip"));
        let white = match self.get("FirstPlayer") {
            Some("White") => Player::First,
            Some("Black") => Player::Second,
            _ if is_flipello => Player::First,
            _ => white(game),
        };
        let (first, second) = white.ordered("White", "Black");
        ([first, second], white)
    }

    fn read(&self, entry: &mut RecordEntry, word: Option<&str>, has_drops: bool) {
        let (colors, white) = self.players(&entry.game, has_drops);
        let field = |name| self.get(name).and_then(known);
        let info = &mut entry.info;
        info.players = colors.map(field);
        (info.event, info.site, info.round) = (field("Event"), field("Site"), field("Round"));
        info.date = self.get("Date").and_then(iso_date);
        info.tags = self
            .0
            .iter()
            .filter(|(name, _)| !FIELDS.contains(name) && !colors.contains(name))
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect();
        let read = |text: &str| {
            let result = StatedResult::parse(text)?;
            // Discs are in the order of the players' tags.
            let order = colors.map(|name| self.index(name));
            let is_second_first = order[0].is_some() && order[1].is_some() && order[1] < order[0];
            Some(match result.discs {
                Some(_) if is_second_first => result.seen_from(Player::Second),
                Some(_) => result,
                None => result.seen_from(white),
            })
        };
        let of_tag = self.get("Result").and_then(read);
        let of_word = word.and_then(read);
        if let (Some(one), Some(other), Some(word)) = (of_tag, of_word, word)
            && one.outcome != other.outcome
        {
            let error = "the tag Result and the end of the moves contradict each other";
            entry.contradiction = Some(format!("{error} (\"{}\")", quoted(word)));
        }
        info.result = of_tag.or(of_word).map(|result| self.complete(result, info));
        if let Some(result) = info.result
            && let Some(discs) = self.get("Discs").and_then(|discs| discs.parse().ok())
        {
            let of_discs = StatedResult::of_discs(discs);
            if of_discs.outcome != result.outcome && entry.contradiction.is_none() {
                entry.contradiction = Some(format!(
                    "the tag Discs states {of_discs}, but the result is {result}"
                ));
            }
            info.result = Some(StatedResult {
                discs: of_discs.discs,
                ..result
            });
        }
    }

    /// The result with the winner and the ending that other tags state.
    fn complete(&self, mut result: StatedResult, info: &GameInfo) -> StatedResult {
        let ending = ["Reason", "Termination", "Adjudicated"]
            .into_iter()
            .filter_map(|name| self.get(name))
            .find_map(Ending::parse);
        result.ending = ending.unwrap_or(match self.get("Adjudicated") {
            Some(_) => Ending::Adjudication,
            None => Ending::Normal,
        });
        // UGI runners write 1-0 for a win of the first player, whatever his color is called.
        if let Some(winner) = self.get("Winner").and_then(known)
            && result.outcome != Outcome::Draw
        {
            let won = info
                .players
                .each_ref()
                .map(|name| *name == Some(winner.clone()));
            result.outcome = match won {
                [true, false] => Outcome::FirstWins,
                [false, true] => Outcome::SecondWins,
                _ => result.outcome,
            };
        }
        result
    }
}

/// Reads a comment: `book`, or any of score, `/depth` and seconds (`+1.30/8 0.013s`, `-M5/12`).
fn read_comment(text: &str) -> MoveInfo {
    let mut info = MoveInfo::default();
    for word in text.split([' ', '\t', '\r', '\n', ',']) {
        let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
        if word == "book" {
            info.is_book = true;
        } else if let Some(seconds) = word.strip_suffix('s').and_then(number) {
            info.seconds = Some(seconds).filter(|seconds| *seconds >= 0.0);
        } else if word.starts_with(['+', '-']) || word.contains('/') {
            let (score, depth) = word.split_once('/').unwrap_or((word, ""));
            let mate = score
                .strip_prefix(['+', '-'])
                .and_then(|moves| moves.strip_prefix('M'))
                .and_then(|moves| moves.parse::<u16>().ok());
            let eval = match mate {
                Some(moves) if score.starts_with('-') => Some(Eval::Mate(-i64::from(moves))),
                Some(moves) => Some(Eval::Mate(moves.into())),
                None => number(score).map(Eval::Score),
            };
            info.eval = info.eval.or(eval);
            info.depth = info.depth.or(depth.parse().ok());
        }
    }
    info
}
