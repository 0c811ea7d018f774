//! Games in PGN: tags, then moves with numbers and comments, then the result.
//!
//! Moves are in native or UCI notation. `[FEN]` is the start, in any format of the game.
//! `[Variant]` must match the game, unless it is unknown. The first player is `White`, in Reversi
//! `Black` unless the notation is flipello's; `[FirstPlayer]` has the color. `1-0` means that the
//! player in the tag `White` won, except in Reversi without `[FirstPlayer]`, where it may also be
//! Black. Comments have scores, depths and times: `{+1.30/8 0.013s}`.

use super::entry::{EntryError, RecordEntry, check_variant, impossible};
use super::info::{Ending, MoveInfo, ReportedScore, StatedResult, Statement, iso_date, known};
use super::line;
use super::movetext::{Token, count_moves, play_word, tokens, unclosed};
use crate::game::{Outcome, Player, quoted};
use crate::games::any::AnyGame;
use crate::games::notation::is_result;

/// Reads a game; `board` is at its start.
pub fn parse(board: AnyGame, text: &str) -> Result<RecordEntry, EntryError> {
    let (mut tags, mut result, mut played) = (Vec::new(), None, 0);
    let mut has_drops = false;
    let mut entry = RecordEntry::of(board);
    for token in tokens(text, true) {
        match token {
            Token::Tag { name, value, whole } => {
                match name {
                    "FEN" => {
                        has_drops |= value.contains(['P', 'p']) && value.contains('/');
                        let start = line::parse(entry.game, &value)
                            .map_err(|error| error.at(text, whole))?;
                        entry = RecordEntry::of(start.game);
                    }
                    "Variant" => {
                        check_variant(&entry.game, &value)
                            .map_err(|error| error.at(text, whole))?;
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
                // `@@@@` is a pass.
                has_drops |= word.replace("@@@@", "").contains('@');
                play_word(&mut entry.game, text, word, &mut played)?;
            }
            Token::Comment(comment) => entry.annotate(read_comment(comment)),
            Token::Unclosed(part) => return Err(unclosed(part).at(text, part)),
            Token::NextGame(_) => break,
        }
    }
    let tags = TagList(tags);
    tags.check(&entry.game, result)?;
    tags.read(&mut entry, result, has_drops)?;
    Ok(entry)
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
const FIELDS: [&str; 17] = [
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
    "Komi",
    "SetUp",
    "FEN",
    "PlyCount",
    "Winner",
    "Loser",
];

impl TagList<'_> {
    fn get(&self, wanted: &str) -> Option<&str> {
        let (_, value) = self.0.get(self.index(wanted)?)?;
        Some(value)
    }

    /// The place of a tag in the list.
    fn index(&self, wanted: &str) -> Option<usize> {
        self.0.iter().position(|(name, _)| *name == wanted)
    }

    /// Rejects a game without moves whose tags have them, or that has no result and may be cut, and
    /// one whose start is missing.
    fn check(&self, game: &AnyGame, result: Option<&str>) -> Result<(), EntryError> {
        let is_empty = game.history().is_empty();
        if is_empty && result.is_none() {
            return Err(impossible("the game has neither moves nor a result"));
        }
        let has_start = self.index("FEN").is_some();
        if self.get("SetUp") == Some("1") && !has_start {
            return Err(impossible("the tag SetUp needs the tag FEN with the start"));
        }
        let has_game = |text: &str| match count_moves(game, text) {
            Some(count) => is_empty && count > 1,
            None => !has_start && game.parse_position(text).is_ok(),
        };
        let others = self.0.iter().filter(|(name, _)| !FIELDS.contains(name));
        match others.into_iter().find(|(_, value)| has_game(value)) {
            Some((name, _)) => Err(impossible(format!(
                "the tag {name} has moves or a position"
            ))),
            None => Ok(()),
        }
    }

    /// The names of the tags of the first and the second player, and the player for whom `1-0` is a
    /// win, if that is defined.
    fn players(&self, game: &AnyGame, has_drops: bool) -> ([&str; 2], Option<Player>) {
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
                return ([first, second], Some(Player::First));
            }
        }
        let is_flipello = has_drops
            || self
                .get("Variant")
                .is_some_and(|name| name.to_ascii_lowercase().starts_with("flip"));
        let (white, is_defined) = match self.get("FirstPlayer") {
            Some("White") => (Player::First, true),
            Some("Black") => (Player::Second, true),
            _ if is_flipello => (Player::First, true),
            _ => (white(game), white(game) == Player::First),
        };
        let (first, second) = white.ordered("White", "Black");
        ([first, second], is_defined.then_some(white))
    }

    fn read(
        &self,
        entry: &mut RecordEntry,
        word: Option<&str>,
        has_drops: bool,
    ) -> Result<(), EntryError> {
        let swapped_first = white(&entry.game).ordered("Black", "White").0;
        let (colors, white) = self.players(&entry.game, has_drops);
        let is_swapped = colors[0] == swapped_first;
        let field = |name| self.get(name).and_then(known);
        let info = &mut entry.info;
        info.players = colors.map(field);
        (info.event, info.site, info.round) = (field("Event"), field("Site"), field("Round"));
        info.date = self.get("Date").and_then(iso_date);
        if let Some(komi) = field("Komi") {
            entry.state_komi(&komi)?;
        }
        // Discs are in the order of the players' tags.
        let first_of_discs = match colors.map(|name| self.index(name)) {
            [Some(first), Some(second)] if second < first => Player::Second,
            _ => Player::First,
        };
        let read = |text: &str| {
            let stated = Statement::ambiguous(text)?;
            let has_discs = stated.result.is_some_and(|result| result.discs.is_some());
            let first = white.map(|white| if has_discs { first_of_discs } else { white });
            let result = stated.result.map(|result| StatedResult {
                ending: self.ending(),
                ..result
            });
            Some(Statement {
                result,
                first,
                ..stated
            })
        };
        let of_tag = self.get("Result").and_then(read);
        let of_word = word.and_then(read);
        if let (Some(one), Some(other)) = (&of_tag, &of_word)
            && let (Some(first), Some(second)) = (one.result, other.result)
        {
            // Results of one kind have one order.
            let is_one_kind = first.discs.is_some() == second.discs.is_some();
            let readings = other.readings(&entry.game, None);
            let agrees = |other: &StatedResult| other.outcome == first.outcome;
            if !agrees(&second) && (is_one_kind || !readings.iter().any(agrees)) {
                let error = "the tag Result and the end of the moves contradict each other";
                entry.contradiction = Some(format!("{error} (\"{}\")", quoted(&other.text)));
            }
        }
        entry.statement = of_tag.or(of_word);
        if let Some(stated) = &mut entry.statement
            && let Some(result) = stated.result
        {
            let by_winner = self.first_by_winner(result, &entry.info.players);
            stated.first = by_winner.or(stated.first);
        }
        if let Some(text) = self.get("Discs").filter(|text| known(text).is_some()) {
            entry.state_discs(
                ("the tag Discs", "the tag Discs states"),
                text,
                text.parse().ok(),
                self.ending(),
            )?;
        }
        let has_result = entry.statement.is_some();
        let is_kept = |(name, value): &&(&str, String)| match *name {
            // What no result holds: an unknown ending, or that of a game without result.
            "Termination" => !has_result || Ending::parse(value).is_none(),
            name => !FIELDS.contains(&name) && !colors.contains(&name),
        };
        // `WhiteElo` follows its player, whose color may be the other one when the game is written.
        let renamed = |name: &str| {
            let swap = |from, to| {
                let rest = name.strip_prefix(from)?;
                let is_word = rest.starts_with(char::is_uppercase);
                is_word.then(|| format!("{to}{rest}"))
            };
            let swapped = swap("White", "Black").or_else(|| swap("Black", "White"));
            swapped
                .filter(|_| is_swapped)
                .unwrap_or_else(|| name.to_owned())
        };
        let kept = self.0.iter().filter(is_kept);
        entry.info.tags = kept
            .map(|(name, value)| (renamed(name), value.clone()))
            .collect();
        Ok(())
    }

    /// The player whose result comes first, if the tag `Winner` of UGI runners names one of the players.
    fn first_by_winner(
        &self,
        result: StatedResult,
        players: &[Option<String>; 2],
    ) -> Option<Player> {
        let winner = self.get("Winner").and_then(known);
        let is_winner = |name: &Option<String>| winner.is_some() && *name == winner;
        let outcome = match players.each_ref().map(is_winner) {
            [true, false] => Outcome::FirstWins,
            [false, true] => Outcome::SecondWins,
            _ => return None,
        };
        let mut players = Player::BOTH.into_iter();
        players.find(|&player| result.seen_from(player).outcome == outcome)
    }

    /// How the game ended, as tags state.
    fn ending(&self) -> Ending {
        let ending = ["Reason", "Termination", "Adjudicated"]
            .into_iter()
            .filter_map(|name| self.get(name))
            .find_map(Ending::parse);
        ending.unwrap_or(match self.get("Adjudicated") {
            Some(_) => Ending::Adjudication,
            None => Ending::Normal,
        })
    }
}

