// Runs in the browser: theme button and search. The index is loaded when the search field gets the focus.
const root = document.documentElement;
const theme = localStorage.getItem('theme');
if (theme) root.dataset.theme = theme;
document.querySelector('#theme').addEventListener('click', () => {
  const isDark = root.dataset.theme
    ? root.dataset.theme === 'dark'
    : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = isDark ? 'light' : 'dark';
  localStorage.setItem('theme', root.dataset.theme);
});

const field = document.querySelector('input[type=search]');
const results = document.querySelector('#results');
let index;

function loadIndex() {
  if (index) return;
  index = new MiniSearch({ fields: ['title', 'text'], storeFields: ['title', 'page', 'url'] });
  index.addAll(window.SECTIONS);
  show();
}

function show() {
  const found = index?.search(field.value, { prefix: true, fuzzy: 0.15, boost: { title: 3 } }) ?? [];
  results.replaceChildren(
    ...found.slice(0, 12).map(({ title, page, url }) => {
      const item = document.createElement('li');
      const link = document.createElement('a');
      link.href = url;
      link.textContent = title;
      const small = document.createElement('small');
      small.textContent = page;
      link.append(small);
      item.append(link);
      return item;
    }),
  );
}

field.addEventListener('focus', () => {
  if (window.SECTIONS) return loadIndex();
  const script = document.createElement('script');
  script.src = 'sections.js';
  script.addEventListener('load', loadIndex);
  document.head.append(script);
});
field.addEventListener('input', show);
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== field) {
    event.preventDefault();
    field.focus();
  } else if (event.key === 'Escape') {
    field.value = '';
    show();
  }
});
