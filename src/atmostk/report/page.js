// The theme, the figures and the tables to save. Every text comes from data as text, never as markup.
"use strict";
const page = {
  data: (name) => JSON.parse(document.getElementById(name).textContent),
  colour: (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim(),
  onTheme: [],
};

page.theme = (name) => {
  document.documentElement.dataset.theme = name;
  page.onTheme.forEach((redraw) => redraw());
};

page.layout = (layout) => {
  const line = page.colour("--line");
  const themed = {
    ...layout,
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { color: page.colour("--ink"), family: "system-ui, sans-serif", size: 13 },
    margin: { l: 60, r: 20, t: 30, b: 50 },
    hovermode: "closest",
  };
  for (const name of Object.keys(themed).filter((key) => /^[xy]axis/.test(key))) {
    themed[name] = { gridcolor: line, zerolinecolor: line, linecolor: line, ...themed[name] };
  }
  return themed;
};

page.drawFigures = () => {
  for (const place of document.querySelectorAll(".figure")) {
    const { data, layout, height } = page.data(place.dataset.source);
    Plotly.react(place, data, { ...page.layout(layout), height }, { responsive: true, displaylogo: false });
  }
};

page.csv = (columns) => {
  const quoted = (value) => {
    const text = value === null ? "" : String(value);
    return /[",\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  };
  const names = Object.keys(columns);
  const lines = [names.map(quoted).join(",")];
  for (let row = 0; row < columns[names[0]].length; row++) {
    lines.push(names.map((name) => quoted(columns[name][row])).join(","));
  }
  return lines.join("\n") + "\n";
};

for (const button of document.querySelectorAll("button.save")) {
  button.addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([page.csv(page.data(button.dataset.source))], { type: "text/csv" }));
    link.download = button.dataset.name;
    link.click();
    URL.revokeObjectURL(link.href);
  });
}

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
page.onTheme.push(page.drawFigures);
document.getElementById("theme").addEventListener("click", () => {
  page.theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
});
prefersDark.addEventListener("change", (now) => page.theme(now.matches ? "dark" : "light"));
// Paper is light, whatever the screen was.
let onScreen = null;
addEventListener("beforeprint", () => {
  onScreen = document.documentElement.dataset.theme;
  page.theme("light");
});
addEventListener("afterprint", () => page.theme(onScreen));
document.documentElement.dataset.theme = prefersDark.matches ? "dark" : "light";
page.drawFigures();
