// The shown game and position: board, status, lines, moves, controls.
let shown = 0, game = null, ply = 0;
// Whether the board shows the position before the move of the ply: a loss that was chosen, beside the better move.
let isBefore = false;
// The line that is shown instead of the game: the ply where it leaves the game, its steps and their positions, and how many
// are played.
let line = null;

function openGame(index, wanted) {
  shown = index;
  game = readGame(index);
  const number = data.games.length > 1 ? `Game ${index + 1}: ` : "";
  $("game-title").replaceChildren(number, player(game, 0), " \u2013 ", player(game, 1), `, ${resultText(game)}`);
  const lost = [0, 1].map((player) => `${playerName(game, player)} lost ${lostText(game.lost[player])}`);
  const facts = [game.event, game.date, game.opening && `opening: ${game.opening}`, `${lost.join(", ")} ${data.points}`];
  if (data.games.length > 1) facts.push(`${game.file}, game ${game.number}`);
  $("facts").textContent = facts.filter((fact) => fact).join(" \u00B7 ");
  if (game.contradiction) {
    $("facts").append(element("strong", { className: "bad" }, ` \u00B7 ${game.contradiction}`));
  }
  drawMoves();
  drawSummary(game, index, choose);
  games.select(index);
  choose(wanted ?? 0);
}

// The ply of the position on the board.
const boardPly = () => isBefore ? ply - 1 : ply;

// What the board shows: the line or the game.
const shownLine = () => line || { steps: game.moves, positions: game.positions, at: boardPly() };

// Shows the position after a ply of the game.
function show(wanted, before = false) {
  line = null;
  ply = clamp(wanted, 0, game.moves.length);
  isBefore = before && ply > 0;
  draw();
}

// Shows a move: after it, or if it loses, before it.
function choose(wanted) {
  show(wanted, Boolean(game.moves[wanted - 1] && isLoss(game.moves[wanted - 1])));
}

// Shows a line that leaves the game at a ply, with some of its steps played.
function showLine(from, steps, at) {
  if (at <= 0) return show(from);
  line = { from, steps, positions: positionsFrom(game.positions[from], steps), at: Math.min(at, steps.length) };
  [ply, isBefore] = [from, false];
  draw();
}

function draw() {
  drawPosition();
  drawStatus();
  drawLines();
  drawGraph(game, boardPly());
  const rows = $("moves").tBodies[0].rows;
  for (const row of rows) {
    const isNow = Number(row.dataset.ply) === ply;
    row.classList.toggle("now", isNow);
    row.ariaCurrent = isNow ? "true" : null;
    row.querySelector("button").tabIndex = isNow ? 0 : -1;
  }
  scrollToItem($("moves-box"), rows[ply]);
  $("leave").disabled = !line;
  $("best").disabled = Boolean(line) || !game.moves[boardPly()];
  $("error-back").disabled = !nearestLoss(-1);
  $("error-forward").disabled = !nearestLoss(1);
}

// The cell that a step fills.
function filledCell(cells, changes) {
  const after = changedCells(cells, changes);
  return after.findIndex((piece, index) => cells[index] === "." && piece !== ".");
}

function drawPosition() {
  const { steps, positions, at } = shownLine(), cells = positions[at], next = steps[at];
  const won = !line && at === game.moves.length ? game.won : [];
  const marks = new Map();
  if (!line && next) {
    for (const { score, isBest, steps } of next.lines) {
      const index = filledCell(cells, steps[0].changes);
      const text = scoreText(score, next.proven, 1).replace(" in ", " "); // five characters fit
      marks.set(steps[0].word, { index, text, isBest, steps });
    }
  }
  if (next) {
    const own = marks.get(next.word) || { index: filledCell(cells, next.changes), text: "" };
    marks.set(next.word, { ...own, isPlayed: true });
  }
  const shownMarks = [...marks.values()].filter(({ index }) => index >= 0);
  $("board").replaceChildren(drawBoard(data.board, cells, at > 0 ? positions[at - 1] : null, won, shownMarks));
  document.querySelectorAll("#board .mark").forEach((node, number) => {
    const { isPlayed, steps } = shownMarks[number];
    node.onclick = () => isPlayed ? go("forward") : showLine(at, steps, 1);
  });
  $("board").firstChild.ariaLabel = `board after ${line ? `${line.at} moves of the line from ply ${line.from}` : `ply ${at}`}: ` +
    `${countPieces(cells, "x")} ${data.sides[0]}, ${countPieces(cells, "o")} ${data.sides[1]}`;
}

