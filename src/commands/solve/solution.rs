//! The answer to a problem as a row, and the verdict on what the file states about it.

use super::problem_file::ProblemEntry;
use super::solved_row::{ScoreBound, SolvedRow, Verdict};
use crate::commands::claims::{points, step};
use crate::game::score::Score;
use crate::game::{Move, counted};
use crate::search::{Answer, Certainty, RootMove};

/// The value at which the claim of a problem is decided: discs, or 1, 0 or -1.
pub fn threshold(problem: &ProblemEntry) -> Option<i32> {
    let claim = problem.claim?;
    Some(claim.threshold(step(&problem.entry.game.position())))
}

/// The answer to a problem.
pub struct Solution<'a> {
    pub problem: &'a ProblemEntry,
    /// Whether the score is win, draw or loss only.
    pub wld: bool,
    /// Whether the scores of the moves are part of the row.
    pub lists_moves: bool,
    pub answer: Answer,
}

impl Solution<'_> {
    fn is_solved(&self) -> bool {
        !self.answer.stopped
    }

    fn has_discs(&self) -> bool {
        self.problem.entry.game.discs().is_some()
    }

    /// Whether the score is the value, not a bound of it.
    fn is_exact(&self) -> bool {
        let game = &self.problem.entry.game;
        !self.has_discs() || self.problem.claim.is_none() || game.final_score().is_some()
    }

    fn score(&self) -> Score {
        let over = || self.problem.entry.game.final_score();
        self.answer.score().or_else(over).unwrap_or_default()
    }

    /// A score in the unit of rows: discs, or 1, 0 or -1.
    fn unit(&self, score: Score) -> i32 {
        if self.wld {
            score.0.signum()
        } else {
            points(&self.problem.entry.game.position(), score)
        }
    }

    /// Plies to the end, if it was searched for.
    fn plies(&self, stones: u8) -> Option<u8> {
        let score = self.score();
        let is_distance = !self.has_discs() && !self.wld;
        (self.is_solved() && score.is_decided() && is_distance)
            .then(|| (Score::DECIDED - score.0.abs()).0 as u8 - stones)
    }

    /// The bound of the score that decides the claim.
    fn bound(&self) -> Option<ScoreBound> {
        let threshold = threshold(self.problem).filter(|_| self.is_solved())?;
        Some(if self.unit(self.score()) >= threshold {
            ScoreBound::Lower
        } else {
            ScoreBound::Upper
        })
    }

    fn verdict(&self) -> Option<Verdict> {
        let claim = self.problem.claim?;
        Some(match self.is_solved() {
            true if claim.holds(self.unit(self.score())) => Verdict::Holds,
            true => Verdict::Fails,
            false => Verdict::Unknown,
        })
    }

    /// What the file states wrongly: the value, the scores of moves if all were searched, or the
    /// plies to the end. `None` if it states no value or the value is unknown.
    fn wrong_statements(&self, plies: Option<u8>) -> Option<Vec<String>> {
        let entry = &self.problem.entry;
        let expected = entry
            .value
            .filter(|_| self.is_solved() && self.is_exact())?;
        let mut wrong = Vec::new();
        if self.unit(expected) != self.unit(self.score()) {
            wrong.push(format!("{:+}", self.unit(expected)));
        }
        let best = &self.answer.best;
        if best.len() == entry.game.moves().len() {
            let is_wrong = |&&(m, given): &&(Move, Score)| {
                let differs = |root: &RootMove| self.unit(root.score) != self.unit(given);
                best.iter().any(|root| root.m == m && differs(root))
            };
            let stated =
                |&(m, given)| format!("{} {:+}", entry.game.write_move(m), self.unit(given));
            wrong.extend(entry.moves.iter().filter(is_wrong).map(stated));
        }
        let given = entry
            .plies
            .filter(|&given| plies.is_some_and(|found| found != given));
        wrong.extend(given.map(|plies| counted(plies, "ply", "plies")));
        Some(wrong)
    }

    /// The row, without the cost of the solution.
    pub fn row(&self) -> SolvedRow {
        let (problem, game, answer) = (self.problem, &self.problem.entry.game, &self.answer);
        let solved = self.is_solved();
        let stones = u8::try_from(game.stones()).unwrap_or_default();
        let (plies, bound) = (self.plies(stones), self.bound());
        let wrong = self.wrong_statements(plies);
        let has_best = solved && (self.is_exact() || bound != Some(ScoreBound::Upper));
        let pv = answer.best.first().filter(|_| solved);
        let pv = pv.map_or(&[][..], |root| &root.pv);
        let moves = answer.best.iter().filter(|_| solved && self.lists_moves);
        SolvedRow {
            n: problem.number,
            empties: self.has_discs().then(|| game.plies_left()),
            stones: (!self.has_discs()).then_some(stones),
            plies,
            score: solved.then(|| self.unit(self.score())),
            bound,
            claim: problem.claim,
            verdict: self.verdict(),
            best: answer
                .best_move()
                .filter(|_| has_best)
                .map(|m| game.write_move(m)),
            pv: game.write_moves(pv).join(" "),
            selectivity: match answer.certainty {
                _ if !solved => 0,
                Certainty::Heuristic => answer.selectivity,
                _ => 100,
            },
            expected: problem.entry.value.map(|value| self.unit(value)),
            ok: wrong.as_ref().map(Vec::is_empty),
            wrong: wrong.unwrap_or_default(),
            wld: self.wld,
            moves: moves
                .map(|root| (game.write_move(root.m), self.unit(root.score)))
                .collect(),
            ..SolvedRow::default()
        }
    }
}
