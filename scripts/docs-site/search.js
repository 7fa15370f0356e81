/* Search over all sections: every word must be there; a hit in a heading comes first. The index is loaded at the first touch. */
const root = document.currentScript.dataset.root;
const field = document.querySelector('input[type=search]');
const found = document.getElementById('found');
const MOST = 12;
const AROUND = 60;

let loading;
const load = () => {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `${root}/search-index.js`;
    script.onload = () => resolve(globalThis.searchIndex);
    script.onerror = reject;
    document.head.append(script);
  });
  return loading;
};

function matches(index, words) {
  const hits = [];
  for (const [place, title, text] of index) {
    const [head, body] = [title.toLowerCase(), text.toLowerCase()];
    if (!words.every((word) => body.includes(word) || head.includes(word))) continue;
    hits.push({
      place,
      title,
      text,
      at: body.indexOf(words[0]),
      rank: words.filter((word) => head.includes(word)).length,
    });
  }
  return hits.sort((a, b) => b.rank - a.rank).slice(0, MOST);
}

function line({ place, title, text, at }) {
  const link = document.createElement('a');
  link.href = `${root}/${place}`;
  const heading = document.createElement('strong');
  heading.textContent = title;
  const from = Math.max(0, at - AROUND);
  const excerpt = document.createElement('span');
  excerpt.textContent = `${from > 0 ? '…' : ''}${text.slice(from, from + 2 * AROUND)}…`;
  link.append(heading, excerpt);
  const item = document.createElement('li');
  item.append(link);
  return item;
}

field.addEventListener('focus', load);
field.addEventListener('input', async () => {
  const index = await load();
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = words.length === 0 ? [] : matches(index, words);
  found.replaceChildren(...hits.map(line));
  if (words.length > 0 && hits.length === 0) found.append('Nothing has all of these words.');
  found.hidden = words.length === 0;
});
field.addEventListener('keydown', ({ key }) => {
  if (key === 'Enter') found.querySelector('a')?.click();
  if (key === 'Escape') field.value = '';
  if (key === 'Escape') found.hidden = true;
});
// On a narrow screen the list of documents would stand before the text.
if (matchMedia('(max-width: 60rem)').matches) document.querySelector('nav details').open = false;
