// Elements without a framework: h makes HTML, s makes SVG. Text is always text, never markup.
const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}

export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

export function put(element, ...children) {
  // In place of what an element had; what is null or false is left out.
  element.replaceChildren();
  return fill(element, {}, children);
}

export function renew(element, ...children) {
  // The same where somebody may be by keyboard: they stay, at the first thing that can be done then.
  const there = element.contains(document.activeElement);
  put(element, ...children);
  if (there) element.querySelector("button, a, select")?.focus();
}

let timer = 0;
export function notice(text) {
  const place = document.getElementById("notice");
  place.textContent = text;
  place.hidden = !text;
  clearTimeout(timer);
  if (text) timer = setTimeout(() => { place.hidden = true; }, 8000);
}

export const signed = (number, digits = 0) =>
  `${number < 0 ? "\u2212" : "+"}${Math.abs(number).toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
export const TITLES = {
  "holdem-limit": "Limit hold'em", "holdem-nolimit": "No-limit hold'em", "holdem-limit-3p": "Limit hold'em for three",
  leduc: "Leduc hold'em", kuhn: "Kuhn poker",
};
export const plain = (number) => (Math.abs(number) < 1e-9 ? 0 : number).toLocaleString("en", { maximumFractionDigits: 2 });

export const many = (count, what) => `${plain(count)} ${what}${count === 1 ? "" : "s"}`;

// Small bets (limit) or big blinds (no-limit) a hand, from thousandths of them.
export function aHand(bankroll) {
  if (bankroll.mean === null) return "no hand is over yet";
  const unit = bankroll.unit === "mb/h" ? "small bets a hand" : "big blinds a hand";
  const wide = bankroll.ci95 === null ? "" : ` \u00b1 ${(bankroll.ci95 / 1000).toFixed(2)}`;
  return `${signed(bankroll.mean / 1000, 2)}${wide} ${unit}`;
}
