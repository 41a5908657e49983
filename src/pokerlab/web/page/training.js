// Agents that can be trained here: an offer, a bar while it goes on, a button that stops and keeps what there is.
import { h, notice, plain } from "./dom.js";
import { Live, post } from "./api.js";

const WORDS = { waiting: "waits for its turn", stopped: "was stopped, and plays as it is", failed: "could not be trained" };
const minutes = (seconds) => (seconds < 90 ? `${plain(Math.round(seconds))} s` : `${plain(Math.round(seconds / 60))} min`);

export class Trainings {
  // `trained` is called when an agent is ready, or further than it was.
  constructor(trained) {
    this.trained = trained; this.told = new Map(); this.recipes = [];
    this.list = h("ul", { class: "trainings" });
    this.element = h("div", { class: "field train", hidden: true }, h("b", {}, "Not trained yet"), this.list);
  }

  watch() {
    this.live = new Live("/api/trainings/live", (message) => {
      for (const one of (message.trainings || []).slice().reverse()) this.told.set(one.name, one);
      if (message.training) this.hear(message.training);
      this.draw();
    }, () => {});
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
    const chosen = new Map([...this.list.querySelectorAll("select")].map((select) => [select.dataset.agent, select.value]));
    if (this.list.contains(document.activeElement) && document.activeElement.matches("select")) return;  // somebody is choosing
    this.list.replaceChildren(...rows.map(([recipe, told]) => h("li", { "data-agent": recipe.agent, "data-state": told ? told.state : "" },
      h("span", {}, h("b", {}, recipe.agent), h("span", { class: "quiet" }, ` ${recipe.about}`)), this.doing(recipe, told, chosen.get(recipe.agent)))));
  }

  doing(recipe, told, chosen) {
    const ask = (path, body) => async () => { try { this.hear(await post(path, body())); this.draw(); } catch (error) { notice(error.message); } };
    const act = (what, words) => h("button", { type: "button", class: `size ${what}`, onclick: ask(`/api/trainings/${told.number}/${what}`, () => ({})) }, words);
    if (told && told.state === "solving") {
      const whole = told.goal.seconds, part = Math.min(1, told.seconds / whole);
      const far = told.stage === "walks" ? `${minutes(told.seconds)} of ${minutes(whole)}, ${plain(told.iterations)} walks` : "putting cards into buckets\u2026";
      return h("span", { class: "doing" }, h("progress", { max: 1, value: told.stage === "walks" ? part : undefined, "aria-label": `Training of ${recipe.agent}` }), h("span", { class: "quiet far" }, far), act("stop", "Stop and keep"));
    }
    if (told && told.state === "waiting") return h("span", { class: "doing" }, h("span", { class: "quiet" }, WORDS.waiting), act("stop", "Stop"));
    const said = told && WORDS[told.state] && h("span", { class: "quiet" }, `${WORDS[told.state]}${told.error ? `: ${told.error}` : ""}`);
    if (told && told.state === "stopped") return h("span", { class: "doing" }, said, act("go-on", "Go on"));
    const time = h("select", { "data-agent": recipe.agent, "aria-label": `How long ${recipe.agent} is trained` },
      [...new Set([60, recipe.seconds, 4 * recipe.seconds])].map((seconds) => h("option", { value: seconds, selected: seconds === Number(chosen || recipe.seconds) }, minutes(seconds))));
    return h("span", { class: "doing" }, said, time, h("button", { type: "button", class: "size begin", onclick: ask("/api/trainings", () => ({ agent: recipe.agent, seconds: Number(time.value) })) }, "Train"));
  }

  close() { this.live.close(); }
}
