// A panel for the {anywidget} directive of MyST: a frame that becomes as high as what is in it says.
export default {
  render({ model, el }) {
    const frame = document.createElement("iframe");
    frame.src = model.get("src");
    frame.title = model.get("title");
    frame.style = "width: 100%; height: 680px; border: 0";
    const listening = new AbortController();
    addEventListener("message", ({ source, data }) => {
      if (source === frame.contentWindow && data?.ldpHeight > 0) frame.style.height = `${Math.ceil(data.ldpHeight)}px`;
    }, { signal: listening.signal });
    el.append(frame);
    return () => listening.abort();
  },
};
