// A spot made in the page. What is edited is the content of its file; the server reads it and says what is wrong, and where.
import { h, notice, plain } from "./dom.js";
import { get, inquire, post } from "./api.js";
import { BoardPicker } from "./picker.js";
import { RangeEditor } from "./ranges.js";
import { toml } from "./toml.js";

const STREETS = ["flop", "turn", "river"], PLAYERS = ["oop", "ip"], NAMES = { oop: "Out of position", ip: "In position" };
const FIRST = {
  board: "Qs Jh 2h 4c", pot: 200, stacks: [900, 900],
  oop: { range: "99-22, AQ, AJs, KQ, KJs, QJ, QTs, JTs, T9s, 98s" }, ip: { range: "AA-99, AK, AQs, AQo:0.75, KQs, QJs:0.75, T9s:0.5" },
  bets: Object.fromEntries(STREETS.map((street) => [street, Object.fromEntries(PLAYERS.map((who) => [who, { bet: "50%, 100%", raise: "all-in" }]))])),
};

export function freeName(wanted, taken) {
  const stem = wanted.replace(/[^A-Za-z0-9 _-]+/g, " ").trim().slice(0, 50) || "spot";
  for (let i = 1; ; i += 1) { const name = i === 1 ? stem : `${stem} ${i}`; if (!taken.includes(name)) return name; }
}

export async function takenNames() {
  const [files, solves] = await Promise.all([get("/api/spots"), get("/api/solves")]);
  return [...files.map(({ file }) => file.replace(/\.solution$/, "")), ...solves.map((solve) => solve.name)];
}

export async function makePage(kind, which) {
  const taken = await takenNames();
  let data = structuredClone(FIRST), name = "spot";
  if (kind === "file") { data = (await get(`/api/spots/file?${new URLSearchParams({ file: decodeURIComponent(which) })}`)).data; name = decodeURIComponent(which).replace(/\.solution$/, ""); }
  if (kind === "solve") { const told = await get(`/api/solves/${which}`); data = (await get(`/api/solves/${which}/spot`)).data; name = told.name; }
  return (main) => {
    const page = new MakePage(data, freeName(name, taken));
    main.replaceChildren(page.element);
    return () => page.close();
  };
}

class MakePage {
  constructor(data, name) {
    this.fields = {}; this.timer = 0; this.asked = 0; this.goal = {}; this.weighing = this.again = false; this.taken = null;
    this.board = new BoardPicker(() => { this.data.board = this.board.text; this.streets(); this.changed(); });
    this.ranges = Object.fromEntries(PLAYERS.map((who) => [who, new RangeEditor(`The range of the player ${NAMES[who].toLowerCase()}`, (text) => { this.data[who].range = text; this.changed(); })]));
    this.sizes = h("div", { class: "size-rows" });
    this.locks = h("div", {});
    this.file = h("textarea", { class: "file", rows: 14, spellcheck: "false", autocomplete: "off", "aria-label": "The file of the spot" });
    this.weight = h("p", { class: "weight", role: "status" });
    this.name = h("input", { id: "name", maxlength: 60, value: name, autocomplete: "off" });
    this.button = h("button", { class: "sit go", type: "button", onclick: () => this.solve() }, "Solve");
    this.element = this.laid();
    this.set(data);
  }

  close() { clearTimeout(this.timer); this.asked += 1; }

  problem(key) { return (this.fields[key] = h("p", { class: "problem", role: "alert", hidden: true, "data-field": key })); }

  number(label, id, more, read) {
    const input = h("input", { id, type: "number", inputmode: "decimal", ...more, onchange: () => { read(input.value); this.changed(); } });
    return [h("div", { class: "field" }, h("label", { for: id }, label), input), input];
  }

