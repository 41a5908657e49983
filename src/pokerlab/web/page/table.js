// A table: the felt, what can be done, the bankroll and the hands. Every tab hears of every action.
import { TITLES, aHand, h, many, notice, plain, signed } from "./dom.js";
import { Live, get, post } from "./api.js";
import { Actions } from "./actions.js";
import { curve } from "./curve.js";
import { felt, described } from "./felt.js";
import { History } from "./history.js";
import { Mistakes } from "./mistakes.js";
import { Review } from "./review.js";

const WAYS = { aivat: "With luck taken out (AIVAT)", cards: "Without the luck of your cards and of all-ins" };

export async function tablePage(table) {
  const first = await get(`/api/tables/${table}`);
  return (main) => {
    const page = new TablePage(table, first);
    main.replaceChildren(page.element);
    page.show(first);
    page.look();
    return () => page.close();
  };
}

class TablePage {
  constructor(table, first) {
    this.table = table; this.state = null; this.waiting = false; this.finished = -1;
    this.place = h("div", { class: "place" });
    this.actions = new Actions((act) => this.send({ act }), (deal) => this.send({ deal }));
    this.spoken = h("p", { class: "spoken", "aria-live": "polite" });
    this.total = h("p", { class: "total" });
    this.mean = h("p", { class: "quiet mean" });
    this.free = h("p", { class: "quiet free", hidden: true });
    this.picture = h("div", {});
    this.line = h("h1", { class: "standing" });
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
    try { this.show(await get(`/api/tables/${this.table}`)); } catch { /* the server is away: the socket comes back */ }
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
    this.spoken.textContent = described(state);
    Object.assign(this.element.dataset, { hand: state.hand, at: state.at, over: state.over });
    const others = state.view.names.filter((name, seat) => seat !== state.view.seat).join(" and ");
    this.line.textContent = `${TITLES[state.view.game] || state.view.game} against ${others} \u00b7 hand ${plain(state.hand + 1)}`;
    const bankroll = state.bankroll;
    this.total.textContent = `${signed(bankroll.chips, bankroll.chips % 1 ? 1 : 0)} chips`;
    this.total.className = `total ${bankroll.chips < 0 ? "loss" : bankroll.chips > 0 ? "gain" : ""}`;
    this.mean.textContent = `${many(bankroll.hands, "hand")}, ${aHand(bankroll)}`;
  }

  async look() {
    try {
      const [told] = await Promise.all([get(`/api/tables/${this.table}/curve`), this.history.refresh()]);
      this.picture.replaceChildren(curve(told));
      this.free.hidden = !told.without_luck;
      if (told.without_luck) this.free.textContent = `${WAYS[told.way]}: ${aHand(told.without_luck)}${told.without_luck.hands < told.hands ? `, ${plain(told.without_luck.hands)} hands` : ""}`;
      this.mistakes.refresh();
    } catch (error) { notice(error.message); }
  }
}
