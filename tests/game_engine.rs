//! The typed engine: the moves, scores and nodes of the program.

use std::sync::Arc;
use std::time::Duration;

use crate::common::Engine;
use nullwindow::game::rng::Rng;
use nullwindow::games::any::{NAMES, by_name};
use nullwindow::search::core::policy::Zero;
use nullwindow::search::stop::SearchControl;
use nullwindow::{
    Certainty, Clock, Game, GameEngine, Goal, Limits, Move, MoveList, Observer, Player, Score,
    Session, Table, TicTacToe, best_move,
};

/// The last value of a key in the lines of a search.
fn last<'l>(lines: &'l [String], key: &str) -> &'l str {
    let of_line = |line: &'l String| {
        let mut words = line.split(' ').skip_while(|word| *word != key);
        words.next()?;
        words.next()
    };
    lines.iter().filter_map(of_line).next_back().unwrap()
}

#[test]
fn whole_games_have_the_moves_and_nodes_of_the_program() {
    let mut rng = Rng::new(11);
    for (name, strength) in NAMES
        .iter()
        .map(|name| (*name, "0"))
        .chain([("othello", "20"), ("othello6", "10")])
    {
        let mut program = Engine::start(&["--game", name, "--option", "Hash=4"]);
        let mut engine = GameEngine::new();
        program.send(&format!("setoption name Strength value {strength}"));
        engine.set_option("Hash", "4").unwrap();
        engine.set_option("Strength", strength).unwrap();
        let mut game = by_name(name).unwrap();
        let mut line = "position startpos moves".to_owned();
        while game.final_score().is_none() {
            let nodes = 200 + rng.below(800);
            let limits = Limits::to_nodes(nodes);
            let answer = engine.search(&game, &limits, &mut Observer::default());
            program.send(&line);
            program.send(&format!("go nodes {nodes}"));
            let lines = program.until("bestmove");
            let m = answer.best_move().unwrap();
            let word = game.write_move(m);
            assert_eq!(last(&lines, "bestmove"), word, "{name} {line}");
            let found = answer.counters.nodes.to_string();
            assert_eq!(last(&lines, "nodes"), found, "{name} {line}");
            game.play(m).unwrap();
            line += &format!(" {word}");
        }
        let over = engine.search(&game, &Limits::default(), &mut Observer::default());
        assert_eq!((over.best_move(), over.certainty), (None, Certainty::Exact));
        assert_eq!(
            over.selectivity, 100,
            "an exact result is one of full width"
        );
    }
}

#[test]
fn a_search_is_stopped_from_another_thread_and_the_next_one_runs() {
    let mut engine = GameEngine::new();
    let game = by_name("othello").unwrap();
    let control = Arc::<SearchControl>::default();
    let stop = control.clone();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        stop.stop();
    });
    let mut observer = Observer {
        control,
        ..Observer::default()
    };
    let answer = engine.search(&game, &Limits::to_find(Goal::Exact), &mut observer);
    stopper.join().unwrap();
    assert!(answer.stopped && answer.certainty == Certainty::Heuristic);
    assert!(answer.best_move().is_some());
    engine.new_game();
    let limits = Limits::to_depth(6);
    let [again, fresh] = [&mut engine, &mut GameEngine::new()]
        .map(|engine| engine.search(&game, &limits, &mut Observer::default()));
    assert_eq!(again.counters.nodes, fresh.counters.nodes);
    assert_eq!(again.best_move(), fresh.best_move());
}

#[test]
fn options_are_those_of_the_program_and_errors_change_nothing() {
    let mut engine = GameEngine::new();
    for (name, value, text) in [
        ("Nonsense", "1", "unknown option"),
        ("Hash", "-1", "Hash: invalid value"),
        ("EvalFile", "missing", "EvalFile: "),
        ("Book File", "missing", "Book File: "),
        ("Debug Log File", "log", "this program has its own log"),
    ] {
        let error = engine.set_option(name, value).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    }
    let game = by_name("othello").unwrap();
    let answer = engine.search(&game, &Limits::to_depth(1), &mut Observer::default());
    assert_eq!(answer.depth, 1);
}

/// Positions of different games may have the same discs.
#[test]
fn one_engine_searches_different_games() {
    let mut engine = GameEngine::new();
    for name in ["diamond", "othello6", "diamond2", "othello4", "diamond"] {
        let game = by_name(name).unwrap();
        let limits = Limits::to_nodes(5_000);
        let [alone, among] = [&mut GameEngine::new(), &mut engine].map(|engine| {
            let answer = engine.search(&game, &limits, &mut Observer::default());
            (answer.score(), answer.best_move(), answer.counters.nodes)
        });
        assert_eq!(alone, among, "{name}");
    }
}

/// Callers write `Duration::MAX` for no limit.
#[test]
fn the_longest_times_do_not_limit_a_search() {
    let game = by_name("othello").unwrap();
    let mut limits = Limits::to_depth(4);
    limits.stops.time = Some(Duration::MAX);
    limits.stops.cpu_time = Some(Duration::MAX);
    limits.stops.clock = Some(Clock::of(Duration::MAX));
    let answer = GameEngine::new().search(&game, &limits, &mut Observer::default());
    assert_eq!((answer.depth, answer.stopped), (4, false));
}

/// So that the types that contain them can derive it.
#[test]
fn public_types_have_a_debug_format() {
    let text = format!(
        "{:?} {:?} {:?}",
        GameEngine::new(),
        Session::new(|_| ()),
        Observer::default()
    );
    assert!(text.contains("hash: 64, ") && text.ends_with("Session { .. } Observer { .. }"));
    assert_eq!(format!("{:?}", Table::new(1)), "Table { .. }");
}

/// Tic-tac-toe, whose symmetries are defined for moves only.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Crosses(TicTacToe);

impl Game for Crosses {
    const NAME: &'static str = "crosses";
    const GRAIN: i32 = TicTacToe::GRAIN;
    const SYMMETRIES: usize = TicTacToe::SYMMETRIES;

    fn start() -> Self {
        Crosses(TicTacToe::start())
    }

    fn to_move(&self) -> Player {
        self.0.to_move()
    }

    fn moves(&self) -> MoveList {
        self.0.moves()
    }

    fn play(&self, m: Move) -> Self {
        Crosses(self.0.play(m))
    }

    fn final_score(&self) -> Option<Score> {
        self.0.final_score()
    }

    fn plies_left(&self) -> u8 {
        self.0.plies_left()
    }

    fn stones(&self) -> i32 {
        self.0.stones()
    }

    fn packed(&self) -> [u64; 2] {
        self.0.packed()
    }

    fn image(&self, symmetry: usize) -> Self {
        Crosses(self.0.image(symmetry))
    }

    fn move_image(m: Move, symmetry: usize) -> Move {
        assert!(m.is_square(9), "{m:?} is not a move of this game");
        TicTacToe::move_image(m, symmetry)
    }
}

#[test]
fn a_search_asks_for_images_of_moves_only() {
    let [start, after] = [Crosses::start(), Crosses::start().play(Move::to(4))];
    for position in [start, after, after.play(Move::to(1))] {
        let answer = best_move(&position, &Zero, &Limits::default());
        assert_eq!(answer.certainty, Certainty::Exact);
        let plain = best_move(&position.0, &Zero, &Limits::default());
        assert_eq!(answer.score(), plain.score());
    }
}
