// The table as one picture: seats, cards, board, chips and pot, in a wide and in a narrow form.
import { s, plain, signed } from "./dom.js";
import { back, card, cardsOf, chips, slot, spoken } from "./cards.js";

const WIDE = { w: 800, h: 450 }, NARROW = { w: 400, h: 500 }, DOTS = 14;

function places(players, wide) {
  // Of the person first, then the others clockwise: the seat's middle, and where its bet lies.
  const { w, h } = wide ? WIDE : NARROW, aside = w / 2 - (wide ? 160 : 140);
  const mine = { x: w / 2, y: h - 84, bet: [aside, h - 128] };
  if (players === 2) return [mine, { x: w / 2, y: 76, bet: [aside, wide ? 110 : 104] }];
  const left = wide ? 180 : 108, right = w - left;
  return [mine, { x: left, y: 86, bet: [wide ? 300 : 70, wide ? 118 : 184] }, { x: right, y: 86, bet: [wide ? 476 : 290, wide ? 118 : 184] }];
}

function lastWords(state, seat) {
  const now = state.view.betting.split("/").length - 1;
  const said = state.story.filter((step) => step.seat === seat);
  const last = said[said.length - 1];
  if (!last) return "";
  return last.words === "fold" || last.round === now || state.over ? last.words : "";
}

function seatOf(state, seat, place, wide, fresh) {
  const view = state.view, hole = view.holes[seat] || "", mine = seat === view.seat;
  const count = state.holes, size = mine ? (wide ? 62 : 60) : (wide ? 52 : 46);
  const total = count * size + (count - 1) * 6, left = place.x - total / 2;
  const top = mine ? place.y - 66 : place.y - 44;
  const folded = state.folded[seat], turn = !state.over && view.to_act === seat;
  const look = fresh ? "dealt" : "";
  const cards = hole
    ? cardsOf(hole).map((text, i) => card(text, left + i * (size + 6), top, size, look))
    : folded ? [] : Array.from({ length: count }, (_, i) => back(left + i * (size + 6), top, size, look));
  const plate = place.y + (mine ? 48 : 56), won = state.payoffs ? state.payoffs[seat] : null;
  const stack = state.stacks ? `${plain(state.stacks[seat] - view.spent[seat])}` : "";
  const words = lastWords(state, seat);
  const width = wide ? 190 : view.names.length > 2 ? 150 : 172;
  return s("g", { class: `seat ${folded ? "folded" : ""} ${turn ? "turn" : ""} ${mine ? "mine" : ""}` },
    cards,
    s("title", {}, view.names[seat]),
    s("rect", { x: place.x - width / 2, y: plate - 19, width, height: 38, rx: 19, class: "plate" }),
    s("text", { x: place.x, y: plate - 2, class: "name", "text-anchor": "middle", "data-room": width - 26 }, view.names[seat]),
    s("text", { x: place.x, y: plate + 13, class: won ? (won > 0 ? "gain" : "loss") : "said", "text-anchor": "middle" },
      won !== null ? signed(won, won % 1 ? 1 : 0) : [turn ? "to act" : words, stack].filter(Boolean).join("  \u00b7  ")),
    state.button === seat && s("g", { class: "button" },
      s("circle", { cx: place.x + width / 2 - 8, cy: plate - 20, r: 11 }),
      s("text", { x: place.x + width / 2 - 8, y: plate - 16, "text-anchor": "middle" }, "D")));
}

export function shortened(picture) {
  // Names as their plates have room for them. Only what is shown can be measured.
  for (const text of picture.querySelectorAll(".name")) {
    const name = text.textContent, room = Number(text.dataset.room);
    let kept = name.length;
    if (text.getComputedTextLength() > room) while (kept > 1 && text.getSubStringLength(0, kept) > room - DOTS) kept -= 1;
    if (kept < name.length) text.textContent = `${name.slice(0, kept).replace(/[\ud800-\udbff]$/, "")}\u2026`;  // no half of a letter
  }
}

export function described(state) {
  const view = state.view, mine = view.holes[view.seat];
  const board = view.board ? `board ${spoken(view.board)}` : "no board";
  const what = state.over ? `the hand is over, you ${state.payoffs[view.seat] < 0 ? "lose" : "win"} ${plain(Math.abs(state.payoffs[view.seat]))}`
    : view.to_act === view.seat ? "your turn" : "waiting";
  return `Hand ${state.hand + 1}: you hold ${spoken(mine)}; ${board}; pot ${plain(view.pot)}; ${what}`;
}

export function felt(state, wide, fresh, before) {
  const view = state.view, players = view.names.length, { w, h } = wide ? WIDE : NARROW;
  const seats = places(players, wide);
  const boards = state.boards, size = wide ? 58 : 54, gap = 8, total = boards * size + (boards - 1) * gap;
  const middle = wide ? 222 : players > 2 ? 250 : 238, left = w / 2 - total / 2, known = cardsOf(view.board), old = cardsOf(before || "").length;
  const parts = [
    s("defs", {}, s("radialGradient", { id: "cloth", cx: "50%", cy: "42%", r: "75%" },
      s("stop", { offset: "0", class: "cloth-in" }), s("stop", { offset: "1", class: "cloth-out" }))),
    s("rect", { x: 6, y: 6, width: w - 12, height: h - 12, rx: wide ? 190 : 90, class: "rail" }),
    s("rect", { x: 18, y: 18, width: w - 36, height: h - 36, rx: wide ? 178 : 80, fill: "url(#cloth)" }),
    s("g", { class: "board" }, Array.from({ length: boards }, (_, i) =>
      known[i] ? card(known[i], left + i * (size + gap), middle - 0.7 * size, size, i >= old ? "dealt" : "") : slot(left + i * (size + gap), middle - 0.7 * size, size))),
  ];
  const bets = view.spent.map((spent) => Math.max(0, spent - state.before));
  const inside = state.over ? view.pot : view.pot - bets.reduce((a, b) => a + b, 0);
  const potX = boards ? (wide ? left + total + 34 : w / 2 - 20) : w / 2 - 20, potY = boards && !wide ? middle + 0.7 * size + 27 : middle + 4;
  if (inside > 0) parts.push(s("g", { class: "pot" }, chips(potX, potY, inside / state.bankroll.bet, plain(inside))));
  if (state.over) {
    const won = state.payoffs[view.seat];
    const words = won > 0 ? `You win ${plain(won)}` : won < 0 ? `You lose ${plain(-won)}` : "Nothing won, nothing lost";
    parts.push(s("text", { x: w / 2, y: middle + (boards ? 0.7 * size + (wide ? 26 : 49) : 46), class: "result", "text-anchor": "middle" }, words));
  }
  for (let seat = 0; seat < players; seat += 1) {
    const place = seats[(seat - view.seat + players) % players];
    if (bets[seat] > 0 && !state.over) parts.push(chips(...place.bet, bets[seat] / state.bankroll.bet, plain(bets[seat])));
    parts.push(seatOf(state, seat, place, wide, fresh));
  }
  return s("svg", { viewBox: `0 0 ${w} ${h}`, class: "felt", role: "img", "aria-label": described(state) }, parts);
}