  laid() {
    const optional = (key, scale = 1) => (text) => { if (text === "") delete this.data[key]; else this.data[key] = +(Number(text) * scale).toPrecision(12); };
    const stack = (i) => (text) => { this.data.stacks[i] = Number(text); };
    const [pot, potInput] = this.number("Pot", "pot", { min: 1, step: 1 }, (text) => { this.data.pot = Number(text); });
    const [oop, oopInput] = this.number("Stack out of position", "stack-oop", { min: 0, step: 1 }, stack(0)), [ip, ipInput] = this.number("Stack in position", "stack-ip", { min: 0, step: 1 }, stack(1));
    const [rake, rakeInput] = this.number("Rake, %", "rake", { min: 0, max: 99, step: 0.1 }, optional("rake", 0.01)), [cap, capInput] = this.number("Rake at most, chips", "rake-cap", { min: 0 }, optional("rake_cap"));
    const [raises, raisesInput] = this.number("Raises a street, at most", "max-raises", { min: 0, step: 1 }, optional("max_raises")), [blind, blindInput] = this.number("Least bet", "blind", { min: 0, step: 1 }, optional("blind"));
    const [goal, goalInput] = this.number("Goal, % of the pot", "goal", { min: 0, step: 0.1, value: 0.5 }, () => {}), [seconds, secondsInput] = this.number("Seconds, at most", "seconds", { min: 1, value: 600 }, () => {});
    this.inputs = { pot: potInput, oop: oopInput, ip: ipInput, rake: rakeInput, rake_cap: capInput, max_raises: raisesInput, blind: blindInput };
    this.goal = { exploitability: goalInput, seconds: secondsInput };
    this.limits = h("details", { class: "limits" }, h("summary", {}, "Rake and limits"), h("div", { class: "fields" }, rake, cap, raises, blind));
    const tabs = PLAYERS.map((who) => h("button", { type: "button", role: "tab", id: `tab-${who}`, "aria-controls": `range-${who}`, onclick: () => this.turn(who) }, NAMES[who]));
    this.tabs = Object.fromEntries(PLAYERS.map((who, i) => [who, [tabs[i], h("div", { id: `range-${who}`, role: "tabpanel", "aria-labelledby": `tab-${who}`, "data-range": who }, this.ranges[who].element, this.problem(`${who}.range`))]]));
    this.turn("oop");
    return h("div", { class: "make" }, h("p", {}, h("a", { href: "#/look" }, "\u2039 all spots")), h("h1", {}, "Make a spot"),
      h("div", { class: "make-columns" },
        h("div", { class: "left" },
          h("section", { class: "panel" }, h("h2", {}, "Board"), h("p", { class: "quiet" }, "Three cards for a flop, four for a turn, five for a river."), this.board.element, this.problem("board")),
          h("section", { class: "panel" }, h("h2", {}, "Chips"), h("div", { class: "fields" }, pot, oop, ip), this.problem("pot"), this.problem("stacks"), this.problem("state"),
            this.limits, this.problem("rake"), this.problem("max_raises"), this.problem("blind")),
          h("section", { class: "panel" }, h("h2", {}, "Bet sizes"), h("p", { class: "quiet" }, "50% is of the pot, 2.5x of the bet faced, 120c chips, all-in everything; empty means never."), this.sizes, this.problem("bets"), ...STREETS.map((street) => this.problem(`bets.${street}`))),
          this.locks),
        h("div", { class: "left" },
          h("section", { class: "panel" }, h("h2", {}, "Ranges"), h("div", { class: "tabs", role: "tablist", "aria-label": "Whose range" }, tabs), PLAYERS.map((who) => this.tabs[who][1])),
          h("section", { class: "panel" }, h("h2", {}, "Solve"), h("div", { class: "fields" }, h("div", { class: "field" }, h("label", { for: "name" }, "Name"), this.name), goal, seconds), this.problem("name"), this.problem(""), this.weight, this.button),
          h("details", { class: "panel folds" }, h("summary", {}, "The file"), h("p", { class: "quiet" }, "What \u201cpokerlab spot\u201d reads; it can be changed here, too."), this.file, h("button", { type: "button", class: "take", onclick: () => { this.taken = this.take(); } }, "Take this text")))));
  }

  turn(who) {
    for (const [one, [tab, panel]] of Object.entries(this.tabs)) { tab.setAttribute("aria-selected", String(one === who)); panel.hidden = one !== who; }
  }

  set(data) {
    // Show the content of a file.
    this.data = data;
    data.stacks = Array.isArray(data.stacks) ? data.stacks : [data.stacks, data.stacks];
    this.board.set(data.board);
    for (const who of PLAYERS) this.ranges[who].read(data[who].range);
    const { pot, oop, ip, ...others } = this.inputs;
    pot.value = data.pot; oop.value = data.stacks[0]; ip.value = data.stacks[1];
    for (const [key, input] of Object.entries(others)) input.value = data[key] === undefined ? "" : key === "rake" ? +(100 * data[key]).toFixed(6) : data[key];
    if (Object.keys(others).some((key) => data[key] !== undefined)) this.limits.open = true;
    this.streets();
    this.showLocks();
    this.changed();
  }

