// What is said of a node in plain words. All scores are those of the player at the root, who is called max.

const MINUS = "\u2212";

// A score as people read it: points on boards of discs, decided games by the ply at which they end.
function scoreText(score, unit) {
  if (Math.abs(score) >= NO_BOUND) return score > 0 ? "+∞" : `${MINUS}∞`;
  if (unit === 1 && Math.abs(score) >= 10000 - 64) return `${score > 0 ? "win" : "loss"} at ${10000 - Math.abs(score)}`;
  const number = String(Math.abs(score) / unit);
  return (score < 0 ? MINUS : "") + number;
}

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");
const counted = (number, one, many) => `${grouped(number)} ${number === 1 ? one : many || `${one}s`}`;

function windowText(tree, id) {
  const { unit } = tree.data;
  return `(${scoreText(tree.alpha[id], unit)}, ${scoreText(tree.beta[id], unit)})`;
}

function resultText(tree, id) {
  return `${tree.bound(id)} ${scoreText(tree.score[id], tree.data.unit)}`;
}

// What is saved by not searching moves: leaves of minimax; NaN if they are too many to count.
const savedLeaves = (skipped) => skipped.reduce((sum, one) => one.leaves < 0 ? NaN : sum + one.leaves, 0);

// A move in a sentence.
const named = (tree, id) => tree.data.board ? tree.move(id) : `move ${tree.move(id)}`;

const LEAVES = ["static", "finished"];
const SHORT_REASONS = {
  cut: "cut", table: "table", child: "table", proven: "proven", statistical: "predicted", kernel: "kernel",
};

// The two short lines on a node of the drawing.
function labels(tree, id, time) {
  const { type, of, data: { unit } } = tree;
  if (type[id] === SEARCH) return [tree.search.name, counted(tree.search.iterations.length, "iteration")];
  if (type[id] === ITERATION) {
    const { depth, selectivity, guess } = of[id];
    const how = guess === null ? "endgame solver" : `guess ${scoreText(guess, unit)}`;
    return [`depth ${depth}${selectivity < 100 ? ` at ${selectivity} %` : ""}`, how];
  }
  if (type[id] === SKIPPED) {
    const words = of[id].map((one) => one.word), saved = savedLeaves(of[id]);
    const list = words.length > 4 ? `${words.slice(0, 3).join(" ")} + ${words.length - 3}` : words.join(" ");
    return [`✂ ${list}`, isNaN(saved) ? "not searched" : `saves ${counted(saved, "leaf", "leaves")}`];
  }
  if (type[id] === LEFT_OUT) return [`… ${counted(of[id], "visit")}`, "left out of the page"];
  const mark = { [RE_SEARCH]: "↻ ", [VERIFICATION]: "? " }[tree.kind[id]] || "";
  const name = mark + (tree.move(id) || (tree.isRoot(id) ? "root" : `depth ${tree.depth[id]}`));
  if (!tree.isDone(id, time)) return [`${name}  …`, windowText(tree, id)];
  const reason = tree.reason(id), first = `${name}  ${resultText(tree, id)}`;
  return [first, LEAVES.includes(reason) ? reason : `${windowText(tree, id)} ${SHORT_REASONS[reason] || ""}`];
}

// The window of a visit as a sentence.
function aboutWindow(tree, id) {
  const { alpha, beta, data: { unit } } = tree;
  const low = scoreText(alpha[id], unit), high = scoreText(beta[id], unit);
  if (tree.isNullWindow(id)) return `A null window: it asks whether the value is at least ${high} or at most ${low}.`;
  const hasLow = alpha[id] > -NO_BOUND, hasHigh = beta[id] < NO_BOUND;
  if (!hasLow && !hasHigh) return "The window is open: the exact value is wanted, whatever it is.";
  const known = [];
  if (hasLow) known.push(`max already has ${low} elsewhere`);
  if (hasHigh) known.push(`min can already hold max to ${high}`);
  return `Only a value inside of ${windowText(tree, id)} would change anything: ${known.join(", and ")}.`;
}

// How a visit came to be.
function aboutKind(tree, id) {
  if (tree.kind[id] === RE_SEARCH) {
    return "A re-search: the null window before has shown that this move is better than the best one so far, " +
      "but not by how much; now with an open window.";
  }
  if (tree.kind[id] === VERIFICATION) {
    const depth = counted(tree.depth[id], "ply", "plies");
    return `The same position as above, only ${depth} deep: its value predicts whether the deep one misses the window.`;
  }
  return "";
}

// How a cut came about: what the last move showed, and why that is enough.
function aboutCut(tree, id, last, score) {
  const { data: { unit } } = tree, isMax = tree.max[id];
  const low = scoreText(tree.alpha[id], unit), high = scoreText(tree.beta[id], unit);
  const by = last === undefined ? "a move" : named(tree, last);
  const gives = isMax ? `${by} gives max at least ${score}` : `${by} holds max to ${score}`;
  if (tree.isNullWindow(id)) {
    return `${gives}, which answers the question: ${isMax ? `at least ${high}` : `at most ${low}`}`;
  }
  return isMax
    ? `${gives}, and min will not let it come to this: min has ${high} elsewhere`
    : `${gives}, and max will not go here: max has ${low} elsewhere`;
}

