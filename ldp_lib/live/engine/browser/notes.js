// Speaker's notes: what to say now and next, and the time, in a window that the room does not see.
import { element } from "./draw.js";

export const clock = (seconds) => `${seconds < 0 ? "−" : ""}${Math.floor(Math.abs(seconds) / 60)}:${
  String(Math.floor(Math.abs(seconds) % 60)).padStart(2, "0")}`;

export class Notes {
  // `script`: seconds since the first look -> { head, now, next }. `pressed` hears the keys of the window.
  constructor(script, pressed) {
    Object.assign(this, { script, pressed, begun: 0 });
  }

  // All panels of a page have one window: whoever opened it last has it.
  get shown() { return this.window?.closed === false && this.page.isConnected; }

  open() {
    if (this.shown) return this.window.focus();
    this.window = window.open("", "ldp-notes", "popup, width=700, height=500");
    if (!this.window) return; // the browser says that it keeps windows from opening
    const { document } = this.window;
    document.title = "speaker's notes";
    document.documentElement.lang = "en";
    document.head.append(element("meta", { name: "color-scheme", content: "light dark" }));
    this.page = element("main", {}, { style: "font: 24px/1.5 system-ui, sans-serif; padding: 1em" });
    document.body.replaceChildren(this.page);
    this.window.onkeydown = (event) => this.pressed(event);
    clearInterval(this.ticking);
    this.ticking = setInterval(() => this.tell(), 1000);
    this.tell();
  }

  tell() {
    if (!this.shown) return clearInterval(this.ticking);
    this.begun ||= Date.now();
    const { head, now, next } = this.script((Date.now() - this.begun) / 1000);
    this.page.replaceChildren(element("p", { textContent: head }),
      element("p", { textContent: now }, { style: "font-size: 36px" }),
      element("p", { textContent: next ? `Next: ${next}` : "This is the last one." }));
  }
}
