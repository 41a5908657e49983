// After a hand: its story.
import { h } from "./dom.js";
import { get } from "./api.js";
import { story } from "./history.js";

export class Review {
  constructor(table) {
    this.table = table;
    this.element = h("section", { class: "panel review", hidden: true, "aria-label": "A hand that is over" });
  }

  async open(number) {
    const told = await get(`/api/tables/${this.table}/hands/${number}`);
    this.element.hidden = false;
    this.element.replaceChildren(
      h("h2", {}, `Hand ${number + 1} `, h("button", { class: "plain close", onclick: () => { this.element.hidden = true; } }, "close")), story(told));
    this.element.scrollIntoView({ block: "nearest" });
  }
}
