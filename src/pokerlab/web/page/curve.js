// What was won over the hands, with the 95 % interval, and beside it with luck taken out.
import { s, plain } from "./dom.js";

const W = 420, H = 190, LEFT = 50, LOW = 26, TOP = 10;

function steps(low, high) {
  const span = high - low || 1, raw = span / 3, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw);
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high + 1e-9; at += step) found.push(at);
  return found;
}

export function curve(told) {
  const bet = told.bet, lines = [["money", told.money], ["luck-free", told.luck_free]].filter(([, points]) => points && points.length > 1);
  const hands = Math.max(1, told.hands);
  const all = lines.flatMap(([, points]) => points.map((point) => point[1] / bet));
  const low = Math.min(0, ...all), high = Math.max(0, ...all), span = high - low || 1;
  const bottom = low - 0.15 * span, top = high + 0.15 * span;
  const x = (n) => LEFT + (W - LEFT - 8) * n / hands;
  const y = (won) => TOP + (H - LOW - TOP) * (top - Math.max(bottom, Math.min(top, won))) / (top - bottom);
  const parts = steps(bottom, top).map((won) => [
    s("line", { x1: LEFT, x2: W - 8, y1: y(won), y2: y(won), class: Math.abs(won) < 1e-9 ? "axis" : "rule" }),
    s("text", { x: LEFT - 6, y: y(won) + 4, "text-anchor": "end" }, plain(won))]);
  for (const [name, points] of lines) {
    const upper = points.map(([n, won, wide]) => `${x(n).toFixed(1)},${y((won + wide) / bet).toFixed(1)}`);
    const lower = points.map(([n, won, wide]) => `${x(n).toFixed(1)},${y((won - wide) / bet).toFixed(1)}`).reverse();
    parts.push(s("polygon", { points: [...upper, ...lower].join(" "), class: `band ${name}` }));
  }
  for (const [name, points] of lines)
    parts.push(s("polyline", { points: points.map(([n, won]) => `${x(n).toFixed(1)},${y(won / bet).toFixed(1)}`).join(" "), class: `line ${name}` }));
  parts.push(s("text", { x: W - 8, y: H - 8, "text-anchor": "end" }, `${plain(told.hands)} ${told.hands === 1 ? "hand" : "hands"}`));
  return s("svg", { viewBox: `0 0 ${W} ${H}`, class: "curve", role: "img", "aria-label": `Bankroll over ${told.hands} hands` }, parts);
}
