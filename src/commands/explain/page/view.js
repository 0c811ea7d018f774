// Draws a tree on a canvas, with the root at the left. Holds the pan and zoom, the selected and marked nodes and the
// replay time; reports pointer events to its owner.

const NODE_WIDTH = 150, NODE_HEIGHT = 38, COLUMN = 196, ROW = 46, MARGIN = 20;
// Below this canvas width the columns are closer.
const NARROW = 560, NARROW_COLUMN = 178;
const NEAREST = 2.5, FARTHEST = .02;
// Below these scales a node shows one line, or no text.
const ONE_LINE = .62, NO_TEXT = .38;
// A press that moves fewer pixels is a click.
const CLICK = 4;

class View {
  constructor(canvas, tree) {
    Object.assign(this, { canvas, tree, scale: 1, left: 0, top: 0, time: tree.visits });
    this.pen = canvas.getContext("2d");
    this.chosen = tree.top;
    this.pointed = -1;
    this.marked = null;
    this.alone = new Set();
    this.listen();
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.layout();
  }

  layout() {
    Object.assign(this, this.tree.layout(this.time));
    this.redraw();
  }

  get column() {
    return this.wide < NARROW ? NARROW_COLUMN : COLUMN;
  }

  // The size of the drawing, before scaling.
  get width() {
    return (this.columns - 1) * this.column + NODE_WIDTH + 2 * MARGIN + 22;
  }

  get height() {
    return this.rows * ROW + 2 * MARGIN;
  }

  resize() {
    const box = this.canvas.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
    this.wide = box.width;
    this.high = box.height;
    this.canvas.width = Math.round(box.width * ratio);
    this.canvas.height = Math.round(box.height * ratio);
    if (!this.fitted && box.width) {
      this.fitted = true;
      this.fit(true);
    }
    this.hold();
    if (this.wide) this.draw(); // immediately: resizing clears the canvas
  }

  // The place of a node in the drawing, before scaling.
  place(id) {
    const { column, order } = this.tree;
    return { x: MARGIN + column[id] * this.column, y: MARGIN + order[id] * ROW + (ROW - NODE_HEIGHT) / 2 };
  }

  // The place of a node on the canvas, in CSS pixels.
  onCanvas(id) {
    const { x, y } = this.place(id), { scale } = this;
    return { x: x * scale - this.left, y: y * scale - this.top, width: NODE_WIDTH * scale, height: NODE_HEIGHT * scale };
  }

  isDrawn(id) {
    return this.nodes.includes(id);
  }

  // Keeps the drawing in sight.
  hold() {
    const right = this.width * this.scale - this.wide, bottom = this.height * this.scale - this.high;
    this.left = clamp(this.left, 0, Math.max(0, right));
    this.top = bottom > 0 ? clamp(this.top, 0, bottom) : bottom / 2;
  }

  // Pans to a place of the scaled drawing.
  panTo(left, top) {
    this.left = left;
    this.top = top;
    this.hold();
    this.redraw();
  }

  // Pans; returns whether the drawing moved.
  pan(dx, dy) {
    const { left, top } = this;
    this.panTo(left + dx, top + dy);
    return this.left !== left || this.top !== top;
  }

  // Fits the drawing to the canvas; initially its width, at a readable scale, with the PV in sight.
  fit(readable) {
    const across = this.wide / this.width, scale = Math.min(across, this.high / this.height, 1.15);
    this.scale = Math.max(readable ? Math.max(ONE_LINE, Math.min(across, .86)) : FARTHEST, scale);
    const main = this.nodes.filter((id) => this.tree.isMain[id]).map((id) => this.place(id).y);
    const [first, last] = [Math.min(...main), Math.max(...main) + NODE_HEIGHT];
    if (!readable) this.panTo(0, 0);
    else if ((last - first) * this.scale > this.high) this.center(this.tree.top);
    else this.panTo(0, (first + last) / 2 * this.scale - this.high / 2);
  }

  zoom(factor, x = this.wide / 2, y = this.high / 2) {
    const before = this.scale;
    this.scale = clamp(before * factor, FARTHEST, NEAREST);
    this.panTo((this.left + x) / before * this.scale - x, (this.top + y) / before * this.scale - y);
  }

  center(id) {
    const { x, y, width, height } = this.onCanvas(id);
    this.pan(x + width / 2 - this.wide / 2, y + height / 2 - this.high / 2);
  }

  // Pans by the minimum that brings a node into sight.
  show(id) {
    const { x, y, width, height } = this.onCanvas(id), edge = Math.min(40, this.wide / 10);
    const dx = x < edge ? x - edge : Math.max(0, x + width - this.wide + edge);
    const isHigh = y >= edge && y + height <= this.high - edge;
    this.pan(dx, isHigh ? 0 : y + height / 2 - this.high / 2);
  }

