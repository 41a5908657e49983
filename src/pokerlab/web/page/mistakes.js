// The person's decisions in the last hands, ranked by what they cost against the agent's strategy.
import { h, many, notice } from "./dom.js";
import { get } from "./api.js";

const STREETS = ["before the flop", "flop", "turn", "river"];
const bets = (chips, bet) => (chips / bet).toFixed(2);

export class Mistakes {
  constructor(table, game, review) {
    this.table = table; this.review = review; this.holdem = game.startsWith("holdem"); this.unit = game.includes("nolimit") ? "big blinds" : "small bets"; this.timer = 0;
    this.body = h("div", {}, h("p", { class: "quiet" }, "\u2026"));
    this.element = h("details", { class: "panel folds mistakes", ontoggle: () => this.refresh() }, h("summary", {}, h("h2", {}, "Mistakes")), this.body);
  }

  async refresh() {
    clearTimeout(this.timer);
    if (!this.element.open) return;
    try {
      const told = await get(`/api/tables/${this.table}/mistakes`);
      this.show(told);
      if (told.looked_at < told.hands && this.element.isConnected) this.timer = setTimeout(() => this.refresh(), 1500);
    } catch (error) { notice(error.message); }
  }

  show(told) {
    const found = told.mistakes.slice(0, 8), hands = told.looked_at;
    const sum = told.decisions ? `${many(told.decisions, "decision")} in the last ${many(hands, "hand")} cost ${bets(told.cost, told.bet)} ${this.unit} against the best ones.`
      : told.hands ? "None of your decisions in the last hands has a known cost." : "No hand is over yet.";
    this.element.dataset.hands = hands;
    this.body.replaceChildren(
      h("p", { class: "quiet" }, sum, told.looked_at < told.hands ? " More hands are being looked at\u2026" : ""),
      h("ol", { class: "costs" }, found.map((one) => h("li", {}, h("button", { class: "hand", onclick: () => this.review(one.hand) },
        h("span", { class: "number" }, `${one.hand + 1}`),
        h("span", {}, `${one.did}, `, h("b", {}, one.best), " is better", h("small", { class: "quiet" }, this.holdem ? ` ${STREETS[one.round]}` : ` round ${one.round + 1}`)),
        h("span", { class: "won loss" }, `\u2212${bets(one.cost, told.bet)}`))))),
      told.refused ? h("p", { class: "quiet" }, sentence(told.refused)) : "");
  }

  close() { clearTimeout(this.timer); }
}

export const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;