  streets() {
    // Sizes of the streets to come; one that had none yet begins with those of another.
    const first = Math.max(0, this.board.cards.length - 3), known = Object.values(this.data.bets).find((street) => street.oop && street.ip);
    this.sizes.replaceChildren(...STREETS.slice(first).flatMap((street) => {
      const sizes = (this.data.bets[street] = this.data.bets[street] || structuredClone(known));
      return PLAYERS.map((who) => h("div", { class: "size-row" }, h("span", {}, `${street[0].toUpperCase()}${street.slice(1)}, ${NAMES[who].toLowerCase()}`),
        ["bet", "raise"].map((key) => h("label", {}, h("span", { class: "quiet" }, key), h("input", { value: sizes[who][key], spellcheck: "false", autocomplete: "off", "data-size": `${street}.${who}.${key}`, onchange: (event) => { sizes[who][key] = event.target.value; this.changed(); } })))));
    }));
  }

  showLocks() {
    const locks = this.data.lock || [];
    this.locks.replaceChildren(...(locks.length ? [h("section", { class: "panel" }, h("h2", {}, "Locked decisions"), h("ul", { class: "locks" }, locks.map((lock, i) => h("li", {},
      h("b", {}, lock.line || "the start"), h("span", { class: "quiet" }, ` ${Object.entries(lock.play).map(([action, how]) => `${action}: ${typeof how === "number" ? `${+(100 * how).toFixed(2)} %` : how}`).join("; ").slice(0, 160)} `),
      h("button", { type: "button", class: "plain", onclick: () => { locks.splice(i, 1); this.showLocks(); this.changed(); } }, "unlock")))))] : []), this.fields.lock || this.problem("lock"));
  }

  changed() {
    this.file.value = toml(this.data);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.weigh(), 250);
  }

  say(error) {
    for (const place of Object.values(this.fields)) place.hidden = true;
    if (!error) return;
    const place = this.fields[error.field] || this.fields[""];
    place.textContent = error.message;
    place.hidden = false;
    for (const who of PLAYERS) if (error.field === `${who}.range`) this.turn(who);
  }

  async weigh() {
    // One question at a time; what has changed meanwhile is asked about afterwards.
    if (this.weighing) { this.again = true; return; }
    this.weighing = true;
    const mine = this.asked;
    try {
      const told = await inquire("/api/spots/weigh", { spot: toml(this.data) });
      if (mine === this.asked && !this.again) {
        this.say(null);
        const size = told.bytes / 2 ** 20;
        this.weight.textContent = `${plain(told.hands[0])} and ${plain(told.hands[1])} hands, ${plain(told.decisions)} decisions in the betting, ${size < 10 ? size.toFixed(1) : plain(Math.round(size))} MiB of memory.`;
      }
    } catch (error) { if (mine === this.asked && !this.again) { this.weight.textContent = ""; this.say(error); } }
    this.weighing = false;
    if (this.again && mine === this.asked) { this.again = false; this.weigh(); }
  }

  async take() {
    try { this.set((await inquire("/api/spots/read", { spot: this.file.value })).data); } catch (error) { this.say(error); notice(error.message); }
  }

  async unread() {
    // Where a text of the page is not what would be solved, and why; null if there is none.
    await this.taken;
    for (const who of PLAYERS) {
      if (!(await this.ranges[who].wrong())) continue;
      this.turn(who);
      return `The range of the player ${NAMES[who].toLowerCase()} cannot be read.`;
    }
    return this.file.value === toml(this.data) ? null : "The text of the file was changed: take it first.";
  }

  async solve() {
    this.button.disabled = true;
    clearTimeout(this.timer);
    const mine = (this.asked += 1), unread = await this.unread();
    if (mine !== this.asked) return;  // the page was left
    if (unread) { this.say({ field: "", message: unread }); this.button.disabled = false; return; }
    const limit = (input) => (input.value === "" ? null : Number(input.value));
    try {
      const told = await post("/api/solves", { name: this.name.value, spot: toml(this.data), exploitability: limit(this.goal.exploitability), seconds: limit(this.goal.seconds) });
      location.hash = `#/solve/${told.number}`;
    } catch (error) { this.say(error); this.button.disabled = false; }
  }
}