// Why no move was good enough, all of them being searched.
function aboutFailure(tree, id) {
  const { data: { unit } } = tree, isMax = tree.max[id];
  const low = scoreText(tree.alpha[id], unit), high = scoreText(tree.beta[id], unit);
  if (tree.isNullWindow(id)) return isMax ? `none gives max ${high}` : `none holds max to ${low}`;
  return isMax
    ? `none gives max more than the ${low} that max has elsewhere`
    : `none holds max below the ${high} that min has elsewhere`;
}

// Why a visit ended.
function aboutEnd(tree, id) {
  const score = scoreText(tree.score[id], tree.data.unit), bound = tree.bound(id);
  const known = bound === "=" ? `is ${score}` : `is at ${bound === "≥" ? "least" : "most"} ${score}`;
  const kids = tree.children[id].filter((kid) => tree.type[kid] === VISIT && tree.kind[kid] !== VERIFICATION);
  const last = kids[kids.length - 1];
  switch (tree.reason(id)) {
    case "cut": return `A cut: ${aboutCut(tree, id, last, score)}. ${aboutSaved(tree, id)}`;
    case "table": return `The table knew it: an earlier search has found that the value ${known}.`;
    case "child": return `The table knew a child well enough: the value ${known}, before any move was searched.`;
    case "static": return `The depth is used up: the evaluation says ${score}.`;
    case "finished": return `${tree.data.board ? "The game is over" : "A leaf of the tree"}: ${score}.`;
    case "proven": return `Proven without a search, by discs that can never be flipped: the value ${known}.`;
    case "statistical": return `A statistical cut: it is likely, though not certain, that the value ${known}.`;
    case "kernel":
      return `Solved by the kernel of the last plies, in ${counted(tree.nodes[id], "node")} that are not drawn one by ` +
        `one: the value ${known}.`;
  }
  if (tree.leftOut.has(id)) return `The moves were searched: the value ${known}.`;
  if (tree.children[id].length === 1) return `There is but one move, ${named(tree, last)}: the value ${known}.`;
  if (bound !== "=") return `All moves were searched, and ${aboutFailure(tree, id)}: the value ${known}.`;
  const best = kids.find((kid) => tree.score[kid] === tree.score[id]);
  return `All moves were searched: the value ${known}${best === undefined ? "" : ` by ${named(tree, best)}`}.`;
}

// What a cut has saved.
function aboutSaved(tree, id) {
  const skipped = tree.skipped.get(id) || [], saved = savedLeaves(skipped);
  if (!skipped.length) return "It was the last move, so that nothing is saved.";
  const moves = counted(skipped.length, "move is", "moves are");
  return `${moves} not searched${isNaN(saved) ? "" : `, which saves ${counted(saved, "leaf", "leaves")} of minimax`}.`;
}

function aboutIteration(tree, id) {
  const { data: { unit }, of } = tree, { depth, selectivity, guess, nodes, value, pv } = of[id];
  const result = `Value ${scoreText(value, unit)}, ${counted(nodes, "node")}. Variation: ${pv.join(" ")}`;
  const heading = `Iteration to depth ${depth}`;
  if (guess === null) return [heading, ["The exact endgame solver took over; its tree is not recorded.", result]];
  const windows = counted(tree.children[id].length, "window");
  return [heading, [
    `It began with the first guess ${scoreText(guess, unit)} and took ${windows} to close in on the value.`,
    selectivity < 100
      ? `Statistical cuts are made, at the level of ${selectivity} %.`
      : "Full width: no statistical cuts.",
    result,
  ]];
}

// What is said of a node: a heading, and sentences.
function described(tree, id) {
  const { type, of, data: { unit }, search } = tree;
  if (type[id] === SEARCH) {
    const { iterations, visits, nodes } = search, { value } = iterations[iterations.length - 1];
    const counts = [counted(iterations.length, "iteration"), counted(visits, "visit"), counted(nodes, "node")];
    return [search.name, [`${counts.join(", ")}: value ${scoreText(value, unit)}.`]];
  }
  if (type[id] === ITERATION) return aboutIteration(tree, id);
  if (type[id] === SKIPPED) {
    const moves = of[id].map(({ word, leaves, nodes }) => {
      if (leaves < 0) return word;
      return `${word} (${counted(leaves, "leaf", "leaves")}${nodes > 1 ? `, ${counted(nodes, "node")}` : ""})`;
    });
    const saved = `${aboutSaved(tree, tree.parent[id])} Below each, minimax would visit:`;
    return ["Cut off, not searched", [saved, moves.join(", ")]];
  }
  if (type[id] === LEFT_OUT) {
    return ["Left out", [`${counted(of[id], "visit")} below this node are left out of the page.`]];
  }
  const heading = `${tree.move(id) || (tree.isRoot(id) ? "Root" : "Verification")}  ${resultText(tree, id)}`;
  const isLeaf = LEAVES.includes(tree.reason(id));
  const sentences = [aboutKind(tree, id), isLeaf ? "" : aboutWindow(tree, id), aboutEnd(tree, id)];
  return [heading, sentences.filter((text) => text)];
}
