// Cards chosen by clicking: all 52, and those that were chosen in order.
import { h, s } from "./dom.js";
import { card, inline, slot, spoken } from "./cards.js";

const RANKS = "AKQJT98765432";

export function deck(button) {
  // Four rows of cards, each as `button` makes it.
  return h("div", { class: "deck" }, [..."shdc"].map((suit) => h("div", {}, [...RANKS].map((rank) => button(rank + suit)))));
}

export class BoardPicker {
  constructor(changed) {
    this.cards = []; this.changed = changed;
    this.shown = h("div", { class: "board-shown" });
    this.buttons = new Map();
    this.element = h("div", { class: "picker" }, this.shown, deck((one) => {
      const button = h("button", { type: "button", "data-card": one, "aria-pressed": "false", "aria-label": spoken(one), onclick: () => this.toggle(one) }, inline(one, h));
      this.buttons.set(one, button);
      return button;
    }));
    this.draw();
  }

  get text() { return this.cards.join(" "); }
  set(text) { this.cards = text.match(/[2-9TJQKA][shdc]/g) || []; this.draw(); }

  toggle(one) {
    const at = this.cards.indexOf(one);
    if (at >= 0) this.cards.splice(at, 1);
    else if (this.cards.length < 5) this.cards.push(one);
    this.draw();
    this.changed();
  }

  draw() {
    for (const [one, button] of this.buttons) button.setAttribute("aria-pressed", String(this.cards.includes(one)));
    const width = 46, places = Array.from({ length: 5 }, (_, i) => (this.cards[i] ? card(this.cards[i], i * 54 + 2, 2, width) : slot(i * 54 + 2, 2, width)));
    this.shown.replaceChildren(s("svg", { viewBox: `0 0 ${5 * 54} 69`, width: 5 * 54, class: "board-cards", role: "img", "aria-label": this.cards.length ? `The board: ${spoken(this.text.replaceAll(" ", ""))}` : "No board yet" }, places));
  }
}
