/* Search runs in a worker, which browsers refuse to pages that are files: there a frame is one. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      const inside = (this.inside = frame.contentWindow);
      const load = (address) => new Promise((done, failed) => {
        const script = inside.document.createElement("script");
        script.src = address;
        script.onload = done;
        script.onerror = failed;
        inside.document.body.appendChild(script);
      });
      inside.postMessage = (data) => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      };
      inside.importScripts = (...all) => all.reduce((last, next) => last.then(() => load(next)), Promise.resolve());
      this.ready = load(url);
    }
    postMessage(data) {
      this.ready.then(() => {
        const event = new MessageEvent("message", { data });
        this.inside.dispatchEvent(event);
        if (this.inside.onmessage) this.inside.onmessage(event);
      });
    }
    terminate() {}
  };
}