// The words of a line as buttons; the one that is shown is marked.
function lineButtons(from, steps) {
  const isShown = line && line.steps === steps;
  const buttons = steps.map(({ word }, at) => {
    const isNow = isShown && line.at === at + 1;
    const button = element("button", { className: `step${isNow ? " now" : ""}`, textContent: word });
    button.ariaCurrent = isNow ? "true" : null;
    button.onclick = () => {
      showLine(from, steps, at + 1);
      // The button was drawn again.
      document.querySelector("button.step.now")?.focus({ preventScroll: true });
    };
    return button;
  });
  return element("span", { className: "steps" }, ...buttons);
}

const MARKS = { "?!": "inaccuracy", "?": "mistake", "??": "blunder" };

function drawStatus() {
  const { positions, at } = shownLine(), cells = positions[at];
  const parts = [];
  if (line) {
    const { player: mover, proven, lines } = game.moves[line.from], { score } = lines.find(({ steps }) => steps === line.steps);
    const title = `Line after ply ${line.from}, move ${line.at} of ${line.steps.length}: ${line.steps[line.at - 1].word}`;
    const value = `; ${scoreText(score, proven)} for ${playerName(game, mover)}`;
    parts.push(element("p", {}, element("strong", {}, title), value));
  } else if (ply) {
    const move = game.moves[ply - 1], { word, mark, loss, forced } = move;
    const title = element("strong", { className: "name" }, `${ply}. `, piece(move.player), mark ? `${word} ${mark}` : word);
    const own = element("p", {}, title, ` by ${playerName(game, move.player)}: ${scoreText(move.score, move.proven)}`);
    if (forced) own.append(", forced");
    else if (move.isOpening) own.append(`, of the given opening${loss ? ` (loses ${lossText(move)})` : ""}`);
    else if (loss === 0) own.append(", a best move");
    else own.append(lossText(move).includes("\u2192") ? ", " : ", lost ", lossText(move), mark ? ` (${MARKS[mark]})` : "");
    own.append(`; ${searchText(move)}`);
    parts.push(own);
    const better = `better (${scoreText(move.bestScore, move.proven)}): `;
    if (loss) parts.push(element("p", {}, better, lineButtons(ply - 1, move.lines[0].steps)));
  } else {
    parts.push(element("p", {}, element("strong", {}, "Start of the game")));
  }
  const discs = data.discs ? `${capitalized(data.sides[0])} ${countPieces(cells, "x")}, ${data.sides[1]} ${countPieces(cells, "o")}` : "";
  const opening = line ? "" : openingAt(game, ply);
  parts.push(element("p", { className: "faint" }, [discs, opening].filter((text) => text).join(" \u00B7 ")));
  $("where").replaceChildren(...parts);
}

// The scored moves of the position with their lines.
function drawLines() {
  const from = boardPly(), move = game.moves[from];
  if (!move) {
    const text = `${game.result === null ? "The record ends here" : "The game is over"}: ${resultText(game)}`;
    $("lines").replaceChildren(element("h3", {}, text));
    return;
  }
  const search = element("span", { className: "faint" }, `; ${move.forced ? "one legal move; " : ""}${searchText(move)}`);
  const title = element("h3", {}, player(game, move.player, `Ply ${move.ply}, `), " to move", search);
  const items = move.lines.map(({ score, isBest, steps }) => {
    const isPlayed = steps[0].word === move.word;
    const tags = [isBest && "best", isPlayed && "played"].filter((tag) => tag).join(", ");
    const value = element("b", {}, scoreText(score, move.proven)), note = element("span", { className: "faint" }, tags);
    return element("li", { className: isBest ? "best" : "" }, value, lineButtons(from, steps), note);
  });
  $("lines").replaceChildren(title, element("ol", {}, ...items));
}

