// The data of the page: all games in short, the shown game in full, and their texts.
const data = JSON.parse($("data").textContent);
const gameLines = $("game-lines").textContent.split("\n");

// The positions of steps from one on.
function positionsFrom(cells, steps) {
  const positions = [cells];
  for (const { changes } of steps) positions.push(changedCells(positions.at(-1), changes));
  return positions;
}

// Reads a game in full. A step is a move with the cells that it changes; scores are those of the side that moves.
function readGame(index) {
  const { start, steps, moves, won, openings, summary } = JSON.parse(gameLines[index]);
  const step = (at) => {
    const [word, changes] = steps[at].split(" ");
    return { word, changes };
  };
  const game = { ...data.games[index], won: won || [], openings, summary };
  game.moves = moves.map((fields, at) => {
    const [played, player, forced, isOpening, score, bestScore, loss, mark, ...search] = fields;
    const [depth, selectivity, proven, error, nodes, best, lines] = search;
    return {
      ...step(played), ply: at + 1, player, forced, isOpening, score, bestScore, loss, mark, depth, selectivity, proven, error, nodes,
      lines: lines.map(([own, pv], rank) => ({ score: own, isBest: rank < best, steps: pv.map(step) })),
    };
  });
  game.positions = positionsFrom(start.split(""), game.moves);
  return game;
}

const signed = (number, digits) => (number > 0 ? "+" : number < 0 ? "\u2212" : "") + Math.abs(number).toFixed(digits);

// A score: in discs, or, in games won by a line, a win or loss or the evaluation.
function scoreText(score, proven, digits = 2) {
  if (data.discs) return signed(score / data.unit, proven && score % data.unit === 0 ? 0 : digits);
  const [win, least] = data.decided, plies = win - Math.abs(score);
  if (Math.abs(score) >= least) return (score > 0 ? "win" : "loss") + (plies ? ` in ${plies}` : "");
  return proven && score === 0 ? "draw" : signed(score, 0);
}

// The loss of a move: in discs, or, in games won by a line, the change of the result or the difference of the evaluations.
function lossText({ loss, bestScore, score }) {
  if (loss === 0) return "";
  if (data.discs) return (loss / data.unit).toFixed(2);
  const isDecided = [bestScore, score].some((one) => Math.abs(one) >= data.decided[1]);
  if (!isDecided && loss < data.unit) return String(loss);
  const result = (one) => (one === 0 ? "draw" : scoreText(one)).split(" ")[0];
  return `${result(bestScore)} \u2192 ${result(score)}`;
}

// Whether a move is a loss that counts: moves of the given opening are shown, but not charged to the player.
const isLoss = (move) => move.loss > 0 && !move.isOpening;

const lostText = (points) => points.toFixed(1);
const percent = (part, all) => all ? `${Math.round(100 * part / all)}\u00A0%` : "\u2013";
const capitalized = (text) => text[0].toUpperCase() + text.slice(1);
const sideName = (player) => capitalized(data.sides[player]);
const playerName = (game, player) => game.players[player] ?? sideName(player);

// The discs of a finished game, or who won: the record may state it of an unfinished one.
function resultText({ result, outcome, komi }) {
  if (data.discs && result !== null) return (signed(result, 0) || "0") + (komi === null ? "" : `, komi ${komi}`);
  if (outcome === null) return "unfinished";
  return outcome === 0 ? "\u00BD\u2013\u00BD" : outcome > 0 ? "1\u20130" : "0\u20131";
}

// How a score was found.
function searchText({ depth, selectivity, proven, error, nodes }) {
  const parts = [proven ? "proven" : `depth ${depth}` + (selectivity < 100 ? ` at ${selectivity} %` : "")];
  if (!proven && error !== null) parts.push(`mean error ${error.toFixed(1)} discs`);
  if (nodes) parts.push(`${nodes.toLocaleString("en")} nodes`);
  return parts.join(", ");
}

// The piece of a player, as it stands on the board.
function piece(player) {
  const isLetter = data.board.style === "lines", own = "xo"[player];
  const className = `piece ${isLetter ? "letter" : "disc"} ${own}`;
  return element("i", { className, ariaHidden: "true", textContent: isLetter ? own.toUpperCase() : "" });
}

// The piece and the name of a player; without a name, a letter stands for the side.
function player(game, index, ...before) {
  const isLetter = data.board.style === "lines" && !game.players[index];
  return element("span", { className: "name" }, ...before, ...isLetter ? [sideName(index)] : [piece(index), playerName(game, index)]);
}
