// Hands that are over: a list, each hand told in words, and files to keep.
import { h, notice, signed } from "./dom.js";
import { get } from "./api.js";
import { inline } from "./cards.js";

const STREETS = ["Before the flop", "Flop", "Turn", "River"];

export class History {
  constructor(table, game, review) {
    this.table = table; this.review = review; this.newest = -1; this.oldest = 0; this.asking = false;
    this.list = h("ol", { class: "hands", reversed: true });
    this.more = h("button", { class: "plain", hidden: true, onclick: () => this.older() }, "older hands");
    const phh = game.startsWith("holdem") && h("a", { href: `/api/tables/${table}/phhs`, download: `${table}.phhs` }, "PHH");
    this.element = h("section", { class: "panel history" },
      h("h2", {}, "Hands"), this.list, this.more,
      h("p", { class: "quiet keep" }, "Keep them: ", h("a", { href: `/api/tables/${table}/log`, download: `${table}.log` }, "ACPC log"), phh && ", ", phh));
  }

  async refresh() {
    const rows = await get(`/api/tables/${this.table}/hands?most=20`);
    const fresh = rows.filter((row) => row.hand > this.newest);
    this.list.prepend(...fresh.map((row) => this.row(row)));
    if (rows.length) this.newest = Math.max(this.newest, rows[0].hand);
    this.reach();
  }

  reach() {
    // How far the list goes back.
    this.oldest = this.list.children.length ? Number(this.list.lastChild.dataset.hand) : 0;
    this.more.hidden = this.oldest === 0;
  }

  async older() {
    if (this.asking) return;
    this.asking = true;
    try {
      const rows = await get(`/api/tables/${this.table}/hands?most=50&below=${this.oldest}`);
      this.list.append(...rows.map((row) => this.row(row)));
      this.reach();
    } catch (error) { notice(error.message); }
    this.asking = false;
  }

  row(told) {
    const [holes, ...board] = told.cards.split("/");
    const mine = holes.split("|")[told.seat] || "";
    const others = holes.split("|").filter((hole, seat) => seat !== told.seat && hole);
    return h("li", { "data-hand": told.hand },
      h("button", { class: "hand", onclick: () => this.review(told.hand) },
        h("span", { class: "number" }, `${told.hand + 1}`),
        h("span", { class: "cards" }, inline(mine, h), others.length > 0 && h("i", {}, " v "), others.map((hole) => [inline(hole, h), " "])),
        h("span", { class: "cards board" }, inline(board.join(""), h)),
        h("span", { class: `won ${told.chips < 0 ? "loss" : told.chips > 0 ? "gain" : ""}` }, signed(told.chips, told.chips % 1 ? 1 : 0))));
  }
}

export function story(told) {
  // A hand in words, round by round.
  const view = told.view, rounds = [];
  for (const step of told.story) (rounds[step.round] = rounds[step.round] || []).push(step);
  const holdem = view.game.startsWith("holdem"), did = ({ seat, words }) => `${view.names[seat]} ${seat === view.seat && /^you$/i.test(view.names[seat]) ? words : third(words)}`;
  return h("div", { class: "story" }, rounds.map((steps, round) => h("p", {},
    h("b", {}, holdem ? STREETS[round] : `Round ${round + 1}`), ": ",
    steps.map((step, i) => [i ? ", " : "", did(step)]))),
    h("p", {}, view.names.map((name, seat) => [seat ? ", " : "", `${name} ${signed(told.payoffs[seat], told.payoffs[seat] % 1 ? 1 : 0)}`])));
}

const third = (words) => words.replace(/^(\w+)/, (word) => word + "s");
