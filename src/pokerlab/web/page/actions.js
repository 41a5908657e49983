// What can be done now: buttons, keys, and of no-limit an amount with a slider and fractions of the pot.
import { h, plain } from "./dom.js";

const STEPS = 1000;
// The second click of a double one falls on what has come in place of the first's button: that was not meant.
const once = (act) => (event) => { if (event.detail < 2) act(); };

export class Actions {
  constructor(act, deal) {
    this.act = act; this.deal = deal; this.state = null; this.waiting = false;
    this.element = h("div", { class: "actions", role: "group", "aria-label": "Your actions" });
  }

  show(state, waiting) {
    const same = this.state && this.state.hand === state.hand && this.state.at === state.at && this.waiting === waiting;
    this.state = state; this.waiting = waiting;
    if (same) return;
    const view = state.view, legal = view.legal;
    if (state.over) {
      this.element.replaceChildren(h("button", { class: "next", disabled: waiting, onclick: once(() => this.next()) }, "Next hand ", h("kbd", {}, "n")));
      return;
    }
    if (!legal) { this.element.replaceChildren(h("p", { class: "quiet" }, "The others are thinking\u2026")); return; }
    const raises = this.raises();
    const call = legal.call ? `Call ${plain(legal.call)}` : "Check";
    const verb = Math.max(...view.spent) > state.before ? "Raise to" : "Bet";
    const parts = [
      h("div", { class: "buttons" },
        h("button", { class: "fold", disabled: waiting || !legal.fold, onclick: once(() => this.do("f")) }, "Fold ", h("kbd", {}, "f")),
        h("button", { class: "call", disabled: waiting, onclick: once(() => this.do("c")) }, `${call} `, h("kbd", {}, "c")),
        h("button", { class: "raise", disabled: waiting || !raises, onclick: once(() => this.raise()) },
          h("span", { class: "verb" }, raises ? `${verb} ${plain(this.shownAmount(raises.least))}` : "Raise"), " ", h("kbd", {}, "r"))),
    ];
    this.amount = raises ? raises.least : 0;
    this.verb = verb;
    if (raises && raises.most > raises.least) parts.push(this.sizes(raises, waiting));
    this.element.replaceChildren(...parts);
  }

  // A bet is told as the chips that it adds to the round, a raise as what the round's bet becomes.
  shownAmount(to) { return to - this.state.before; }

  raises() {
    const given = this.state.view.legal && this.state.view.legal.raises;
    if (!given) return null;
    if (Array.isArray(given)) return given.length ? { least: given[0], most: given[given.length - 1] } : null;
    return given;
  }

  sizes(raises, waiting) {
    const view = this.state.view, highest = Math.max(...view.spent), pot = view.pot + view.legal.call;
    const toStep = (to) => Math.round(STEPS * Math.log(to / raises.least) / Math.log(raises.most / raises.least));
    const fromStep = (step) => Math.round(raises.least * (raises.most / raises.least) ** (step / STEPS));
    const slider = h("input", { type: "range", min: 0, max: STEPS, value: 0, "aria-label": "Amount", disabled: waiting,
      oninput: () => set(fromStep(Number(slider.value)), slider) });
    const number = h("input", { type: "number", class: "amount", inputmode: "numeric", min: this.shownAmount(raises.least), max: this.shownAmount(raises.most),
      step: 1, value: this.shownAmount(raises.least), "aria-label": "Chips", disabled: waiting,
      oninput: () => set(Number(number.value) + this.state.before, number), onchange: () => set(this.amount),
      onkeydown: (event) => { if (event.key === "Enter" && !event.repeat) { event.preventDefault(); this.raise(); } } });
    const set = (to, from) => {
      // Whatever is typed, what the button says is what is done.
      this.amount = Math.max(raises.least, Math.min(raises.most, Math.round(to)));
      if (from !== number) number.value = this.shownAmount(this.amount);
      if (from !== slider) slider.value = toStep(this.amount);
      this.element.querySelector(".verb").textContent = `${this.verb} ${plain(this.shownAmount(this.amount))}`;
    };
    this.number = number;
    const fractions = [["\u00bd", 0.5], ["\u00be", 0.75], ["pot", 1], ["2\u00d7", 2]].map(([name, part]) =>
      h("button", { class: "size", disabled: waiting, title: `${part} of the pot`, onclick: () => set(highest + part * pot) }, name));
    fractions.push(h("button", { class: "size", disabled: waiting, onclick: () => set(raises.most) }, "all-in"));
    return h("div", { class: "sizes" }, slider, number, h("div", { class: "fractions" }, fractions));
  }

  do(action) {
    if (this.waiting || this.state.over || !this.state.view.legal) return;
    this.act({ hand: this.state.hand, at: this.state.at, action });
  }

  raise() {
    const raises = this.raises();
    if (!raises) return;
    this.do(this.state.limit ? "r" : `r${this.amount}`);
  }

  next() { if (!this.waiting && this.state.over) this.deal({ hand: this.state.hand }); }

  key(event) {
    if (!this.state || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();  // Caps Lock may be on
    const typing = event.target.matches && event.target.matches("input:not([type=range]):not([type=checkbox]), textarea");
    if (typing && !(event.target === this.number && /^[fcrn]$/.test(key))) return;
    const legal = this.state.view.legal;
    if (key === "f" && legal && legal.fold) this.do("f");
    else if (key === "c" && legal) this.do("c");
    else if (key === "r" && legal) this.raise();
    else if (key === "n" && this.state.over) this.next();
    else if (/^[0-9]$/.test(key) && legal && this.number && this.number.isConnected) { this.number.focus(); this.number.select(); return; }
    else return;
    event.preventDefault();
  }
}
