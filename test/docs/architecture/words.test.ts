import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFiles, read } from './sources.ts';

/** Words that have a better one: the list with what to write instead is in CONTRIBUTING (Words). */
const OLD = new Set([
  ...['told', 'tell', 'tells', 'telling', 'untold', 'hear', 'hears', 'heard', 'unheard'],
  ...['look', 'looks', 'looked', 'looking', 'leg', 'legs', 'door', 'doors', 'silence', 'whoever', 'whatever'],
  ...['pump', 'sweep', 'sweeps', 'sweeping', 'swept', 'weigh', 'weighs', 'weighed', 'stands', 'stood', 'standing'],
]);
/** Of the field, or plain English in another sense: something that resembles something else. */
const ALLOWED = /\blook alikes?\b|\blooks like\b/g;

/** What declares a name: a keyword before it, or its place at the beginning of a line. */
const DECLARED = /\b(?:const|let|function\*?|class|interface|type|enum)\s+(\w+)/g;
const MEMBER = /^\s*(?:(?:private|public|protected|readonly|static|async|get|set|export)\s+)*[*#]?(\w+)[?!]?\s*[:(]/gm;
/** `{ a, b: c }` and `[a, b]` after `const` or `let`. */
const TAKEN_APART = /\b(?:const|let)\s+[{[]([^=]*?)[}\]]\s*(?:=|of\b)/g;
const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;

const wordsOf = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[^A-Za-z0-9]+/g, ' ')
    .toLowerCase();

const isOld = (name: string): boolean =>
  /\bat rest\b/.test(wordsOf(name)) ||
  wordsOf(name)
    .replaceAll(ALLOWED, '')
    .split(' ')
    .some((word) => OLD.has(word));

function namesDeclaredIn(text: string): string[] {
  const code = text.replaceAll(COMMENT, '');
  return [
    ...[...code.matchAll(DECLARED), ...code.matchAll(MEMBER)].map(([, name = '']) => name),
    ...[...code.matchAll(TAKEN_APART)].flatMap(
      ([, names = '']) => names.replaceAll(/'[^']*'/g, '').match(/\w+/g) ?? [],
    ),
  ];
}

const files = projectFiles().filter((path) => /^(src|test|scripts)\//.test(path) && !path.includes('/histories/'));

describe('the words of the field', () => {
  it('are those in the names of files', () => {
    expect(files.filter((path) => isOld(basename(path)) || path.split('/').some(isOld))).toEqual([]);
  });

  it('are those in the names that the code declares', () => {
    const found = files
      .filter((path) => path.endsWith('.ts') && path !== 'test/docs/architecture/words.test.ts')
      .flatMap((path) => [...new Set(namesDeclaredIn(read(path)).filter(isOld))].map((name) => `${path}: ${name}`));
    expect(found).toEqual([]);
  });

  it.each(['isTold', 'LOOK_MS', 'orderLeg', 'is-at-rest', 'sweptAt', 'run-leg.ts'])('%s is not one of them', (name) => {
    expect(isOld(name)).toBe(true);
  });

  it.each(['lookAlikes', 'look-alike-names.ts', 'looksLikeAba', 'weight', 'lookup', 'outlook', 'restOf', 'standard'])(
    '%s is one',
    (name) => {
      expect(isOld(name)).toBe(false);
    },
  );
});
