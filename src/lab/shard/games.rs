//! Shards of games: a header line, then a line for each game, keyed by its number. The header and
//! the games of self-play, concatenated, are the file of `selfplay`; those of a tournament are the
//! files of its folder.

use anyhow::{Result, ensure};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde::Deserialize;
use serde_json::json;

use super::{ShardJob, ShardRun};
use crate::arena::command::{play_range, tournament_of};
use crate::arena::rules::fault::is_interrupt;
use crate::lab::train::game_file::{GameFileHeader, PositionRecord};
use crate::lab::train::selfplay::Players;

/// A job that plays games of self-play for training, numbered from 0.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct SelfplayShard {
    /// The number of the first game.
    first: u64,
    /// How many games.
    count: u64,
    /// The search depth of both sides, 1 to 20.
    depth: u8,
    /// Evaluate by mobility.
    #[serde(default)]
    mobility: bool,
}

impl ShardJob for SelfplayShard {
    fn run(&self, run: &mut ShardRun) -> Result<bool> {
        ensure!((1..=20).contains(&self.depth), "\"depth\" must be 1 to 20");
        let (seed, suffix) = (run.seed, run.suffix.clone());
        let players = Players::new(self.depth, seed, self.mobility, &run.setup)?;
        let GameFileHeader { weights, .. } = players.header;
        let of = format!(
            "selfplay {} seed={seed} depth={} weights={weights:x}",
            players.game, self.depth
        );
        run.lines.add(
            &format!("{of} head{suffix}"),
            &json!({"head": BASE64_STANDARD.encode(players.header.bytes())}),
        )?;
        let mut play = (players.player)();
        for game in (self.first..).take(usize::try_from(self.count)?) {
            let key = format!("{of} game {game}{suffix}");
            if run.lines.has(&key, None) {
                continue;
            }
            if run.is_interrupted() {
                return Ok(true);
            }
            let records = play(game).records;
            let bytes: Vec<u8> = records.iter().flat_map(PositionRecord::bytes).collect();
            run.lines.add(
                &key,
                &json!({"game": game, "records": BASE64_STANDARD.encode(bytes)}),
            )?;
        }
        Ok(false)
    }
}

/// A job that plays games of a tournament, numbered from 1.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct TournamentShard {
    /// The number of the first game.
    first: u64,
    /// How many games.
    count: u64,
    /// The arguments of `nullwindow tournament` for the complete tournament.
    arguments: Vec<String>,
}

impl ShardJob for TournamentShard {
    fn run(&self, run: &mut ShardRun) -> Result<bool> {
        let ShardRun {
            setup,
            suffix,
            seed,
            interrupt,
            lines,
        } = run;
        let saved = match tournament_of(&self.arguments, setup, *seed, interrupt) {
            Err(error) if is_interrupt(&error) => return Ok(true),
            saved => saved?,
        };
        let of = format!(
            "tournament {} seed={seed} {}",
            saved.config.game,
            self.arguments.join(" ")
        );
        let key = |game: u64| format!("{of} game {game}{suffix}");
        let (first, games) = (
            self.first,
            saved.config.schedule().games().unwrap_or(u64::MAX),
        );
        let last = first.saturating_add(self.count).saturating_sub(1);
        ensure!(
            first > 0 && last <= games,
            "expected games within 1 to {games} of the tournament"
        );
        lines.add(
            &format!("{of} head{suffix}"),
            &json!({"head": saved, "games": games}),
        )?;
        let done = (first..=last)
            .filter(|game| lines.has(&key(*game), None))
            .collect();
        play_range(&saved, first..=last, &done, interrupt, |game| {
            let mut line = serde_json::to_value(&game.record)?;
            line["abnormal"] = json!(game.log); // the text of the log
            lines.add(&key(game.record.own.game), &line)
        })
    }
}
