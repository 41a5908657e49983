// What a player does with each kind of hand: the chart of 13 by 13 in hold'em, a row of bars in small games.
// Bets are hatched, the more densely the larger they are, so that actions are told apart without their colours.
import { h, s } from "./dom.js";

const RANKS = "AKQJT98765432";
export const SIZE = 30;
const CALM = ["fold", "check", "call"];
let charts = 0;

export function kindAt(row, column) {
  const high = RANKS[Math.min(row, column)], low = RANKS[Math.max(row, column)];
  return high + low + (row === column ? "" : column > row ? "s" : "o");
}

export const KINDS = Array.from({ length: 169 }, (_, i) => kindAt(Math.floor(i / 13), i % 13));
export const combos = (kind) => (kind.length === 2 ? 6 : kind[2] === "s" ? 4 : 12);
// A part in per cent; a dash where it is not known.
export const percent = (part) => (part === null ? "\u2013" : `${(100 * part).toFixed(part < 0.0995 && part >= 0.0005 ? 1 : 0)} %`);

export function mix(actions, odds) {
  const parts = actions.map((action, i) => [action, odds[i]]).filter(([, part]) => part > 0.0005);
  return parts.map(([action, part]) => `${action} ${percent(part)}`).join(", ");
}

const calm = (action) => CALM.includes(action.split(" ")[0]);  // also where a call says how much
const gaps = (actions) => {
  // Pixels between the lines of each bet's hatching; 0 for what is no bet.
  const bets = actions.filter((action) => !calm(action));
  return actions.map((action) => (calm(action) ? 0 : 9 - 5 * bets.indexOf(action) / Math.max(1, bets.length - 1)));
};

export function swatch(actions, colours, i) {
  const gap = gaps(actions)[i], hatch = gap ? `repeating-linear-gradient(45deg, #0000 0 ${gap / 2}px, #fff9 ${gap / 2}px ${gap / 2 + 1.2}px), ` : "";
  return h("span", { class: "swatch", style: { background: `${hatch}${colours[i]}` } });
}

export function legend(actions, colours, often) {
  return h("p", { class: "legend" }, actions.map((action, i) => h("span", {}, swatch(actions, colours, i), `${action} ${percent(often[i])}`)));
}

function fills(actions, colours) {
  // Patterns of the actions for one picture, and how a rectangle names each.
  const mine = (charts += 1);
  const defined = gaps(actions).map((gap, i) => gap > 0 && s("pattern", { id: `fill-${mine}-${i}`, width: gap, height: gap, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    s("rect", { width: gap, height: gap, fill: colours[i] }), s("rect", { width: 1.1, height: gap, fill: "#fff", opacity: 0.55 })));
  return [s("defs", {}, defined), defined.map((pattern, i) => (pattern ? `url(#fill-${mine}-${i})` : colours[i]))];
}

export function stripes(x, y, width, height, odds, fill) {
  let at = 0;
  return odds.map((part, i) => {
    const piece = part > 0.0005 && s("rect", { x: x + at * width, y, width: part * width, height, fill: fill[i] });
    at += part;
    return piece;
  });
}

export function cells(about, draw, { chosen, pressed } = {}) {
  // 169 cells by `draw(kind, x, y)`, which gives parts, what is said of it and how its name looks. With `chosen` a cell is a
  // button: arrows go from one to the next.
  const all = KINDS.map((kind, i) => {
    const x = (i % 13) * SIZE, y = Math.floor(i / 13) * SIZE, { parts, said, look, note } = draw(kind, x, y);
    const button = chosen && { role: "button", tabindex: i ? -1 : 0, "aria-label": said, "aria-pressed": pressed ? String(pressed(kind)) : undefined };
    return s("g", { "data-kind": kind, ...(button || {}) }, s("rect", { x, y, width: SIZE, height: SIZE, class: "cell" }), parts, said && s("title", {}, said),
      s("text", { x: x + SIZE / 2, y: y + SIZE / 2 + (note ? -1 : 4), "text-anchor": "middle", class: `kind ${look || ""}` }, kind),
      note && s("text", { x: x + SIZE / 2, y: y + SIZE - 5, "text-anchor": "middle", class: "note" }, note), chosen && s("rect", { x: x + 1.5, y: y + 1.5, width: SIZE - 3, height: SIZE - 3, class: "frame" }));
  });
  const picture = s("svg", { viewBox: `0 0 ${13 * SIZE} ${13 * SIZE}`, class: `chart ${chosen ? "live" : ""}`, role: chosen ? "group" : "img", "aria-label": about }, all);
  if (chosen) walkable(picture, all, chosen);
  return picture;
}

export function strokes(place, { begin = () => {}, touch, end = () => {} }) {
  // Cells under a pointer that is held down: `begin` hears of the first kind of hand, `touch` of every cell, `end` of no more.
  // Fast pointers report few places, so that the cells between two of them are found on the line that joins them.
  let last = null;
  const under = ([x, y]) => {
    const box = place.firstChild.getBoundingClientRect(), [row, column] = [y - box.top, x - box.left].map((along) => Math.floor(13 * along / box.width));
    return Math.min(row, column) < 0 || Math.max(row, column) > 12 ? null : place.querySelector(`[data-kind="${kindAt(row, column)}"]`);
  };
  const draw = (to) => {
    const steps = Math.ceil(Math.hypot(to[0] - last[0], to[1] - last[1]) / 3) || 1, from = last;
    for (let i = 1; i <= steps; i += 1) {
      const cell = under(from.map((start, axis) => start + (to[axis] - start) * i / steps));
      if (cell) touch(cell);
    }
    last = to;
  };
  place.addEventListener("pointerdown", (event) => {
    const cell = under([event.clientX, event.clientY]);
    if (!cell || event.button) return;
    place.setPointerCapture(event.pointerId);
    last = [event.clientX, event.clientY];
    begin(cell.dataset.kind);
    touch(cell);
  });
  place.addEventListener("pointermove", (event) => { if (last) draw([event.clientX, event.clientY]); });
  for (const over of ["pointerup", "pointercancel"]) place.addEventListener(over, () => { if (last) { last = null; end(); } });
}

export function redraw(place, picture) {
  // A picture of cells in place of another; who was at a cell by keyboard stays there.
  const at = place.contains(document.activeElement) && document.activeElement.dataset.kind;
  place.replaceChildren(picture);
  const cell = at && picture.querySelector(`[data-kind="${at}"]`);
  if (!cell) return;
  for (const one of picture.querySelectorAll("[tabindex='0']")) one.setAttribute("tabindex", -1);
  cell.setAttribute("tabindex", 0);
  cell.focus({ preventScroll: true });
}

function walkable(picture, all, chosen) {
  const at = (event) => all.indexOf(event.target.closest("g[data-kind]"));
  picture.addEventListener("click", (event) => { const i = at(event); if (i >= 0) { reach(i); chosen(KINDS[i], event); } });
  picture.addEventListener("keydown", (event) => {
    const i = at(event), step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 13, ArrowUp: -13 }[event.key];
    if (i < 0) return;
    if (step && KINDS[i + step] && !(Math.abs(step) === 1 && Math.floor(i / 13) !== Math.floor((i + step) / 13))) reach(i + step);
    else if (event.key === "Enter" || event.key === " ") chosen(KINDS[i], event);
    else if (!step) return;
    event.preventDefault();
  });
  function reach(i) {
    for (const one of all) one.setAttribute("tabindex", -1);
    all[i].setAttribute("tabindex", 0);
    all[i].focus({ preventScroll: true });
  }
}

