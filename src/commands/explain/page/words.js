// The texts that describe a node. Scores are from the point of view of the root player, max.

const MINUS = "\u2212";

// A score as text: in points if the game is played with discs; a decided game by the ply at which it ends.
function scoreText(score) {
  if (Math.abs(score) >= NO_BOUND) return score > 0 ? "+∞" : `${MINUS}∞`;
  if (data.unit === 1 && Math.abs(score) >= 10000 - 64) return `${score > 0 ? "win" : "loss"} at ${10000 - Math.abs(score)}`;
  const number = String(Math.abs(score) / data.unit);
  return (score < 0 ? MINUS : "") + number;
}

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");
const counted = (number, one, many) => `${grouped(number)} ${number === 1 ? one : many || `${one}s`}`;

function windowText(tree, id) {
  return `(${scoreText(tree.alpha[id])}, ${scoreText(tree.beta[id])})`;
}

function resultText(tree, id) {
  return `${tree.bound(id)} ${scoreText(tree.score[id])}`;
}

// The minimax leaves saved by skipped moves; NaN if there are too many to count.
const savedLeaves = (skipped) => skipped.reduce((sum, one) => one.leaves < 0 ? NaN : sum + one.leaves, 0);

// A move in a sentence.
const named = (tree, id) => data.board ? tree.move(id) : `move ${tree.move(id)}`;

const LEAVES = ["static", "finished"];
const SHORT_REASONS = {
  cut: "cut", table: "table", child: "table", proven: "proven", statistical: "predicted", kernel: "kernel",
};

// The two short lines on a node of the drawing.
function labels(tree, id, time) {
  const { type, of } = tree;
  if (type[id] === SEARCH) return [tree.search.name, counted(tree.search.iterations.length, "iteration")];
  if (type[id] === ITERATION) {
    const { depth, selectivity, guess } = of[id];
    const how = guess === null ? "endgame solver" : `guess ${scoreText(guess)}`;
    return [`depth ${depth}${selectivity < 100 ? `, ${selectivity} %` : ""}`, how];
  }
  if (type[id] === SKIPPED) {
    const words = of[id].map((one) => one.word), saved = savedLeaves(of[id]);
    const list = words.length > 4 ? `${words.slice(0, 3).join(" ")} + ${words.length - 3}` : words.join(" ");
    return [`✂ ${list}`, isNaN(saved) ? "not searched" : `saves ${counted(saved, "leaf", "leaves")}`];
  }
  if (type[id] === LEFT_OUT) return [`… ${counted(of[id], "visit")}`, "not shown"];
  const mark = { [RE_SEARCH]: "↻ ", [VERIFICATION]: "? " }[tree.kind[id]] || "";
  const name = mark + (tree.move(id) || (tree.isRoot(id) ? "root" : `depth ${tree.depth[id]}`));
  if (!tree.isDone(id, time)) return [`${name}  …`, windowText(tree, id)];
  const reason = tree.reason(id), first = `${name}  ${resultText(tree, id)}`;
  return [first, LEAVES.includes(reason) ? reason : `${windowText(tree, id)} ${SHORT_REASONS[reason] || ""}`];
}

// Describes the window of a visit.
function aboutWindow(tree, id) {
  const { alpha, beta } = tree;
  const low = scoreText(alpha[id]), high = scoreText(beta[id]);
  if (tree.isNullWindow(id)) return `Null window: is the value at least ${high} or at most ${low}?`;
  const hasLow = alpha[id] > -NO_BOUND, hasHigh = beta[id] < NO_BOUND;
  if (!hasLow && !hasHigh) return "Full window: the search returns the exact value.";
  const known = [];
  if (hasLow) known.push(`max has at least ${low} elsewhere`);
  if (hasHigh) known.push(`min can limit max to ${high} elsewhere`);
  return `Only a value inside ${windowText(tree, id)} matters: ${known.join(", and ")}.`;
}

// Describes the kind of a visit.
function aboutKind(tree, id) {
  if (tree.kind[id] === RE_SEARCH) {
    return "Re-search: the null-window search failed high, so this move is better than the best one before it. " +
      "A wider window finds its value.";
  }
  if (tree.kind[id] === VERIFICATION) {
    const depth = counted(tree.depth[id], "ply", "plies");
    return `Verification search: ${depth} deep, to predict whether the deep search fails high or low.`;
  }
  return "";
}

// Explains a cut: the result of the last move, and why no other move matters.
function aboutCut(tree, id, last, score) {
  const isMax = tree.max[id];
  const low = scoreText(tree.alpha[id]), high = scoreText(tree.beta[id]);
  const by = last === undefined ? "a move" : named(tree, last);
  const gives = isMax ? `${by} gives max at least ${score}` : `${by} limits max to ${score}`;
  if (tree.isNullWindow(id)) {
    return `${gives}, so the value is ${isMax ? `at least ${high}` : `at most ${low}`}`;
  }
  return isMax
    ? `${gives}; min avoids this node, because min can limit max to ${high} elsewhere`
    : `${gives}; max avoids this node, because max has at least ${low} elsewhere`;
}

