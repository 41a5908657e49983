// Agents that can be trained here: an offer, a bar while it goes on, a button that stops and keeps what there is.
import { h, notice, plain, renew } from "./dom.js";
import { Live, post } from "./api.js";

const WORDS = { waiting: "waits for its turn", stopped: "was stopped, and plays as it is", failed: "could not be trained" };
const minutes = (seconds) => (seconds < 90 ? `${plain(Math.round(seconds))} s` : `${plain(Math.round(seconds / 60))} min`);

export class Trainings {
  // `trained` is called when an agent is ready, or further than it was.
  constructor(trained) {
    this.trained = trained; this.told = new Map(); this.recipes = []; this.rows = new Map();
    this.list = h("ul", { class: "trainings" });
    this.element = h("div", { class: "field train", hidden: true }, h("b", {}, "Not trained yet"), this.list);
  }

  watch() {
    this.live = new Live("/api/trainings/live", (message) => {
      for (const one of (message.trainings || []).slice().reverse()) this.told.set(one.name, one);
      if (message.training) this.hear(message.training);
      this.draw();
    });
  }

  hear(told) {
    const before = this.told.get(told.name);
    this.told.set(told.name, told);
    if (["done", "stopped"].includes(told.state) && before && before.state !== told.state) this.trained();
  }

  show(game) { this.recipes = game.recipes; this.draw(); }

  draw() {
    const rows = this.recipes.map((recipe) => [recipe, this.told.get(recipe.agent)]).filter(([recipe, told]) => !recipe.trained || (told && told.state !== "done"));
    this.element.hidden = !rows.length;
    const elements = rows.map(([recipe, told]) => {
      if (!this.rows.has(recipe.agent)) this.rows.set(recipe.agent, new Row(recipe, (fresh) => { this.hear(fresh); this.draw(); }));
      this.rows.get(recipe.agent).show(told);
      return this.rows.get(recipe.agent).element;
    });
    const shown = [...this.list.children];  // put there again, they would lose whoever is at them
    if (elements.length !== shown.length || elements.some((element, i) => element !== shown[i])) this.list.replaceChildren(...elements);
  }

  close() { this.live.close(); }
}

class Row {
  // An agent: what can be done about it is made anew only when that changes.
  constructor(recipe, heard) {
    this.recipe = recipe; this.heard = heard; this.offered = null;
    this.bar = h("progress", { max: 1, "aria-label": `Training of ${recipe.agent}` });
    this.far = h("span", { class: "quiet far" });
    this.doing = h("span", { class: "doing" });
    this.element = h("li", { "data-agent": recipe.agent }, h("span", {}, h("b", {}, recipe.agent), h("span", { class: "quiet" }, ` ${recipe.about}`)), this.doing);
  }

  show(told) {
    const state = told ? told.state : "", offered = told ? `${state} ${told.number}` : "";
    this.element.dataset.state = state;
    if (state === "solving") this.advance(told);
    if (offered === this.offered) return;
    this.offered = offered;
    renew(this.doing, this.offer(told, state));
  }

  advance(told) {
    const whole = told.goal.seconds, walking = told.stage === "walks";
    if (walking) this.bar.value = Math.min(1, told.seconds / whole); else this.bar.removeAttribute("value");
    this.far.textContent = walking ? `${minutes(told.seconds)} of ${minutes(whole)}, ${plain(told.iterations)} walks` : "putting cards into buckets\u2026";
  }

  offer(told, state) {
    const { agent, seconds } = this.recipe;
    const ask = (path, body) => async () => { try { this.heard(await post(path, body())); } catch (error) { notice(error.message); } };
    const act = (what, words) => h("button", { type: "button", class: `size ${what}`, onclick: ask(`/api/trainings/${told.number}/${what}`, () => ({})) }, words);
    if (state === "solving") return [this.bar, this.far, act("stop", "Stop and keep")];
    if (state === "waiting") return [h("span", { class: "quiet" }, WORDS.waiting), act("stop", "Stop")];
    const said = WORDS[state] && h("span", { class: "quiet" }, `${WORDS[state]}${told.error ? `: ${told.error}` : ""}`);
    if (state === "stopped") return [said, act("go-on", "Go on")];
    const time = h("select", { "aria-label": `How long ${agent} is trained` },
      [...new Set([60, seconds, 4 * seconds])].map((each) => h("option", { value: each, selected: each === seconds }, minutes(each))));
    return [said, time, h("button", { type: "button", class: "size begin", onclick: ask("/api/trainings", () => ({ agent, seconds: Number(time.value) })) }, "Train")];
  }
}
