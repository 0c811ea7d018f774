//! The engine as a value: typed positions, limits and answers, without a text protocol.

use std::error::Error;

use super::options::{Effect, OptionError, Options};
use super::strength::LossRecord;
use super::strength::search::think;
use crate::games::any::AnyGame;
use crate::games::reversi::eval::OthelloEvaluator;
use crate::logging::{SEARCH, logger};
use crate::search::table::Table;
use crate::search::{Answer, Certainty, Goal, Limits, Observer, Stops};

/// The engine that ships with this crate, for all its games: the trained evaluation, exact solving,
/// `Strength`, threads, opening books. A [`Session`](crate::Session) is the same engine behind its
/// text protocols.
///
/// ```
/// use nullwindow::{GameEngine, Limits, Observer, Progress, game_by_name};
///
/// let mut engine = GameEngine::new();
/// engine.set_option("Hash", "16")?;
/// let mut game = game_by_name("othello").expect("the name of a game");
/// game.play_legal("f5").expect("a legal move");
///
/// let mut report = |progress: &Progress| println!("{} {}", progress.depth, progress.score.0);
/// let mut observer = Observer { report: Some(&mut report), ..Observer::default() };
/// let answer = engine.search(&game, &Limits::to_depth(8), &mut observer);
/// let best = answer.best_move().expect("the game is not over");
/// assert_eq!(game.write_move(best), "d6");
/// # Ok::<(), nullwindow::OptionError>(())
/// ```
///
/// [`Goal::Exact`](crate::Goal::Exact) finds the exact score:
///
/// ```
/// use nullwindow::{Certainty, GameEngine, Goal, Limits, Observer, Score, game_by_name};
///
/// let game = game_by_name("tictactoe").expect("the name of a game");
/// let limits = Limits::to_find(Goal::Exact);
/// let answer = GameEngine::new().search(&game, &limits, &mut Observer::default());
/// assert_eq!((answer.score(), answer.certainty), (Some(Score(0)), Certainty::Exact));
/// ```
///
/// A shared [`SearchControl`](crate::SearchControl) stops the search from another thread:
///
/// ```
/// use std::{thread, time::Duration};
/// use nullwindow::{GameEngine, Limits, Observer, game_by_name};
///
/// let game = game_by_name("othello").expect("the name of a game");
/// let mut observer = Observer::default();
/// let control = observer.control.clone();
/// let stopper = thread::spawn(move || {
///     thread::sleep(Duration::from_millis(50));
///     control.stop();
/// });
/// let answer = GameEngine::new().search(&game, &Limits::default(), &mut observer);
/// stopper.join().expect("it does not panic");
/// assert!(answer.stopped && answer.best_move().is_some());
/// ```
#[derive(Debug)]
pub struct GameEngine {
    options: Options,
    table: Table,
    losses: LossRecord,
    /// The name of the game of the last search.
    game: &'static str,
}

#[cfg(feature = "weights")]
impl Default for GameEngine {
    fn default() -> Self {
        GameEngine::new()
    }
}

impl GameEngine {
    /// The engine with the default options. Needs feature `weights`, which puts the weights into the
    /// program.
    #[cfg(feature = "weights")]
    pub fn new() -> GameEngine {
        GameEngine::with_options(Options::default())
    }

    /// The same with the weights from the bytes of their file, `src/games/reversi/eval/weights.bin`.
    ///
    /// # Errors
    /// If the bytes are not the weight file of this version.
    pub fn with_weights(bytes: &[u8]) -> Result<GameEngine, Box<dyn Error + Send + Sync>> {
        OthelloEvaluator::load(bytes)?;
        Ok(GameEngine::with_options(Options::default()))
    }

    pub(crate) fn with_options(options: Options) -> GameEngine {
        GameEngine {
            table: Table::new(options.hash as usize),
            options,
            losses: LossRecord::default(),
            game: "",
        }
    }

    /// Sets an option of protocol.md ("Options"), such as `Hash` (MiB), `Threads`, `Strength` (discs
    /// a game) or `Book File`. Those of a session have no effect, since positions and limits are
    /// arguments of [`search`](GameEngine::search): `Game`, `UCI_Variant`, `MultiPV`, `Move Overhead`,
    /// `Depth`, `Exact Nodes`, `Show Accuracy`, `Ponder` and `PassMove`.
    ///
    /// # Errors
    /// If there is no such option or the value is not accepted; nothing changes.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        match self.options.set(name, Some(value))? {
            Effect::Resize => {
                self.table = Table::new(0); // free the old memory before allocating
                self.table = Table::new(self.options.hash as usize);
            }
            Effect::Clear | Effect::NewWeights => self.table.clear(),
            Effect::NewLog => logger::set_file(self.options.log_file.clone()),
            Effect::NewGame | Effect::NewNote | Effect::NewSpeed | Effect::Nothing => {}
        }
        Ok(())
    }

    /// Forgets the searches of earlier games, so that the next search visits the nodes of a new
    /// engine.
    pub fn new_game(&mut self) {
        self.table.clear();
        self.losses = LossRecord::default();
    }

    /// Searches the position of a game on the calling thread (and on helpers, with `Threads`), until
    /// a limit or the observer's control ends the search. The first line of the answer is the move to
    /// play: the move of the opening book, if one is set and has one; below full strength (games of
    /// discs only) not always the best one. A finished game has no lines.
    pub fn search(&mut self, game: &AnyGame, limits: &Limits, observer: &mut Observer) -> Answer {
        if game.final_score().is_some() {
            return Answer {
                selectivity: 100,
                certainty: Certainty::Exact,
                ..Answer::default()
            };
        }
        // Positions of different games may have the same key.
        if std::mem::replace(&mut self.game, game.name()) != game.name() {
            self.new_game();
        }
        if is_limited(&limits.stops)
            && let Some(book) = self.book_answer(game, limits)
        {
            return book;
        }
        let is_for_play = matches!(limits.goal, Goal::BestMove | Goal::Exact);
        let strength = self.options.strength().filter(|_| is_for_play);
        let allowance = strength.and_then(|strength| self.losses.allowance(game, strength));
        let settings = &self.options.settings;
        let mut answer = think(
            game.position(),
            settings,
            &self.table,
            limits,
            allowance,
            observer,
        );
        if let Some(allowance) = allowance {
            self.losses.add(game, &answer);
            let best = answer.best_move();
            if let Some(played) = allowance.played(&answer).cloned()
                && Some(played.m) != best
            {
                answer.certainty = played.certainty;
                answer.best.insert(0, played);
            }
        }
        answer
    }

    fn book_answer(&self, game: &AnyGame, limits: &Limits) -> Option<Answer> {
        let chosen = self.options.book_choice(game, limits);
        let chosen = chosen.unwrap_or_else(|note| {
            log::warn!(target: SEARCH, "{note}");
            None
        });
        Some(Answer {
            best: vec![chosen?.root],
            elapsed: limits.stops.started.elapsed(),
            ..Answer::default()
        })
    }
}

/// Whether a search ends by itself; others analyze.
fn is_limited(stops: &Stops) -> bool {
    stops.depth.is_some() || stops.nodes.is_some() || stops.time.is_some() || stops.clock.is_some()
}
