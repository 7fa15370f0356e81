import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildSite, type SiteDocument } from '../../../scripts/docs-site/build.mjs';
import { ROOT } from '../../docs/markdown.ts';

const site = mkdtempSync(join(tmpdir(), 'docs-site-'));
let documents: SiteDocument[];
const read = (path: string): string => readFileSync(join(site, path), 'utf8');

beforeAll(async () => {
  documents = await buildSite(site);
});
afterAll(() => rmSync(site, { recursive: true }));

it('has a page and the markdown of every document, with its title', () => {
  expect(documents.map(({ path }) => path)).toEqual(
    expect.arrayContaining([
      ...globSync('docs/*.md', { cwd: ROOT }),
      'README.md',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
    ]),
  );
  for (const { path, url, title } of documents) {
    expect(read(url)).toContain('<h1>');
    expect(read(url)).toContain(`>${title}</a>`);
    expect(read(path)).toBe(readFileSync(join(ROOT, path), 'utf8'));
  }
});

it('shows every block of code, the indented ones too, as it is written', () => {
  const missing = documents.flatMap(({ url, text }) => {
    const shown = [...read(url).matchAll(/<pre><code[^>]*>(.*?)<\/code><\/pre>/gs)].map(([, html]) =>
      plain(html ?? ''),
    );
    return indentedBlocks(text).filter((block) => !shown.some((code) => code.trim() === block));
  });
  expect(missing).toEqual([]);
  expect(documents.flatMap(({ text }) => indentedBlocks(text)).length).toBeGreaterThan(20);
});

/** Blocks that are code because they are indented after an empty line, without their indent. */
function indentedBlocks(text: string): string[] {
  const unfenced = text.replace(/^( *)```.*?^\1```$/gms, '');
  return [...unfenced.matchAll(/(?<=\n\n)( {4,})\S.*(?:\n+\1.*)*/g)].map(([block, indent = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trim(),
  );
}

const plain = (html: string): string =>
  html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

it('leads only to what is there, headings included, and loads nothing from elsewhere', () => {
  const broken = documents.flatMap(({ url }) => {
    const targets = [...read(url).matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, target]) => target ?? '');
    return targets.filter((target) => !isThere(url, target)).map((target) => `${url} -> ${target}`);
  });
  expect(broken).toEqual([]);
  for (const { url } of documents) expect(read(url)).toContain('<link rel="icon"');
  const loaded = documents.flatMap(({ url }) => [...read(url).matchAll(/<(?:script|img|link)[^>]*"https?:[^>]*>/g)]);
  expect(loaded).toEqual([]);
});

function isThere(from: string, target: string): boolean {
  if (/^https?:/.test(target)) return true;
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? from : join(dirname(from), file);
  return existsSync(join(site, path)) && (anchor === undefined || read(path).includes(`id="${anchor}"`));
}

it('lists every document in llms.txt, says what each is for, and has all of them in llms-full.txt', () => {
  const listed = [...read('llms.txt').matchAll(/^- \[(.*?)\]\((.*?)\): (.+)$/gm)];
  expect(listed.map(([, title, path]) => ({ title, path }))).toEqual(
    documents.map(({ title, path }) => ({ title, path })),
  );
  for (const { text } of documents) expect(read('llms-full.txt')).toContain(text);
});

it('finds every section by its heading', () => {
  const index: [place: string, title: string, text: string][] = JSON.parse(
    read('search-index.js').replace(/^globalThis\.searchIndex = |;\n$/g, ''),
  );
  expect(index.filter(([place]) => !isThere('index.html', place))).toEqual([]);
  expect(index.map(([place]) => place)).toContain('docs/operations.html#needs-operator');
});
