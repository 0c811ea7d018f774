// The model of a search: the tree of its nodes, their folded state, and their rows and columns in the drawing. Nodes
// are numbers: first the visits in search order, then the group nodes for the search, its iterations, the moves cut
// off at a node, and the visits not shown.

const data = JSON.parse($("data").textContent);
const NO_BOUND = 32000;
const VISIT = 0, SEARCH = 1, ITERATION = 2, SKIPPED = 3, LEFT_OUT = 4;
const RE_SEARCH = 1, VERIFICATION = 2;
// A tree with more nodes starts partly folded, with this many rows.
const ALL_UNFOLDED = 160, ROWS_AT_FIRST = 40;

class Tree {
  constructor(search) {
    this.search = search;
    const { names, rows, skipped, leftOut } = search.tree;
    names.forEach((name, column) => { this[name] = rows.map((row) => row[column]); });
    this.visits = rows.length;
    this.ids = [...this.parent.keys()];
    // The width of the null windows of a search: the minimum width.
    const widths = this.ids.map((id) => this.beta[id] - this.alpha[id]).filter((width) => width > 0 && width < NO_BOUND);
    this.step = widths.length ? widths.reduce((least, width) => Math.min(least, width)) : 1;
    this.type = new Array(this.visits).fill(VISIT);
    this.of = []; // the content of a group node
    const skippedMove = ([word, leaves, nodes]) => ({ word: data.words[word], leaves, nodes });
    this.skipped = new Map(skipped.map(([node, moves]) => [node, moves.map(skippedMove)]));
    this.leftOut = new Map(leftOut);
    this.group();
    this.connect();
    this.fold();
  }

  add(type, parent, of) {
    this.parent.push(parent);
    this.type.push(type);
    this.of[this.type.length - 1] = of;
    return this.type.length - 1;
  }

  // Adds the group nodes. A search with a single pass has none above its root.
  group() {
    const roots = this.ids.filter((id) => this.parent[id] < 0);
    this.roots = roots;
    const { iterations } = this.search;
    const single = iterations.length === 1 && roots.length === 1;
    this.top = single ? roots[0] : this.add(SEARCH, -1, null);
    this.iterationOf = new Map();
    iterations.forEach((iteration, number) => {
      const above = iterations.length > 1 ? this.add(ITERATION, this.top, iteration) : this.top;
      const end = iterations[number + 1]?.first ?? this.visits;
      for (const root of roots.filter((id) => iteration.first <= id && id < end)) {
        this.iterationOf.set(root, iteration);
        if (!single) this.parent[root] = above;
      }
    });
    for (const node of this.skipped.keys()) this.add(SKIPPED, node, this.skipped.get(node));
    for (const [node, count] of this.leftOut) this.add(LEFT_OUT, node, count);
    this.count = this.type.length;
  }

  // Derives children, sizes, ends and sides to move from the parents.
  connect() {
    const { count, parent } = this;
    this.children = Array.from({ length: count }, () => []);
    parent.forEach((above, id) => { if (above >= 0) this.children[above].push(id); });
    // A node spans the visits from `first` to before `end`.
    this.first = Int32Array.from({ length: count }, (_, id) => Math.min(id, this.visits));
    this.end = this.first.map((first) => Math.min(first + 1, this.visits));
    this.max = new Uint8Array(count).fill(1);
    for (const id of this.ids) {
      const above = parent[id];
      if (!this.isRoot(id)) this.max[id] = this.kind[id] === VERIFICATION ? this.max[above] : 1 - this.max[above];
    }
    for (let id = this.visits - 1; id >= 0; id--) {
      if (!this.isRoot(id)) this.end[parent[id]] = Math.max(this.end[parent[id]], this.end[id]);
    }
    for (let id = count - 1; id >= this.visits; id--) {
      const kids = this.children[id];
      if (this.isStub(id)) {
        this.first[id] = this.end[id] = this.end[parent[id]]; // known when their node returns
        this.max[id] = 1 - this.max[parent[id]];
      } else if (kids.length) {
        this.first[id] = this.first[kids[0]];
        this.end[id] = this.end[kids[kids.length - 1]];
      }
    }
    // The PV of each iteration in the tree of each of its windows.
    this.isMain = new Uint8Array(count);
    for (const root of this.roots) {
      let at = root;
      this.isMain[at] = 1;
      for (const word of this.iterationOf.get(root).pv) {
        const next = this.children[at].filter((kid) => this.type[kid] === VISIT && this.move(kid) === word).pop();
        if (next === undefined) break;
        at = next;
        this.isMain[at] = 1;
      }
    }
    this.order = new Float64Array(count); // the row of a node, and its column
    this.column = new Uint16Array(count);
  }

  // Folds a large tree except its largest subtrees and its PV.
  fold() {
    this.folded = new Uint8Array(this.count);
    if (this.count <= ALL_UNFOLDED) return;
    for (let id = 0; id < this.count; id++) this.folded[id] = this.children[id].length > 0 ? 1 : 0;
    const size = (id) => this.end[id] - this.first[id] + (this.isMain[id] ? this.visits : 0);
    const open = [this.top];
    for (let rows = 1; open.length && rows < ROWS_AT_FIRST;) {
      let best = 0;
      open.forEach((id, at) => { if (size(id) > size(open[best])) best = at; });
      const [id] = open.splice(best, 1);
      const kids = this.children[id];
      if (rows + kids.length - 1 > ROWS_AT_FIRST && rows > 1) continue;
      this.folded[id] = 0;
      rows += kids.length - 1;
      open.push(...kids.filter((kid) => this.children[kid].length));
    }
  }