function drawMoves() {
  const row = (at, cells, label, mark) => {
    const own = element("tr", { onclick: () => choose(at), className: mark === "??" ? "blunder" : "" });
    own.append(...cells.map((content) => element("td", {}, content)));
    own.cells[2].replaceChildren(element("button", { className: "link", ariaLabel: label }, cells[2]));
    own.dataset.ply = at;
    return own;
  };
  const rows = game.moves.map((move) => row(move.ply, [
    `${move.ply}.`, piece(move.player), move.word, scoreText(move.score, move.proven), move.isOpening ? "" : lossText(move), move.mark,
    move.isOpening ? "opening" : move.forced ? "forced" : move.proven ? "proven" : `${move.depth}${move.selectivity < 100 ? `@${move.selectivity}%` : ""}`,
  ], `${move.ply}. ${move.word}`, move.mark));
  $("moves").tBodies[0].replaceChildren(row(0, ["0.", "", "start", "", "", "", ""], "start of the game", ""), ...rows);
}

// The nearest move with a loss before (-1) or after (1) the shown ply.
function nearestLoss(direction) {
  const losses = game.moves.filter((move) => isLoss(move) && direction * (move.ply - ply) > 0);
  return direction > 0 ? losses[0] : losses.at(-1);
}

function jumpToLoss(direction) {
  const move = nearestLoss(direction);
  if (move) choose(move.ply);
}

function playBest() {
  const move = game.moves[boardPly()];
  if (!line && move) showLine(boardPly(), move.lines[0].steps, 1);
}

function openNeighbor(step) {
  const next = games.neighbor(shown, step);
  if (next !== undefined && next !== shown) openGame(next);
}

const games = buildGameList((index) => openGame(index));
const many = data.games.length > 1;
const go = controlReplay({
  at: () => shownLine().at,
  last: () => shownLine().steps.length,
  show: (at) => line ? showLine(line.from, line.steps, at) : show(at),
  keys: {
    m: () => jumpToLoss(1), M: () => jumpToLoss(-1), b: playBest, Escape: () => line && show(line.from),
    ...many ? { n: () => openNeighbor(1), p: () => openNeighbor(-1), "/": () => $("filter").focus() } : {},
  },
});
$("error-back").onclick = () => jumpToLoss(-1);
$("error-forward").onclick = () => jumpToLoss(1);
$("best").onclick = playBest;
$("leave").onclick = () => show(line.from);
const toPointer = (event) => show($("graph").plyAt(event.clientX));
$("graph").onpointerdown = (event) => {
  $("graph").setPointerCapture(event.pointerId);
  toPointer(event);
};
$("graph").onpointermove = (event) => { if (event.buttons & 1) toPointer(event); };
new ResizeObserver(() => drawGraph(game, boardPly())).observe($("graph"));

$("conditions").textContent = `${capitalized(data.conditions)}. Scores${data.discs ? " in discs" : ""} are for the side that moves, ` +
  "those of the graph for the first player.";
const marks = data.marks.map(([least, mark]) => `${mark} (${MARKS[mark]}) loses at least ${least} ${data.points}`);
$("marks").textContent = marks.join(", ") +
  ". On the board, a plate marks the best moves and a dashed frame the move played.";
document.body.classList.toggle("many", many);
drawPlayers((name) => {
  $("filter").value = name;
  $("filter").oninput();
  $("list").scrollIntoView();
});
// Opens the game of the address (#game=12&ply=30), else the first one.
function openAddress() {
  const named = /game=(\d+)(?:&ply=(\d+))?/.exec(location.hash);
  const index = named ? Number(named[1]) - 1 : 0;
  openGame(data.games[index] ? index : 0, named && named[2] !== undefined ? Number(named[2]) : undefined);
}
addEventListener("hashchange", openAddress);
games.draw();
openAddress();
