//! Estimates the number of leaves of a proof tree that is too large to build (D. Knuth,
//! "Estimating the Efficiency of Backtrack Programs", 1975).
//!
//! The upper part of the tree is enumerated ([`Front`]): its distinct lowest nodes are the front.
//! [`Front::walk`] goes from a random node of the front to a leaf. The product of the numbers of
//! choices is an unbiased estimate of the number of move sequences from the front to leaves.
//! Different sequences lead to the same position: divided by the number of sequences that lead to
//! its leaf, the product is an unbiased estimate of the number of distinct leaves.

use std::collections::HashMap;
use std::hash::Hash;

use crate::game::rng::Rng;

/// A proof tree: at each node, the children that the proof needs.
pub trait ProofTree {
    type Node: Copy + Eq + Hash;

    /// The children of a node; none: the node is a leaf.
    fn children(&mut self, node: Self::Node) -> Vec<Self::Node>;

    /// Whether the enumeration ends at a node.
    fn is_front(&self, node: Self::Node) -> bool;

    /// Whether a node may be below another or equal to it; `false` is certain.
    fn may_reach(&self, from: Self::Node, to: Self::Node) -> bool;
}

/// A distinct node of the front.
struct FrontNode<N> {
    node: N,
    /// The number of move sequences from the root.
    sequences: f64,
    /// One of these sequences, from the root, without the node.
    above: Vec<N>,
}

/// The enumerated part of a proof tree.
pub struct Front<N> {
    nodes: Vec<FrontNode<N>>,
}

/// A random path to a leaf.
#[derive(Debug)]
pub struct Walk<N> {
    /// The nodes from the root to the leaf.
    pub path: Vec<N>,
    /// An unbiased estimate of the number of leaves of the tree: of the move sequences that lead
    /// from the root to leaves.
    pub sequences: f64,
    /// An unbiased estimate of the number of distinct leaves.
    pub distinct: f64,
}

impl<N: Copy + Eq + Hash> Front<N> {
    /// Enumerates the tree down to the front. All paths to a node must be of equal length.
    pub fn enumerate<T: ProofTree<Node = N>>(tree: &mut T, root: N) -> Front<N> {
        let mut nodes = Vec::new();
        let mut level = vec![FrontNode {
            node: root,
            sequences: 1.0,
            above: Vec::new(),
        }];
        while !level.is_empty() {
            let mut below: Vec<FrontNode<N>> = Vec::new();
            let mut index_of: HashMap<N, usize> = HashMap::new();
            for parent in level {
                let children = if tree.is_front(parent.node) {
                    Vec::new()
                } else {
                    tree.children(parent.node)
                };
                for &child in &children {
                    let index = *index_of.entry(child).or_insert_with(|| {
                        below.push(FrontNode {
                            node: child,
                            sequences: 0.0,
                            above: [parent.above.as_slice(), &[parent.node]].concat(),
                        });
                        below.len() - 1
                    });
                    below[index].sequences += parent.sequences;
                }
                if children.is_empty() {
                    nodes.push(parent);
                }
            }
            level = below;
        }
        Front { nodes }
    }

    /// The number of distinct nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A random path from the root to a leaf, through a uniformly chosen node of the front.
    pub fn walk<T: ProofTree<Node = N>>(&self, tree: &mut T, rng: &mut Rng) -> Walk<N> {
        let chosen = &self.nodes[rng.below(self.nodes.len() as u64) as usize];
        let mut path = [chosen.above.as_slice(), &[chosen.node]].concat();
        let mut weight = self.nodes.len() as f64;
        let mut node = chosen.node;
        loop {
            let children = tree.children(node);
            let Some(&child) = rng.choose(&children) else {
                break;
            };
            weight *= children.len() as f64;
            path.push(child);
            node = child;
        }
        let mut known = HashMap::new();
        let reaching: f64 = self
            .nodes
            .iter()
            .map(|front| count_sequences(tree, front.node, node, &mut known))
            .sum();
        Walk {
            path,
            sequences: weight * chosen.sequences,
            distinct: weight / reaching,
        }
    }
}

