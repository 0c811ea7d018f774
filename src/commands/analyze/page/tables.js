// The tables: games, players of the shown game, players of all games.

// A table whose rows a narrow window shows as lists; `left` lists the columns of text. Cells are texts or nodes.
function listTable(titles, left, rows) {
  const cell = (name, column, content) => {
    const properties = { className: left.includes(column) ? "left" : "" };
    return element(name, properties, ...[content].flat());
  };
  const head = element("tr", {}, ...titles.map((title, column) => Object.assign(cell("th", column, title), { scope: "col" })));
  const body = rows.map((row) => element("tr", {}, ...row.map((content, column) => {
    const own = cell("td", column, content);
    own.dataset.title = titles[column];
    return own;
  })));
  return element("div", { className: "scroll" }, element("table", { className: "lists" }, head, ...body));
}

const tallyCells = (tally) => [
  String(tally.moves),
  `${tally.best} (${percent(tally.best, tally.moves)})`,
  lostText(tally.lost),
  tally.moves ? (tally.lost / tally.moves).toFixed(2) : "\u2013",
];
const tallyTitles = ["moves", "best moves", `${data.points} lost`, "lost per move"];
// A phase: what was lost, and the share of best moves.
const phaseCell = (tally) => tally.moves ? `${lostText(tally.lost)} (${percent(tally.best, tally.moves)})` : "\u2013";
const phaseTitles = data.phases.map((phase) => `lost in the ${phase} (best)`);

// The summary of the shown game; `jump` shows a ply.
function drawSummary(game, index, jump) {
  const worst = (plies) => {
    const links = plies.map((ply) => {
      const move = game.moves[ply - 1], textContent = `${ply}. ${move.word} (${lossText(move)})`;
      const link = element("a", { href: `#game=${index + 1}&ply=${ply}`, textContent });
      link.onclick = (event) => {
        event.preventDefault();
        jump(ply);
      };
      return link;
    });
    return links.length ? element("span", { className: "links" }, ...links) : "none";
  };
  const row = ({ all, phases, worst: plies }, index) =>
    [player(game, index), ...tallyCells(all), ...phases.map(phaseCell), worst(plies)];
  const titles = ["player", ...tallyTitles, ...phaseTitles, "worst moves"];
  $("summary").replaceChildren(listTable(titles, [0, titles.length - 1], game.summary.map(row)));
}

// The table of all players; `choose` filters the games by a name.
function drawPlayers(choose) {
  const row = ({ name, games, wins, draws, losses, all, phases }) => {
    const button = element("button", { className: "link", title: "show the games of this player", textContent: name });
    button.onclick = () => choose(name);
    const results = `${wins}-${draws}-${losses}`, perGame = lostText(all.lost / games);
    return [button, String(games), results, ...tallyCells(all), perGame, ...phases.map(phaseCell)];
  };
  const titles = ["player", "games", "wins-draws-losses", ...tallyTitles, "lost per game", ...phaseTitles];
  $("players").replaceChildren(listTable(titles, [0], data.players.map(row)));
}

// The columns of the list of games: title, text, key for sorting, classes. Narrow windows hide `wide` and `wider` columns. A text
// that no game has is no column.
const textColumn = (key, classes) => data.games.some((game) => game[key])
  ? [{ title: key, text: (game) => game[key] ?? "", classes }] : [];
const GAME_COLUMNS = [
  { title: "game", text: (game, index) => String(index + 1), key: (game, index) => index },
  { title: sideName(0), text: (game) => playerName(game, 0), classes: "left" },
  { title: sideName(1), text: (game) => playerName(game, 1), classes: "left" },
  ...textColumn("date", "left whole wide"),
  { title: "result", text: resultText, key: (game) => game.result ?? 100 * (game.outcome ?? -2) },
  ...[0, 1].map((player) => ({
    title: `lost by ${data.sides[player]}`, text: (game) => lostText(game.lost[player]), key: (game) => game.lost[player],
  })),
  ...textColumn("opening", "left wide opening"),
  ...textColumn("event", "left wide wider"),
  ...data.files > 1 ? [{ title: "file", text: (game) => `${game.file}: ${game.number}`, classes: "left wide wider" }] : [],
];

// Builds the list of games; `open` shows a game. Returns functions: `select` marks a game, `neighbor` returns the next or the
// previous game of the list.
function buildGameList(open) {
  let column = GAME_COLUMNS[0], direction = 1, now = 0, indices = [];
  const keyOf = (one) => one.key || one.text;
  const order = (found) => {
    const keys = new Map(found.map((index) => [index, keyOf(column)(data.games[index], index)]));
    const compare = (a, b) => typeof a === "string" ? a.localeCompare(b) : a - b;
    return found.sort((a, b) => direction * compare(keys.get(a), keys.get(b)) || a - b);
  };
  const row = (index) => {
    const game = data.games[index], own = element("tr", { onclick: () => open(index) });
    own.dataset.index = index;
    for (const one of GAME_COLUMNS) {
      own.append(element("td", { className: one.classes ?? "", textContent: one.text(game, index) }));
    }
    mark(own, index);
    return own;
  };
  const mark = (own, index) => {
    own.classList.toggle("now", index === now);
    own.ariaSelected = String(index === now);
    own.tabIndex = index === now ? 0 : -1;
  };
  const text = (index) => {
    const game = data.games[index];
    return [game.file, ...GAME_COLUMNS.map((one) => one.text(game, index))].join(" ");
  };
  const drawn = (found) => {
    indices = found;
    const rows = document.querySelectorAll("#games tbody tr");
    // A row stays reachable by Tab if the filter hides the shown game.
    if (rows.length && ![...rows].some((one) => one.tabIndex === 0)) rows[0].tabIndex = 0;
  };
  const draw = listGames(data.games.length, { text, row, order, drawn });
  const head = GAME_COLUMNS.map((one) => {
    const button = element("button", { className: "link", title: "sort", textContent: one.title });
    const cell = element("th", { scope: "col", className: one.classes ?? "" }, button);
    button.onclick = () => {
      direction = column === one ? -direction : 1;
      column = one;
      head.forEach((other) => { other.ariaSort = other === cell ? (direction > 0 ? "ascending" : "descending") : null; });
      draw();
    };
    return cell;
  });
  $("games").tHead.replaceChildren(element("tr", {}, ...head));
  $("games").tBodies[0].onkeydown = (event) => {
    const at = event.target.closest("tr");
    const next = { ArrowDown: at.nextElementSibling, ArrowUp: at.previousElementSibling, Enter: at }[event.key];
    if (!next) return;
    event.preventDefault();
    open(Number(next.dataset.index));
    next.focus();
  };
  return {
    draw,
    select: (index) => {
      const rows = [...document.querySelectorAll("#games tbody tr")];
      now = index;
      rows.forEach((own) => mark(own, Number(own.dataset.index)));
      const own = rows.find((own) => Number(own.dataset.index) === index);
      if (own) scrollToItem($("games-box"), own);
    },
    neighbor: (from, step) => {
      const at = indices.indexOf(from);
      return indices[at < 0 ? 0 : clamp(at + step, 0, indices.length - 1)];
    },
  };
}
