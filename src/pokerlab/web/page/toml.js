// The file of a spot, written from its keys and tables; the server reads it, and nobody else.
const bare = (key) => (/^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key));
const table = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const tables = (value) => Array.isArray(value) && value.length > 0 && value.every(table);

function plain(value) {
  if (Array.isArray(value)) return `[${value.map(plain).join(", ")}]`;
  if (table(value)) return `{ ${Object.entries(value).map(([key, inner]) => `${bare(key)} = ${plain(inner)}`).join(", ")} }`;
  return JSON.stringify(value);  // strings are escaped alike in both
}

export function toml(data, path = []) {
  const lines = [], inner = [];
  for (const [key, value] of Object.entries(data)) {
    if (value === null || value === undefined || (Array.isArray(value) && !value.length)) continue;
    const name = [...path, key].map(bare).join(".");
    if (tables(value)) for (const entry of value) inner.push(`[[${name}]]\n${Object.entries(entry).map(([k, v]) => `${bare(k)} = ${plain(v)}\n`).join("")}`);
    else if (table(value)) inner.push(`[${name}]\n${toml(value, [...path, key])}`);
    else lines.push(`${bare(key)} = ${plain(value)}\n`);
  }
  return [...lines, ...inner].join("");
}
