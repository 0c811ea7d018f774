// The score graph of the shown game from the first player's point of view: the score with its mean error, and the losses.

// The score after each ply, the first player's; `error` is null where it was not measured.
function scoresByPly(game) {
  const own = (move, score) => ({ score: move.player ? -score : score, error: move.error, proven: move.proven });
  const start = game.moves.slice(0, 1).map((move) => own(move, move.bestScore));
  return [...start, ...game.moves.map((move) => own(move, move.score))];
}

// Draws the graph with a cursor at a ply.
function drawGraph(game, ply) {
  const box = $("graph"), width = Math.max(260, box.clientWidth), height = 256, n = Math.max(1, game.moves.length);
  const frame = { left: 44, right: width - 10, top: 8, bottom: 170 }, middle = 222, reach = 28;
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, width: "100%", "aria-hidden": "true" });
  const points = scoresByPly(game), unit = data.discs ? data.unit : 1;
  const top = (point) => Math.abs(point.score) + (point.error || 0) * unit;
  const open = points.map(top).filter((score) => data.discs || score < data.decided[1]);
  const most = 1.05 * Math.max(data.discs ? 2 * unit : 10, ...open);
  const { x, y, plyAt } = drawScoreAxes(root, frame, most, unit, n);

  // The band: one polygon per run of plies with a measured error.
  let run = [];
  const close = () => {
    const edge = (side) => run.map(([at, { score, error }]) => `${x(at)},${y(score + side * error * unit)}`);
    if (run.length > 1) svg("polygon", { points: [...edge(1), ...edge(-1).reverse()].join(" "), class: "band" }, root);
    run = [];
  };
  points.forEach((point, at) => { if (point.error === null) close(); else run.push([at, point]); });
  close();

  svg("polyline", { points: points.map(({ score }, at) => `${x(at)},${y(score)}`).join(" "), class: "curve" }, root);
  points.forEach(({ score, proven }, at) => {
    svg("circle", { cx: x(at), cy: y(score), r: 2.6, class: proven ? "point proven" : "point" }, root);
  });

  // The losses: those of the first player point downwards, as they lower the score.
  const largest = Math.max(data.discs ? 4 * data.unit : 1, ...game.moves.filter(isLoss).map((move) => move.loss));
  const wide = Math.max(1.5, Math.min(12, .65 * (x(1) - x(0))));
  svg("line", { x1: frame.left, x2: frame.right, y1: middle, y2: middle, class: "zero" }, root);
  svg("text", { x: frame.left - 5, y: middle + 4, "text-anchor": "end", class: "faint" }, root, "loss");
  for (const { ply: at, loss, player } of game.moves.filter(isLoss)) {
    const high = Math.max(1.5, reach * loss / largest), up = player === 1;
    const bar = { x: x(at) - wide / 2, y: up ? middle - high : middle, width: wide, height: high };
    svg("rect", { ...bar, class: up ? "loss second" : "loss first" }, root);
  }

  svg("line", { x1: x(ply), x2: x(ply), y1: 2, y2: height - 4, class: "cursor" }, root);
  if (points[ply]) svg("circle", { cx: x(ply), cy: y(points[ply].score), r: 5, class: "now" }, root);
  box.replaceChildren(root);
  box.ariaValueMin = 0;
  box.ariaValueMax = game.moves.length;
  box.ariaValueNow = ply;
  box.ariaValueText = points[ply]
    ? `ply ${ply}: ${scoreText(points[ply].score, points[ply].proven)} for ${playerName(game, 0)}`
    : `ply ${ply}`;
  box.plyAt = plyAt;
  drawLegend(game, points);
}

// Explains what the graph of the game shows.
function drawLegend(game, points) {
  const item = (sample, text) => {
    return element("span", {}, element("i", { className: `sample ${sample}`, ariaHidden: "true" }), text);
  };
  const items = [item("curve", `score, + for ${playerName(game, 0)}`)];
  if (points.some((point) => point.proven)) items.push(item("dot", "proven"));
  if (points.some((point) => point.error > 0)) items.push(item("band", "± mean error"));
  if (game.moves.some((move) => move.loss)) {
    items.push(item("first", `loss of ${playerName(game, 0)} (down)`), item("second", `loss of ${playerName(game, 1)} (up)`));
  }
  $("legend").replaceChildren(...items);
}
