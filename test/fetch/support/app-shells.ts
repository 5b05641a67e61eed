import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** A page's words and links, which only its script shows. */
export interface AppData {
  readonly title: string;
  readonly items: readonly { readonly text: string; readonly href: string }[];
}

export const FRAMEWORKS = ['react', 'preact', 'vue', 'lit', 'solid'] as const;
export type Framework = (typeof FRAMEWORKS)[number];

const LOAD = `const data = await (await fetch('/data/NAME.json')).json();\n`;

/** One application per framework: it asks for its data, then shows a heading and a list of links. */
const APPS: Readonly<Record<Framework, string>> = {
  react: `import { createElement as h } from 'react';
import { createRoot } from 'react-dom/client';
${LOAD}
createRoot(document.getElementById('root')).render(
  h('main', null, h('h1', null, data.title), h('ul', null, data.items.map((item) =>
    h('li', { key: item.href }, h('p', null, item.text), h('a', { href: item.href }, 'more'))))));`,
  preact: `import { h, render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
function App() {
  const [data, setData] = useState();
  useEffect(() => { fetch('/data/NAME.json').then((answer) => answer.json()).then(setData); }, []);
  if (data === undefined) return h('p', null, 'Loading');
  return h('main', null, h('h1', null, data.title), h('ul', null, data.items.map((item) =>
    h('li', null, h('p', null, item.text), h('a', { href: item.href }, 'more')))));
}
render(h(App), document.getElementById('root'));`,
  vue: `import { createApp, h, ref, onMounted } from 'vue';
createApp({
  setup() {
    const data = ref();
    onMounted(async () => { data.value = await (await fetch('/data/NAME.json')).json(); });
    return () => data.value === undefined ? h('p', 'Loading') : h('main', [h('h1', data.value.title),
      h('ul', data.value.items.map((item) => h('li', [h('p', item.text), h('a', { href: item.href }, 'more')])))]);
  },
}).mount('#root');`,
  lit: `import { html, LitElement } from 'lit';
class ItemList extends LitElement {
  static properties = { data: {} };
  connectedCallback() {
    super.connectedCallback();
    fetch('/data/NAME.json').then((answer) => answer.json()).then((data) => { this.data = data; });
  }
  render() {
    if (this.data === undefined) return html\`<p>Loading</p>\`;
    return html\`<h1>\${this.data.title}</h1><ul>\${this.data.items.map((item) =>
      html\`<li><p>\${item.text}</p><a href=\${item.href}>more</a></li>\`)}</ul>\`;
  }
}
customElements.define('item-list', ItemList);
document.getElementById('root').append(document.createElement('item-list'));`,
  solid: `import { createResource, Show, For } from 'solid-js';
import h from 'solid-js/h';
import { render } from 'solid-js/web';
const [data] = createResource(async () => (await fetch('/data/NAME.json')).json());
render(() => h('main', {}, () => data() === undefined ? 'Loading' : [h('h1', {}, data().title), h('ul', {},
  data().items.map((item) => h('li', {}, h('p', {}, item.text), h('a', { href: item.href }, 'more'))))]),
  document.getElementById('root'));`,
};

/** Bundles the application of a framework from its npm package. */
export async function appScript(name: Framework): Promise<string> {
  const id = `\0app-${name}`;
  const build = await rolldown({
    input: id,
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    plugins: [
      {
        name: 'app',
        resolveId(source, importer) {
          if (source === id) return id;
          // Packages are found from this file, because the application has no place on disk.
          return importer === id ? this.resolve(source, fileURLToPath(import.meta.url)) : null;
        },
        load: (source) => (source === id ? APPS[name].replaceAll('NAME', name) : null),
      },
    ],
    logLevel: 'silent',
  });
  const { output } = await build.generate({ format: 'esm', codeSplitting: false });
  return output[0].code;
}

export function shellOf(name: string): string {
  return `<!doctype html><html><head><title>${name}</title><script type="module" src="/${name}.js"></script></head>
<body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div></body></html>`;
}

export function dataOf(name: string): AppData {
  const items = Array.from({ length: 40 }, (_, i) => ({
    text: `${name} paragraph ${i} about gears, chains and touring bicycles number ${i * 7}`,
    href: `/${name}/item/${i}`,
  }));
  return { title: `All about ${name} bicycles`, items };
}
