/**
 * The documentation as a site: `npm run docs:build` writes it to `dist-docs`, to be read from disk or served under any address.
 * Beside every page is its markdown; `llms.txt` lists those, and `llms-full.txt` is all of them in one.
 */
import { copyFileSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, matchesGlob, relative } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { Eleventy, IdAttributePlugin } from '@11ty/eleventy';
import { anchorOf, llmsFull, llmsIndex, readDocuments, searchIndex } from './documents.mjs';
import { pageOf } from './page.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const HERE = fileURLToPath(new URL('.', import.meta.url));

/** What documents show or link to that is on the site as it is. */
const FILES = ['docs/images/*', 'docs/*.json', 'LICENSE', 'NOTICE'];

/** Writes the site to a folder, which is emptied first. */
export async function buildSite(output) {
  const documents = readDocuments(ROOT);
  rmSync(output, { recursive: true, force: true });
  const site = new Eleventy(HERE, output, {
    quietMode: true,
    config: (config) => {
      config.setTemplateFormats('md');
      config.addPlugin(IdAttributePlugin, { slugify: anchorOf, selector: 'h2,h3,h4' });
      // Eleventy leaves out what is code by its indent.
      config.amendLibrary('md', (markdown) => linkWithinSite(markdown.enable('code'), documents));
      for (const { path, url, text } of documents) {
        // Markdown and nothing else: what looks like a template in a document is an example.
        config.addTemplate(path, text, { permalink: url, templateEngineOverride: 'md' });
      }
      config.addTransform('page', function (content) {
        return pageOf(documentAt(this.page, documents), content, documents);
      });
    },
  });
  await site.write();
  const files = globSync(FILES, { cwd: ROOT });
  for (const path of [...files, ...documents.map(({ path }) => path)]) copy(join(ROOT, path), join(output, path));
  for (const asset of ['style.css', 'search.js']) copy(join(HERE, asset), join(output, asset));
  copy(join(ROOT, 'src/channels/pages/assets/icon.svg'), join(output, 'icon.svg'));
  writeFileSync(join(output, 'search-index.js'), searchIndex(documents));
  writeFileSync(join(output, 'llms.txt'), llmsIndex(documents));
  writeFileSync(join(output, 'llms-full.txt'), llmsFull(documents));
  return documents;
}

const documentAt = ({ inputPath }, documents) => documents.find(({ path }) => relative(HERE, inputPath) === path);

/** Links to documents lead to their pages; to files that are not on the site there is no link, only their name. */
function linkWithinSite(markdown, documents) {
  markdown.core.ruler.push('links', ({ tokens, env }) => {
    const from = documentAt(env.page, documents);
    for (const inline of tokens.filter(({ type }) => type === 'inline')) rewriteLinks(inline.children, from, documents);
  });
}

function rewriteLinks(tokens, from, documents) {
  const open = [];
  for (const token of tokens) {
    if (token.type === 'link_close' && open.pop() === undefined) token.hidden = true;
    if (token.type !== 'link_open') continue;
    const target = targetOf(token.attrGet('href'), from, documents);
    open.push(target);
    if (target === undefined) token.hidden = true;
    else token.attrSet('href', target);
  }
}

function targetOf(href, from, documents) {
  if (/^(https?:|#)/.test(href)) return href;
  const [file, anchor] = href.split('#');
  const path = join(dirname(from.path), file);
  const to = documents.find((document) => document.path === path);
  if (to === undefined) return FILES.some((pattern) => matchesGlob(path, pattern)) ? href : undefined;
  return `${relative(dirname(from.url), to.url)}${anchor === undefined ? '' : `#${anchor}`}`;
}

function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const output = join(ROOT, 'dist-docs');
  const documents = await buildSite(output);
  console.log(`${documents.length} pages: ${join('dist-docs', 'index.html')}`);
}