/// Reads a comment of our writer, cutechess or fastchess: `book`, or a score, `/depth` and seconds, as
/// far as they are known, then other values after a comma: `+1.30/8 0.013s, n=4242`, `-M5/12`. Any
/// other text is prose.
fn read_comment(text: &str) -> MoveInfo {
    let text = text.trim().split(',').next().unwrap_or_default().trim();
    MoveInfo {
        is_book: text == "book",
        ..read_search(text).unwrap_or_default()
    }
}

/// Reads `+1.30/8 0.013s`; `None` if a part is not understood. A score has a sign, or is `0.00`.
fn read_search(text: &str) -> Option<MoveInfo> {
    let number = |text: &str| {
        let is_number = text.starts_with(|c: char| c.is_ascii_digit());
        text.parse::<f64>().ok().filter(|_| is_number)
    };
    let (search, seconds) = match text.strip_suffix('s') {
        Some(text) => {
            let words = text.rsplit_once(|c: char| c.is_ascii_whitespace());
            let (search, time) = words.unwrap_or(("", text));
            (search.trim_ascii_end(), Some(number(time)?))
        }
        None => (text, None),
    };
    let (score, depth) = match search.split_once('/') {
        Some((score, depth)) => (score, Some(depth.parse().ok()?)),
        None => (search, None),
    };
    let size = score.strip_prefix(['+', '-']);
    let is_negative = score.starts_with('-');
    let mate = size.and_then(|size| size.strip_prefix('M'));
    let score = match (mate, size.unwrap_or(score)) {
        (Some(moves), _) => {
            let moves = i64::from(moves.parse::<u16>().ok()?);
            Some(ReportedScore::Mate(if is_negative {
                -moves
            } else {
                moves
            }))
        }
        (None, "") => None,
        (None, points) => {
            let number = number(points)?;
            let is_score = size.is_some() || number == 0.0 && points.contains('.');
            let points = if is_negative { -number } else { number };
            Some(is_score.then_some(ReportedScore::of_points(points))?)
        }
    };
    Some(MoveInfo {
        seconds,
        score,
        depth,
        is_book: false,
    })
}
