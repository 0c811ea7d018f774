//! The table of a record: for each match of two levels the discs lost per game, the match score, and the mistakes of
//! the lower level by its own searches.

use std::collections::BTreeMap;

use super::played_pair::{LevelGame, PlayedPair};
use crate::arena::results::elo::{Pentanomial, ScoreSample};

/// A match of a level against another.
#[derive(Clone, Debug)]
pub(super) struct MatchSummary {
    pub level: u32,
    pub against: u32,
    pairs: Vec<[LevelGame; 2]>,
}

/// The tolerance of a loss, as a share of the level.
const TOLERANCE: f64 = 0.2;

impl MatchSummary {
    /// The matches of a record, by level.
    pub fn of(pairs: &[PlayedPair]) -> Vec<MatchSummary> {
        let mut matches: BTreeMap<(u32, u32), Vec<[LevelGame; 2]>> = BTreeMap::new();
        for pair in pairs {
            matches.entry((pair.key.against, pair.key.level)).or_default().push(pair.games);
        }
        matches.into_iter().map(|((against, level), pairs)| MatchSummary { level, against, pairs }).collect()
    }

    fn games(&self) -> impl Iterator<Item = &LevelGame> {
        self.pairs.iter().flatten()
    }

    fn mean(&self, of: impl Fn(&LevelGame) -> f64) -> f64 {
        self.games().map(of).sum::<f64>() / (2 * self.pairs.len()).max(1) as f64
    }

    /// The discs lost per game.
    pub fn loss(&self) -> f64 {
        self.mean(|game| -f64::from(game.discs))
    }

    /// Half the 95 % confidence interval of the loss, computed over pairs; `None` for a single pair.
    fn error(&self) -> Option<f64> {
        let (count, loss) = (self.pairs.len() as f64, self.loss());
        let pair_loss = |[a, b]: &[LevelGame; 2]| -f64::from(a.discs + b.discs) / 2.0;
        let squares: f64 = self.pairs.iter().map(|pair| (pair_loss(pair) - loss).powi(2)).sum();
        (count > 1.0).then(|| 1.96 * (squares / (count - 1.0) / count).sqrt())
    }

    fn score(&self) -> ScoreSample {
        let points = |game: &LevelGame| (game.discs.signum() + 1) as u8;
        let mut counts = Pentanomial::default();
        self.pairs.iter().for_each(|[a, b]| counts.add(points(a), points(b)));
        counts.sample()
    }

    /// Whether the loss against full strength is within the tolerance of the level.
    fn is_right(&self) -> bool {
        let level = f64::from(self.level);
        (self.loss() - level).abs() <= TOLERANCE * level
    }

    fn row(&self) -> String {
        let Self { level, against, pairs } = self;
        let max_cost = self.games().map(|game| game.max_cost).max().unwrap_or(0);
        let elo = self.score().elo().map_or("-".into(), |elo| format!("{:+.0}", elo.value));
        format!(
            "{level:>5} {against:>7} {:>6} {:>6.2} ± {:<5} {:>6.1} {elo:>6} {:>8.1} {:>6.2} {:>7.2}",
            2 * pairs.len(),
            self.loss(),
            self.error().map_or("-".into(), |error| format!("{error:.2}")),
            100.0 * self.score().mean().unwrap_or(0.0),
            self.mean(|game| f64::from(game.mistakes)),
            self.mean(|game| f64::from(game.cost) / 100.0),
            f64::from(max_cost) / 100.0,
        )
    }
}

/// Returns the table, and a message for each level whose loss against full strength is outside the tolerance or not
/// above the loss of the level below.
pub(super) fn table(matches: &[MatchSummary]) -> (String, Vec<String>) {
    let mut text = String::from("level against  games  discs lost      score    Elo mistakes   cost    max\n");
    matches.iter().for_each(|row| text += &(row.row() + "\n"));
    let calibrated: Vec<&MatchSummary> = matches.iter().filter(|row| row.against == 0).collect();
    let mut wrong: Vec<String> = calibrated
        .iter()
        .filter(|row| !row.is_right())
        .map(|row| format!("level {}: loses {:.2} discs, expected {} within 20 %", row.level, row.loss(), row.level))
        .collect();
    for pair in calibrated.windows(2).filter(|pair| pair[0].loss() >= pair[1].loss()) {
        wrong.push(format!("level {} does not lose more than level {}", pair[1].level, pair[0].level));
    }
    (text, wrong)
}
