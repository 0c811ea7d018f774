// The page: selection, replay, search, keys and controls, and two searches side by side.

let palette = {};

// A color of the style sheet.
function color(name) {
  palette[name] ??= getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  return palette[name];
}

// Describes the node under the pointer, else the selected one.
function point(view, id) {
  if (view.pointed === id) return;
  view.pointed = id;
  view.redraw();
  if (id >= 0) describe(view, id);
  else describe(active, active.chosen);
}

// Expands or collapses a node, which keeps its place on the screen.
function toggle(view, id) {
  const before = view.onCanvas(id);
  view.tree.folded[id] = view.tree.folded[id] ? 0 : 1;
  view.layout();
  const after = view.onCanvas(id);
  view.pan(after.x - before.x, after.y - before.y);
  if (!view.isDrawn(view.chosen)) choose(view, id);
}

const trees = data.searches.map((search) => new Tree(search));
const LAST = Math.max(...trees.map((tree) => tree.visits));
const views = trees.map((tree) => {
  const ariaLabel = `search tree of ${tree.search.name}: arrow keys move, Enter expands or collapses`;
  const canvas = element("canvas", { tabIndex: 0, role: "application", ariaLabel });
  canvas.setAttribute("aria-describedby", "about");
  const caption = element("div", { className: "caption only-two", textContent: tree.search.name });
  $("trees").append(element("div", { className: "pane" }, caption, canvas));
  const view = new View(canvas, tree);
  canvas.addEventListener("focus", () => { active = view; });
  return view;
});
let active = views[0], time = LAST, timer = null;
let found = [], foundAt = -1, kind = null;

// In a comparison, the visits whose move sequence is missing in the other search.
if (views.length > 1) {
  trees.forEach((tree, index) => {
    views[index].alone = new Set(tree.ids.filter((id) => trees[1 - index].byKey(tree.key(id)) === undefined));
  });
}

// Selects a node: expands its ancestors, scrolls to it, and selects its counterpart in the other tree.
function choose(view, id, follow = true) {
  active = view;
  if (!view.isDrawn(id)) {
    view.tree.reveal(id);
    view.layout();
  }
  view.chosen = id;
  view.show(id);
  if (follow && views.length > 1) {
    const other = views[1 - views.indexOf(view)], like = other.tree.byKey(view.tree.key(id));
    if (like !== undefined) choose(other, like, false);
    active = view;
  }
  describe(view, id);
}

function describe(view, id) {
  const { tree } = view;
  const name = views.length > 1 ? [element("p", { className: "faint", textContent: tree.search.name })] : [];
  $("about").replaceChildren(...name, ...details(tree, id, view.time, (at) => choose(view, at)));
  if (!data.board) return;
  const { cells, before } = tree.cells(id);
  $("board").replaceChildren(drawBoard(data.board, cells, before, []));
}

// Replay: shows the state after `wanted` visits have started.
function setTime(wanted, follow = true) {
  time = clamp(wanted, 1, LAST);
  $("slider").value = time;
  const all = grouped(LAST);
  $("when").textContent = time === LAST ? `all ${all} visits` : `visit ${grouped(time)} of ${all}`;
  for (const view of views) {
    view.time = Math.min(time, view.tree.visits);
    view.layout();
    const isOver = view.time === view.tree.visits;
    if (isOver && !view.isDrawn(view.chosen)) view.chosen = view.tree.top;
    if (isOver || !follow) continue;
    view.chosen = view.time - 1;
    view.show(view.chosen);
  }
  describe(active, active.chosen);
}

function play() {
  if (timer) {
    clearInterval(timer);
    timer = null;
  } else {
    if (time === LAST) setTime(1);
    // A long search replays in two minutes.
    const stride = Math.max(1, Math.round(LAST / 300));
    timer = setInterval(() => {
      setTime(time + stride);
      if (time === LAST) play();
    }, 400);
  }
  $("play").textContent = timer ? "❚❚" : "▶";
  $("play").ariaLabel = timer ? "pause" : "play";
}