// Explains a node where every move failed low.
function aboutFailure(tree, id) {
  const isMax = tree.max[id];
  const low = scoreText(tree.alpha[id]), high = scoreText(tree.beta[id]);
  if (tree.isNullWindow(id)) return isMax ? `none gives max ${high}` : `none limits max to ${low}`;
  return isMax
    ? `none gives max more than the ${low} available elsewhere`
    : `none limits max to less than the ${high} available elsewhere`;
}

// Explains why a visit returned.
function aboutEnd(tree, id) {
  const score = scoreText(tree.score[id]), bound = tree.bound(id);
  const known = bound === "=" ? `is ${score}` : `is at ${bound === "≥" ? "least" : "most"} ${score}`;
  const kids = tree.children[id].filter((kid) => tree.type[kid] === VISIT && tree.kind[kid] !== VERIFICATION);
  const last = kids.at(-1);
  switch (tree.reason(id)) {
    case "cut": return `Cutoff: ${aboutCut(tree, id, last, score)}. ${aboutSaved(tree, id)}`;
    case "table": return `Table entry of an earlier search: the value ${known}.`;
    case "child": return `Table entry of a child (enhanced transposition cutoff): the value ${known}. No move was searched.`;
    case "static": return `Depth 0: the evaluation returns ${score}.`;
    case "finished": return `${data.board ? "The game is over" : "A leaf of the tree"}: ${score}.`;
    case "proven": return `Proven by stable discs: the value ${known}.`;
    case "statistical": return `Statistical cut: the value probably ${known}.`;
    case "kernel":
      return `Solved by the leaf kernel in ${counted(tree.nodes[id], "node")}, not drawn: the value ${known}.`;
  }
  if (tree.leftOut.has(id)) return `All moves were searched: the value ${known}.`;
  if (tree.children[id].length === 1) return `Only one move, ${named(tree, last)}: the value ${known}.`;
  if (bound !== "=") return `All moves were searched; ${aboutFailure(tree, id)}: the value ${known}.`;
  const best = kids.find((kid) => tree.score[kid] === tree.score[id]);
  return `All moves were searched: the value ${known}${best === undefined ? "" : ` by ${named(tree, best)}`}.`;
}

// Describes the savings of a cut.
function aboutSaved(tree, id) {
  const skipped = tree.skipped.get(id) || [], saved = savedLeaves(skipped);
  if (!skipped.length) return "It was the last move, so the cut saves nothing.";
  const moves = counted(skipped.length, "move is", "moves are");
  return `${moves} not searched${isNaN(saved) ? "" : `: ${counted(saved, "minimax leaf", "minimax leaves")} saved`}.`;
}

function aboutIteration(tree, id) {
  const { depth, selectivity, guess, nodes, value, pv } = tree.of[id];
  const result = `Value ${scoreText(value)}, ${counted(nodes, "node")}. PV: ${pv.join(" ")}`;
  const heading = `Iteration to depth ${depth}`;
  if (guess === null) return [heading, ["Solved by the endgame solver; its tree is not recorded.", result]];
  const windows = counted(tree.children[id].length, "null-window search", "null-window searches");
  return [heading, [
    `First guess ${scoreText(guess)}; ${windows}.`,
    selectivity < 100
      ? `Statistical cuts at selectivity level ${selectivity} %.`
      : "Full width: no statistical cuts.",
    result,
  ]];
}

// The description of a node: a heading and sentences.
function described(tree, id) {
  const { type, of, search } = tree;
  if (type[id] === SEARCH) {
    const { iterations, visits, counters } = search, { value } = iterations.at(-1);
    const counts = [counted(iterations.length, "iteration"), counted(visits, "visit"), counted(counters.nodes, "node")];
    return [search.name, [`${counts.join(", ")}: value ${scoreText(value)}.`]];
  }
  if (type[id] === ITERATION) return aboutIteration(tree, id);
  if (type[id] === SKIPPED) {
    const moves = of[id].map(({ word, leaves, nodes }) => {
      if (leaves < 0) return word;
      return `${word} (${counted(leaves, "leaf", "leaves")}${nodes > 1 ? `, ${counted(nodes, "node")}` : ""})`;
    });
    const saved = `${aboutSaved(tree, tree.parent[id])} Minimax nodes below each move:`;
    return ["Moves cut off", [saved, moves.join(", ")]];
  }
  if (type[id] === LEFT_OUT) {
    return ["Not shown", [`The page does not show ${counted(of[id], "visit")} below this node.`]];
  }
  const heading = `${tree.move(id) || (tree.isRoot(id) ? "Root" : "Verification")}  ${resultText(tree, id)}`;
  const isLeaf = LEAVES.includes(tree.reason(id));
  const sentences = [aboutKind(tree, id), isLeaf ? "" : aboutWindow(tree, id), aboutEnd(tree, id)];
  return [heading, sentences.filter((text) => text)];
}