  // The node of an iteration; the top node if there is only one.
  nodeOf(iteration) {
    const id = this.of.indexOf(this.search.iterations[iteration]);
    return id >= 0 ? id : this.top;
  }

  isRoot(id) {
    return this.parent[id] < 0 || this.type[this.parent[id]] !== VISIT;
  }

  // Whether a node stands for what is not drawn, or for a search or an iteration.
  isStub(id) {
    return [SKIPPED, LEFT_OUT].includes(this.type[id]);
  }

  isGroup(id) {
    return [SEARCH, ITERATION].includes(this.type[id]);
  }

  move(id) {
    return this.word[id] >= 0 ? data.words[this.word[id]] : "";
  }

  reason(id) {
    return this.type[id] === VISIT ? data.reasons[this.why[id]] : "";
  }

  isNullWindow(id) {
    const { alpha, beta } = this;
    if (Math.abs(alpha[id]) >= NO_BOUND || Math.abs(beta[id]) >= NO_BOUND) return false;
    return beta[id] - alpha[id] <= this.step;
  }

  // "=", "≥" or "≤", from the root player's point of view.
  bound(id) {
    if (["static", "finished"].includes(this.reason(id))) return "=";
    if (this.score[id] <= this.alpha[id]) return "≤";
    return this.score[id] >= this.beta[id] ? "≥" : "=";
  }

  // The nodes from the top to a node.
  path(id) {
    const path = [];
    for (let at = id; at >= 0; at = this.parent[at]) path.push(at);
    return path.reverse();
  }

  // A key to find the same node in another search: its iteration, pass and moves.
  key(id) {
    const words = this.path(id).map((at) => {
      if (this.type[at] === ITERATION) return `iteration ${this.search.iterations.indexOf(this.of[at])}`;
      if (this.type[at] !== VISIT) return `group ${this.type[at]}`;
      const siblings = this.parent[at] >= 0 ? this.children[this.parent[at]] : [at];
      const before = siblings.slice(0, siblings.indexOf(at)).filter((other) => this.move(other) === this.move(at));
      return `${this.move(at)}#${before.length}`;
    });
    return words.join(" ");
  }

  byKey(key) {
    if (!this.keys) {
      this.keys = new Map();
      for (let id = 0; id < this.count; id++) this.keys.set(this.key(id), id);
    }
    return this.keys.get(key);
  }

  // The cells of the board at a node, and those before its move.
  cells(id) {
    let cells = data.start.split(""), before = null;
    for (const at of this.path(id)) {
      if (this.type[at] !== VISIT || !data.changes[this.change[at]]) continue;
      before = cells;
      cells = changedCells(cells, data.changes[this.change[at]]);
    }
    return { cells, before };
  }

  // Whether a node has been reached, or has returned, after `time` visits have started.
  isReached(id, time) {
    return this.isStub(id) ? this.end[id] <= time : this.first[id] < time || time >= this.visits;
  }

  isDone(id, time) {
    return this.end[id] <= time;
  }

  // The children drawn at this time: those of an unfolded node, and the node being searched.
  drawn(id, time) {
    const kids = this.children[id];
    if (!this.folded[id]) return time >= this.visits ? kids : kids.filter((kid) => this.isReached(kid, time));
    if (time >= this.visits) return [];
    const current = time - 1;
    return kids.filter((kid) => this.type[kid] !== SKIPPED && this.first[kid] <= current && current < this.end[kid]);
  }

  // Assigns a row and a column to every drawn node; returns the nodes and the numbers of rows and columns.
  layout(time) {
    const nodes = [];
    let rows = 0, columns = 0;
    const place = (id, column) => {
      const kids = this.drawn(id, time);
      this.column[id] = column;
      columns = Math.max(columns, column + 1);
      nodes.push(id);
      if (!kids.length) {
        this.order[id] = rows++;
        return;
      }
      for (const kid of kids) place(kid, column + 1);
      this.order[id] = (this.order[kids[0]] + this.order[kids[kids.length - 1]]) / 2;
    };
    if (this.isReached(this.top, time)) place(this.top, 0);
    return { nodes, rows, columns };
  }

  // Unfolds the ancestors of a node.
  reveal(id) {
    for (const at of this.path(id)) if (at !== id) this.folded[at] = 0;
  }

  setFolded(id, folded) {
    if (this.children[id].length) this.folded[id] = folded ? 1 : 0;
    for (const kid of this.children[id]) this.setFolded(kid, folded);
  }

  // Whether the reason of a visit is the only word, or the words are its last moves, the last one first.
  matches(id, words) {
    let at = id;
    return words.length === 1 && this.reason(id) === words[0] || words.every((word) => {
      while (at >= 0 && this.type[at] === VISIT && this.word[at] < 0) at = this.parent[at];
      const isSame = at >= 0 && this.type[at] === VISIT && this.move(at).toLowerCase() === word;
      at = this.parent[at];
      return isSame;
    });
  }
}
