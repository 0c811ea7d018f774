// The side panel: the description of a node, its window on a value axis, the windows of an iteration, and the board.

// The name of a node on the path to another one.
function stepName(tree, id) {
  if (tree.type[id] !== VISIT) return labels(tree, id, tree.visits)[0];
  if (tree.move(id)) return tree.move(id);
  return tree.isRoot(id) ? "root" : "verification";
}

// The properties of a visit as a definition list.
function facts(tree, id, done) {
  const known = {
    "to move": tree.max[id] ? "max" : "min",
    "remaining depth": tree.depth[id],
    window: windowText(tree, id),
    visit: `${grouped(id + 1)} of ${grouped(tree.visits)}`,
  };
  if (done) known.nodes = grouped(tree.nodes[id]);
  const items = Object.entries(known).flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)]);
  return element("dl", {}, ...items);
}

// The description of a node as elements. A click on a node of the path calls `choose`.
function details(tree, id, time, choose) {
  const isVisit = tree.type[id] === VISIT, done = tree.isDone(id, time);
  const steps = tree.path(id).map((at) =>
    element("button", { textContent: stepName(tree, at), onclick: () => choose(at) }));
  const [heading, sentences] = done || !isVisit
    ? described(tree, id)
    : [stepName(tree, id), ["Search in progress.", aboutWindow(tree, id)]];
  const parts = [
    element("nav", { id: "path" }, ...steps),
    element("h2", { textContent: heading, className: done ? tree.reason(id) : "" }),
    ...sentences.map((text) => element("p", { textContent: text })),
  ];
  if (isVisit) parts.push(windowDrawing(tree, id, done), facts(tree, id, done));
  else if (tree.isGroup(id)) parts.push(...boundsDrawing(tree, id, choose));
  return parts;
}

// The least and the most of the finite values of visits, and the range of their axis, which has a margin: a share of their span.
function range(tree, visits, share) {
  const all = visits.flatMap((at) => [tree.alpha[at], tree.beta[at], tree.score[at]]);
  const values = all.filter((value) => Math.abs(value) < NO_BOUND);
  const [least, most] = values.length ? [Math.min(...values), Math.max(...values)] : [0, 0];
  const room = Math.max(tree.step, (most - least) * share);
  return { least, most, low: least - room, high: most + room };
}

// Draws the window and the result of a visit on a value axis.
function windowDrawing(tree, id, done) {
  const width = 320, left = 14, right = width - 14, y = 30;
  const near = [id, tree.parent[id], ...tree.children[id]].filter((at) => at >= 0 && tree.type[at] === VISIT);
  const { low, high } = range(tree, near, .25);
  const x = (value) => left + (clamp(value, low, high) - low) / (high - low) * (right - left);
  const root = svg("svg", { viewBox: `0 0 ${width} 58`, width: "100%", class: "window", role: "img", "aria-label": "window and result" });
  const label = (at, text, anchor, dy, name) => {
    svg("text", { x: at, y: y + dy, "text-anchor": anchor, class: name }, root, text);
  };
  const inside = (at, edge) => clamp(at, edge, width - edge);
  svg("line", { x1: left, x2: right, y1: y, y2: y, class: "axis" }, root);
  const [a, b] = [x(tree.alpha[id]), x(tree.beta[id])];
  svg("rect", { x: a, y: y - 9, width: Math.max(3, b - a), height: 18, rx: 3, class: "inside" }, root);
  if (tree.isNullWindow(id)) {
    label(inside((a + b) / 2, 40), windowText(tree, id), "middle", 23, "faint");
  } else {
    const near = b - a < 70;
    label(Math.max(4, a), scoreText(tree.alpha[id]), a < 40 ? "start" : near ? "end" : "middle", 23, "faint");
    const anchor = b > width - 40 ? "end" : near ? "start" : "middle";
    label(Math.min(width - 4, b), scoreText(tree.beta[id]), anchor, 23, "faint");
  }
  if (done) {
    // A bound is a ray.
    const at = x(tree.score[id]), to = { "≥": right, "≤": left, "=": at }[tree.bound(id)];
    svg("line", { x1: at, x2: to, y1: y, y2: y, class: `known ${tree.reason(id)}` }, root);
    svg("circle", { cx: at, cy: y, r: 5, class: `value ${tree.reason(id)}` }, root);
    label(inside(at, 30), resultText(tree, id), "middle", -14, "result");
  }
  return root;
}

// Draws the windows of a search or an iteration: one column per window, with the known bounds of the value as a band.
function boundsDrawing(tree, id, choose) {
  const passes = tree.roots.filter((root) => tree.path(root).includes(id));
  if (passes.length < 2) return [];
  const width = 320, height = 150, left = 46, top = 10, bottom = height - 22;
  const { least, most, low, high } = range(tree, passes, .12);
  const y = (value) => bottom - (clamp(value, low, high) - low) / (high - low) * (bottom - top);
  const step = (width - 8 - left) / passes.length;
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, width: "100%", class: "bounds", role: "img", "aria-label": "windows of the iteration" });
  let lower = low, upper = high, iteration = -1;
  passes.forEach((pass, index) => {
    if (tree.parent[pass] !== iteration) [lower, upper, iteration] = [low, high, tree.parent[pass]];
    const score = tree.score[pass], bound = tree.bound(pass), x = left + index * step;
    if (bound !== "≤") lower = Math.max(lower, score);
    if (bound !== "≥") upper = Math.min(upper, score);
    const group = svg("g", { class: "pass" }, root), [x1, wide] = [x + step * .12, step * .76];
    svg("rect", { x, y: top, width: step, height: bottom - top, class: "hit" }, group);
    const band = { x: x1, width: wide, y: y(upper), height: Math.max(2, y(lower) - y(upper)), class: "band" };
    svg("rect", band, group);
    const asked = y((tree.alpha[pass] + tree.beta[pass]) / 2);
    svg("line", { x1, x2: x1 + wide, y1: asked, y2: asked, class: "asked" }, group);
    const kind = { "≥": "low", "≤": "up", "=": "exact" }[bound];
    svg("circle", { cx: x + step / 2, cy: y(score), r: Math.min(5, step * .3), class: kind }, group);
    svg("title", {}, group, `window ${index + 1}: ${windowText(tree, pass)} ${resultText(tree, pass)}`);
    if (passes.length <= 14) {
      const place = { x: x + step / 2, y: height - 7, "text-anchor": "middle", class: "faint" };
      svg("text", place, group, String(index + 1));
    }
    group.onclick = () => choose(pass);
  });
  for (const value of [least, most]) {
    svg("text", { x: left - 5, y: y(value) + 4, "text-anchor": "end", class: "faint" }, root, scoreText(value));
  }
  const caption = "Windows in search order. Line: window. Dot: result. Band: bounds of the value after the search.";
  return [element("figure", {}, root, element("figcaption", { textContent: caption }))];
}
