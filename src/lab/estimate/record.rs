//! The record of an estimate: JSON lines, first the conditions of the run, then a line for each
//! sampled proof tree and for each search of a leaf.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::leaf_search::LeafProof;
use crate::commands::claims::Claim;

/// The conditions that all lines share.
#[derive(Debug, Serialize, Deserialize)]
pub struct EstimateConditions {
    pub version: String,
    pub game: String,
    pub options: Vec<(String, String)>,
    /// SHA-256 of the file of claims.
    pub claims: String,
    pub seed: u64,
    pub leaf_empties: u8,
    pub front_empties: u8,
    pub walks: u32,
    pub leaves: u32,
}

/// Identifies a claim of the file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct ClaimLine {
    /// The line in the file.
    pub n: usize,
    pub claim: Claim,
}

/// A line of the record.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum EstimateLine {
    Tree(SampledTree),
    Leaf(SearchedLeaf),
    Shared(SharedLeaf),
}

/// A sampled proof tree.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SampledTree {
    #[serde(flatten)]
    pub key: ClaimLine,
    pub position: String,
    /// The number of distinct positions at the end of the enumeration.
    pub front: usize,
    /// The estimated numbers of leaves and of distinct leaves.
    pub sequences: f64,
    pub distinct: f64,
    /// Leaves drawn from the walks in proportion to their estimates of distinct leaves.
    pub leaves: Vec<SampledLeaf>,
    /// The searches that chose moves, their nodes and CPU time in seconds.
    pub choices: u64,
    pub nodes: u64,
    pub cpu: f64,
}

/// A drawn leaf.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SampledLeaf {
    /// The number of times that it was drawn.
    pub times: u32,
    /// The moves from the claim's position, without passes.
    pub moves: String,
    /// The heuristic score for the claimant minus the claimed bound, in discs.
    pub margin: f64,
}

/// A search of a leaf.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SearchedLeaf {
    #[serde(flatten)]
    pub key: ClaimLine,
    /// The index among the leaves of the tree.
    pub leaf: usize,
    /// The node limit of each search.
    pub limit: u64,
    pub position: String,
    #[serde(flatten)]
    pub proof: LeafProof,
}

/// The trees that share a leaf.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SharedLeaf {
    #[serde(flatten)]
    pub key: ClaimLine,
    /// The index among the leaves of the tree.
    pub leaf: usize,
    /// The number of claims whose trees have it or a symmetric image of it; each image counts.
    pub trees: u32,
}

/// Identifies a line: a leaf by its index in the tree, a search of it also by its limit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum EstimateKey {
    Tree(ClaimLine),
    Leaf(ClaimLine, usize, u64),
    Shared(ClaimLine, usize),
}

impl EstimateLine {
    pub fn key(&self) -> EstimateKey {
        match self {
            EstimateLine::Tree(tree) => EstimateKey::Tree(tree.key),
            EstimateLine::Leaf(leaf) => EstimateKey::Leaf(leaf.key, leaf.leaf, leaf.limit),
            EstimateLine::Shared(leaf) => EstimateKey::Shared(leaf.key, leaf.leaf),
        }
    }
}

/// The lines of a record: the trees by claim, and of each leaf the searches by limit and the number
/// of trees that share it.
pub struct EstimateRows<'l> {
    pub trees: HashMap<ClaimLine, &'l SampledTree>,
    pub searches: HashMap<(ClaimLine, usize), BTreeMap<u64, &'l SearchedLeaf>>,
    pub shared: HashMap<(ClaimLine, usize), u32>,
}

impl<'l> EstimateRows<'l> {
    pub fn of(lines: impl IntoIterator<Item = &'l EstimateLine>) -> EstimateRows<'l> {
        let (mut trees, mut searches) = (HashMap::new(), HashMap::<_, BTreeMap<_, _>>::new());
        let mut shared = HashMap::new();
        for line in lines {
            match line {
                EstimateLine::Tree(tree) => drop(trees.insert(tree.key, tree)),
                EstimateLine::Leaf(leaf) => {
                    let known = searches.entry((leaf.key, leaf.leaf)).or_default();
                    known.insert(leaf.limit, leaf);
                }
                EstimateLine::Shared(leaf) => {
                    shared.insert((leaf.key, leaf.leaf), leaf.trees);
                }
            }
        }
        EstimateRows {
            trees,
            searches,
            shared,
        }
    }
}
