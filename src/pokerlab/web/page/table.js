// A table: the felt, what can be done, the bankroll and the hands. Every tab hears of every action.
import { TITLES, aHand, h, many, notice, plain, signed } from "./dom.js";
import { Live, get, post } from "./api.js";
import { Actions } from "./actions.js";
import { curve } from "./curve.js";
import { described, felt, shortened } from "./felt.js";
import { History } from "./history.js";
import { Mistakes } from "./mistakes.js";
import { Review } from "./review.js";

const SOON = 1000, LATE = 30000;  // milliseconds
const WAYS = { aivat: "With luck taken out (AIVAT)", cards: "Without the luck of your cards and of all-ins" };

export async function tablePage(table = "") {
  if (!/^[a-z]+$/.test(table)) throw new Error("There is no such table.");
  const first = await get(`/api/tables/${table}`);
  return (main) => {
    const page = new TablePage(table, first);
    main.replaceChildren(page.element);
    page.show(first);
    if (!first.over) page.look();  // else that was done
    return () => page.close();
  };
}

class TablePage {
  constructor(table, first) {
    this.table = table; this.state = null; this.waiting = false; this.finished = -1; this.timer = 0;
    this.place = h("div", { class: "place" });
    this.actions = new Actions((act) => this.send({ act }), (deal) => this.send({ deal }));
    this.spoken = h("p", { class: "spoken", "aria-live": "polite" });
    this.total = h("p", { class: "total" });
    this.mean = h("p", { class: "quiet mean" });
    this.free = h("p", { class: "quiet free", hidden: true });
    this.picture = h("div", {});
    this.against = h("span", { class: "against" });
    this.number = h("span", {});
    this.line = h("h1", { class: "standing" }, this.against, this.number);
    this.history = new History(table, first.view.game, (hand) => this.review.open(hand));
    this.review = new Review(table, first.bankroll.bet);
    this.mistakes = new Mistakes(table, first.view.game, (hand) => this.review.open(hand));
    this.element = h("div", { class: "table-page" },
      h("div", { class: "left" }, this.line, this.place, this.actions.element, this.spoken, this.review.element),
      h("aside", { class: "right" },
        h("section", { class: "panel bankroll" }, h("h2", {}, "Bankroll"), this.total, this.mean, this.free, this.picture),
        this.history.element, this.mistakes.element));
    this.pressed = (event) => this.actions.key(event);
    this.sized = () => this.draw(false);
    document.addEventListener("keydown", this.pressed);
    window.addEventListener("resize", this.sized);
    this.live = new Live(`/api/tables/${table}/live`, (message) => this.heard(message), (stands) => this.element.classList.toggle("away", !stands));
  }

  close() {
    this.live.close();
    clearTimeout(this.timer);
    this.mistakes.close();
    document.removeEventListener("keydown", this.pressed);
    window.removeEventListener("resize", this.sized);
  }

  async send(message) {
    this.waiting = true;
    this.actions.show(this.state, true);
    try {
      if (this.live.ready) { this.live.send(message); return; }
      const path = message.act ? "actions" : "hands";
      this.heard({ state: await post(`/api/tables/${this.table}/${path}`, message.act || message.deal) });
    } catch (error) {
      this.heard({ error: error.message, status: error.status || 0 });
    }
  }

  async heard(message) {
    if (message.state) { this.show(message.state); return; }
    this.waiting = false;
    notice(message.error);
    try { this.show(await get(`/api/tables/${this.table}`)); } catch { /* what was wrong is said */ }
  }

  show(state) {
    const old = this.state;
    if (old && (state.hand < old.hand || (state.hand === old.hand && state.at < old.at))) return;
    const moved = !old || old.hand !== state.hand || old.at !== state.at;
    this.waiting = false;
    this.state = state;
    if (moved) this.draw(!old || old.hand !== state.hand, old && old.hand === state.hand ? old.view.board : "");
    this.actions.show(state, false);
    if (state.over && this.finished !== state.hand) { this.finished = state.hand; this.look(); }
  }

  draw(fresh, before) {
    const state = this.state;
    if (!state) return;
    const wide = this.place.clientWidth > 560 || !this.place.clientWidth;
    this.place.replaceChildren(felt(state, wide, fresh, before === undefined ? state.view.board : before));
    shortened(this.place);
    this.spoken.textContent = described(state);
    Object.assign(this.element.dataset, { hand: state.hand, at: state.at, over: state.over });
    const others = state.view.names.filter((name, seat) => seat !== state.view.seat).join(" and ");
    this.against.textContent = this.line.title = `${TITLES[state.view.game] || state.view.game} against ${others}`;
    this.number.textContent = `\u00b7 hand ${plain(state.hand + 1)}`;
    const bankroll = state.bankroll;
    this.total.textContent = `${signed(bankroll.chips, bankroll.chips % 1 ? 1 : 0)} chips`;
    this.total.className = `total ${bankroll.chips < 0 ? "loss" : bankroll.chips > 0 ? "gain" : ""}`;
    this.mean.textContent = `${many(bankroll.hands, "hand")}, ${aHand(bankroll)}`;
  }

  async look() {
    this.reckon();
    this.mistakes.refresh();
    try { await this.history.refresh(); } catch (error) { notice(error.message); }
  }

  async reckon(before = -1, waits = SOON) {
    // Each time luck is taken out of some hands more; it is asked again until it is of all, the less often the longer nothing comes of it.
    clearTimeout(this.timer);
    let told;
    try { told = await get(`/api/tables/${this.table}/curve`); } catch (error) { notice(error.message); return; }
    const free = told.without_luck, hands = free ? free.hands : 0;
    this.picture.replaceChildren(curve(told));
    this.free.hidden = !free;
    if (free) this.free.textContent = `${WAYS[told.way]}: ${aHand(free)}${hands < told.hands ? `, ${plain(hands)} hands` : ""}`;
    clearTimeout(this.timer);
    const later = hands > before ? SOON : Math.min(2 * waits, LATE);
    if (told.way && hands < told.hands && !this.live.closed) this.timer = setTimeout(() => this.reckon(hands, later), later);
  }
}