/// The number of move sequences from one node to another; `known`: those already counted.
pub fn count_sequences<T: ProofTree>(
    tree: &mut T,
    from: T::Node,
    to: T::Node,
    known: &mut HashMap<T::Node, f64>,
) -> f64 {
    if from == to {
        return 1.0;
    }
    if !tree.may_reach(from, to) {
        return 0.0;
    }
    if let Some(&count) = known.get(&from) {
        return count;
    }
    let children = tree.children(from);
    let count = children
        .into_iter()
        .map(|child| count_sequences(tree, child, to, known))
        .sum();
    known.insert(from, count);
    count
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Subsets of a set of `size` items, one item added per ply, to `depth` items: like a game in
    /// which each square is filled once. At every second ply one item is chosen, by a rule that
    /// depends on the subset. The numbers of children differ, and sequences transpose.
    struct Subsets {
        size: u32,
        depth: u32,
        front: u32,
    }

    impl ProofTree for Subsets {
        type Node = u32;

        fn children(&mut self, set: u32) -> Vec<u32> {
            if set.count_ones() >= self.depth || set % 29 == 28 {
                return Vec::new(); // some leaves are above the others
            }
            let free = (0..self.size).filter(|item| set & 1 << item == 0);
            let all: Vec<u32> = free
                .map(|item| set | 1 << item)
                .filter(|next| next % 5 != 3)
                .collect();
            match set.count_ones() % 2 {
                1 => all
                    .iter()
                    .copied()
                    .min_by_key(|next| next % 13)
                    .into_iter()
                    .collect(),
                _ => all,
            }
        }

        fn is_front(&self, set: u32) -> bool {
            set.count_ones() >= self.front
        }

        fn may_reach(&self, from: u32, to: u32) -> bool {
            from & !to == 0
        }
    }

    /// The numbers of move sequences to leaves and of distinct leaves, by enumeration.
    fn count_leaves<T: ProofTree>(tree: &mut T, root: T::Node) -> (f64, f64) {
        let (mut sequences, mut distinct) = (0.0, HashSet::new());
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            let children = tree.children(node);
            if children.is_empty() {
                sequences += 1.0;
                distinct.insert(node);
            }
            open.extend(children);
        }
        (sequences, distinct.len() as f64)
    }

    /// The mean of some numbers and its standard error.
    fn mean_and_error(values: &[f64]) -> (f64, f64) {
        crate::lab::mean_and_error(values, values.len() - 1)
    }

    #[test]
    fn estimates_are_unbiased() {
        for front in [0, 2, 4] {
            let mut tree = Subsets {
                size: 11,
                depth: 8,
                front,
            };
            let (sequences, distinct) = count_leaves(&mut tree, 0);
            assert!(sequences > 3.0 * distinct, "transpositions");
            let front = Front::enumerate(&mut tree, 0);
            let mut rng = Rng::new(7);
            let walks: Vec<_> = (0..4_000)
                .map(|_| front.walk(&mut tree, &mut rng))
                .collect();
            let estimates =
                |of: fn(&Walk<u32>) -> f64| -> Vec<f64> { walks.iter().map(of).collect() };
            for (exact, (mean, error)) in [
                (sequences, mean_and_error(&estimates(|walk| walk.sequences))),
                (distinct, mean_and_error(&estimates(|walk| walk.distinct))),
            ] {
                assert!(
                    (mean - exact).abs() < 3.5 * error,
                    "{mean} ± {error}, exact {exact}"
                );
                assert!(error < 0.05 * exact, "{mean} ± {error}");
            }
            assert!(walks.iter().all(|walk| walk.path[0] == 0));
        }
    }

    #[test]
    fn a_tree_enumerated_to_its_leaves_is_counted_exactly() {
        let mut tree = Subsets {
            size: 9,
            depth: 6,
            front: 9,
        };
        let (sequences, distinct) = count_leaves(&mut tree, 0);
        let front = Front::enumerate(&mut tree, 0);
        assert_eq!(front.len() as f64, distinct);
        let total: f64 = front.nodes.iter().map(|front| front.sequences).sum();
        assert_eq!(total, sequences);
        let walk = front.walk(&mut tree, &mut Rng::new(1));
        assert_eq!(walk.distinct, distinct);
    }
}
