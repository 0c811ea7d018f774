//! `--replay DIR GAME:PLY`: replays a recorded move node for node.
//!
//! A search depends on the transposition table, which earlier searches of the game have filled. So
//! a new process repeats all of the engine's searches of the game with their recorded node counts:
//! with the option `Exact Nodes` a node limit ends a search exactly where a clock or the runner
//! ended it. This requires one thread and no pondering.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use crossbeam_channel::Receiver;

use super::session::{EngineSession, EngineSlot, RunContext};
use crate::arena::client::{GameHistory, GoLimits};
use crate::arena::config::SavedConfig;
use crate::arena::config::engine_spec::EngineSpec;
use crate::arena::config::openings::Opening;
use crate::arena::results::files::{PlyRecord, load, plies_of};
use crate::arena::results::match_plan::changed_files;
use crate::arena::results::record::sides;
use crate::arena::rules::fault::Fault;
use crate::game::{Player, counted};
use crate::games::record::{MoveOrigin, MoveRecord, ReportedScore};
use crate::protocol::Protocol;

/// The option that makes a node limit exact.
const EXACT_NODES: &str = "Exact Nodes";

/// A replayed search.
#[derive(Clone, Debug)]
pub struct ReplayedSearch {
    /// The name of the game.
    pub game: String,
    /// The root position, in the game's notation.
    pub position: String,
    /// The depth reached.
    pub depth: u8,
    /// Whether this search and all earlier ones match the record.
    pub is_same: bool,
}

