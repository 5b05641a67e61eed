/**
 * Runs in every frame before the page's own scripts: takes away what can reach the network beside requests, and what
 * would keep the page from coming to rest. The browser's network is cut as well; this only saves time.
 */
export const BEFORE_SCRIPTS = `
for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'RTCDataChannel', 'WebTransport', 'SharedWorker'])
  Object.defineProperty(globalThis, name, { value: undefined, configurable: false, writable: false });
for (const name of ['alert', 'confirm', 'prompt', 'print', 'open'])
  Object.defineProperty(globalThis, name, { value: () => null, configurable: false, writable: false });
`;

/**
 * Returns the page's source as it is shown: with the content of open shadow roots in place, without scripts and
 * without what is only for readers without JavaScript.
 */
export const SHOWN_SOURCE = `(() => {
  const hosts = [];
  const collect = (root) => {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot === null || element.shadowRoot === undefined) continue;
      hosts.push(element);
      collect(element.shadowRoot);
    }
  };
  collect(document);
  const copies = new Map(hosts.map((host) => [host, [...host.shadowRoot.childNodes].map((node) => node.cloneNode(true))]));
  for (const host of hosts) {
    const own = [...host.childNodes];
    const copy = copies.get(host);
    host.shadowRoot.replaceChildren();
    for (const node of copy) host.append(node);
    for (const slot of host.querySelectorAll('slot')) if (own.length > 0) slot.append(...own.splice(0));
  }
  const root = document.documentElement.cloneNode(true);
  for (const element of root.querySelectorAll('script:not([type*="json"]), noscript, style, template')) element.remove();
  return '<!doctype html>' + root.outerHTML;
})()`;

/** A short text that changes while the page does: its length, and the number of its elements. */
export const PAGE_SIZE =
  "document.body === null ? '' : document.body.textContent.length + ' ' + document.getElementsByTagName('*').length";
