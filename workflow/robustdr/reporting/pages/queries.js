// Every query behind a cell: #collection/system/split/variations/measure/table.
"use strict";

const { make } = robustdr;
const explored = JSON.parse(document.getElementById("explored").textContent);
const choice = document.getElementById("choice").elements;
const by = (id) => document.getElementById(id);
const ORIGINAL = "original", AT_ONCE = 100, BINS = 20;
let list = [], first = 0, table = "", opened = 0;

function offer(select, values, chosen) {
  const pairs = values.map((value) => (Array.isArray(value) ? value : [value, value]));
  select.replaceChildren(...pairs.map(([value, text]) => make("option", { value }, text)));
  select.value = pairs.some(([value]) => value === chosen) ? chosen : (pairs[0]?.[0] ?? "");
  return select.value;
}

async function system(collection, name) {
  const found = await robustdr.load(`${collection}/${name}`, `${collection}/systems/${name}`);
  if (!found.sets || !found.steps) throw new Error(`report/data/${collection}/systems/${name}.js was made by another version`);
  return found;
}

const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
const three = (number) => (number === null ? "–" : number.toFixed(3));
const ranked = (rank) => rank ?? "none";

// One entry a query and variation, with what stands on each side of the comparison.
function pairs(one, other, texts, split, kinds, measure) {
  const found = [];
  for (const kind of kinds) {
    const after = one.sets[`${split}.${kind}`], before = other.sets[`${split}.${other === one ? ORIGINAL : kind}`];
    if (!after?.measures[measure] || !before?.measures[measure]) continue;
    texts[split].qids.forEach((qid, number) => {
      const [b, a] = [before, after].map((set) => set.measures[measure][number]);
      if (a === null || b === null) return;
      const original = texts[split].original[number];
      const varied = kind === ORIGINAL ? original : texts[split][kind]?.[number] || original;
      const ranks = [before, after].map((set) => set.ranks[number]);
      const top = [before, after].map((set) => set.top[number]);
      found.push({ qid, kind, original, varied, before: b / one.digits, after: a / one.digits, change: (a - b) / one.digits, ranks, top });
    });
  }
  return found;
}

function histogram(changes) {
  const counts = Array(BINS).fill(0);
  const moved = changes.filter((change) => change !== 0);
  for (const change of moved) counts[Math.min(BINS - 1, Math.floor(((change + 1) / 2) * BINS))] += 1;
  const most = Math.max(...counts, 1), xmlns = "http://www.w3.org/2000/svg";
  const bars = counts.map((count, bin) => {
    const height = (76 * count) / most, side = bin < BINS / 2 ? "var(--bad)" : "var(--good)";
    const range = `${(-1 + (2 * bin) / BINS).toFixed(1)} to ${(-1 + (2 * (bin + 1)) / BINS).toFixed(1)}: ${count} queries`;
    return make("rect", { xmlns, x: bin * 20 + 1, y: 78 - height, width: 18, height, fill: side }, make("title", { xmlns }, range));
  });
  const [lost, gained] = [moved.filter((change) => change < 0).length, moved.filter((change) => change > 0).length];
  const words = `${lost} lose, ${changes.length - moved.length} stay as they are, ${gained} gain`;
  const label = `Histogram of the differences that are not 0, from −1 to 1: ${words}`;
  const axis = make("line", { xmlns, x1: 0, x2: 400, y1: 79, y2: 79, stroke: "currentColor" });
  const svg = make("svg", { xmlns, viewBox: "0 0 400 80", width: 400, height: 80, role: "img", "aria-label": label }, ...bars, axis);
  by("histogram").replaceChildren(svg, make("figcaption", {}, `${words}. Bars: differences that are not 0, from −1 to 1.`));
}

const side = (text, classes = "") => {
  const scrolls = text.length > 600 ? { class: `${classes} long`, tabindex: 0 } : { class: classes };
  return make("bdi", { dir: "auto", ...scrolls }, text);
};

async function passages(collection, top) {
  const docids = [...new Set(top.flatMap((of) => of[0]))];
  const parts = [...new Set(docids.map(part))];
  const loaded = await Promise.all(parts.map((n) => robustdr.load(`${collection}/passages${n}`, `${collection}/passages${n}`)));
  return Object.assign({}, ...loaded);
}