/// The result of a search in the format of an info line.
fn result_line(PlyRecord { played, pv, .. }: &PlyRecord) -> String {
    let MoveRecord {
        word,
        depth,
        seldepth,
        score,
        nodes,
        ..
    } = played;
    let parts = [
        Some(format!("move {word}")),
        depth.map(|depth| format!("depth {depth}")),
        seldepth.map(|depth| format!("seldepth {depth}")),
        score.map(|score| match score {
            ReportedScore::Cp(cp) => format!("score cp {cp}"),
            ReportedScore::Mate(moves) => format!("score mate {moves}"),
        }),
        nodes.map(|nodes| format!("nodes {nodes}")),
        pv.as_ref().map(|pv| format!("pv {pv}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Replays a move of the tournament in a folder and writes the recorded and the replayed result; of a
/// move from a book only the recorded one.
///
/// # Errors
/// If the move does not exist or the engine cannot replay it, the engine fails, or `stop` is
/// disconnected.
pub fn replay(
    folder: &Path,
    place: &str,
    stop: &Receiver<()>,
    out: &mut dyn Write,
) -> Result<Option<ReplayedSearch>> {
    let (number, ply) = parse_place(place)?;
    let saved = SavedConfig::load(folder)?;
    let schedule = saved.config.schedule();
    let scheduled = schedule.game(number).with_context(|| {
        let last = schedule
            .games()
            .map_or_else(String::new, |games| format!("; the last one is {games}"));
        format!("the tournament has no game {number}{last}")
    })?;
    let mut plies = plies(folder, &saved, number)?;
    ensure!(
        (1..=plies.len()).contains(&ply),
        "game {number} has no ply {ply}; the last recorded ply is {}",
        plies.len()
    );
    plies.truncate(ply);
    let recorded = &plies[ply - 1];
    let origin = recorded.played.origin;
    match origin {
        MoveOrigin::Engine | MoveOrigin::Book => {}
        MoveOrigin::Opening => bail!("ply {ply} is an opening move, which no engine searched"),
        MoveOrigin::Forced => bail!("ply {ply} is a forced pass, which no engine searched"),
    }
    let opening = saved.round_openings()?.of_round(scheduled.round)?;
    let start = saved.config.game_after(&Opening {
        moves: Vec::new(),
        ..opening
    })?;
    let movers: Vec<Player> = sides(start.to_move(), plies.iter().map(|ply| &ply.played)).collect();
    let mut root = start.clone();
    for PlyRecord { ply, played, .. } in &plies[..ply - 1] {
        let word = &played.word;
        let legal = root.play(word);
        legal.with_context(|| format!("ply {ply}: \"{word}\" is illegal"))?;
    }
    let position = root.position_text();
    let specs = scheduled
        .players
        .map(|engine| &saved.config.engines[engine]);
    let name = &specs[movers[ply - 1] as usize].name;
    writeln!(out, "game {number}, ply {ply}: {name} in {position}")?;
    if origin == MoveOrigin::Book {
        let line = result_line(recorded);
        writeln!(
            out,
            "recorded: {line}\na move of its book, which it did not search"
        )?;
        return Ok(None);
    }
    let replay = Replay {
        saved: &saved,
        specs,
        movers: &movers,
        plies: &plies,
    };
    let first_difference = replay.search_again(start, stop, out);
    let first_difference = first_difference.map_err(|error| match error.downcast::<Fault>() {
        Ok(fault) => anyhow!("engine \"{name}\": {fault}"),
        Err(other) => other,
    })?;
    let depth = recorded.played.depth;
    Ok(Some(ReplayedSearch {
        game: saved.config.game.clone(),
        position,
        depth: depth.and_then(|depth| depth.try_into().ok()).unwrap_or(1),
        is_same: first_difference.is_none(),
    }))
}

/// A recorded game up to the move to replay.
struct Replay<'a> {
    saved: &'a SavedConfig,
    /// The first player's engine first.
    specs: [&'a EngineSpec; 2],
    /// The player of each ply.
    movers: &'a [Player],
    plies: &'a [PlyRecord],
}

impl Replay<'_> {
    /// Repeats the searches of the last move's player since the last start of its engine, and writes
    /// what the last one found. The first ply that differs, if there is one.
    fn search_again(
        &self,
        mut history: GameHistory,
        stop: &Receiver<()>,
        out: &mut dyn Write,
    ) -> Result<Option<usize>> {
        let last = self.plies.len();
        let side = self.movers[last - 1];
        let config = &self.saved.config;
        let context = RunContext::of(config, stop);
        let spec = self.specs[side as usize];
        let mut session = start_exact(spec, &config.directory, context)?;
        for change in changed_files(&self.saved.files) {
            writeln!(out, "warning: {change}")?;
        }
        let mut clocks = self.specs.map(EngineSpec::clock);
        let plies = || (1..).zip(self.plies.iter().zip(self.movers.iter().copied()));
        let restarts = plies().filter(|(_, (recorded, by))| recorded.restarted && *by == side);
        let from = restarts.last().map_or(1, |(ply, _)| ply);
        let (mut searches, mut first_difference) = (0, None);
        for (ply, (recorded, mover)) in plies() {
            if let GameHistory::Text(game) = &mut history {
                game.to_move = mover;
            }
            let played = &recorded.played;
            if mover == side && played.origin == MoveOrigin::Engine && ply >= from {
                ensure!(
                    played.nodes.is_some() && !played.ponderhit,
                    "ply {ply}: cannot replay a ponder hit or a search without a recorded node count"
                );
                let limits = GoLimits {
                    nodes: played.nodes,
                    ..spec.limits_of(side, &clocks)
                };
                if searches == 0 {
                    session.new_game(&history, side, &limits)?;
                }
                let expected = result_line(recorded);
                let mut found = search(&mut session, &history, &limits)?;
                found.pv = found.pv.filter(|_| recorded.pv.is_some());
                let found = result_line(&found);
                if ply == last {
                    writeln!(out, "recorded: {expected}\nreplayed: {found}")?;
                }
                if found != expected && first_difference.is_none() {
                    first_difference = Some(ply);
                }
                searches += 1;
            }
            if let Some(ms) = played.ms {
                clocks[mover as usize].charge(Duration::from_secs_f64(ms / 1e3));
            }
            history.play(&played.word);
        }
        session.quit();
        let earlier = searches - 1;
        let be = if earlier == 1 { "is" } else { "are" };
        let earlier = counted(earlier, "earlier search", "earlier searches") + " of this game";
        match first_difference {
            None => writeln!(out, "identical, as {be} the {earlier}")?,
            Some(first) if first == last => {
                writeln!(out, "different; the {earlier} {be} identical")?;
            }
            Some(first) => writeln!(out, "different from ply {first} on")?,
        }
        Ok(first_difference)
    }
}

/// Parses `GAME:PLY`, both from 1.
fn parse_place(place: &str) -> Result<(u64, usize)> {
    let parts = place
        .split_once(':')
        .and_then(|(game, ply)| Some((game.parse().ok()?, ply.parse().ok()?)));
    parts
        .with_context(|| format!("--replay: invalid \"{place}\", expected GAME:PLY, such as 12:27"))
}

/// The plies of a game; without variations if the folder has its record only, as that of a match on
/// a cluster.
fn plies(folder: &Path, saved: &SavedConfig, game: u64) -> Result<Vec<PlyRecord>> {
    let plies = plies_of(folder, game)?;
    if !plies.is_empty() {
        return Ok(plies);
    }
    let games = load(folder, saved)?;
    let record = games.iter().find(|record| record.own.game == game);
    let record =
        record.with_context(|| format!("game {game} is not recorded in {}", folder.display()))?;
    let recovered = &record.own.recovered;
    let ply = |(ply, played): (usize, &MoveRecord)| PlyRecord {
        game,
        ply,
        restarted: recovered.iter().any(|fault| fault.ply == ply),
        played: played.clone(),
        ..PlyRecord::default()
    };
    Ok((1..).zip(&record.moves).map(ply).collect())
}

/// The engine, started with exact node limits.
fn start_exact(spec: &EngineSpec, folder: &Path, context: RunContext) -> Result<EngineSession> {
    let name = &spec.name;
    ensure!(
        matches!(spec.protocol, Protocol::Ugi | Protocol::Uci),
        "engine \"{name}\": --replay supports ugi and uci, not {}",
        spec.protocol.name()
    );
    let is_unset = |option, value| spec.option(option).is_none_or(|set| set == value);
    let has_full_strength = is_unset("Strength", "0") && is_unset("UCI_LimitStrength", "false");
    for (is_supported, what) in [
        (spec.threads() == 1, "more than one thread"),
        (!spec.ponder, "pondering"),
        (has_full_strength, "reduced strength"),
    ] {
        ensure!(
            is_supported,
            "engine \"{name}\": --replay does not support {what}"
        );
    }
    let mut spec = EngineSpec {
        directory: Some(spec.folder(folder)),
        stderr: None,
        ..spec.clone()
    };
    spec.set_option(EXACT_NODES, Some("true"));
    let session = EngineSlot::new(spec, context).greet()?;
    ensure!(
        session.identity.option(EXACT_NODES).is_some(),
        "engine \"{name}\" does not list the option \"{EXACT_NODES}\", which --replay requires"
    );
    session.set_up()
}

/// The result of one search.
fn search(
    session: &mut EngineSession,
    history: &GameHistory,
    limits: &GoLimits,
) -> Result<PlyRecord> {
    session.prepare(history)?;
    let found = session.search(history, limits, None)?;
    let word = found
        .word
        .with_context(|| format!("engine \"{}\" resigned", session.spec.name))?;
    let played = history.clone().play(&word);
    let played = played.with_context(|| format!("\"{word}\" is illegal"))?;
    Ok(PlyRecord {
        played: MoveRecord::searched(played, &found.info),
        pv: (!found.info.pv.is_empty()).then(|| found.info.pv.join(" ")),
        ..PlyRecord::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_game_and_a_ply() {
        assert_eq!(parse_place("12:27").unwrap(), (12, 27));
        for text in ["", "12", "12:", ":3", "a:b", "1:-2"] {
            assert!(
                parse_place(text)
                    .unwrap_err()
                    .to_string()
                    .contains("GAME:PLY"),
                "{text}"
            );
        }
    }
}