export function chart(kinds, actions, colours, about, chosen) {
  // A cell is filled as high as the root of how likely its hands are, next to the likeliest there are.
  const most = Math.max(...Object.entries(kinds).map(([kind, told]) => told.share / combos(kind))), [defined, fill] = fills(actions, colours);
  const picture = cells(about, (kind, x, y) => {
    const told = kinds[kind];
    if (!told) return { parts: [], said: chosen ? `${kind}: not held` : "", look: "none" };
    const high = SIZE * Math.sqrt(Math.min(1, told.share / combos(kind) / most));
    return { parts: stripes(x, y + SIZE - high, SIZE, high, told.strategy, fill), said: `${kind}: ${percent(told.share)} of the range; ${mix(actions, told.strategy)}`,
      look: told.share / combos(kind) > 0.002 * most ? "" : "none" };
  }, { chosen });
  picture.prepend(defined);
  return picture;
}

export function bars(kinds, actions, colours, about) {
  const rows = Object.entries(kinds), [defined, fill] = fills(actions, colours);
  return s("svg", { viewBox: `0 0 390 ${34 * rows.length}`, class: "bars", role: "img", "aria-label": about }, defined, rows.map(([kind, told], i) => s("g", { "data-kind": kind },
    s("text", { x: 4, y: 34 * i + 21 }, `${kind}  ${percent(told.share)}`), stripes(90, 34 * i + 4, 296, 24, told.strategy, fill), s("title", {}, `${kind}: ${mix(actions, told.strategy)}`))));
}

export function strip(odds, actions, colours) {
  // One mix as a bar.
  const [defined, fill] = fills(actions, colours);
  return s("svg", { viewBox: "0 0 200 14", class: "strip", role: "img", "aria-label": mix(actions, odds), preserveAspectRatio: "none" }, defined, stripes(0, 0, 200, 14, odds, fill));
}

export function heat(values, about, said, colour, chosen) {
  // One number a kind of hand, from 0 (empty) to 1 (full), or from -1 to 1 where `colour` has two; `said` is its words.
  return cells(about, (kind, x, y) => {
    const value = values[kind];
    if (value === undefined || value === null) return { parts: [], said: chosen ? `${kind}: not held` : "", look: "none" };
    const deep = Math.min(1, Math.abs(value));
    return { parts: [s("rect", { x, y, width: SIZE, height: SIZE, fill: value < 0 ? colour[1] : colour[0], opacity: (0.06 + 0.7 * deep).toFixed(3) })], said: `${kind}: ${said(kind)}`, note: said(kind).replace(/ (%|chips)$/, "") };
  }, { chosen });
}
