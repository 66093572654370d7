// The browser's half of a live panel: see screen.py.

const SPEAK_EVERY = 500; // ms: a screen reader is told where a slider came to rest, not every step

const ASK_AGAIN = 1000; // ms after which a question, or the answer to it, counts as lost

const TILES = 0x54494c45; // "TILE"

// The rectangles of a frame of changed tiles, as [pixels, x, y].
async function unpack(frame) {
  const count = frame.getUint16(4, true), start = 6 + 8 * count;
  const deflated = new Uint8Array(frame.buffer, frame.byteOffset + start, frame.byteLength - start);
  const stream = new Response(deflated).body.pipeThrough(new DecompressionStream("deflate"));
  const bytes = await new Response(stream).arrayBuffer();
  let used = 0;
  return Array.from({ length: count }, (_, place) => {
    const [x, y, width, height] = [6, 8, 10, 12].map((at) => frame.getUint16(at + 8 * place, true));
    const pixels = new Uint8ClampedArray(bytes, used, 4 * width * height);
    used += pixels.length;
    return [new ImageData(pixels, width, height), x, y];
  });
}

function element(tag, properties, attributes = {}) {
  const node = Object.assign(document.createElement(tag), properties);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

function render({ model, el }) {
  const width = model.get("width");
  const canvas = element("canvas", { width, height: model.get("height") }, { role: "img" });
  const readout = element("div", { className: "ldp-readout" }, { "aria-hidden": "true" });
  const spoken = element("p", { className: "ldp-spoken" }, { role: "status", "aria-live": "polite" });
  const failure = element("div", { className: "ldp-error", hidden: true });
  const error = element("p", {}, { role: "alert" });
  const traceback = element("pre", {});
  const details = element("details", {});
  details.append(element("summary", { textContent: "where in the code" }), traceback);
  failure.append(error, details);
  canvas.style.aspectRatio = `${width} / ${model.get("height")}`;
  el.classList.add("ldp-screen");
  el.append(canvas, readout, spoken, failure);
  const context = canvas.getContext("2d", { alpha: false });

  function showText() {
    canvas.setAttribute("aria-label", model.get("alt"));
    readout.replaceChildren(...model.get("readout").map(([label, text]) => {
      const item = element("span", {});
      item.append(`${label} `, element("b", { textContent: text }));
      return item;
    }));
    speakSoon();
  }

  let speaking = 0;
  function speakSoon() {
    if (speaking) return;
    speaking = setTimeout(() => {
      speaking = 0;
      spoken.textContent = model.get("readout").map(([label, text]) => `${label}: ${text}`).join("; ");
    }, SPEAK_EVERY);
  }

  // One frame after the other: one may be no more than the tiles that differ from the one before (see
  // frames.py). A view that has not seen that one asks for the whole. The text changes with the newest.
  let shown = 0, asked = -Infinity, drawing = Promise.resolve();
  function showFrame() {
    const number = model.get("number"), frame = model.get("frame");
    if (frame.byteLength) drawing = drawing.then(() => draw(number, frame)).catch(askForWhole);
  }

  async function draw(number, frame) {
    if (frame.getUint32(0) === TILES) {
      if (number !== shown + 1) return askForWhole();
      for (const [pixels, x, y] of await unpack(frame)) context.putImageData(pixels, x, y);
    } else {
      const bitmap = await createImageBitmap(new Blob([frame], { type: "image/png" }));
      if (canvas.width !== bitmap.width || canvas.height !== bitmap.height) {
        canvas.width = bitmap.width;
        canvas.height = bitmap.height;
      }
      context.drawImage(bitmap, 0, 0);
      bitmap.close();
      asked = -Infinity;
    }
    shown = number;
    if (number === model.get("number")) showText();
  }

  function askForWhole(reason) {
    if (reason) console.error(reason);
    if (performance.now() - asked < ASK_AGAIN) return;
    asked = performance.now();
    model.send({ ask: "whole" });
  }

  function showError() {
    failure.hidden = !model.get("error");
    error.textContent = model.get("error");
    traceback.textContent = model.get("traceback");
  }

  const reportRatio = () => {
    const ratio = Math.min(2, Math.max(1, (canvas.clientWidth * devicePixelRatio) / width));
    if (canvas.clientWidth && Math.abs(ratio - model.get("ratio")) > 0.02) {
      model.set("ratio", Math.round(ratio * 50) / 50);
      model.save_changes();
    }
  };
  let settling = 0;
  // What is below the readout must not jump: it has the lines that it would need were all its numbers three
  // figures longer, and a line that it needed nevertheless it keeps. The observer is told after the layout;
  // asking for the height at every frame would force one.
  function reserve() {
    readout.style.minHeight = "";
    readout.classList.add("ldp-reserving");
    const height = readout.offsetHeight;
    readout.classList.remove("ldp-reserving");
    readout.style.minHeight = `${height}px`;
  }
  const grown = new ResizeObserver(() => { readout.style.minHeight = `${readout.offsetHeight}px`; });
  grown.observe(readout);
  const resized = new ResizeObserver(() => {
    reserve();
    clearTimeout(settling);
    settling = setTimeout(reportRatio, 200);
  });
  resized.observe(canvas);

  model.on("change:number", showFrame);
  model.on("change:error", showError);
  showText();
  showFrame();
  showError();
  const stopNaming = nameControls(model, el);

  return () => {
    model.off("change:number", showFrame);
    model.off("change:error", showError);
    resized.disconnect();
    grown.disconnect();
    stopNaming();
    clearTimeout(settling);
    clearTimeout(speaking);
  };
}

// ipywidgets gives slider handles neither a name nor a spoken value, and rewrites their attributes
// whenever they move.
function nameControls(model, el) {
  const labels = model.get("labels");
  const set = (node, name, value) => {
    if (node && node.getAttribute(name) !== value) node.setAttribute(name, value);
  };
  const observer = new MutationObserver(name);
  let panel = null;
  function name() {
    panel ??= el.closest(".ldp-panel");
    if (!panel) return;
    set(panel, "role", "group");
    set(panel, "aria-label", model.get("title"));
    for (const { name, label, help, width } of labels) {
      const control = panel.querySelector(`.ldp-control-${name}`);
      const input = control?.querySelector(".noUi-handle, select, input");
      if (!input) continue;
      set(input, "aria-label", label);
      if (help) set(input, "aria-description", help);
      const shown = control.querySelector(".widget-readout");
      if (shown) {
        shown.style.minWidth = `${width}ch`; // so that the track keeps its length
        shown.contentEditable = "false"; // ipywidgets lets people type here and ignores what they type
        set(input, "aria-valuetext", shown.textContent);
      }
    }
  }
  const options = {
    subtree: true, childList: true, characterData: true, attributeFilter: ["aria-valuetext"],
  };
  const reset = ({ target }) => { if (target.closest("button")) putBack(model); };
  let bar = null;
  const attach = () => {
    name();
    bar = panel?.querySelector(".ldp-controls");
    if (bar) {
      observer.observe(bar, options);
      bar.addEventListener("click", reset);
    } else waiting = requestAnimationFrame(attach);
  };
  let waiting = requestAnimationFrame(attach);
  return () => {
    cancelAnimationFrame(waiting);
    observer.disconnect();
    bar?.removeEventListener("click", reset);
  };
}

// While the kernel is busy ipywidgets holds back the newest position of a control, and a click overtakes it:
// the kernel resets, and then the held back position undoes that. So the last that a control says is where it
// began.
async function putBack(model) {
  for (const { control, start } of model.get("labels")) {
    const moved = await model.widget_manager.get_model(control);
    moved.set(start);
    moved.save_changes();
  }
}

export default { render };
