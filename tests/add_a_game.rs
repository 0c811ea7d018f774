//! The steps of CONTRIBUTING's "Add a game", with Reversi on 5x5: a board with an odd number of squares,
//! so that disc differences are odd. It uses only the library; `src` has no code for this game.

use std::path::Path;
use std::sync::Arc;

use crate::common::oracle::value_of;
use nullwindow::game::rng::Rng;
use nullwindow::game::{Game, Notation, outcome};
use nullwindow::games::perft::perft;
use nullwindow::games::reversi::eval::mobility::Mobility;
use nullwindow::games::reversi::policy::ReversiPolicy;
use nullwindow::games::reversi::{Reversi, Shape};
use nullwindow::search::core::context::Context;
use nullwindow::search::core::isa::Portable;
use nullwindow::search::core::policy::{Evaluate, Policy, Zero};
use nullwindow::search::deepening::think;
use nullwindow::search::generic_policy::GenericPolicy;
use nullwindow::search::production::{Mtdf, Production};
use nullwindow::search::stop::SearchControl;
use nullwindow::search::table::Table;
use nullwindow::search::{Answer, Certainty, Goal, Limits, Observer};

/// Step 1: the rules. A board of Reversi needs only its shape.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Five;

impl Shape for Five {
    const NAME: &'static str = "othello5";
    const SIZE: u32 = 5;
    const SQUARES: u64 = 0x1f_1f1f_1f1f;
    const BLACK: u64 = 1 << 11 | 1 << 18;
    const WHITE: u64 = 1 << 10 | 1 << 19;
    const EMPTIES_TO_WINNER: bool = true;
}

type Othello5 = Reversi<Five>;

fn solve<P: Policy>(position: P::Game, policy: &P) -> (Answer, usize) {
    let (table, control) = (Table::new(4), Arc::new(SearchControl::default()));
    let mut searcher =
        Production::<Mtdf, _>::new(position, Context::new(policy, Some(&table), &control));
    let mut told = 0;
    let mut observer = Observer {
        control: control.clone(),
        report: Some(&mut |_| told += 1),
        trace: None,
    };
    (
        think(
            &mut searcher,
            &Limits::to_find(Goal::Exact),
            true,
            &mut observer,
        ),
        told,
    )
}

fn position_with(empties: u8, rng: &mut Rng) -> Othello5 {
    loop {
        let mut position = Othello5::start();
        while position.plies_left() > empties {
            let Some(&m) = rng.choose(&position.moves()) else {
                break;
            };
            position = position.play(m);
        }
        if position.plies_left() == empties && position.final_score().is_none() {
            return position;
        }
    }
}

#[test]
fn the_rules_and_the_notation_are_complete() {
    assert_eq!((Othello5::GRAIN, Othello5::start().plies_left()), (100, 21));
    assert_eq!(Othello5::start().write_position(), "5/2ox1/2xo1/5/5 x");
    // Three legal replies to each first move, as on any board.
    assert_eq!(
        [1, 2].map(|depth| perft(&Othello5::start(), depth).leaves),
        [4, 12]
    );
    let mut rng = Rng::new(5);
    for _ in 0..50 {
        let mut position = Othello5::start();
        while let Some(&m) = rng.choose(&position.moves()) {
            assert_eq!(Othello5::parse_move(&Othello5::write_move(m)), Ok(m));
            assert_eq!(
                Othello5::parse_position(&position.write_position()),
                Ok(position)
            );
            for symmetry in 0..Othello5::SYMMETRIES {
                let image = position
                    .image(symmetry)
                    .play(Othello5::move_image(m, symmetry));
                assert_eq!(image, position.play(m).image(symmetry));
            }
            position = position.play(m);
        }
        let score = position.final_score().unwrap();
        assert!(outcome(&position).is_some(), "{position:?}");
        assert_eq!(score.0 % Othello5::GRAIN, 0, "{position:?}");
    }
}

/// Step 2: an evaluation. `Zero` is enough to start with; that of Reversi's small boards orders
/// moves. Step 3: a policy. `GenericPolicy` serves any game, `ReversiPolicy` all boards of Reversi,
/// with their kernels.
#[test]
fn any_policy_finds_the_exact_value() {
    let mut rng = Rng::new(6);
    for empties in [1, 3, 5, 7, 8, 9] {
        for _ in 0..8 {
            let position = position_with(empties, &mut rng);
            let value = value_of(&position);
            let isa = Portable::token();
            for (answer, told) in [
                solve(position, &GenericPolicy::new(Zero, isa)),
                solve(position, &GenericPolicy::new(Mobility, isa)),
                solve(position, &ReversiPolicy::new(Mobility, isa, None)),
            ] {
                assert_eq!(
                    (answer.score(), answer.certainty),
                    (Some(value), Certainty::Exact),
                    "{position:?}"
                );
                assert!(told > 0 && position.moves().contains(&answer.best_move().unwrap()));
            }
        }
    }
    assert_eq!(
        Mobility.evaluate(&position_with(12, &mut rng)).0 % <Mobility as Evaluate<Othello5>>::GRAIN,
        0
    );
}

/// The files that the steps name exist; other words occur in one of these files.
#[test]
fn the_steps_name_existing_files_and_words() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guide = std::fs::read_to_string(root.join("CONTRIBUTING.md")).unwrap();
    let section = guide
        .split("\n## ")
        .find(|section| section.starts_with("Add a game\n"))
        .expect("a section");
    let steps = section
        .lines()
        .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))
        .count();
    // Words with NAME in them are placeholders, those with blanks commands.
    let named = section
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|word| !word.contains("NAME") && !word.contains(' '));
    let (paths, words): (Vec<_>, Vec<_>) = named.partition(|word| word.contains('/'));
    let mut text = String::new();
    for path in paths.iter().map(|path| root.join(path)) {
        assert!(
            path.exists(),
            "CONTRIBUTING names {}, which does not exist",
            path.display()
        );
        text += &std::fs::read_to_string(path).unwrap_or_default();
    }
    for word in &words {
        assert!(
            text.contains(word),
            "CONTRIBUTING names {word}, which none of the files has"
        );
    }
    assert!(
        steps >= 4 && paths.len() >= 4 && words.len() >= 6,
        "{steps} steps, {paths:?}, {words:?}"
    );
}
