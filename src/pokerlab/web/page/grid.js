// What a player does with each kind of hand: the chart of 13 by 13 in hold'em, a row of bars in small games.
import { h, s } from "./dom.js";

const RANKS = "AKQJT98765432";

function kindAt(row, column) {
  const high = RANKS[Math.min(row, column)], low = RANKS[Math.max(row, column)];
  return high + low + (row === column ? "" : column > row ? "s" : "o");
}

const combos = (kind) => (kind.length === 2 ? 6 : kind[2] === "s" ? 4 : 12);
const percent = (part) => `${(100 * part).toFixed(part < 0.0995 && part > 0 ? 1 : 0)} %`;

export function mix(actions, odds) {
  const parts = actions.map((action, i) => [action, odds[i]]).filter(([, part]) => part > 0.0005);
  return parts.map(([action, part]) => `${action} ${percent(part)}`).join(", ");
}

export function legend(actions, colours, often) {
  return h("p", { class: "legend" }, actions.map((action, i) => h("span", {},
    h("span", { class: "swatch", style: { background: colours[i] } }), `${action} ${percent(often[i])}`)));
}

function stripes(x, y, width, height, odds, colours) {
  let at = 0;
  return odds.map((part, i) => {
    const piece = s("rect", { x: x + at * width, y, width: Math.max(0, part * width), height, fill: colours[i] });
    at += part;
    return piece;
  });
}

export function chart(kinds, actions, colours, about) {
  // A cell is filled as high as the root of how likely its hands are, next to the likeliest there are.
  const size = 30, cells = [];
  const most = Math.max(...Object.entries(kinds).map(([kind, told]) => told.share / combos(kind)));
  for (let row = 0; row < 13; row += 1) for (let column = 0; column < 13; column += 1) {
    const kind = kindAt(row, column), told = kinds[kind], x = column * size, y = row * size;
    const parts = [s("rect", { x, y, width: size, height: size, class: "cell" })];
    if (told) {
      const high = size * Math.sqrt(Math.min(1, told.share / combos(kind) / most));
      parts.push(...stripes(x, y + size - high, size, high, told.strategy, colours), s("title", {}, `${kind}: ${percent(told.share)} of the range; ${mix(actions, told.strategy)}`));
    }
    cells.push(s("g", { "data-kind": kind }, parts, s("text", { x: x + size / 2, y: y + size / 2 + 4, "text-anchor": "middle", class: told && told.share / combos(kind) > 0.002 * most ? "kind" : "kind none" }, kind)));
  }
  return s("svg", { viewBox: `0 0 ${13 * size} ${13 * size}`, class: "chart", role: "img", "aria-label": about }, cells);
}

export function bars(kinds, actions, colours, about) {
  const rows = Object.entries(kinds);
  return s("svg", { viewBox: `0 0 390 ${34 * rows.length}`, class: "bars", role: "img", "aria-label": about }, rows.map(([kind, told], i) => s("g", { "data-kind": kind },
    s("text", { x: 4, y: 34 * i + 21 }, `${kind}  ${percent(told.share)}`), stripes(90, 34 * i + 4, 296, 24, told.strategy, colours), s("title", {}, `${kind}: ${mix(actions, told.strategy)}`))));
}
