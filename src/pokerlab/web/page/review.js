// After a hand: its story, what the person's decisions were worth, the agents' ranges at each of theirs, and the cases behind them.
import { h, notice, plain, signed } from "./dom.js";
import { get } from "./api.js";
import { inline } from "./cards.js";
import { bars, chart, legend, mix } from "./grid.js";
import { story } from "./history.js";
import { sentence } from "./mistakes.js";

const STREETS = ["Before the flop", "Flop", "Turn", "River"];

export class Review {
  constructor(table, bet) {
    this.table = table; this.bet = bet;
    this.element = h("section", { class: "panel review", hidden: true, "aria-label": "A hand that is over" });
  }

  async open(number) {
    let told, review;
    try {
      [told, review] = await Promise.all([get(`/api/tables/${this.table}/hands/${number}`), get(`/api/tables/${this.table}/hands/${number}/review`)]);
    } catch (error) { notice(error.message); return; }
    const holdem = told.view.game.startsWith("holdem"), mine = told.view.holes[told.view.seat], last = review.points.length - 1;
    const round = (one) => (holdem ? STREETS[one.round] : `Round ${one.round + 1}`);
    this.element.hidden = false;
    this.element.dataset.hand = number;
    const parts = [
      h("h2", {}, `Hand ${number + 1} `, h("button", { class: "plain close", onclick: () => { this.element.hidden = true; } }, "close")), story(told),
      review.decisions.length > 0 && h("h3", {}, "Your decisions"),
      ...review.decisions.map((decision) => this.decision(decision, round(decision))),
      review.uncosted && h("p", { class: "quiet" }, sentence(review.uncosted)),
      review.points.length > 0 && h("h3", {}, told.view.names.length > 2 ? "Theirs" : "Its decisions"),
      ...review.points.map((point, i) => this.point(point, told.view.names[point.seat], holdem, mine, number, i === last)),
      ...review.refused.map((why) => h("p", { class: "quiet" }, sentence(why)))];
    this.element.replaceChildren(...parts.filter(Boolean));
    this.element.scrollIntoView({ block: "nearest" });
  }

  // What each action was worth: the best has a whole bar, which others are shorter by what they lose; it stands for a bet at least.
  decision(decision, round) {
    const rows = Object.entries(decision.values), worths = rows.map(([, worth]) => worth), best = Math.max(...worths), span = Math.max(best - Math.min(...worths), this.bet);
    const cost = decision.cost / this.bet;
    return h("div", { class: "costed" },
      h("p", {}, h("b", {}, `You ${decision.did}`), ` \u00b7 ${round} `, inline(decision.board, h), " ",
        h("span", { class: cost > 0.005 ? "loss" : "gain" }, cost > 0.005 ? `costs ${cost.toFixed(2)}` : "nothing is better")),
      h("div", { class: "worths" }, rows.map(([action, worth]) => [
        h("span", { class: action === decision.did ? "did" : "" }, action),
        h("meter", { min: 0, max: 1, value: 1 - 0.96 * (best - worth) / span, "aria-label": `${action} is worth ${plain(worth)} chips` }),
        h("span", { class: "won" }, signed(worth / this.bet, 2))])));
  }

  point(point, name, holdem, mine, number, open) {
    const about = `What ${name} does with each hand`, place = h("div", {});
    const tell = async () => {
      try { place.replaceChildren(cases(await get(`/api/tables/${this.table}/hands/${number}/why?at=${point.at}`))); } catch (error) { notice(error.message); }
    };
    return h("details", { open, class: "point" },
      h("summary", {}, h("b", {}, name), ` ${point.did} \u00b7 ${holdem ? STREETS[point.round] : `round ${point.round + 1}`} `, inline(point.board, h)),
      h("p", { class: "yours" }, "With your cards ", inline(mine, h), ` it does: ${mix(point.actions, point.yours)}`),
      point.explains && h("p", {}, h("button", { class: "size why", onclick: tell }, "The cases behind it")), place,
      h("p", { class: "quiet" }, "Its range here, as you could know it, and what it does with each hand:"),
      legend(point.actions, point.colours, point.often),
      holdem ? chart(point.kinds, point.actions, point.colours, about) : bars(point.kinds, point.actions, point.colours, about));
  }
}

function cases(told) {
  // What a case-based agent retrieved: with the cards that it showed, or else with the person's.
  const why = told.why, who = why.experts.join(" and ") || "the expert";
  const done = (one) => Object.entries(one.counts).filter(([, count]) => count).map(([letter, count]) => `${letter} ${plain(count)}${one.outcomes[letter] === null ? "" : ` (${signed(one.outcomes[letter], 2)} ${why.unit})`}`).join(", ");
  return h("div", { class: "cases" },
    h("p", {}, told.shown ? "With the cards that it showed, " : "Its cards were not shown; with yours, ", inline(told.cards, h), `(${[why.hand, why.texture].filter(Boolean).join(", ")}), ${why.reuse} reuse of what ${who} did:`),
    why.readings.map((reading) => [
      h("p", { class: "quiet" }, `Betting ${reading.betting || "none yet"}: in this very spot ${plain(reading.identical)} times, after this betting ${plain(reading.same_betting)} times; ${plain(reading.used)} cases with ${plain(reading.pooled)} decisions are used.`),
      h("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Cases" }, h("table", {}, h("thead", {}, h("tr", {}, ["hand", "betting", "similar", "done, and what came of it"].map((text, i) => h("th", { class: i === 2 ? "" : "name" }, text)))),
        h("tbody", {}, reading.cases.map((one) => h("tr", {}, h("td", { class: "name" }, [one.hand, one.texture].filter(Boolean).join(", ")), h("td", { class: "name" }, one.betting || "none yet"), h("td", {}, one.similarity.toFixed(3)), h("td", { class: "name" }, done(one)))))))]));
}
