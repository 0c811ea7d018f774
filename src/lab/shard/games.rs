//! Shards of games: a header line, then a line for each game, keyed by its number. The header and the games of
//! self-play, concatenated, are the file of `selfplay`; those of a tournament are the files of its folder.

use anyhow::{Result, ensure};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use crossbeam_channel::Receiver;
use serde_json::json;

use super::shard_file::{SelfplayShard, TournamentShard};
use super::shard_lines::ShardLines;
use super::solve::options_text;
use crate::arena::command::{play_range, tournament_of};
use crate::arena::pairings::GameQueue;
use crate::arena::play::fault::is_interrupt;
use crate::engine::setup::Setup;
use crate::game::Game as _;
use crate::lab::jobs::JobRunner;
use crate::lab::train::game_file::{GameFileHeader, PositionRecord, RecordedGame};
use crate::lab::train::self_player::SelfPlayer;
use crate::lab::train::selfplay::{SelfPlayVisitor, with_players};

/// Plays self-play games for training. Returns whether it was interrupted.
pub fn selfplay(
    job: &SelfplayShard,
    seed: u64,
    setup: &Setup,
    interrupt: &Receiver<()>,
    lines: &mut ShardLines,
) -> Result<bool> {
    ensure!((1..=20).contains(&job.depth), "\"depth\" must be 1 to 20");
    let options = options_text(setup);
    with_players(job.depth, job.mobility, setup, SelfplayLines { job, seed, options, interrupt, lines })?
}

/// The lines of self-play, for the players of any game.
struct SelfplayLines<'a> {
    job: &'a SelfplayShard,
    seed: u64,
    options: String,
    interrupt: &'a Receiver<()>,
    lines: &'a mut ShardLines,
}

impl SelfPlayVisitor for SelfplayLines<'_> {
    type Output = Result<bool>;

    fn visit<P: SelfPlayer>(self, weights: u64, player: impl Fn() -> P + Sync) -> Result<bool> {
        let SelfplayLines { job, seed, options, interrupt, lines } = self;
        let header = GameFileHeader { game: P::Game::NUMBER, seed, weights, depth: job.depth };
        let of = format!("selfplay {} seed={seed} depth={} weights={weights:x}", P::Game::NAME, job.depth);
        lines.add(&format!("{of} head{options}"), &json!({"head": BASE64_STANDARD.encode(header.bytes())}))?;
        let key = |game: u64| format!("{of} game {game}{options}");
        let games = (job.first..).take(usize::try_from(job.count)?);
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

/// Plays games of a tournament. Returns whether it was interrupted.
pub fn tournament(
    job: &TournamentShard,
    seed: u64,
    setup: &Setup,
    interrupt: &Receiver<()>,
    lines: &mut ShardLines,
) -> Result<bool> {
    let saved = match tournament_of(&job.arguments, setup, seed, interrupt) {
        Err(error) if is_interrupt(&error) => return Ok(true),
        saved => saved?,
    };
    let games = saved.config.schedule().games().unwrap_or(u64::MAX);
    let of = format!("tournament {} seed={seed} {}", saved.config.game, job.arguments.join(" "));
    let options = options_text(setup);
    let key = |game: u64| format!("{of} game {game}{options}");
    let last = job.first.saturating_add(job.count).saturating_sub(1);
    ensure!(job.first > 0 && last <= games, "expected games within 1 to {games} of the tournament");
    lines.add(&format!("{of} head{options}"), &json!({"head": saved, "games": games}))?;
    let is_done = |game: &u64| lines.has(&key(*game), None);
    let done = (job.first..=last).filter(is_done).collect();
    let queue = GameQueue::new(job.first, Some(last), done);
    play_range(&saved, queue, interrupt, |game| {
        let mut line = serde_json::to_value(&game.record)?;
        line["abnormal"] = json!(game.log); // the text of the log
        lines.add(&key(game.record.game), &line)
    })
}