// Marks the nodes that match the search text.
function find() {
  const words = $("search").value.trim().toLowerCase().split(/[\s,]+/).filter((word) => word);
  words.reverse();
  found = words.length ? views.flatMap((view) => {
    return view.tree.ids.filter((id) => view.tree.matches(id, words)).map((id) => ({ view, id }));
  }) : [];
  foundAt = -1;
  mark();
  $("found").textContent = !words.length ? "" : found.length ? counted(found.length, "match", "matches") : "no match";
}

// Marks the matches, else the visits of the selected kind, and dims all others.
function mark() {
  for (const view of views) {
    const ids = $("search").value.trim()
      ? found.filter((one) => one.view === view).map((one) => one.id)
      : kind && view.tree.ids.filter((id) => kind.has(view, id));
    view.marked = ids && new Set(ids);
    view.redraw();
  }
}

// Selects the next or previous match.
function toFind(step) {
  if (!found.length) return;
  foundAt = foundAt < 0 && step < 0 ? found.length - 1 : (foundAt + step + found.length) % found.length;
  const { view, id } = found[foundAt];
  if (view.time < view.tree.visits) setTime(LAST);
  choose(view, id);
  $("found").textContent = `${grouped(foundAt + 1)} of ${grouped(found.length)}`;
}

// Selects a neighbor of the selected node in the drawing.
function walk(key) {
  const { tree, chosen } = active, parent = tree.parent[chosen], kids = tree.drawn(chosen, active.time);
  if (key === "ArrowLeft" && parent >= 0) choose(active, parent);
  if (key === "ArrowRight" && kids.length) choose(active, kids[0]);
  else if (key === "ArrowRight" && tree.children[chosen].length) toggle(active, chosen);
  if (key !== "ArrowUp" && key !== "ArrowDown") return;
  // The next node above or below in the same column.
  const way = key === "ArrowDown" ? 1 : -1, distance = (id) => way * (tree.order[id] - tree.order[chosen]);
  const ahead = active.nodes.filter((id) => tree.column[id] === tree.column[chosen] && distance(id) > 0);
  if (ahead.length) choose(active, ahead.reduce((best, id) => distance(id) < distance(best) ? id : best));
}

function setFolded(folded) {
  active.tree.setFolded(active.chosen, folded);
  active.layout();
  choose(active, active.chosen);
}

function toDifference() {
  if (!data.difference) return;
  setTime(LAST);
  const { isIteration, at } = data.difference;
  views.forEach((view, index) => {
    if (at[index] !== null) choose(view, isIteration ? view.tree.nodeOf(at[index]) : at[index], false);
  });
  views.forEach((view) => view.center(view.chosen));
  active = views[0];
  describe(active, active.chosen);
}

const KEYS = {
  Enter: () => toggle(active, active.chosen),
  "*": () => setFolded(false),
  "_": () => setFolded(true),
  "+": () => active.zoom(1.25),
  "=": () => active.zoom(1.25),
  "-": () => active.zoom(.8),
  "0": () => active.fit(false),
  ",": () => setTime(time - 1),
  ".": () => setTime(time + 1),
  Home: () => setTime(1),
  End: () => setTime(LAST),
  " ": play,
  "/": () => $("search").focus(),
  n: () => toFind(1),
  N: () => toFind(-1),
  d: toDifference,
};
for (const key of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]) KEYS[key] = () => walk(key);

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (target === $("search")) {
    if (key === "Enter") toFind(event.shiftKey ? -1 : 1);
    if (key === "Escape") {
      target.value = "";
      find();
      active.canvas.focus();
    }
    return;
  }
  // The slider and the buttons handle these keys.
  if (target === $("slider") && (key.startsWith("Arrow") || key === "Home" || key === "End")) return;
  if (["BUTTON", "SUMMARY"].includes(target.tagName) && (key === " " || key === "Enter")) return;
  if (!Object.hasOwn(KEYS, key)) return;
  KEYS[key]();
  event.preventDefault();
});

$("slider").max = LAST;
$("slider").oninput = () => setTime(Number($("slider").value));
$("search").oninput = find;
document.querySelectorAll("[data-key]").forEach((button) => { button.onclick = KEYS[button.dataset.key]; });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  palette = {};
  views.forEach((view) => view.redraw());
});
document.body.classList.toggle("two", views.length > 1);
summary(toDifference);
legend(views, (wanted) => {
  kind = wanted;
  mark();
});
setTime(LAST, false);
