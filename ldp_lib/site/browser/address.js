// The position that an address asks for, as Python reads it, or the nearest one that a hand can reach.
export function position(spec, query) {
  return withinReach(spec, wanted(spec, query));
}

// Where a scene begins; elsewhere only what it shows has been moved, from where its answer led.
function withinReach({ scenes, controls, story }, at) {
  const scene = story && scenes[at[0]], free = (place) => place === scene.play?.control
    || scene.moved.includes(controls[place].name);
  if (!scene || at.every((to, place) => to === scene.at[place])) return at;
  return at.map((to, place) => free(place) ? to : (scene.ask?.then ?? scene.at)[place]);
}

// What an address does not name stands where its scene begins.
function wanted(spec, query) {
  const asked = new URLSearchParams(query), scene = spec.scenes.find(({ name }) => name === asked.get("scene"));
  const at = [...(spec.story && scene ? scene.at : asked.size && spec.story ? spec.scenes.at(-1).at : spec.begin)];
  spec.controls.forEach(({ name, keys, values }, place) => {
    if (!asked.has(name)) return;
    const text = asked.get(name);
    let found = keys.indexOf(text);
    if (found < 0 && values.length && text.trim() && Number.isFinite(Number(text))) {
      const far = values.map((value) => Math.abs(value - Number(text)));
      found = far.indexOf(Math.min(...far));
    }
    if (found >= 0) at[place] = found;
  });
  return at;
}

// The address of a position, as Python writes it: what differs from where its scene begins. Once it is `answered` the
// scene begins with what its answer brought, so what differs from that is named, too.
export function link(spec, at, answered = false) {
  const scene = spec.story ? spec.scenes[at[0]] : null, from = scene ? scene.at : spec.begin;
  const then = (answered && scene?.ask?.then) || from;
  const asked = new URLSearchParams(scene ? { scene: scene.name } : {});
  spec.controls.forEach(({ name, keys }, place) => {
    if (at[place] !== from[place] || at[place] !== then[place]) asked.append(name, keys[at[place]]);
  });
  return spec.address + (asked.size ? `?${asked}` : "");
}

// Does an address say where a control stands?
export const namesControls = (query) => [...new URLSearchParams(query).keys()].some((name) => name !== "scene");

const LONGEST = 40, MOST = 3; // of what a stranger may have written into an address, characters and names that are repeated

// What is not as an address says, in words; "" if all is.
export function remark(spec, address) {
  const cut = (text) => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
  const [name, query] = address.split("?"), keys = new Map(spec.controls.map((control) => [control.name, control.keys]));
  const unknown = [...new URLSearchParams(query)].filter(([control, text]) =>
    !keys.get(control)?.some((known) => known === text || (known && Number(known) === Number(text))));
  const asked = wanted(spec, query), found = withinReach(spec, asked), scene = spec.scenes[found[0]]?.name;
  const moved = spec.controls.filter((_, place) => asked[place] !== found[place]).map((control) => control.name);
  const named = moved.filter((control) => new URLSearchParams(query).has(control));
  const refused = named.slice(0, MOST).map((control) => {
    const others = spec.scenes.filter(({ moved: by }) => by.includes(control)).map((each) => each.name);
    return `${scene} does not show ${control}; ${others.join(", ") || "no scene"} ${others.length > 1 ? "do" : "does"}.`;
  });
  if (moved.length > named.length)
    refused.push(`In ${scene} nothing moves before its answer, so what the answer brings is shown, too.`);
  return [...(name === spec.address || !name.includes("/") ? [] : [`The address is of another version of this picture, which is ${spec.address} now.`]),
          ...unknown.slice(0, MOST).map(([control, text]) => `There is no ${cut(control)} = ${cut(text)} here; what comes nearest is shown.`),
          ...refused].join(" ");
}
