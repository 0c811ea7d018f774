//! Matches of variants against the production search at equal nodes per move.

use anyhow::Result;

use super::variant::{BASELINE, SearchVariant, VariantLimit, VariantSearcher};
use crate::arena::results::elo::Pentanomial;
use crate::game::Player;
use crate::games::any::AnyGame;
use crate::search::table::Table;

/// The two players' tables, kept during a game.
pub(super) struct VariantMatch<'a> {
    pub searcher: &'a VariantSearcher<'a>,
    /// Nodes per move.
    pub nodes: u64,
    pub tables: [Table; 2],
}

impl VariantMatch<'_> {
    /// Adds the results of two games from an opening, from the variant's point of view: each side moves first once.
    pub fn play_pair(&mut self, opening: &AnyGame, variant: SearchVariant, results: &mut Pentanomial) -> Result<()> {
        let mut points = [0; 2];
        for (points, side) in points.iter_mut().zip([Player::First, Player::Second]) {
            *points = self.play(opening, variant, side)?;
        }
        results.add(points[0], points[1]);
        Ok(())
    }

    /// The half points of the variant in a game in which it moves for `side`.
    fn play(&mut self, opening: &AnyGame, variant: SearchVariant, side: Player) -> Result<u8> {
        let mut game = opening.clone();
        self.tables.iter_mut().for_each(Table::clear);
        let score = loop {
            let is_variant = game.to_move() == side;
            if let Some(score) = game.final_score() {
                break if is_variant { score.0 } else { -score.0 };
            }
            let moves = game.moves();
            let m = match moves.as_slice() {
                &[only] => only,
                _ => {
                    let player = if is_variant { variant } else { BASELINE };
                    let table = &mut self.tables[usize::from(is_variant)];
                    self.searcher.search(game.position(), player, VariantLimit::Nodes(self.nodes), table)?.m
                }
            };
            game.play(m)?;
        };
        Ok((score.signum() + 1) as u8)
    }
}
