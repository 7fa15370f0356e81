/** The page around a document. Every link is relative: it works from disk and under any address. */
import { dirname, relative } from 'node:path';
import { byGroup } from './documents.mjs';

export function pageOf(document, content, documents) {
  const to = (path) => relative(dirname(document.url), path);
  const link = ({ url, title }) =>
    `<a href="${to(url)}"${url === document.url ? ' aria-current="page"' : ''}>${escaped(title)}</a>`;
  const navigation = byGroup(documents).map(
    ([group, members]) => `<p>${escaped(group)}</p><ul>${members.map((it) => `<li>${link(it)}</li>`).join('')}</ul>`,
  );
  const at = documents.indexOf(document);
  const [before, after] = [documents[at - 1], documents[at + 1]];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${escaped(document.description)}">
<title>${escaped(document.title)} · ${escaped(documents[0].title)}</title>
<link rel="stylesheet" href="${to('style.css')}">
<link rel="icon" href="${to('icon.svg')}">
<link rel="alternate" type="text/markdown" href="${to(document.path)}">
<script src="${to('search.js')}" data-root="${to('.') || '.'}" defer></script>
</head>
<body>
<a class="skip" href="#text">To the text</a>
<header>
<a class="name" href="${to('index.html')}">${escaped(documents[0].title)}</a>
<div class="search" role="search"><input type="search" placeholder="Search" aria-label="Search" aria-controls="found"><ol id="found" hidden></ol></div>
</header>
<div class="columns">
<nav aria-label="Documents"><details open><summary>Documents</summary>${navigation.join('\n')}</details></nav>
<main id="text">
${content}
<footer>
<span>${before === undefined ? '' : `← ${link(before)}`}</span>
<a href="${to(document.path)}">This page as markdown</a>
<span>${after === undefined ? '' : `${link(after)} →`}</span>
</footer>
</main>
</div>
</body>
</html>
`;
}

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text) => text.replace(/[&<>"]/g, (character) => ENTITIES[character]);
