// What was won over the hands, with the 95 % interval, and beside it with luck taken out.
import { s, plain } from "./dom.js";

const W = 420, H = 230, LEFT = 46, LOW = 34, TOP = 22;

function steps(low, high) {
  const span = high - low || 1, raw = span / 3, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw);
  const places = [];
  for (let at = Math.ceil(low / step) * step; at <= high + 1e-9; at += step) places.push(at);
  return places;
}

export function curve(told) {
  const bet = told.bet, lines = [["money", told.money], ["luck-free", told.luck_free]].filter(([, points]) => points && points.length > 1);
  const hands = Math.max(1, told.hands);
  const ends = lines.map(([, points]) => points[points.length - 1]).flatMap(([, won, wide]) => [won - wide, won + wide]);  // the first intervals are as wide as one likes
  const all = [...lines.flatMap(([, points]) => points.map((point) => point[1])), ...ends].map((chips) => chips / bet);
  const low = Math.min(0, ...all), high = Math.max(0, ...all), span = high - low || 1;
  const bottom = low - 0.06 * span, top = high + 0.06 * span;
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
  parts.push(steps(0, hands).filter((n) => n > 0 && n % 1 === 0).map((n) => [s("line", { x1: x(n), x2: x(n), y1: H - LOW, y2: H - LOW + 4, class: "axis" }), s("text", { x: x(n), y: H - LOW + 17, "text-anchor": n > 0.9 * hands ? "end" : "middle" }, plain(n))]));
  parts.push(s("text", { x: 2, y: 12 }, told.bankroll.unit === "mb/h" ? "small bets" : "big blinds"), s("text", { x: W - 8, y: 12, "text-anchor": "end" }, "over hands, with 95 % intervals"));
  return s("svg", { viewBox: `0 0 ${W} ${H}`, class: "curve", role: "img", "aria-label": `Bankroll over ${told.hands} hands` }, parts);
}
