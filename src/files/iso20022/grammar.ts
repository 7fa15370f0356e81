import { type Leaf, oneOf, SIMPLE_TYPES, textUpTo } from './simple-types.ts';

/**
 * Grammars of ISO 20022 messages. Written here because a schema validator holds the whole message in memory and shows account
 * numbers and names in its errors.
 *
 * They are made from tables with one type per line (a line that begins with blanks continues the previous one):
 *
 *     Name = Child:Type Child?:Type Child*:Type Child+:Type Child{0,7}:Type     all of these, in this order
 *     Name = Child:Type | Child:Type                                            exactly one of these
 *     Name = Child?:Type & Child*:Type                                          any of these, in any order, among others that are not read
 *     Name ~ CODE CODE                                                          a code
 *
 * `Type` is a name of the table, one of `SIMPLE_TYPES`, a number N (text of 1 to N characters), `Text` (any text, also none), `Any` (one element of any
 * kind) or `Unread` (whatever is in it is neither checked nor read). An entry that ends with `@4-`, `@-8` or `@4-8` belongs only to versions from 4, up to 8, or both.
 */
export interface Particle {
  name: string;
  type: ElementType;
  min: number;
  max: number;
}

export type ElementType =
  | { kind: 'sequence' | 'choice' | 'set'; particles: Particle[] }
  | ({ kind: 'leaf' } & Leaf)
  | { kind: 'any' }
  | { kind: 'unread' };

/** The root of a message. */
export type Grammar = Particle;

const ENTRY = /^(\w+)(\?|\*|\+|\{(\d+),(\d+)\})?:(\w+)$/;
const OCCURRENCE: Readonly<Record<string, readonly [min: number, max: number]>> = {
  '': [1, 1],
  '?': [0, 1],
  '*': [0, Number.POSITIVE_INFINITY],
  '+': [1, Number.POSITIVE_INFINITY],
};

/** `version`: of the tables' message. Throws a TypeError if the tables are wrong: a type without a line, or an entry that cannot be parsed. */
export function defineGrammar(version: number, ...tables: readonly string[]): Grammar {
  const lines = new Map<string, [sign: string, entries: string]>();
  for (const line of tables
    .join('\n')
    .replace(/\n[ \t]+/g, ' ')
    .split('\n')) {
    const [, name, sign = '', entries = ''] = /^(\w+) ([=~]) (.*)$/.exec(line) ?? [];
    if (name !== undefined) lines.set(name, [sign, entries]);
    else if (line.trim() !== '') throw new TypeError(`not a type: ${line}`);
  }
  const types = new Map<string, ElementType>();
  const typeOf = (name: string): ElementType => {
    const known = types.get(name) ?? builtIn(name);
    if (known !== undefined) return known;
    const [sign, entries] = lines.get(name) ?? [];
    if (entries === undefined) throw new TypeError(`no such type: ${name}`);
    const own = entries.split(/[ |&]+/).flatMap((entry) => ofVersion(version, entry));
    const type: ElementType =
      sign === '~'
        ? { kind: 'leaf', check: oneOf(own) }
        : {
            kind: entries.includes('|') ? 'choice' : entries.includes('&') ? 'set' : 'sequence',
            particles: own.map((entry) => particleOf(entry, typeOf)),
          };
    types.set(name, type);
    return type;
  };
  return { name: 'Document', type: typeOf('Document'), min: 1, max: 1 };
}

function builtIn(name: string): ElementType | undefined {
  if (name === 'Any') return { kind: 'any' };
  if (name === 'Text') return { kind: 'leaf', check: () => undefined };
  if (name === 'Unread') return { kind: 'unread' };
  if (/^\d+$/.test(name)) return { kind: 'leaf', check: textUpTo(Number(name)) };
  const simple = SIMPLE_TYPES[name];
  return simple === undefined ? undefined : { kind: 'leaf', ...simple };
}

function ofVersion(version: number, entry: string): string[] {
  const [text = '', range = '-'] = entry.split('@');
  const [from, to] = range.split('-');
  return Number(from || version) <= version && version <= Number(to || version) ? [text] : [];
}

function particleOf(entry: string, typeOf: (name: string) => ElementType): Particle {
  const [matched, name = '', sign = '', least, most, type = ''] = ENTRY.exec(entry) ?? [];
  if (matched === undefined) throw new TypeError(`not an entry: ${entry}`);
  const [min, max] = OCCURRENCE[sign] ?? [Number(least), Number(most)];
  return { name, type: typeOf(type), min, max };
}
