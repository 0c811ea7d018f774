//! A game whose tree is given as text, for example one from a textbook; for `explain`,
//! `reproduce` and tests.
//!
//! A tree is a number, or a list in brackets of the trees that the moves lead to:
//! `((15 22 -5) (18 -12))`. White space separates them, `#` begins a comment. Numbers are values
//! for the first player, who is to move at the root; the players alternate. Moves are numbered from
//! 1.

use std::hash::{Hash, Hasher};

use thiserror::Error;

use crate::game::score::Score;
use crate::game::{Game, Move, MoveList, Player};

/// The largest absolute value of a leaf; larger scores mean decided games.
pub const LARGEST_VALUE: i32 = Score::DECIDED.0 - Score::LONGEST - 1;
/// Most moves of a node.
const MOST_MOVES: usize = 63;
/// Most plies from the root to a leaf.
const MOST_PLIES: usize = 100;

/// A position in a drawn tree.
///
/// ```
/// use nullwindow::game::Game;
/// use nullwindow::commands::explain::drawn_tree::DrawnTree;
/// use nullwindow::game::score::Score;
///
/// let root = DrawnTree::parse("((15 22 -5) (18 -12))").unwrap();
/// let second = root.play(root.moves()[1]);
/// assert_eq!(second.final_score(), None);
/// assert_eq!(second.play(second.moves()[0]).final_score(), Some(Score(18)));
/// assert!(DrawnTree::parse("(1 2").is_err());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DrawnTree {
    nodes: &'static [TreeNode],
    here: u32,
    /// The largest ply of a leaf of the whole tree.
    deepest: u8,
}

#[derive(Debug)]
struct TreeNode {
    ply: u8,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// A value for the first player.
    Leaf(i32),
    Moves(Vec<u32>),
}

/// A syntax error in the text of a tree.
#[derive(Debug, Error)]
#[error("line {line}, column {column}: {what}")]
pub struct TreeError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// The error.
    pub what: String,
}

impl DrawnTree {
    /// The root of a tree from its text. The tree stays in memory for the life of the process:
    /// positions are copied freely and own nothing.
    pub fn parse(text: &str) -> Result<DrawnTree, TreeError> {
        let nodes = Parser::default().parse(text)?;
        Ok(DrawnTree {
            deepest: nodes.iter().map(|node| node.ply).max().unwrap_or(0),
            nodes: nodes.leak(),
            here: 0,
        })
    }

    /// Appends the values of the leaves from here on, left to right.
    pub fn leaf_values(&self, values: &mut Vec<i32>) {
        match &self.node().content {
            &Content::Leaf(value) => values.push(value),
            Content::Moves(moves) => moves
                .iter()
                .for_each(|&here| DrawnTree { here, ..*self }.leaf_values(values)),
        }
    }

    fn node(&self) -> &'static TreeNode {
        &self.nodes[self.here as usize]
    }
}

/// Reads the nodes of a tree in preorder.
#[derive(Default)]
struct Parser {
    nodes: Vec<TreeNode>,
    /// The nodes whose brackets are open, and their moves so far.
    open: Vec<(usize, Vec<u32>)>,
    line: usize,
    column: usize,
}

impl Parser {
    fn parse(mut self, text: &str) -> Result<Vec<TreeNode>, TreeError> {
        for (number, line) in text.lines().enumerate() {
            self.line = number + 1;
            let line = line.split('#').next().unwrap_or_default();
            let mut word = String::new();
            for (column, c) in line.chars().chain([' ']).enumerate() {
                if !matches!(c, '(' | ')') && !c.is_whitespace() {
                    word.push(c);
                    continue;
                }
                self.column = column + 1 - word.chars().count();
                self.number(&std::mem::take(&mut word))?;
                self.column = column + 1;
                match c {
                    '(' => {
                        let here = self.push(Content::Moves(Vec::new()))?;
                        self.open.push((here, Vec::new()));
                    }
                    ')' => self.close()?,
                    _ => {}
                }
            }
        }
        match self.open.len() {
            0 if self.nodes.is_empty() => {
                Err(self.error("no tree here, expected ( or a number".into()))
            }
            0 => Ok(self.nodes),
            open => Err(self.error(format!("unexpected end of the text, {open} open brackets"))),
        }
    }

    fn error(&self, what: String) -> TreeError {
        TreeError {
            line: self.line.max(1),
            column: self.column.max(1),
            what,
        }
    }

    fn number(&mut self, word: &str) -> Result<(), TreeError> {
        if word.is_empty() {
            return Ok(());
        }
        let value = word
            .parse::<i32>()
            .ok()
            .filter(|value| (-LARGEST_VALUE..=LARGEST_VALUE).contains(value))
            .ok_or_else(|| {
                let range = format!(
                    "a whole number from -{LARGEST_VALUE} to {LARGEST_VALUE}, or a bracket"
                );
                self.error(format!(
                    "cannot read \"{}\", expected {range}",
                    crate::game::quoted(word)
                ))
            })?;
        self.push(Content::Leaf(value)).map(drop)
    }

