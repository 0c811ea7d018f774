// Plays Othello against the engine. The engine has the rules: the page draws its answers.
import { open } from "./index.mjs";

const $ = (id) => document.getElementById(id);
const SHAPE = { rows: 8, columns: 8, layers: 1, style: "discs", topFirst: true };
const COLORS = { x: "Black", o: "White" };
const MOVE_TIME = 1000;
const STORE = "nullwindow.othello";

// The settings and the game: its moves and who played them. The browser keeps them.
const kept = { color: "x", strength: 10, hints: false, game: [], ...restore() };
// The state of the position from the engine: the color to move, cells, legal moves, result ("none" before the end).
let position = null;
let engine = null;
// Resolve the queries that wait for an answer, in order.
const queries = [];
// The last search: plies and color to move of its position, lines by depth and rank, scores by move, whether they are proven, the
// best move; while it runs, what ends the wait for it.
let search = null;
// Whether the user has changed something since the position was read; `wake` continues the loop.
let isChanged = false, wake = () => {};

function restore() {
  try {
    return JSON.parse(localStorage.getItem(STORE));
  } catch {
    return {};
  }
}

function keep() {
  try {
    localStorage.setItem(STORE, JSON.stringify(kept));
  } catch {
    // Without storage, a reload begins a new game.
  }
}

// What the engine prints.

function receive(line) {
  const words = line.split(" ");
  const number = (name) => Number(words[words.indexOf(name) + 1]);
  if (words[0] === "response") {
    queries.shift()(words.slice(1).join(" "));
  } else if (words[0] === "bestmove") {
    search.end(words[1]);
  } else if (line.startsWith("info string error: ")) {
    Object.assign($("error"), { textContent: line.slice(12), hidden: false });
    $("loading").hidden = true;
    setText($("status"), "Reload the page to continue.");
  } else if (line === "info string exact") {
    search.isProven = true;
  } else if (words.includes("pv")) {
    const moves = words.slice(words.indexOf("pv") + 1), score = number("cp") / 100;
    const rank = words.includes("multipv") ? number("multipv") : 1;
    if (rank === 1) search.best = moves[0];
    if (words.includes("lowerbound") || words.includes("upperbound")) return;
    const depth = number("depth");
    search.lines.set(`${depth} ${rank}`, { depth, rank, score, moves });
    search.scores.set(moves[0], score);
    draw();
  }
}

function ask(property) {
  engine.send(`query ${property}`);
  return new Promise((resolve) => { queries.push(resolve); });
}

function load() {
  const onProgress = ({ loaded, total }) => {
    Object.assign($("loading"), { hidden: false }, total && { max: total, value: loaded });
    setText($("status"), "The engine loads.");
  };
  return open(receive, { onProgress });
}

// Searches, and returns the best move when the search ends.
async function run(options, limit) {
  for (const [name, value] of Object.entries(options)) engine.send(`setoption name ${name} value ${value}`);
  const done = new Promise((end) => {
    search = { plies: position.plies, mover: position.mover, lines: new Map(), scores: new Map(), best: null, isProven: false, end };
  });
  draw();
  engine.send(`go ${limit}`);
  const move = await done;
  search.end = null;
  draw();
  return move;
}

// Stops the search, if one runs: where it cannot be stopped, its worker ends and a new one is loaded from the browser's cache.
function stop() {
  if (!search?.end) return;
  if (engine.canStop) {
    engine.send("stop");
  } else if (search.best) {
    engine.close();
    engine = null;
    search.end(search.best);
  }
}

// The game.

async function readPosition() {
  if (!engine) {
    engine = await load();
    engine.send("setoption name PassMove value implicit");
  }
  engine.send(`position startpos moves ${kept.game.map(({ move }) => move).join(" ")}`);
  const [fen, first, legal, result] = await Promise.all(["fen", "p1turn", "legalmoves", "result"].map(ask));
  const cells = [...fen.split(" ")[0].replaceAll("/", "").replace(/\d/g, (run) => ".".repeat(run))];
  const plies = kept.game.length;
  const before = position?.plies === plies - 1 ? position.cells : null;
  position = { plies, cells, before, mover: first === "true" ? "x" : "o", legal: legal === "none" ? [] : legal.split(" "), result };
}

function play(move) {
  kept.game.push({ move, by: position.mover });
}

// Changes the game or a setting.
function change(action) {
  action();
  keep();
  if (!$("error").hidden) location.reload(); // the engine answers no more
  isChanged = true;
  draw();
  stop();
  wake();
}

async function main() {
  for (;;) {
    isChanged = false;
    await readPosition();
    if (isChanged) continue;
    $("loading").hidden = true;
    const isOver = position.result !== "none";
    if (search?.plies !== position.plies - 1) search = null;
    draw();
    if (!isOver && position.mover !== kept.color) {
      const move = await run({ Strength: kept.strength, MultiPV: 1 }, `movetime ${MOVE_TIME}`);
      if (!isChanged) {
        play(move);
        keep();
        continue;
      }
    } else if (!isOver && kept.hints) {
      await run({ Strength: 0, MultiPV: 64 }, engine.canStop ? "depth 60" : `movetime ${MOVE_TIME}`);
    }
    if (!isChanged) await new Promise((resolve) => { wake = resolve; });
  }
}

