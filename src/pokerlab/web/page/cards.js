// Cards and chips as SVG.
import { s } from "./dom.js";

export const SUITS = {
  s: { glyph: "\u2660", name: "spades", look: "black" },
  h: { glyph: "\u2665", name: "hearts", look: "red" },
  d: { glyph: "\u2666", name: "diamonds", look: "blue" },
  c: { glyph: "\u2663", name: "clubs", look: "green" },
};
const NAMES = { A: "ace", K: "king", Q: "queen", J: "jack", T: "ten" };

export const cardsOf = (text) => text.match(/../g) || [];
export const spoken = (text) =>
  cardsOf(text).map((card) => `${NAMES[card[0]] || card[0]} of ${SUITS[card[1]] ? SUITS[card[1]].name : card[1]}`).join(", ");
const rank = (card) => (card[0] === "T" ? "10" : card[0]);

export function card(text, x, y, width, more = "") {
  const height = 1.4 * width, suit = SUITS[text[1]] || { glyph: text[1], look: "black" };
  return s("g", { class: `card ${suit.look} ${more}`, transform: `translate(${x} ${y})`, "data-card": text },
    s("g", { class: "moved" },
      s("rect", { width, height, rx: width * 0.11, class: "paper" }),
      s("text", { x: width * 0.1, y: width * 0.42, style: { "font-size": `${width * 0.42}px` }, class: "rank" }, rank(text)),
      s("text", { x: width * 0.1, y: width * 0.74, style: { "font-size": `${width * 0.32}px` }, class: "suit" }, suit.glyph),
      s("text", { x: width * 0.6, y: height * 0.82, style: { "font-size": `${width * 0.66}px` }, class: "suit", "text-anchor": "middle" }, suit.glyph)));
}

export function back(x, y, width, more = "") {
  const height = 1.4 * width, inner = width * 0.09;
  return s("g", { class: `card back ${more}`, transform: `translate(${x} ${y})` },
    s("g", { class: "moved" },
      s("rect", { width, height, rx: width * 0.11, class: "paper" }),
      s("rect", { x: inner, y: inner, width: width - 2 * inner, height: height - 2 * inner, rx: width * 0.07, class: "pattern" })));
}

export const slot = (x, y, width) =>
  s("rect", { x, y, width, height: 1.4 * width, rx: width * 0.11, class: "slot" });

export function chips(x, y, amount, text) {
  // A stack whose height grows with the amount, and the amount beside it.
  const height = Math.max(1, Math.min(5, Math.round(Math.log2(1 + amount))));
  const stack = Array.from({ length: height }, (_, i) =>
    s("ellipse", { cx: x, cy: y - 4 * i, rx: 10, ry: 5.5, class: `chip chip-${i % 3}` }));
  return s("g", { class: "chips" }, stack, s("text", { x: x + 16, y: y + 3, class: "amount" }, text));
}

// Cards as words in a line of text: rank and coloured suit.
export function inline(text, make) {
  return cardsOf(text).map((one) => {
    const suit = SUITS[one[1]] || { glyph: one[1], look: "black" };
    return make("span", { class: `inline ${suit.look}` }, rank(one) + suit.glyph);
  });
}
