// After a hand: its story, the agents' ranges at each of their decisions, and what they would have done with your cards.
import { h } from "./dom.js";
import { get } from "./api.js";
import { inline } from "./cards.js";
import { bars, chart, legend, mix } from "./grid.js";
import { story } from "./history.js";

const STREETS = ["Before the flop", "Flop", "Turn", "River"];

export class Review {
  constructor(table) {
    this.table = table;
    this.element = h("section", { class: "panel review", hidden: true, "aria-label": "A hand that is over" });
  }

  async open(number) {
    const [told, review] = await Promise.all([get(`/api/tables/${this.table}/hands/${number}`), get(`/api/tables/${this.table}/hands/${number}/review`)]);
    const holdem = told.view.game.startsWith("holdem"), mine = told.view.holes[told.view.seat];
    this.element.hidden = false;
    this.element.replaceChildren(
      h("h2", {}, `Hand ${number + 1} `, h("button", { class: "plain close", onclick: () => { this.element.hidden = true; } }, "close")), story(told),
      ...review.points.map((point, i) => this.point(point, told.view.names[point.seat], holdem, mine, i === review.points.length - 1)),
      ...review.refused.map((why) => h("p", { class: "quiet" }, why)));
    this.element.scrollIntoView({ block: "nearest" });
  }

  point(point, name, holdem, mine, open) {
    const about = `What ${name} does with each hand`;
    return h("details", { open, class: "point" },
      h("summary", {}, h("b", {}, name), ` ${point.did} \u00b7 ${holdem ? STREETS[point.round] : `round ${point.round + 1}`} `, inline(point.board, h)),
      h("p", { class: "yours" }, "With your cards ", inline(mine, h), ` it does: ${mix(point.actions, point.yours)}`),
      h("p", { class: "quiet" }, "Its range here, as you could know it, and what it does with each hand:"),
      legend(point.actions, point.colours, point.often),
      holdem ? chart(point.kinds, point.actions, point.colours, about) : bars(point.kinds, point.actions, point.colours, about));
  }
}
