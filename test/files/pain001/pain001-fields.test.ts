import { describe, expect, it } from 'vitest';
import type { Particle } from '../../../src/files/iso20022/grammar.ts';
import { FIELDS, fieldOf } from '../../../src/files/pain001/pain001-fields.ts';
import { grammarOf, PAIN001_VERSIONS } from '../../../src/files/pain001/pain001-grammar.ts';
import { RULES } from '../../../src/files/rules/rules.ts';

/** The paths of all values of an element, and of elements of any kind. */
function* valuesOf({ name, type }: Particle): Generator<string> {
  if (type.kind === 'leaf' || type.kind === 'any' || type.kind === 'unread') yield name;
  else for (const child of type.particles) for (const path of valuesOf(child)) yield `${name}/${path}`;
}

type Part = keyof typeof FIELDS;
const MESSAGE = 'Document/CstmrCdtTrfInitn/';

/** `PmtInf/CdtTrfTxInf/Amt/InstdAmt` -> the transaction and `Amt/InstdAmt`. */
function placeOf(trail: string): [part: Part, path: string] {
  const path = trail.slice(MESSAGE.length).replace(/^PmtInf\/(?=CdtTrfTxInf\/)/, '');
  const [part = '', ...below] = path.split('/');
  return [part as Part, part === 'SplmtryData' ? '' : below.join('/')];
}

const PLACES = PAIN001_VERSIONS.flatMap((version) => [...valuesOf(grammarOf(version))].map(placeOf));

describe('the table of the fields of a pain.001', () => {
  it('says what becomes of every value that the grammar allows', () => {
    expect(PLACES.length).toBeGreaterThan(1_000);
    const unsaid = PLACES.filter(([part, path]) => fieldOf(part, path) === undefined);
    expect(unsaid.map((place) => place.join('/'))).toEqual([]);
  });

  it('has no element that the grammar does not have, and a column for each', () => {
    const listed = Object.entries(FIELDS).flatMap(([part, fields]) => Object.keys(fields).map((path) => [part, path]));
    const isOfGrammar = ([part, path]: string[]): boolean =>
      PLACES.some((it) => it[0] === part && `${it[1]}/`.startsWith(path === '' ? '' : `${path}/`));
    expect(listed.filter((it) => !isOfGrammar(it))).toEqual([]);
    const blank = Object.values(FIELDS).flatMap((fields) =>
      Object.entries(fields).filter(([, { carried, notCarried, refused }]) => !(carried || notCarried || refused)),
    );
    expect(blank).toEqual([]);
  });

  it('names rules that exist', () => {
    const named = Object.values(FIELDS)
      .flatMap((fields) => Object.values(fields))
      .flatMap(({ refused = '' }) => [...refused.matchAll(/`([^`]+)`/g)].map(([, rule = '']) => rule));
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((rule) => !Object.hasOwn(RULES, rule))).toEqual([]);
  });
});
