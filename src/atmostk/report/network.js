// The explorable network: one canvas, redrawn when something changed and at most once a frame.
"use strict";
function network(place) {
  const { names, x, y, first, second, strength } = page.data(place.dataset.source);
  const canvas = place.querySelector("canvas");
  const pen = canvas.getContext("2d");
  const about = place.querySelector(".about");
  const told = place.querySelector(".told");
  const find = place.querySelector(".find");
  const least = place.querySelector(".least");
  const leastTold = place.querySelector(".least-told");
  const strongest = Math.max(1e-12, ...strength.map(Math.abs));
  const neighbours = names.map(() => []);
  first.forEach((one, edge) => {
    neighbours[one].push([second[edge], strength[edge]]);
    neighbours[second[edge]].push([one, strength[edge]]);
  });
  neighbours.forEach((list) => list.sort((a, b) => Math.abs(b[1]) - Math.abs(a[1])));
  const byName = new Map(names.map((name, node) => [name.toLowerCase(), node]));
  // The weakest are drawn first, so that the strongest lie on top.
  const order = strength.map((_, edge) => edge).sort((a, b) => Math.abs(strength[a]) - Math.abs(strength[b]));
  const BINS = 6;
  // In a crowd each line is fainter, so that what many lines share still shows.
  const crowd = Math.min(1, Math.max(0.35, Math.sqrt(1500 / Math.max(1, strength.length))));
  let width = 0, height = 0, scale = 1, left = 0, top = 0;
  let over = -1, kept = -1, threshold = 0, waiting = false, visible = 0;

  const toScreen = (node) => [left + scale * x[node], top - scale * y[node]];
  const chosen = () => (kept >= 0 ? kept : over);
  const seen = (edge) => Math.abs(strength[edge]) >= threshold;

  function fit() {
    scale = 0.47 * Math.min(width, height);
    left = width / 2;
    top = height / 2;
    redraw();
  }

  function measure() {
    const box = canvas.getBoundingClientRect();
    const before = width;
    width = box.width;
    height = box.height;
    const density = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * density);
    canvas.height = Math.round(height * density);
    pen.setTransform(density, 0, 0, density, 0, 0);
    if (before === 0) fit();
    else redraw();
  }

  function redraw() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      draw();
    });
  }

  function strokeEdges(edges, colour, alpha, thick) {
    pen.strokeStyle = colour;
    pen.globalAlpha = alpha;
    pen.lineWidth = thick;
    pen.beginPath();
    for (const edge of edges) {
      const [ax, ay] = toScreen(first[edge]);
      const [bx, by] = toScreen(second[edge]);
      // What lies wholly outside one side of the canvas need not be drawn.
      if ((ax < 0 && bx < 0) || (ay < 0 && by < 0) || (ax > width && bx > width) || (ay > height && by > height)) continue;
      pen.moveTo(ax, ay);
      pen.lineTo(bx, by);
    }
    pen.stroke();
  }

  function draw() {
    pen.clearRect(0, 0, width, height);
    const node = chosen();
    const colours = [page.colour("--red"), page.colour("--blue")];
    const dim = node >= 0 ? 0.25 : 1;
    const zoom = scale / (0.47 * Math.min(width, height));
    const thick = Math.min(2.5, Math.max(0.6, Math.sqrt(zoom)));
    const bins = [new Array(BINS), new Array(BINS)].map((bin) => Array.from(bin, () => []));
    visible = 0;
    for (const edge of order) {
      if (!seen(edge)) continue;
      visible += 1;
      const bin = Math.min(BINS - 1, Math.floor((BINS * Math.abs(strength[edge])) / strongest));
      bins[strength[edge] > 0 ? 1 : 0][bin].push(edge);
    }
    for (let bin = 0; bin < BINS; bin++) {
      for (const sign of [0, 1]) {
        const share = (bin + 1) / BINS;
        const faint = zoom > 3 ? 1 : crowd;
        strokeEdges(bins[sign][bin], colours[sign], dim * faint * (0.25 + 0.6 * share), thick * (0.5 + 1.5 * share));
      }
    }
    if (node >= 0) {
      for (const sign of [0, 1]) {
        const own = order.filter((edge) => seen(edge) && (first[edge] === node || second[edge] === node)
          && strength[edge] > 0 === (sign === 1));
        strokeEdges(own, colours[sign], 1, 2 * thick);
      }
    }
    drawNodes(node, zoom);
    told.textContent = `${names.length.toLocaleString("en")} nodes, ${visible.toLocaleString("en")} of `
      + `${strength.length.toLocaleString("en")} edges`;
    leastTold.textContent = threshold.toFixed(3);
  }

  function drawNodes(node, zoom) {
    const close = new Set(node >= 0 ? neighbours[node].filter((one) => Math.abs(one[1]) >= threshold).map((one) => one[0]) : []);
    pen.fillStyle = page.colour("--ink");
    const size = Math.min(5, (names.length > 1000 ? 0.8 : 1.3) * Math.sqrt(zoom));
    const labels = [];
    for (let one = 0; one < names.length; one++) {
      const [sx, sy] = toScreen(one);
      if (sx < -20 || sy < -20 || sx > width + 20 || sy > height + 20) continue;
      const near = one === node || close.has(one);
      pen.globalAlpha = node < 0 || near ? 0.9 : 0.3;
      const radius = size * (1 + 0.35 * Math.sqrt(neighbours[one].length)) * (one === node ? 1.8 : 1);
      pen.beginPath();
      pen.arc(sx, sy, radius, 0, 7);
      pen.fill();
      if (near || zoom > 5) labels.push([one, sx + radius + 3, sy + 4]);
    }
    pen.globalAlpha = 1;
    pen.font = "12px system-ui, sans-serif";
    for (const [one, sx, sy] of labels.slice(0, 250)) pen.fillText(names[one], sx, sy);
  }

  function nearest(sx, sy) {
    let best = -1, closest = 14 * 14;
    for (let node = 0; node < names.length; node++) {
      const [ax, ay] = toScreen(node);
      const distance = (ax - sx) ** 2 + (ay - sy) ** 2;
      if (distance < closest) {
        closest = distance;
        best = node;
      }
    }
    return best;
  }

  function tell() {
    const node = chosen();
    about.hidden = node < 0;
    about.classList.toggle("kept", kept >= 0);
    if (node < 0) return;
    const list = neighbours[node].filter((one) => Math.abs(one[1]) >= threshold);
    const name = document.createElement("strong");
    name.textContent = names[node];
    const count = document.createElement("div");
    count.textContent = `${list.length} neighbour${list.length === 1 ? "" : "s"}; partial correlations:`;
    const items = document.createElement("ul");
    for (const [other, value] of list.slice(0, kept >= 0 ? 200 : 8)) {
      const item = document.createElement("li");
      for (const text of [names[other], value.toFixed(3)]) {
        item.append(Object.assign(document.createElement("span"), { textContent: text }));
      }
      items.append(item);
    }
    about.replaceChildren(name, count, items);
  }

  function choose(node, { centre = false } = {}) {
    kept = node;
    if (node >= 0 && centre) {
      scale = Math.max(scale, 3 * 0.47 * Math.min(width, height));
      left = width / 2 - scale * x[node];
      top = height / 2 + scale * y[node];
    }
    tell();
    redraw();
  }

  function zoomAt(sx, sy, factor) {
    const smallest = 0.2 * Math.min(width, height);
    const next = Math.min(200 * smallest, Math.max(smallest, scale * factor));
    left = sx - ((sx - left) * next) / scale;
    top = sy - ((sy - top) * next) / scale;
    scale = next;
    redraw();
  }

  function search() {
    const asked = find.value.trim().toLowerCase();
    if (!asked) return choose(-1);
    const exact = byName.get(asked);
    const node = exact !== undefined ? exact : names.findIndex((name) => name.toLowerCase().includes(asked));
    find.setCustomValidity(node < 0 ? "no such name" : "");
    if (node >= 0) choose(node, { centre: true });
    return undefined;
  }

  const here = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const fingers = new Map();
  let moved = 0;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, here(event));
    moved = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const now = here(event);
    const before = fingers.get(event.pointerId);
    if (!before) {
      const node = nearest(...now);
      if (node !== over) {
        over = node;
        canvas.style.cursor = node >= 0 ? "pointer" : "";
        tell();
        redraw();
      }
      return;
    }
    if (fingers.size === 2) {
      const other = [...fingers].find(([finger]) => finger !== event.pointerId)[1];
      const apart = (one) => Math.max(10, Math.hypot(one[0] - other[0], one[1] - other[1]));
      zoomAt((now[0] + other[0]) / 2, (now[1] + other[1]) / 2, apart(now) / apart(before));
    } else {
      left += now[0] - before[0];
      top += now[1] - before[1];
    }
    moved += Math.abs(now[0] - before[0]) + Math.abs(now[1] - before[1]);
    fingers.set(event.pointerId, now);
    redraw();
  });
  const lifted = (event) => {
    if (fingers.delete(event.pointerId) && moved < 5 && event.type === "pointerup") choose(nearest(...here(event)));
  };
  canvas.addEventListener("pointerup", lifted);
  canvas.addEventListener("pointercancel", lifted);
  canvas.addEventListener("pointerleave", () => {
    over = -1;
    tell();
    redraw();
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoomAt(...here(event), Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0015)));
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
    if (step) {
      left += step[0];
      top += step[1];
    } else if (event.key === "+" || event.key === "-") zoomAt(width / 2, height / 2, event.key === "+" ? 1.3 : 1 / 1.3);
    else if (event.key === "Escape") choose(-1);
    else return;
    event.preventDefault();
    redraw();
  });
  find.addEventListener("input", search);
  find.addEventListener("change", search);
  least.addEventListener("input", () => {
    threshold = (strongest * least.value) / 1000;
    tell();
    redraw();
  });
  place.querySelector(".all").addEventListener("click", () => {
    find.value = "";
    least.value = 0;
    threshold = 0;
    choose(-1);
    fit();
  });
  const options = [...names].sort().map((name) => Object.assign(document.createElement("option"), { value: name }));
  place.querySelector("datalist").append(...options);
  new ResizeObserver(measure).observe(canvas);
  page.onTheme.push(draw); // at once: paper does not wait for the next frame
  // What a test or a curious reader asks: the state, and how long one drawing takes.
  place.network = {
    state: () => ({ visible, scale, left, top, threshold, chosen: chosen() < 0 ? null : names[chosen()] }),
    screen: (name) => toScreen(byName.get(name.toLowerCase())),
    draw,
  };
}

document.querySelectorAll(".network").forEach(network);