  // The node at a point of the canvas, and whether the point is on its knob.
  hit(x, y) {
    const px = (x + this.left) / this.scale, py = (y + this.top) / this.scale;
    for (const id of this.nodes) {
      const at = this.place(id);
      if (py < at.y - 3 || py > at.y + NODE_HEIGHT + 3 || px < at.x) continue;
      const hasKnob = this.tree.children[id].length > 0;
      if (hasKnob && px >= at.x + NODE_WIDTH - 2 && px <= at.x + NODE_WIDTH + 22) return { id, knob: true };
      if (px <= at.x + NODE_WIDTH) return { id, knob: false };
    }
    return null;
  }

  listen() {
    const { canvas } = this, pointers = new Map();
    // Where a press began that may be a click.
    let press = null;
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    // The middle and the distance of two pointers, or the place of one.
    const grip = () => {
      const [a, b = a] = pointers.values();
      return { size: Math.hypot(a.x - b.x, a.y - b.y) || 1, x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, at(event));
      press = pointers.size === 1 ? at(event) : null;
    });
    canvas.addEventListener("pointermove", (event) => {
      const now = at(event);
      if (pointers.has(event.pointerId)) {
        const before = grip();
        pointers.set(event.pointerId, now);
        if (press && Math.hypot(now.x - press.x, now.y - press.y) < CLICK) return;
        press = null;
        const { size, x, y } = grip();
        this.zoom(size / before.size, x, y);
        this.pan(before.x - x, before.y - y);
      } else {
        const found = this.hit(now.x, now.y);
        canvas.style.cursor = found ? "pointer" : "grab";
        point(this, found ? found.id : -1);
      }
    });
    canvas.addEventListener("pointerup", (event) => {
      const now = at(event), found = press && this.hit(now.x, now.y);
      pointers.delete(event.pointerId);
      press = null;
      if (found && found.knob) toggle(this, found.id);
      else if (found) choose(this, found.id);
    });
    canvas.addEventListener("pointercancel", () => {
      pointers.clear();
      press = null;
    });
    canvas.addEventListener("pointerleave", () => point(this, -1));
    canvas.addEventListener("dblclick", (event) => {
      const now = at(event), found = this.hit(now.x, now.y);
      if (found && !found.knob) toggle(this, found.id);
    });
    // The wheel pans the drawing, and the page at its end; with Ctrl (or a pinch) it zooms.
    canvas.addEventListener("wheel", (event) => {
      const now = at(event), unit = event.deltaMode === 1 ? 16 : 1;
      const [dx, dy] = event.shiftKey ? [event.deltaY, 0] : [event.deltaX, event.deltaY];
      if (event.ctrlKey || event.metaKey) {
        this.zoom(Math.exp(-event.deltaY * unit / 300), now.x, now.y);
        event.preventDefault();
      } else if (this.pan(dx * unit, dy * unit)) {
        event.preventDefault();
      }
    }, { passive: false });
  }

  // Schedules one drawing for the next frame.
  redraw() {
    if (this.waiting || !this.wide) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  draw() {
    const { pen, tree, scale, time } = this, ratio = window.devicePixelRatio || 1;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, this.wide, this.high);
    pen.setTransform(ratio * scale, 0, 0, ratio * scale, -this.left * ratio, -this.top * ratio);
    const above = this.top / scale - ROW, below = (this.top + this.high) / scale + ROW;
    const current = new Set(time < tree.visits ? tree.path(time - 1) : []);
    const drawEdge = (id) => {
      const from = this.place(tree.parent[id]), to = this.place(id);
      if (Math.max(from.y, to.y) < above || Math.min(from.y, to.y) > below) return;
      const x1 = from.x + NODE_WIDTH, middle = (x1 + 12 + to.x) / 2;
      const [y1, y2] = [from.y + NODE_HEIGHT / 2, to.y + NODE_HEIGHT / 2];
      pen.beginPath();
      pen.moveTo(x1, y1);
      pen.bezierCurveTo(middle + 8, y1, middle - 8, y2, to.x, y2);
      pen.stroke();
    };
    // Edges first, the path to the current node or the PV last.
    const isThick = (id) => current.size ? current.has(id) : tree.isMain[id];
    const edges = this.nodes.filter((id) => tree.parent[id] >= 0), thin = edges.filter((id) => !isThick(id));
    pen.lineWidth = 1.2;
    pen.strokeStyle = color("line");
    thin.filter((id) => tree.type[id] !== SKIPPED).forEach(drawEdge);
    pen.setLineDash([3, 4]);
    thin.filter((id) => tree.type[id] === SKIPPED).forEach(drawEdge);
    pen.setLineDash([]);
    pen.lineWidth = 2.6;
    pen.strokeStyle = color(current.size ? "now" : "main");
    edges.filter(isThick).forEach(drawEdge);
    for (const id of this.nodes) {
      const { y } = this.place(id);
      if (y > above && y < below) this.drawNode(id, current.has(id));
    }
  }

  drawNode(id, isCurrent) {
    const { pen, tree, scale, time } = this, { x, y } = this.place(id);
    const reason = tree.isDone(id, time) ? tree.reason(id) : "open";
    const stub = tree.isStub(id);
    const group = tree.isGroup(id);
    const own = color(stub ? "faint" : group ? "ink" : reason);
    pen.globalAlpha = this.marked && !this.marked.has(id) ? .28 : 1;
    pen.beginPath();
    pen.roundRect(x, y, NODE_WIDTH, NODE_HEIGHT, 7);
    pen.fillStyle = stub ? color("paper") : scale < NO_TEXT ? own : color(group ? "soft" : "card");
    pen.fill();
    if (scale >= NO_TEXT && !stub) {
      pen.save();
      pen.clip();
      pen.fillStyle = own;
      pen.fillRect(x, y, 6, NODE_HEIGHT);
      pen.restore();
    }
    const isChosen = id === this.chosen, isPointed = id === this.pointed;
    pen.lineWidth = isChosen ? 2.6 : isPointed || isCurrent ? 2 : 1.1;
    pen.strokeStyle = color(isChosen ? "chosen" : isCurrent ? "now" : isPointed ? "ink" : "line");
    pen.setLineDash(stub ? [3, 4] : []);
    pen.stroke();
    pen.setLineDash([]);
    // A re-search has a second frame.
    if (tree.type[id] === VISIT && tree.kind[id] === RE_SEARCH) {
      pen.lineWidth = 1.4;
      pen.strokeStyle = color("again");
      pen.beginPath();
      pen.roundRect(x - 3.5, y - 3.5, NODE_WIDTH + 7, NODE_HEIGHT + 7, 10);
      pen.stroke();
    }
    if (this.alone.has(id)) {
      pen.fillStyle = color("difference");
      pen.beginPath();
      pen.arc(x + NODE_WIDTH - 9, y + 9, 4, 0, 7);
      pen.fill();
    }
    if (scale >= NO_TEXT) this.drawText(id, x, y, stub || group ? null : own);
    if (tree.children[id].length) this.drawKnob(id, x, y);
    pen.globalAlpha = 1;
  }

  drawText(id, x, y, triangle) {
    const { pen, tree, scale, time } = this, [first, second] = labels(tree, id, time);
    let left = x + 13;
    pen.textBaseline = "middle";
    const two = scale >= ONE_LINE && second;
    const line = two ? y + 12.5 : y + NODE_HEIGHT / 2 + .5;
    if (triangle && !["static", "finished"].includes(tree.reason(id))) {
      // Max points up, min down.
      const up = tree.max[id] ? 1 : -1, h = 4.2;
      pen.fillStyle = triangle;
      pen.beginPath();
      pen.moveTo(left, line + up * h);
      pen.lineTo(left + 9, line + up * h);
      pen.lineTo(left + 4.5, line - up * h);
      pen.fill();
      left += 14;
    }
    pen.fillStyle = color(tree.isStub(id) ? "faint" : "ink");
    pen.font = `600 ${two ? 13 : 16}px system-ui, sans-serif`;
    pen.fillText(first, left, line, x + NODE_WIDTH - 5 - left);
    if (!two) return;
    pen.fillStyle = color("faint");
    pen.font = "11.5px system-ui, sans-serif";
    pen.fillText(second, x + 13, y + 27.5, NODE_WIDTH - 18);
  }

  // The knob at the right of a node: folded state and number of nodes.
  drawKnob(id, x, y) {
    const { pen, tree } = this, cx = x + NODE_WIDTH + 10, cy = y + NODE_HEIGHT / 2;
    const folded = tree.folded[id] && !(this.time < tree.visits && tree.drawn(id, this.time).length);
    pen.fillStyle = color(folded ? "ink" : "card");
    pen.strokeStyle = color("faint");
    pen.lineWidth = 1.1;
    pen.beginPath();
    pen.arc(cx, cy, 7, 0, 7);
    pen.fill();
    pen.stroke();
    pen.strokeStyle = color(folded ? "card" : "faint");
    pen.lineWidth = 1.6;
    pen.beginPath();
    pen.moveTo(cx - 3.5, cy);
    pen.lineTo(cx + 3.5, cy);
    if (folded) {
      pen.moveTo(cx, cy - 3.5);
      pen.lineTo(cx, cy + 3.5);
    }
    pen.stroke();
    const below = tree.end[id] - tree.first[id] - 1;
    if (folded && this.scale >= ONE_LINE && below > 0) {
      pen.fillStyle = color("faint");
      pen.font = "11px system-ui, sans-serif";
      pen.fillText(grouped(below), cx + 11, cy + .5);
    }
  }
}
