// Viewer for the games of a tournament report: board and score graph in SVG, and the list of games.
const data = JSON.parse($("data").textContent);

// A move: [word, changes, ms, clock ms, depth, score ({cp} or {mate}), nodes, origin, mover (0 first, 1 second)].
const WORD = 0, CHANGES = 1, MS = 2, CLOCK = 3, DEPTH = 4, SCORE = 5, NODES = 6, ORIGIN = 7, MOVER = 8;
let game = null, ply = 0, positions = [];

function opened(index) {
  game = data.games[index];
  positions = [game.start.split("")];
  for (const move of game.moves) positions.push(changedCells(positions[positions.length - 1], move[CHANGES]));
  const names = data.engines;
  $("viewer").hidden = false;
  $("game-title").textContent =
    `Game ${game.number}: ${names[game.p1]} – ${names[game.p2]}, ${resultText(game)}` +
    (game.detail ? ` – ${game.detail}` : "");
  $("moves").replaceChildren(...game.moves.map((move, i) => {
    const button = element("button", { textContent: move[WORD], onclick: () => show(i + 1) });
    if (move[ORIGIN] !== "engine") button.className = "book";
    return element("li", {}, button);
  }));
  document.querySelectorAll("#games tr.now").forEach((row) => row.classList.remove("now"));
  const row = document.querySelector(`#games tr[data-index="${index}"]`);
  if (row) row.classList.add("now");
  show(positions.length - 1);
}

function jumpTo(index) {
  opened(index);
  $("viewer").scrollIntoView({ behavior: "smooth" });
}

const winner = (one) => ({ p1win: data.engines[one.p1], p2win: data.engines[one.p2], draw: "draw", none: "-" })[one.result];
const reason = (one) => one.reason === "normal" ? "" : one.reason;

// "A wins by 12 discs", "draw, adjudicated".
function resultText(one) {
  const discs = one.discs ? ` by ${Math.abs(one.discs)} discs` : "";
  const result = { draw: "draw", none: "no result" }[one.result] || `${winner(one)} wins${discs}`;
  return reason(one) ? `${result}, ${reason(one)}` : result;
}

function show(wanted) {
  ply = clamp(wanted, 0, positions.length - 1);
  // Marks the winning line in the last position.
  const line = ply === positions.length - 1 && game.line || [];
  // A game without rules has no board.
  if (data.board) $("board").replaceChildren(drawBoard(data.board, positions[ply], ply > 0 ? positions[ply - 1] : null, line));
  drawGraph();
  const items = $("moves").children;
  for (let i = 0; i < items.length; i++) items[i].classList.toggle("now", i + 1 === ply);
  if (ply > 0) scrollToItem($("moves"), items[ply - 1]);
  $("where").replaceChildren(...described());
}

function described() {
  const side = (engine, index) =>
    `${data.engines[engine]} (${data.board ? `${data.pieces[index]}) ${countPieces(positions[ply], "xo"[index])}` : `${["first", "second"][index]} player)`}`;
  const lines = [`${side(game.p1, 0)}, ${side(game.p2, 1)}`];
  if (ply > 0) {
    const move = game.moves[ply - 1];
    const by = data.engines[move[MOVER] ? game.p2 : game.p1];
    const parts = [`ply ${ply}: ${move[WORD]} by ${by}`];
    if (move[ORIGIN] !== "engine") parts.push(move[ORIGIN]);
    if (move[MS] !== null) parts.push(`${move[MS]} ms`);
    if (move[CLOCK] !== null) parts.push(`${(move[CLOCK] / 1000).toFixed(2)} s left`);
    if (move[DEPTH] !== null) parts.push(`depth ${move[DEPTH]}`);
    if (move[SCORE] !== null) parts.push(`score ${scoreText(move[SCORE])}`);
    if (move[NODES] !== null) parts.push(`${move[NODES].toLocaleString("en")} nodes`);
    lines.unshift(parts.join(", "));
  }
  const opening = openingAt(game, ply);
  if (opening) lines.push(`opening: ${opening}`);
  return lines.map((line) => element("div", {}, line));
}

const scoreText = (score) => "mate" in score ? `M${score.mate}` : (score.cp >= 0 ? "+" : "") + (score.cp / 100).toFixed(2);

