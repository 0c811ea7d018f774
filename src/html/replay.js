// What pages that replay games share: buttons and keys, the axes of score graphs, the list of games.

// Connects the buttons (data-go) and keys of a replay. `at` and `last` return the shown and the last step, `show` shows one;
// `keys` has functions of further keys. Returns the function that executes the command of a button.
function controlReplay({ at, last, show, keys = {} }) {
  let timer = null;
  const stop = () => {
    clearInterval(timer);
    timer = null;
  };
  const go = (where) => {
    const isPlaying = timer !== null;
    stop();
    if (where !== "play") {
      show({ first: 0, back: at() - 1, forward: at() + 1, last: last() }[where]);
    } else if (!isPlaying) {
      if (at() >= last()) show(0);
      timer = setInterval(() => {
        show(at() + 1);
        if (at() >= last()) stop();
      }, 500);
    }
  };
  document.querySelectorAll("[data-go]").forEach((button) => { button.onclick = () => go(button.dataset.go); });
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (target.tagName === "INPUT" || event.ctrlKey || event.altKey || event.metaKey) return;
    // The space bar presses a focused button.
    if (key === " " && ["BUTTON", "SUMMARY"].includes(target.tagName)) return;
    const where = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", " ": "play" }[key];
    if (!where && !keys[key]) return;
    event.preventDefault();
    if (where) go(where);
    else keys[key]();
  });
  return go;
}

// The name of the opening after a number of plies; game.openings has the plies to each name that the game reached.
const openingAt = (one, plies) => (one.openings.findLast(([reached]) => reached <= plies) || [0, ""])[1];

// Scrolls a list, not the page, so that an item of it is visible, below the header of a table.
function scrollToItem(list, item) {
  const box = list.getBoundingClientRect(), own = item.getBoundingClientRect();
  const top = box.top + (list.querySelector("th")?.offsetHeight ?? 0);
  if (own.top < top || own.bottom > box.bottom) {
    list.scrollTop += own.top - top - Math.max(0, (box.bottom - top - own.height) / 2);
  }
}

// Draws the axes of a score graph into a frame (left, right, top, bottom) and returns its scales: x of a ply, y of a score,
// and the ply at a place of the window.
// Scores beyond `most` are drawn at the edge. `unit` is the score that a tick calls 1.
function drawScoreAxes(root, { left, right, top, bottom }, most, unit, plies) {
  const x = (ply) => left + ply / plies * (right - left);
  const y = (score) => (top + bottom) / 2 - clamp(score / most, -1, 1) * (bottom - top) / 2;
  const step = [1, 2, 5, 10, 20, 50].map((n) => n * unit).find((step) => most / step <= 4.2) || Math.ceil(most / 4);
  for (let tick = -Math.floor(most / step) * step; tick <= most; tick += step) {
    svg("line", { x1: left, x2: right, y1: y(tick), y2: y(tick), class: tick ? "axis" : "zero" }, root);
    const text = (tick > 0 ? "+" : "") + tick / unit;
    svg("text", { x: left - 5, y: y(tick) + 4, "text-anchor": "end", class: "faint" }, root, text);
  }
  for (let ply = 0; ply <= plies; ply += plies > 20 ? 10 : 5) {
    svg("text", { x: x(ply), y: bottom + 18, "text-anchor": "middle", class: "faint" }, root, String(ply));
  }
  const plyAt = (place) => {
    const box = root.getBoundingClientRect();
    return Math.round(((place - box.left) / box.width * root.viewBox.baseVal.width - left) / (right - left) * plies);
  };
  return { x, y, plyAt };
}

// The list of games: the rows whose text contains all words of the filter, 200 at first. `text` and `row` return the text and
// the table row of a game's index, `order` sorts the indices, `drawn` receives them. Returns the function that draws the list.
function listGames(count, { text, row, order = (found) => found, drawn = () => {} }) {
  let most = 200;
  const draw = () => {
    const wanted = $("filter").value.toLowerCase().split(/\s+/).filter((word) => word);
    const found = [];
    for (let index = 0; index < count; index++) {
      const own = wanted.length ? text(index).toLowerCase() : "";
      if (wanted.every((word) => own.includes(word))) found.push(index);
    }
    const sorted = order(found);
    $("shown").textContent = `${found.length} of ${count}`;
    document.querySelector("#games tbody").replaceChildren(...sorted.slice(0, most).map(row));
    $("more").hidden = found.length <= most;
    drawn(sorted);
  };
  $("filter").oninput = () => { most = 200; draw(); };
  $("more").onclick = () => { most += 1000; draw(); };
  return draw;
}
