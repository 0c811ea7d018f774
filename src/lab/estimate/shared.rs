//! Leaves that several proof trees have in common, which a proof of all claims searches once.

use std::collections::HashMap;

use super::claim_tree::{ClaimTree, LowerBound, MoveChooser};
use super::knuth::count_sequences;
use crate::games::any::AnyPosition;

/// The number of trees that have a leaf or a symmetric image of it; a tree counts for each image.
/// `trees`: the roots and bounds of the claims. Only trees of the same bound count: the leaf of
/// another one is another search.
pub fn count_trees(
    trees: impl Iterator<Item = (AnyPosition, LowerBound)>,
    bound: LowerBound,
    leaf: AnyPosition,
    leaf_empties: u8,
    chooser: &mut MoveChooser<'_>,
) -> u32 {
    let images = leaf.images();
    let mut tree = ClaimTree {
        bound,
        leaf_empties,
        front_empties: leaf_empties,
        chooser,
    };
    let mut count = 0;
    for (root, _) in trees.filter(|(_, other)| *other == bound) {
        for &image in &images {
            let sequences = count_sequences(&mut tree, root, image, &mut HashMap::new());
            count += u32::from(sequences > 0.0);
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::engine::options::Options;
    use crate::game::Game;
    use crate::game::rng::Rng;
    use crate::game::score::Score;
    use crate::games::reversi::Othello6;
    use crate::lab::estimate::claim_tree::after;
    use crate::lab::estimate::knuth::ProofTree;

    /// The canonical leaves of a tree, by enumeration.
    fn leaves(tree: &mut ClaimTree<'_, '_>, root: AnyPosition) -> HashSet<AnyPosition> {
        let mut found = HashSet::new();
        let mut open = vec![root];
        while let Some(position) = open.pop() {
            let children = tree.children(position);
            if children.is_empty() {
                found.insert(position);
            }
            open.extend(children);
        }
        found
    }

    #[test]
    fn shared_leaves_are_counted_as_by_enumeration() {
        const LEAF: u8 = 13;
        let mut rng = Rng::new(4);
        let mut parent = AnyPosition::from(Othello6::start());
        while parent.plies_left() > 18 {
            parent = after(parent, *rng.choose(&parent.moves()).unwrap());
        }
        let bound = LowerBound {
            claimant: parent.to_move(),
            score: Score::ZERO,
        };
        let other = LowerBound {
            score: Score(200),
            ..bound
        };
        // The positions after two moves have successors in common; one stands there twice, once as
        // its image, and once with another bound.
        let moves = parent.moves();
        let after_one = moves.iter().map(|&m| after(parent, m));
        let mut roots: Vec<AnyPosition> = after_one
            .flat_map(|next| {
                next.moves()
                    .to_vec()
                    .into_iter()
                    .map(move |m| after(next, m))
            })
            .collect();
        roots.push(roots[0].images()[3]);
        let mut trees: Vec<(AnyPosition, LowerBound)> =
            roots.iter().map(|&root| (root, bound)).collect();
        trees.push((roots[0], other));

        let options = Options::default();
        let mut chooser = MoveChooser::new(&options);
        let mut tree = ClaimTree {
            bound,
            leaf_empties: LEAF,
            front_empties: LEAF,
            chooser: &mut chooser,
        };
        let all: Vec<HashSet<AnyPosition>> =
            roots.iter().map(|&root| leaves(&mut tree, root)).collect();
        let mut most = 0;
        for &leaf in all[0].iter().take(20) {
            let has = |images: &[AnyPosition], leaves: &HashSet<AnyPosition>| {
                images.iter().filter(|image| leaves.contains(image)).count()
            };
            let images = leaf.images();
            let expected: usize = all.iter().map(|leaves| has(&images, leaves)).sum();
            let found = count_trees(trees.iter().copied(), bound, leaf, LEAF, &mut chooser);
            assert_eq!(found as usize, expected, "{}", leaf.write_position());
            most = most.max(found);
        }
        assert!(
            most > 2,
            "a leaf of the tree, of its image and of another tree"
        );
    }
}