// CRC-32 of the id, as where its passage was written.
function part(docid) {
  let crc = ~0;
  for (const byte of new TextEncoder().encode(docid)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (~crc >>> 0) % explored.parts;
}

async function open(entry, button, row) {
  if (button.getAttribute("aria-expanded") === "true") {
    row.nextElementSibling.remove();
    button.setAttribute("aria-expanded", "false");
    return;
  }
  const texts = await passages(choice.collection.value, entry.top);
  const sides = entry.top.map(([docids, relevant], number) => {
    const items = docids.map((docid, place) => {
      const [title, text] = texts[docid] ?? ["", `${docid}: its text is not here`];
      const found = relevant.includes(place);
      return make("li", { class: found ? "relevant" : "" }, ...(found ? [make("strong", {}, "✓ relevant ")] : []), side(title ? `${title}. ${text}` : text));
    });
    return make("div", {}, make("strong", {}, by("rows").dataset[number ? "after" : "before"]), make("ol", {}, ...items));
  });
  const cell = make("td", { colspan: 7 }, make("div", { class: "sides" }, ...sides));
  row.after(make("tr", { class: "passages" }, cell));
  button.setAttribute("aria-expanded", "true");
}

function draw(shown) {
  const rows = shown.slice(first, first + AT_ONCE).map((entry) => {
    const query = [side(entry.original)];
    if (entry.kind !== ORIGINAL && choice.against.value === "") query.push(make("br"), side(entry.varied, "varied"));
    if (choice.against.value !== "") query.splice(0, 1, side(entry.varied));
    if (choice.kind.value.includes(",")) query.push(make("br"), make("small", {}, entry.kind));
    const kept = entry.top.every(Boolean);
    const button = make("button", { type: "button", "aria-expanded": "false" }, "Show");
    const how = entry.change < 0 ? "loses" : entry.change > 0 ? "gains" : "";
    const cells = [three(entry.before), three(entry.after)].map((text) => make("td", {}, text));
    cells.push(make("td", { class: how }, `${entry.change > 0 ? "+" : ""}${entry.change.toFixed(3)}`));
    cells.push(...entry.ranks.map((rank) => make("td", {}, String(ranked(rank)))));
    const row = make("tr", {}, make("td", {}, ...query), ...cells, make("td", {}, kept ? button : "–"));
    button.addEventListener("click", () => open(entry, button, row));
    return row;
  });
  by("rows").replaceChildren(...rows);
  const last = Math.min(first + AT_ONCE, shown.length);
  by("page").textContent = shown.length ? `${first + 1} to ${last} of ${shown.length.toLocaleString("en")}` : "no query has this text";
  by("previous").disabled = first === 0;
  by("next").disabled = last === shown.length;
}

function arrange() {
  const asked = by("search").value.trim().toLowerCase();
  const shown = list.filter((entry) => `${entry.original}\n${entry.varied}`.toLowerCase().includes(asked));
  const fall = (entry) => (entry.ranks[1] ?? Infinity) - (entry.ranks[0] ?? Infinity) || 0;
  const orders = {
    harm: (a, b) => a.change - b.change || fall(b) - fall(a) || 0,
    gain: (a, b) => b.change - a.change || fall(a) - fall(b) || 0,
    text: (a, b) => (a.original < b.original ? -1 : Number(a.original > b.original)),
  };
  draw(shown.sort(orders[by("order").value]));
}

async function show(parts) {
  const turn = (opened += 1);
  const [collection, name, split, kinds, measure, from = "", against = ""] = parts;
  table = from;
  try {
    const at = offer(choice.collection, Object.keys(explored.systems), collection);
    const chosen = offer(choice.system, explored.systems[at] ?? [], name);
    if (collection && at !== collection) throw new Error(`There is no collection ${collection} at this scale`);
    if (name && chosen !== name) throw new Error(`${name} was not measured on ${collection}`);
    by("state").textContent = "Loading …";
    const [one, texts] = await Promise.all([system(at, chosen), robustdr.load(`${at}/queries`, `${at}/queries`)]);
    const splits = [...new Set(Object.keys(one.sets).map((set) => set.split(".")[0]))];
    const where = offer(choice.split, splits, split);
    const sets = Object.keys(one.sets).filter((set) => set.startsWith(`${where}.`)).map((set) => set.slice(where.length + 1));
    const varied = sets.filter((set) => set !== ORIGINAL);
    const several = [varied, (kinds ?? "").split(",")].filter((of) => of.length > 1 && of.every((kind) => sets.includes(kind)));
    const all = [...new Set(several.map((of) => of.join(",")))].map((value, n) => [value, n ? `mean of ${value.split(",").length}` : "all variations"]);
    const kind = offer(choice.kind, [...sets, ...all], kinds ?? varied[0]);
    const taken = offer(choice.measure, Object.keys(one.sets[`${where}.${ORIGINAL}`]?.measures ?? {}), measure);
    const others = explored.systems[at].filter((other) => other !== chosen);
    const rival = offer(choice.against, [["", "its original queries"], ...others], against);
    const other = rival ? await system(at, rival) : one;
    if (turn !== opened) return; // another choice was made meanwhile
    if (kinds && kind !== kinds) throw new Error(`${chosen} has no queries of ${kinds} on ${where}`);
    list = pairs(one, other, texts, where, kind.split(","), taken);
    if (!list.length) throw new Error(`${rival || chosen} has no ${taken} to compare with there`);
    const exact = (of, names) => mean(names.map((n) => of.sets[`${where}.${n}`].means[taken]));
    const means = [exact(other, rival ? kind.split(",") : [ORIGINAL]), exact(one, kind.split(","))];
    Object.assign(by("rows").dataset, { before: rival ? `${rival}, on these queries` : "On the original query", after: rival ? `${chosen}, on these queries` : "On the variation" });
    const seeds = one.seeds.length > 1 ? ` Measures are means over seeds ${one.seeds.join(", ")}; ranks and passages are those of seed ${one.seeds[0]}.` : "";
    by("summary").replaceChildren(make("strong", {}, one.label), `, ${at} ${where}: ${taken} `, make("data", { id: "before", value: means[0] }, three(means[0])), " → ", make("data", { id: "after", value: means[1] }, three(means[1])), `.${seeds}`);
    by("all").textContent = `zcat ${explored.root}/runs/${at}/${chosen}/seed${one.seeds[0]}/${where}.${kind.includes(",") ? "*" : kind}.trec.gz`;
    histogram(list.map((entry) => entry.change));
    by("provenance").href = "provenance.html" + robustdr.address([at, chosen, where, kind, taken, table]);
    by("table").hidden = table === "";
    by("table").href = `${encodeURIComponent(table)}.html`;
    first = 0;
    arrange();
    by("state").textContent = "";
    by("shown").hidden = false;
  } catch (error) {
    if (turn !== opened) return;
    by("shown").hidden = true;
    by("state").textContent = `${error.message}. Make it by: snakemake --cores 2 ${explored.root}/report/index.html`;
  }
}

document.getElementById("choice").addEventListener("change", (event) => {
  const { collection, system: name, split, kind, measure, against } = choice;
  const parts = [collection.value, name.value, split.value, kind.value, measure.value, table, against.value];
  const kept = { collection: 1, system: parts.length, split: 3 }[event.target.name] ?? parts.length;
  if (event.target.name !== "collection" && event.target.name !== "split") return void (location.hash = robustdr.address(parts));
  location.hash = robustdr.address(parts.slice(0, kept));
});
by("choice").addEventListener("submit", (event) => event.preventDefault());
by("search").addEventListener("input", () => { first = 0; arrange(); });
by("order").addEventListener("change", () => { first = 0; arrange(); });
by("previous").addEventListener("click", () => { first -= AT_ONCE; arrange(); });
by("next").addEventListener("click", () => { first += AT_ONCE; arrange(); });
const start = () => {
  const parts = location.hash ? robustdr.place() : [];
  show(parts.map((part) => part || undefined));
};
window.addEventListener("hashchange", start);
start();
