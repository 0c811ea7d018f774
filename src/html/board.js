// What all pages share: elements, and boards as SVG.
"use strict";

const $ = (id) => document.getElementById(id);

// Creates an element with these properties and children.
function element(name, properties, ...children) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}

const SVG = "http://www.w3.org/2000/svg";

function svg(name, attributes, parent, text) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    // The content security policy of the page forbids the attribute.
    if (key === "style") node.style.cssText = value;
    else node.setAttribute(key, value);
  }
  if (text !== undefined) node.textContent = text;
  if (parent) parent.append(node);
  return node;
}

const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

// Applies a move's changes to cells: two base-36 digits for the cell, and its new content.
function changedCells(cells, changes) {
  const after = cells.slice();
  for (let i = 0; i < changes.length; i += 3) after[parseInt(changes.slice(i, i + 2), 36)] = changes[i + 2];
  return after;
}

// The number of cells with a piece.
const countPieces = (cells, piece) => cells.filter((cell) => cell === piece).length;

// Draws a board as an SVG element. The first argument is its shape; `cells` has one character per cell; changes since
// `before` (or null) are marked. `line` lists the cells of the winning line, `marks` the marked empty cells: cell (`index`),
// `text`, whether it is the best move (`isBest`) and the move played (`isPlayed`).
function drawBoard({ rows, columns, layers, style, topFirst }, cells, before, line, marks = []) {
  const size = layers > 1 ? 34 : Math.min(48, 400 / rows), gap = layers > 1 ? 26 : 0, margin = 20;
  const across = layers > 1 ? 2 : 1, down = Math.ceil(layers / across);
  const wide = margin + across * (columns * size + gap) + 4, high = down * (rows * size + gap + margin) + 4;
  const name = `board: ${countPieces(cells, "x")} of the first player, ${countPieces(cells, "o")} of the second`;
  const root = svg("svg", { viewBox: `0 0 ${wide} ${high}`, width: wide, role: "img", "aria-label": name });
  const label = (x, y, anchor, text) => svg("text", { x, y, "text-anchor": anchor, class: "faint" }, root, text);
  const [fill, stroke] = style === "discs" ? ["#2d7d54", "#1d5639"] : ["#efe3c8", "#b9a77c"];
  const corner = (index) => {
    const layer = Math.floor(index / (rows * columns)), row = Math.floor(index / columns) % rows;
    return [margin + (layer % across) * (columns * size + gap) + (index % columns) * size,
      margin + Math.floor(layer / across) * (rows * size + gap + margin) + row * size];
  };
  for (let layer = 0; layer < layers; layer++) {
    const [left, top] = corner(layer * rows * columns);
    if (layers > 1) label(left + columns * size / 2, top + rows * size + 16, "middle", `level ${layer + 1}`);
    for (let column = 0; column < columns; column++) {
      label(left + (column + .5) * size, top - 6, "middle", String.fromCharCode(97 + column));
    }
    for (let row = 0; row < rows && layer % across === 0; row++) {
      label(left - 6, top + (row + .5) * size + 4, "end", String(topFirst ? row + 1 : rows - row));
    }
  }
  cells.forEach((piece, index) => {
    if (piece === "*") return;
    const [x, y] = corner(index), cx = x + size / 2, cy = y + size / 2;
    svg("rect", { x, y, width: size, height: size, fill, stroke }, root);
    if (piece !== "." && style !== "lines") {
      const color = piece === "x" ? "#111" : "#fafafa";
      svg("circle", { cx, cy, r: size * .4, fill: color, stroke: "#000", "stroke-width": .6 }, root);
    } else if (piece !== ".") {
      const r = size * .28, pen = { "stroke-width": size * .12, fill: "none" };
      const d = `M${cx - r} ${cy - r}L${cx + r} ${cy + r}M${cx + r} ${cy - r}L${cx - r} ${cy + r}`;
      if (piece === "x") svg("path", { ...pen, d, stroke: "#1f3b73" }, root);
      else svg("circle", { ...pen, cx, cy, r, stroke: "#a4361c" }, root);
    }
    if (!before || before[index] === piece) return;
    const [r, color] = before[index] === "." ? [.1, "#e23d28"] : [.06, "#e2a028"];
    svg("circle", { cx, cy, r: size * r, fill: color }, root);
  });
  const frame = ([x, y]) => ({ x: x + 2, y: y + 2, width: size - 4, height: size - 4, rx: 5, fill: "none" });
  for (const index of line) {
    svg("rect", { ...frame(corner(index)), stroke: "#e23d28", "stroke-width": 3, class: "won" }, root);
  }
  for (const { index, text, isBest, isPlayed } of marks) {
    const [x, y] = corner(index), ink = style === "discs" && !isBest ? "#fff" : "#1d2430";
    const group = svg("g", { class: `mark${isBest ? " best" : ""}${isPlayed ? " played" : ""}` }, root);
    if (isBest) {
      const plate = { x: x + 3, y: y + size * .26, width: size - 6, height: size * .48, rx: 4 };
      svg("rect", { ...plate, fill: "#ffe08a", stroke: "#8a6d1f" }, group);
    }
    if (isPlayed) {
      svg("rect", { ...frame([x, y]), stroke: style === "discs" ? "#fff" : "#1d2430", "stroke-width": 2,
        "stroke-dasharray": "5 3" }, group);
    }
    const fits = Math.min(13, (size - 8) / (.62 * Math.max(1, text.length)));
    const font = `fill: ${ink}; font-size: ${fits}px; font-weight: ${isBest ? 700 : 500}`;
    svg("text", { x: x + size / 2, y: y + size / 2 + .36 * fits, "text-anchor": "middle", style: font }, group, text);
  }
  return root;
}
