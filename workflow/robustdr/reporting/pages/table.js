// A table: sort by a column, show some cells, copy what is shown. The choices stand in the address, behind #.
"use strict";

const table = document.getElementById("cells");
const heads = table ? [...table.tHead.rows[0].cells] : [];
const choices = [...document.querySelectorAll("[data-by]")];
const sortBy = document.querySelector("[data-sort-by]");
const rows = () => [...table.tBodies[0].rows];

function sort(column) {
  const order = { none: "descending", descending: "ascending", ascending: "none" }[heads[column].getAttribute("aria-sort")];
  for (const head of heads.slice(1)) head.setAttribute("aria-sort", "none");
  heads[column].setAttribute("aria-sort", order);
  const value = (row) => Number(row.cells[column].dataset[sortBy?.value ?? "value"] ?? NaN);
  const sign = order === "ascending" ? 1 : -1;
  const place = (one, other) => one.dataset.place - other.dataset.place;
  const compare = (one, other) => {
    const [a, b] = [value(one), value(other)];
    if (order === "none" || (Number.isNaN(a) && Number.isNaN(b))) return place(one, other);
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) ? 1 : -1; // what was not run comes last
    return sign * (a - b) || place(one, other);
  };
  table.tBodies[0].append(...rows().sort(compare));
}

function filter() {
  const asked = choices.filter((choice) => choice.value !== "");
  const fits = (cell) => asked.every((choice) => cell.dataset[choice.dataset.by] === choice.value);
  const shown = new Set();
  for (const row of rows()) {
    const cells = [...row.cells].slice(1);
    cells.forEach((cell, number) => {
      cell.classList.toggle("dim", asked.length > 0 && !fits(cell));
      if (fits(cell)) shown.add(number + 1);
    });
    row.hidden = asked.length > 0 && !cells.some(fits);
  }
  for (const row of [table.tHead.rows[0], ...rows()]) {
    [...row.cells].slice(1).forEach((cell, number) => (cell.hidden = asked.length > 0 && !shown.has(number + 1)));
  }
}

// The lines that are shown: two a row where something was reported.
function lines() {
  const visible = (cells) => [...cells].filter((cell) => !cell.hidden);
  const text = (cell, part) => {
    const found = cell.querySelector(`.${part}`)?.cloneNode(true);
    for (const extra of found?.querySelectorAll(".hidden, .mark") ?? []) extra.remove();
    return found ? found.textContent.trim() : "";
  };
  const compared = table.querySelector(".said") !== null;
  const found = [visible(table.tHead.rows[0].cells).map((cell) => cell.textContent.trim())];
  if (compared) found[0].splice(1, 0, "");
  for (const row of rows().filter((row) => !row.hidden)) {
    const [name, ...cells] = visible(row.cells);
    const label = name.textContent.trim();
    if (compared) found.push([label, "reported", ...cells.map((cell) => text(cell, "said"))]);
    found.push([label, ...(compared ? ["reproduced"] : []), ...cells.map((cell) => text(cell, "made"))]);
  }
  return found;
}

const TEX = {
  ...Object.fromEntries([..."%_&#${}"].map((sign) => [sign, `\\${sign}`])),
  "\\": "\\textbackslash{}", "^": "\\textasciicircum{}", "~": "\\textasciitilde{}", "–": "--", "−": "$-$", "±": "$\\pm$", "×": "$\\times$",
  "→": "$\\rightarrow$", "↑": "$\\uparrow$", "↓": "$\\downarrow$", "†": "$^\\dagger$", "‡": "$^\\ddagger$", "§": "\\textsection{}", "°": "$^\\circ$", "|": "$|$",
};
const escapeTex = (text) => [...text].map((sign) => TEX[sign] ?? sign).join("");
const formats = {
  markdown(all) {
    const row = (fields) => `| ${fields.map((field) => field.replaceAll("|", "\\|")).join(" | ")} |`;
    return [row(all[0]), row(all[0].map(() => "---")), ...all.slice(1).map(row)].join("\n");
  },
  latex(all) {
    const body = all.map((fields) => `${fields.map(escapeTex).join(" & ")} \\\\`);
    return [`\\begin{tabular}{l${"r".repeat(all[0].length - 1)}}`, "\\hline", body[0], "\\hline", ...body.slice(1), "\\hline", "\\end{tabular}"].join("\n");
  },
  csv(all) {
    return all.map((fields) => fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(",")).join("\n");
  },
};

async function copy(button) {
  const said = document.querySelector(".copy output");
  try {
    await navigator.clipboard.writeText(formats[button.dataset.copy](lines()) + "\n");
    said.textContent = "copied";
  } catch {
    said.textContent = "the browser refused; the files below hold the same cells";
  }
}

for (const button of document.querySelectorAll("[data-sort]")) button.addEventListener("click", () => sort(Number(button.dataset.sort)));
for (const button of document.querySelectorAll("[data-copy]")) button.addEventListener("click", () => copy(button));
// The choices as the address has them; what it does not name, or no longer fits, is all.
function choose() {
  const asked = new URLSearchParams(location.hash.slice(1));
  for (const choice of choices) {
    const value = asked.get(choice.dataset.by) ?? "";
    choice.value = [...choice.options].some((option) => option.value === value) ? value : "";
  }
  filter();
}

function keep() {
  const asked = choices.filter((choice) => choice.value !== "").map((choice) => [choice.dataset.by, choice.value]);
  history.replaceState(null, "", asked.length ? `#${new URLSearchParams(asked)}` : location.pathname);
  filter();
}

for (const choice of choices) choice.addEventListener("change", keep);
window.addEventListener("hashchange", choose);
if (table) choose();
