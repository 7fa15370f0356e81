import { existsSync, globSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MESSAGES, SEARCH_ATTRIBUTES } from '../../src/domain/names.ts';
import { CONFIG_KEYS } from '../../src/platform/config.ts';
import { documentText, ROOT } from './markdown.ts';

const documents = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'examples/README.md',
  ...globSync(['docs/**/*.md', 'test/docs/*.md'], { cwd: ROOT }),
];

/** A file, or a folder that holds something: an empty one is not in a fresh clone. */
function exists(path: string): boolean {
  const absolute = join(ROOT, path);
  if (!existsSync(absolute)) return false;
  return !statSync(absolute).isDirectory() || readdirSync(absolute).length > 0;
}

function anchorsOf(path: string): Set<string> {
  const headings = [...documentText(path).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading ?? '');
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

const packed: string[] = ['README.md', ...JSON.parse(documentText('package.json')).files];

const linksOf = (text: string): string[] =>
  [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? '').filter((target) => !/^https?:/.test(target));

describe.each(documents)('%s', (path) => {
  const text = documentText(path);

  it('links to files and headings that exist', () => {
    const broken = linksOf(text).filter((target) => {
      const [file = '', anchor] = target.split('#');
      const linked = file === '' ? path : join(dirname(path), file);
      return !exists(linked) || (anchor !== undefined && !anchorsOf(linked).has(anchor));
    });
    expect(broken).toEqual([]);
  });

  it('holds no conflict of a merge', () => {
    expect(text).not.toMatch(/^(?:<{7}|>{7}) /m);
  });

  it('names paths of the project that exist', () => {
    const named = [...text.matchAll(/(?<![\w./-])(?:src|test|docs|examples|scripts|bin)\/[\w./-]*\w/g)];
    expect(named.map(([name]) => name).filter((name) => !exists(name))).toEqual([]);
  });

  it('names in a source what is in it', () => {
    const reported = [
      ...text.matchAll(/((?:`(?!PAYOUTS_)[\w.]+`(?:,\s|\sand\s)?)+)\s(?:in\s|\()`(src\/[\w./-]+\.ts)`/g),
    ];
    const missing = reported.flatMap(([, names = '', file = '']) => {
      const words = new Set(documentText(file).match(/\w+/g));
      return (names.match(/\w+/g) ?? []).filter((name) => !words.has(name)).map((name) => `${name} in ${file}`);
    });
    expect(missing).toEqual([]);
  });

  it('names settings, search attributes and messages that exist', () => {
    const settings = (text.match(/\bPAYOUTS_[A-Z_]*[A-Z]\b/g) ?? []).filter(
      (name) => !/^PAYOUTS_(?:CONTRACT|TEST)_/.test(name),
    );
    expect(settings.filter((name) => !(name.replace(/_FILE$/, '') in CONFIG_KEYS))).toEqual([]);
    const attributes = text.match(/\bPayout[A-Z]\w+(?==)/g) ?? [];
    expect(attributes.filter((name) => !(name in SEARCH_ATTRIBUTES))).toEqual([]);
    const messages = [...text.matchAll(/--(?:name|type) (?!payout\b)(\w+)/g)].map(([, name]) => name);
    const known = new Set<string | undefined>(Object.values(MESSAGES));
    expect(messages.filter((name) => !known.has(name))).toEqual([]);
  });
});

it.each(documents.filter((path) => !path.startsWith('test/')))('%s links only to what is in the package', (path) => {
  const files = linksOf(documentText(path)).map((target) =>
    join(dirname(path), target.split('#')[0] || basename(path)),
  );
  expect(files.filter((file) => !packed.some((it) => file === it || file.startsWith(`${it}/`)))).toEqual([]);
});

it('finds the documents', () => {
  expect(documents.length).toBeGreaterThan(5);
});
