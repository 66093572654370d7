// A panel in a notebook: its store is fed by the widget's model, its views stand where the still picture of its
// output does, so that a notebook without a kernel shows that picture.
import { unpack } from "./deck.js";
import { PanelView } from "./panel.js";
import { Store, key } from "./store.js";

const stores = new Map(); // by the key of the model

function open(model) {
  const name = model.get("key");
  if (stores.has(name)) return stores.get(name);
  const store = new Store({
    at: model.get("place"),
    ask: (at) => model.send({ need: at }),
    tell: (at) => {
      model.set("place", at);
      model.save_changes();
    },
  });
  store.hint = (control) => model.send({ hint: control });
  stores.set(name, store);
  const take = async (bytes) => store.add(await unpack(bytes));
  store.ready = take(model.get("deck")).then(() => store.look());
  model.on("msg:custom", (content, buffers) => { if (content.deck) take(buffers[0]); });
  model.on("change:place", () => store.move(model.get("place"), true));
  watch(model, name, store);
  model.send({ hello: true }); // a page that knows nothing but the first deck
  return store;
}

// Says when no new picture can come, and when it can again.
async function watch(model, name, store) {
  const manager = model.widget_manager, own = await manager.get_model(name);
  const look = () => {
    const kernel = manager.kernel;
    const lost = kernel && ["disconnected", "connecting"].includes(kernel.connectionStatus);
    const dead = kernel && ["dead", "terminating", "restarting", "autorestarting"].includes(kernel.status);
    store.lose(!own.comm_live || dead ? "The kernel is gone: run the cell again."
      : lost ? "The connection to the kernel is lost." : "");
  };
  const back = () => {
    look();
    if (store.gone) return;
    store.states.size || model.send({ hello: true });
    store.tell(store.at); // the kernel may have missed where we are
  };
  own.on("comm_live_update", look);
  own.on("change:comm_live", look);
  let kernel = null;
  const follow = () => {
    if (manager.kernel === kernel) return;
    kernel = manager.kernel;
    kernel?.connectionStatusChanged?.connect(back);
    kernel?.statusChanged?.connect(look);
    kernel?.disposed?.connect(() => store.lose("The kernel is gone: run the cell again."));
  };
  follow();
  manager.context?.sessionContext?.kernelChanged?.connect(follow);
  // Hosts that give no signals: nobody answers.
  setInterval(look, 1000);
}

// Views where the page holds the still picture of this model, now and whenever it gets one.
function inhabit(model) {
  const store = open(model), places = document.getElementsByClassName(`ldp-still-${model.get("key")}`);
  const views = new Map();
  const look = () => {
    for (const place of places) {
      if (views.has(place)) continue;
      const view = new PanelView(model.get("spec"), store);
      views.set(place, view);
      view.show(place);
    }
    for (const [place, view] of views) {
      if (!place.isConnected) view.away = true;
      else if (view.away) {
        view.away = false;
        view.readTheme();
        view.refresh();
        view.layout();
      }
    }
  };
  const observer = new MutationObserver(look);
  observer.observe(document.body, { childList: true, subtree: true });
  look();
  return () => {
    observer.disconnect();
    for (const view of views.values()) view.remove();
    stores.delete(model.get("key"));
  };
}

export default {
  initialize({ model }) { return inhabit(model); },
  render({ model, el }) {
    const view = new PanelView(model.get("spec"), open(model));
    view.show(el);
    return () => view.remove();
  },
};