    /// Adds a node to the moves of the innermost open node. Returns its index.
    fn push(&mut self, content: Content) -> Result<usize, TreeError> {
        let here = self.nodes.len();
        let plies = self.open.len();
        if plies > MOST_PLIES {
            return Err(self.error(format!("more than {MOST_PLIES} plies deep")));
        }
        match self.open.last_mut() {
            Some((_, moves)) if moves.len() == MOST_MOVES => {
                return Err(self.error(format!("more than {MOST_MOVES} moves in one node")));
            }
            Some((_, moves)) => moves.push(here as u32),
            None if here > 0 => {
                return Err(self.error("a second tree, expected the end of the text".into()));
            }
            None => {}
        }
        self.nodes.push(TreeNode {
            ply: plies as u8,
            content,
        });
        Ok(here)
    }

    fn close(&mut self) -> Result<(), TreeError> {
        match self.open.pop() {
            None => return Err(self.error("a closing bracket too many".into())),
            Some((_, moves)) if moves.is_empty() => {
                return Err(self.error("brackets without a tree in them".into()));
            }
            Some((here, moves)) => self.nodes[here].content = Content::Moves(moves),
        }
        Ok(())
    }
}

impl PartialEq for DrawnTree {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.nodes, other.nodes) && self.here == other.here
    }
}

impl Eq for DrawnTree {}

impl Hash for DrawnTree {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.here.hash(state);
    }
}

impl Game for DrawnTree {
    const NAME: &'static str = "tree";
    const GRAIN: i32 = 1;

    /// The single leaf 0: a tree is set as a position.
    fn start() -> Self {
        static LEAF: [TreeNode; 1] = [TreeNode {
            ply: 0,
            content: Content::Leaf(0),
        }];
        DrawnTree {
            nodes: &LEAF,
            here: 0,
            deepest: 0,
        }
    }

    fn to_move(&self) -> Player {
        Player::BOTH[usize::from(self.node().ply % 2)]
    }

    fn moves(&self) -> MoveList {
        match &self.node().content {
            Content::Leaf(_) => MoveList::new(),
            Content::Moves(moves) => (0..moves.len() as u8).map(Move::to).collect(),
        }
    }

    fn play(&self, m: Move) -> Self {
        match &self.node().content {
            Content::Moves(moves) => DrawnTree {
                here: moves[usize::from(m.square())],
                ..*self
            },
            Content::Leaf(_) => unreachable!("a leaf has no moves"),
        }
    }

    fn final_score(&self) -> Option<Score> {
        match self.node().content {
            Content::Leaf(value) => Some(Score(self.to_move().signed(value))),
            Content::Moves(_) => None,
        }
    }

    fn plies_left(&self) -> u8 {
        self.deepest - self.node().ply
    }

    fn stones(&self) -> i32 {
        i32::from(self.node().ply)
    }

    fn packed(&self) -> [u64; 2] {
        [u64::from(self.here), 0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_trees_are_rejected_with_the_place_of_the_error() {
        for (text, line, column, what) in [
            ("", 1, 1, "no tree here"),
            ("# only a comment", 1, 1, "no tree here"),
            (
                "(1 (2 3)",
                1,
                9,
                "unexpected end of the text, 1 open brackets",
            ),
            ("(1 2))", 1, 6, "closing bracket too many"),
            ("(1 ())", 1, 5, "without a tree"),
            ("(1\n 2x)", 2, 2, "cannot read \"2x\""),
            ("(99999)", 1, 2, "whole number"),
            ("(-2147483648)", 1, 2, "whole number"),
            ("(1 2) 3", 1, 7, "second tree"),
        ] {
            let error = DrawnTree::parse(text).unwrap_err();
            assert!(error.what.contains(what), "{text:?}: {error}");
            assert_eq!(
                (error.line, error.column),
                (line, column),
                "{text:?}: {error}"
            );
        }
        let deep = format!("{}1{}", "(".repeat(200), ")".repeat(200));
        assert!(
            DrawnTree::parse(&deep)
                .unwrap_err()
                .what
                .contains("plies deep")
        );
        let wide = format!("({})", "1 ".repeat(64));
        assert!(
            DrawnTree::parse(&wide)
                .unwrap_err()
                .what
                .contains("63 moves")
        );
    }

    #[test]
    fn uneven_trees_obey_the_invariants_of_games() {
        fn walk(position: DrawnTree) {
            assert_eq!(
                position.moves().is_empty(),
                position.final_score().is_some()
            );
            for m in position.moves() {
                let child = position.play(m);
                assert_eq!(child.plies_left() + 1, position.plies_left());
                assert_ne!(child.to_move(), position.to_move());
                walk(child);
            }
        }
        let root = DrawnTree::parse("(1 (2 (3 4 (5))) # comment\n -6)").unwrap();
        let mut values = Vec::new();
        root.leaf_values(&mut values);
        assert_eq!((root.plies_left(), values), (4, vec![1, 2, 3, 4, 5, -6]));
        walk(root);
        assert_eq!(DrawnTree::parse("7").unwrap().final_score(), Some(Score(7)));
    }
}
