import { describe, expect, it } from 'vitest';
import { defineGrammar, type ElementType, type Particle } from '../../../src/files/iso20022/grammar.ts';

const TABLE = `
Document = A:Head B?:35@-8 B*:35@9- C{0,7}:Way D+:Kind
Head = X:Any
Way = L:Date | R:Amount
Kind ~ ONE TWO THREE@9-
  FOUR
`;

const childrenOf = ({ type }: Particle): Particle[] =>
  type.kind === 'sequence' || type.kind === 'choice' ? type.particles : [];
const shapeOf = ({ name, min, max, type }: Particle): unknown[] => [name, min, max, type.kind];

describe('a grammar', () => {
  it('is read from its table: order, occurrences, choices and codes', () => {
    const root = defineGrammar(3, TABLE);
    expect(shapeOf(root)).toEqual(['Document', 1, 1, 'sequence']);
    expect(childrenOf(root).map(shapeOf)).toEqual([
      ['A', 1, 1, 'sequence'],
      ['B', 0, 1, 'leaf'],
      ['C', 0, 7, 'choice'],
      ['D', 1, Number.POSITIVE_INFINITY, 'leaf'],
    ]);
    const [a, , c] = childrenOf(root) as [Particle, Particle, Particle];
    expect(childrenOf(a).map(shapeOf)).toEqual([['X', 1, 1, 'any']]);
    expect(childrenOf(c).map(({ name }) => name)).toEqual(['L', 'R']);
  });

  it('holds what belongs to its version', () => {
    const root = defineGrammar(9, TABLE);
    expect(childrenOf(root).map(({ name, max }) => [name, max])).toContainEqual(['B', Number.POSITIVE_INFINITY]);
    const kindOf = (version: number) => childrenOf(defineGrammar(version, TABLE)).at(-1)?.type;
    const verdict = (type: ElementType | undefined, text: string) => type?.kind === 'leaf' && type.check(text);
    expect(verdict(kindOf(3), 'THREE')).toEqual({ rule: 'bad-value', message: 'not one of ONE, TWO, FOUR' });
    expect(verdict(kindOf(9), 'THREE')).toBeUndefined();
  });

  it.each([
    ['Document = A:Nowhere', 'no such type: Nowhere'],
    ['Document = A', 'not an entry: A'],
    ['Document: A', 'not a type: Document: A'],
  ])('refuses %s', (table, message) => {
    expect(() => defineGrammar(3, table)).toThrow(message);
  });
});
