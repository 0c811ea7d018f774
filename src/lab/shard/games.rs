//! Shards of games: a header line, then a line for each game, keyed by its number. The header and the games of
//! self-play, concatenated, are the file of `selfplay`; those of a tournament are the files of its folder.

use anyhow::{Result, ensure};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde::Deserialize;
use serde_json::json;

use super::ShardRun;
use crate::arena::game_range::GameRange;
use crate::arena::pairings::GameQueue;
use crate::game::Game as _;
use crate::lab::jobs::JobRunner;
use crate::lab::train::game_file::{GameFileHeader, PositionRecord, RecordedGame};
use crate::lab::train::self_player::SelfPlayer;
use crate::lab::train::selfplay::{SelfPlayVisitor, with_players};

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

impl SelfplayShard {
    /// Plays the missing games. Returns whether it was interrupted.
    pub fn run(&self, run: &mut ShardRun) -> Result<bool> {
        ensure!((1..=20).contains(&self.depth), "\"depth\" must be 1 to 20");
        with_players(self.depth, self.mobility, &run.setup.clone(), SelfplayRun(self, run))?
    }
}

/// [`SelfplayShard::run`] for the players of any game.
struct SelfplayRun<'a>(&'a SelfplayShard, &'a mut ShardRun);

impl SelfPlayVisitor for SelfplayRun<'_> {
    type Output = Result<bool>;

    fn visit<P: SelfPlayer>(self, weights: u64, player: impl Fn() -> P + Sync) -> Result<bool> {
        let SelfplayRun(&SelfplayShard { first, count, depth, .. }, ShardRun { suffix, seed, interrupt, lines, .. }) =
            self;
        let seed = *seed;
        let header = GameFileHeader { game: P::Game::NUMBER, seed, weights, depth };
        let of = format!("selfplay {} seed={seed} depth={depth} weights={weights:x}", P::Game::NAME);
        lines.add(&format!("{of} head{suffix}"), &json!({"head": BASE64_STANDARD.encode(header.bytes())}))?;
        let key = |game: u64| format!("{of} game {game}{suffix}");
        let games = (first..).take(usize::try_from(count)?);
        let missing: Vec<u64> = games.filter(|game| !lines.has(&key(*game), None)).collect();
        let worker = |_| {
            let mut player = player();
            move |game| (game, player.play_game(seed, game).0)
        };
        let runner = JobRunner { threads: 1, in_order: true, interrupt };
        runner.run(
            missing.into_iter(),
            worker,
            || (),
            |played| {
                let Some((game, records)) = played else { return Ok(()) };
                let bytes: Vec<u8> = records.iter().flat_map(PositionRecord::bytes).collect();
                lines.add(&key(game), &json!({"game": game, "records": BASE64_STANDARD.encode(bytes)}))
            },
        )
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

impl TournamentShard {
    /// Plays the missing games. Returns whether it was interrupted.
    pub fn run(&self, run: &mut ShardRun) -> Result<bool> {
        let ShardRun { setup, suffix, seed, interrupt, lines } = run;
        let Some(range) = GameRange::new(&self.arguments, setup, *seed, interrupt)? else { return Ok(true) };
        let of = format!("tournament {} seed={seed} {}", range.saved.config.game, self.arguments.join(" "));
        let key = |game: u64| format!("{of} game {game}{suffix}");
        let (first, games) = (self.first, range.games());
        let last = first.saturating_add(self.count).saturating_sub(1);
        ensure!(first > 0 && last <= games, "expected games within 1 to {games} of the tournament");
        lines.add(&format!("{of} head{suffix}"), &json!({"head": range.saved, "games": games}))?;
        let done = (first..=last).filter(|game| lines.has(&key(*game), None)).collect();
        range.play(GameQueue::new(first, Some(last), done), interrupt, &mut |game| {
            let mut line = serde_json::to_value(&game.record)?;
            line["abnormal"] = json!(game.log); // the text of the log
            lines.add(&key(game.record.game), &line)
        })
    }
}