// Both sides' scores by ply from the first player's point of view, on a linear scale. Decided games (a mate, or a score
// beyond what a board has squares) are drawn at the edge.
const DECIDED = 9000;
function drawGraph() {
  const width = 460, height = 200, frame = { left: 44, right: width - 8, top: 8, bottom: 178 };
  const n = Math.max(1, game.moves.length);
  const value = (move) => {
    if (move[SCORE] === null) return null;
    const own = "cp" in move[SCORE] ? move[SCORE].cp : move[SCORE].mate < 0 ? -Infinity : Infinity;
    return move[MOVER] ? -own : own;
  };
  const open = game.moves.map(value).filter((v) => v !== null && Math.abs(v) < DECIDED);
  const most = 1.05 * Math.max(200, ...open.map(Math.abs));
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, width: "100%", role: "img", "aria-label": "score by ply" });
  const { x, y, plyAt } = drawScoreAxes(root, frame, most, 100, n);
  const legend = element("div", { className: "legend" }, `score by ply, + for ${data.engines[game.p1]}:`);
  for (const [side, color] of [[0, "var(--a)"], [1, "var(--b)"]]) {
    const scores = game.moves.map((move, i) => [i + 1, value(move), move[MOVER]]);
    const own = scores.filter((p) => p[1] !== null && p[2] === side);
    if (own.length) {
      const points = own.map((p) => `${x(p[0])},${y(p[1])}`).join(" ");
      svg("polyline", { points, fill: "none", stroke: color, "stroke-width": 1.6 }, root);
      for (const p of own) svg("circle", { cx: x(p[0]), cy: y(p[1]), r: 2.1, fill: color }, root);
    }
    const label = element("span", {}, `\u25CF ${data.engines[side ? game.p2 : game.p1]}`);
    label.style.color = color;
    legend.append(label);
  }
  const cursor = { x1: x(ply), x2: x(ply), y1: 0, y2: 182 };
  svg("line", { ...cursor, stroke: "var(--faint)", "stroke-dasharray": "3 3" }, root);
  root.onclick = (event) => show(plyAt(event.clientX));
  $("graph").replaceChildren(root, legend);
}

const go = controlReplay({ at: () => ply, last: () => positions.length - 1, show: (at) => { if (game) show(at); } });

const hasDiscs = data.games.some((one) => one.discs !== null);
if (!hasDiscs) document.querySelector("#games th.discs").remove();
const hasNames = data.games.some((one) => one.openings.length);
if (!hasNames) document.querySelector("#games th.opening").remove();
const list = listGames(data.games.length, {
  text: (index) => {
    const one = data.games[index], opening = openingAt(one, Infinity);
    return `${one.number} ${data.engines[one.p1]} ${data.engines[one.p2]} ${opening} ${resultText(one)}`;
  },
  row: (index) => {
    const one = data.games[index], row = element("tr", { onclick: () => jumpTo(index) });
    row.dataset.index = index;
    const discs = one.discs === null ? "" : (one.discs > 0 ? "+" : "") + one.discs;
    const [first, second] = [data.engines[one.p1], data.engines[one.p2]];
    const texts = [one.number, one.round, first, second, winner(one), reason(one),
      ...(hasNames ? [openingAt(one, Infinity)] : []), ...(hasDiscs ? [discs] : []),
      one.moves.length, one.seconds.toFixed(2)];
    for (const text of texts) row.insertCell().textContent = text;
    // For the keyboard; a click reaches the row.
    row.cells[0].replaceChildren(element("button", { ariaLabel: `open game ${one.number}` }, one.number));
    row.classList.toggle("now", one === game);
    if (hasNames) row.cells[6].className = "opening left";
    if (one.abnormal) row.classList.add("bad");
    return row;
  },
});
document.querySelectorAll("[data-open]").forEach((button) => {
  button.onclick = () => jumpTo(Number(button.dataset.open));
});
list();
// Opens the game named in the address (#game=12), else the first of the list.
const named = /game=(\d+)(?:&ply=(\d+))?/.exec(location.hash);
const first = named ? data.games.findIndex((one) => one.number === Number(named[1])) : 0;
if (first >= 0 && data.games.length) {
  opened(first);
  if (named && named[2]) show(Number(named[2]));
}
