// The page header: the result and the node counts, and a legend of return reasons that marks visits in the tree.

const REASON_NAMES = {
  searched: "all moves searched", cut: "cutoff", table: "table entry", child: "child table entry", static: "static value",
  finished: "game over", proven: "proven bound", statistical: "statistical cut", kernel: "leaf kernel",
};

// The kinds of visits in the legend: a color name, a text, and a predicate.
const KINDS = [
  ...data.reasons.map((name, index) => ({ name, text: REASON_NAMES[name], has: ({ tree }, id) => tree.why[id] === index })),
  { name: "again", text: "re-search", has: ({ tree }, id) => tree.kind[id] === RE_SEARCH },
  { name: "main", text: "PV", has: ({ tree }, id) => tree.isMain[id] === 1 },
  { name: "difference", text: "in one tree only", has: ({ alone }, id) => alone.has(id) },
];

// A button for each kind with its number of visits. A click calls `mark` with the pressed kind or null.
function legend(views, mark) {
  const bar = $("legend");
  let pressed = null;
  for (const kind of KINDS) {
    const count = views.flatMap((view) => view.tree.ids.filter((id) => kind.has(view, id))).length;
    if (!count) continue;
    const number = element("b", { textContent: grouped(count) });
    const properties = { className: `reason ${kind.name}`, ariaPressed: "false" };
    const button = element("button", properties, element("i"), `${kind.text} `, number);
    button.onclick = () => {
      pressed = pressed === kind ? null : kind;
      for (const other of bar.children) other.ariaPressed = String(other === button && pressed !== null);
      mark(pressed);
    };
    bar.append(button);
  }
}

// The result and counts of a search in one line, and the number of visits not shown.
function searchLines(search) {
  const last = search.iterations.at(-1);
  const { nodes, leaves, null_windows: windows, re_searches: reSearches, table_hits: hits } = search.counters;
  const counts = [
    `value ${scoreText(last.value)}`, `PV ${last.pv.join(" ")}`, counted(nodes, "node"), counted(leaves, "leaf", "leaves"),
  ];
  if (windows) counts.push(counted(windows, "null-window search", "null-window searches"));
  if (reSearches) counts.push(counted(reSearches, "re-search", "re-searches"));
  if (hits) counts.push(counted(hits, "table hit"));
  const name = element("b", { className: "only-two", textContent: `${search.name}: ` });
  const lines = [element("p", {}, name, counts.join(" · "))];
  if (search.leftOut) {
    const shown = grouped(search.visits - search.leftOut), all = grouped(search.visits);
    const text = `The page shows ${shown} of ${all} visits: subtrees of up to ` +
      `${counted(search.largestLeftOut, "visit")} are not drawn.`;
    lines.push(element("p", { className: "left-out", textContent: text }));
  }
  return lines;
}

// The first lines of the page. `toDifference` selects the first difference of two searches.
function summary(toDifference) {
  const lines = data.searches.flatMap(searchLines);
  const say = (textContent, className) => lines.push(element("p", { className, textContent }));
  if (data.minimax) {
    const [leaves, nodes] = data.minimax;
    say(`Minimax: ${counted(nodes, "node")}, ${counted(leaves, "leaf", "leaves")}.`, "faint");
  }
  if (data.unit === 100) say("Values are in discs from the point of view of the root player (max).", "faint");
  if (data.difference) {
    const button = element("button", { textContent: "show", onclick: toDifference });
    const unit = data.unit === 1 ? "" : " (in hundredths of a disc)";
    const title = element("b", { textContent: `First difference${unit}: ` });
    lines.push(element("p", { className: "first-difference" }, title, `${data.difference.text} `, button));
  } else if (data.searches.length > 1) {
    say("No difference.", "first-difference");
  }
  $("summary").append(...lines);
}