// What the page shows.

const signed = (score) => (score > 0 ? "+" : "") + score;
const isTurn = () => position.plies === kept.game.length && position.result === "none" && position.mover === kept.color;

function status() {
  const { cells, mover, plies, result } = position;
  if (result !== "none" && plies === kept.game.length) {
    const count = (piece) => cells.filter((cell) => cell === piece).length;
    const winner = { p1win: "x", p2win: "o" }[result];
    const outcome = winner ? `You ${winner === kept.color ? "win" : "lose"}` : "A draw";
    return `${outcome}: Black ${count("x")}, White ${count("o")}.`;
  }
  const last = kept.game.at(-1), passed = mover === "x" ? "o" : "x";
  const played = last ? `${COLORS[last.by]} played ${last.move}. ` : "";
  const pass = last?.by === mover ? `${COLORS[passed]} passes. ` : "";
  return `${played}${pass}${isTurn() ? `Your turn (${COLORS[mover]}).` : "nullwindow thinks."}`;
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function draw() {
  if (!position) return;
  const { cells, before, legal, plies } = position;
  const scores = isTurn() && search?.plies === plies ? search.scores : new Map();
  const best = Math.max(...scores.values());
  const marks = [];
  buttons.forEach((button, index) => {
    const { name } = button.dataset, isLegal = isTurn() && legal.includes(name), score = scores.get(name);
    const isScored = isLegal && score !== undefined;
    if (isLegal) {
      const text = isScored ? signed(score) + (search.isProven ? "\u2009\u2713" : "") : "\u25cf";
      marks.push({ index, text, isBest: score === best });
    }
    const hint = isScored ? `, score ${signed(score)}${search.isProven ? ", proven" : ""}` : "";
    button.ariaLabel = `${name}, ${COLORS[cells[index]] ?? (isLegal ? "legal move" : "empty")}${hint}`;
    button.ariaDisabled = String(!isLegal);
  });
  $("board").replaceChildren(drawBoard(SHAPE, cells, before, [], marks));
  setText($("status"), status());
  $("back").disabled = !kept.game.some(({ by }) => by === kept.color);
  $("new").disabled = plies === 0;
  $("now").disabled = !search?.end || isTurn();
  const proven = search?.isProven ? ": proven" : "";
  setText($("search"), search ? `Search for ${COLORS[search.mover]}${proven}` : "Search");
  const lines = [...(search?.lines.values() ?? [])].sort((a, b) => b.depth - a.depth || a.rank - b.rank);
  $("lines").replaceChildren(...lines.slice(0, 16).map(({ depth, score, moves }) => {
    const row = document.createElement("tr");
    for (const text of [depth, signed(score), moves.join(" ")]) row.insertCell().textContent = text;
    row.lastChild.className = "line";
    return row;
  }));
}

// The cells of the board: one of them is in the order of the Tab key, arrow keys lead to the others.
const buttons = [];
for (let row = 0; row < 8; row++) {
  const line = $("cells").appendChild(document.createElement("div"));
  line.role = "row";
  line.ariaLabel = `row ${row + 1}`;
  for (let column = 0; column < 8; column++) {
    const button = line.appendChild(document.createElement("button"));
    button.role = "gridcell";
    button.tabIndex = buttons.length ? -1 : 0;
    const name = button.dataset.name = `${"abcdefgh"[column]}${row + 1}`;
    button.onclick = () => {
      if (button.ariaDisabled === "false") change(() => play(name));
    };
    buttons.push(button);
  }
}
$("cells").onkeydown = (event) => {
  const at = buttons.indexOf(event.target);
  const [right, down] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [0, 0];
  if (!right && !down) return;
  event.preventDefault();
  const column = at % 8 + right, row = Math.floor(at / 8) + down;
  if (column >= 0 && column < 8 && row >= 0 && row < 8) buttons[8 * row + column].focus();
};
$("cells").addEventListener("focusin", ({ target }) => {
  for (const button of buttons) button.tabIndex = button === target ? 0 : -1;
});

for (let strength = 0; strength <= 30; strength++) {
  const text = strength ? `nullwindow, ${strength} ${strength > 1 ? "discs" : "disc"} weaker` : "nullwindow at full strength";
  $("strength").add(new Option(text, strength));
}
for (const name of ["color", "strength"]) {
  $(name).value = kept[name];
  $(name).onchange = () => change(() => { kept[name] = $(name).value; });
}
$("hints").checked = kept.hints;
$("hints").onchange = () => change(() => { kept.hints = $("hints").checked; });
$("new").onclick = () => change(() => { kept.game = []; });
$("back").onclick = () => change(() => { kept.game.length = kept.game.findLastIndex(({ by }) => by === kept.color); });
$("now").onclick = stop;
main();
