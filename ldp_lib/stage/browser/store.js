// The states of one panel, by address; all its views share them. It knows neither kernel nor page: `ask(at)`
// wants a state from wherever states are made, `tell(at)` says where the controls stand now.

const KEPT = 1500; // states; the oldest go first
const PATIENCE = 3000; // ms after which a question counts as lost
const SAY_COMPUTING_AFTER = 150; // ms

export const key = (at) => at.join();

export class Store {
  constructor({ at, ask, tell }) {
    Object.assign(this, { at, ask, tell });
    this.states = new Map();
    this.listeners = new Set();
    this.shown = null; // the newest good state that has been on the screen
    this.failure = null; // { error, traceback } of the present position
    this.computing = this.late = false;
    this.gone = ""; // why no new state can come, in words; "" while it can
    this.asked = 0; // when the question in flight was put, 0 if there is none
  }

  // Nothing is on its way: what is shown is of the present position, or nothing can be. What an older question
  // brings changes no picture.
  get settled() {
    return Boolean(this.failure || this.gone) || this.shown !== null && key(this.shown.at) === key(this.at);
  }

  notify() {
    for (const listener of this.listeners) listener();
  }

  // The controls stand at `at` now, by hand or (`silent`) because the kernel says so.
  move(at, silent = false) {
    if (key(at) === key(this.at) && this.shown) return;
    if (this.failure) this.states.delete(key(this.at)); // another try may succeed
    this.at = at;
    if (!silent) this.tell(at);
    this.look();
  }

  // Where not every state is at hand (`has`): of a control's `count` positions on the way to the one that is wished for
  // the nearest to it that is, or where the control stands.
  nearest(place, wished, count) {
    const { at, has } = this, way = Math.sign(wished - at[place]), far = (to) => Math.abs(to - wished);
    const there = (to) => Math.sign(to - at[place]) === way && has(at.with(place, to)) !== false;
    if (!has || !way || there(wished)) return wished;
    return Array.from({ length: count }, (_, to) => to).filter(there).sort((one, other) => far(one) - far(other))[0] ?? at[place];
  }

  // Show the present position if it is known, else ask for it.
  look() {
    const state = this.states.get(key(this.at));
    clearTimeout(this.timer);
    this.computing = this.late = false;
    this.failure = state?.error ? state : null;
    if (state) {
      if (!state.error) this.shown = state;
    } else {
      this.want();
      const since = performance.now();
      const wait = () => {
        this.computing = true;
        this.late = performance.now() - since > PATIENCE;
        if (this.late) this.asked = 0;
        this.want();
        this.notify();
        if (!this.late) this.timer = setTimeout(wait, PATIENCE);
      };
      this.timer = setTimeout(wait, SAY_COMPUTING_AFTER);
    }
    this.notify();
  }

  // One question at a time; the newest waits for the answer to the one before.
  want() {
    if (this.gone || (this.asked && performance.now() - this.asked < PATIENCE)) return;
    this.asked = performance.now();
    this.inFlight = key(this.at);
    this.ask(this.at);
  }

  add(states) {
    for (const state of states) {
      const name = key(state.at);
      this.states.delete(name);
      this.states.set(name, state);
      if (name === this.inFlight) this.asked = 0;
    }
    for (const name of this.states.keys()) {
      if (this.states.size <= KEPT) break;
      if (name !== key(this.at)) this.states.delete(name);
    }
    const here = this.states.get(key(this.at));
    if (here ? here !== (this.failure ?? this.shown) : !this.asked) this.look();
  }

  lose(why) {
    if (this.gone === why) return;
    this.gone = why;
    this.asked = 0;
    if (why) this.notify();
    else this.look();
  }
}
