// Speaker's notes: what to say now and next, and the time, in a window that the room does not see.
import { element } from "./draw.js";

export const clock = (seconds) => `${seconds < 0 ? "−" : ""}${Math.floor(Math.abs(seconds) / 60)}:${
  String(Math.floor(Math.abs(seconds) % 60)).padStart(2, "0")}`;

export class Notes {
  // `script`: seconds since the first look -> { head, now: [what to say], next }. `pressed` hears the keys of the
  // window. `begun`: when the clock began, if it goes already.
  constructor(script, pressed, begun = 0) {
    Object.assign(this, { script, pressed, begun });
  }

  // All panels of a page have one window: whoever opened it last has it.
  get shown() { return this.window?.closed === false && Boolean(this.page?.isConnected); }

  open() {
    if (this.shown) return this.window.focus();
    this.window = window.open("", "ldp-notes", "popup, width=700, height=500");
    if (!this.window) return; // the browser says that it keeps windows from opening
    let document;
    try {
      ({ document } = this.window);
    } catch { // it is of this page before it was loaded again, and pages on a disk are strangers to each other
      this.window.close();
      return setTimeout(() => this.open(), 200);
    }
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

  // The page of the pictures goes: a window that stays must not look as if it were alive.
  part() {
    if (this.shown) this.page.prepend(element("p", { textContent: "These notes are no longer connected: press S in the talk." }));
  }

  tell() {
    if (!this.shown) return clearInterval(this.ticking);
    this.begun ||= Date.now();
    const { head, now, next } = this.script((Date.now() - this.begun) / 1000);
    this.page.replaceChildren(element("p", { textContent: head }),
      ...now.map((words) => element("p", { textContent: words }, { style: "font-size: 32px; margin: .4em 0" })),
      element("p", { textContent: next ? `Next: ${next}` : "This is the last one." }));
  }
}
