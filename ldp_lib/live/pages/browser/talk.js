// A talk in a page: its stops one after the other on the whole screen, and in a second window what to say, with the time.
import { element } from "../../engine/browser/draw.js";
import { clock, Notes } from "../../engine/browser/notes.js";
import { button } from "../../engine/browser/panel.js";

// `talks`: name -> { title, stops: [{ minutes, address, whole, say }] }. `open` shows an address in a place of the page.
export function hold(stage, talks, open) {
  const [name, number] = location.hash.slice(1).split("/");
  addEventListener("hashchange", () => location.reload(), { once: true });
  if (talks[name]) return new Talk(name, talks[name], open, stage).turn(Math.max(0, (Number(number) || 1) - 1));
  stage.replaceChildren(element("ul", {}, {}, ...Object.entries(talks).map(([key, { title }]) =>
    element("li", {}, {}, element("a", { href: `#${key}`, textContent: title })))));
}

class Talk {
  constructor(name, { stops }, open, stage) {
    Object.assign(this, { name, stops, open, here: -1, place: element("div"), answers: {} });
    this.notes = new Notes((passed) => this.script(passed), (event) => this.view?.pressed(event));
    this.jump = element("select", {}, { "aria-label": "stop" }, ...stops.map(({ address, whole }, k) => {
      const [name, scene] = address.split(/\/\d+(?:\?scene=|$)/);
      return element("option", { value: k, textContent: `${k + 1}. ${name}${scene && !whole ? `: ${scene.replaceAll("+", " ")}` : ""}` });
    }));
    this.jump.addEventListener("change", () => this.turn(Number(this.jump.value)));
    this.bar = element("div", { className: "ldp-talk-bar" }, {}, this.jump,
      button("notes", "speaker's notes", "speaker's notes in a window of their own (key S)", () => this.notes.open()));
    stage.replaceChildren(this.place, this.bar);
  }

  async turn(to) {
    if (!this.stops[to] || to === this.here) return;
    this.here = to;
    this.jump.value = to;
    history.replaceState(null, "", `#${this.name}/${to + 1}`);
    this.notes.tell();
    const view = await this.open(element("div"), this.stops[to].address, this.answers), within = view.turn.bind(view);
    if (this.here !== to) return view.remove();
    this.view?.remove();
    this.view = view;
    // Keys and buttons go from stop to stop, and through the scenes of a stop that is a whole panel.
    view.turn = (by) => (this.stops[to].whole && view.spec.scenes[view.place + by] ? within(by) : this.turn(this.here + by));
    view.notes = this.notes;
    view.show(this.place);
    view.lecture(true);
    view.root.classList.add("ldp-talking");
    view.chooser.after(this.bar);
  }

  script(passed) {
    const { whole } = this.stops[this.here], { view } = this;
    const until = (stop) => 60 * this.stops.slice(0, stop).reduce((sum, { minutes }) => sum + minutes, 0);
    return { head: `Stop ${this.here + 1} of ${this.stops.length} · ${clock(passed)} of ${clock(until(this.stops.length))
             } · this stop until ${clock(until(this.here + 1))}${whole && view?.place >= 0 ? ` · scene ${view.place + 1} of ${view.spec.scenes.length}` : ""}`,
             now: this.stops[this.here].say, next: this.stops[this.here + 1]?.say };
  }
}
