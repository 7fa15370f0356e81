import { expect, it } from 'vitest';
import { defineGrammar } from '../../src/files/iso20022/grammar.ts';
import { schemaProblems } from './xsd.ts';

const NAMESPACE = 'urn:example:test.001.001.01';
const GRAMMAR = defineGrammar(9, 'Document = Id:35 Amt{0,2}:Amount Choice?:Choice\nChoice = Dt:Date | DtTm:DateTime');
const judged = (content: string): string[] =>
  schemaProblems(`<Document xmlns="${NAMESPACE}">${content}</Document>`, NAMESPACE, GRAMMAR);

it('a message that is in order has no problem by the schema', () => {
  expect(judged('<Id>A</Id><Amt Ccy="EUR">1.00</Amt><Choice><Dt>2026-03-31</Dt></Choice>')).toEqual([]);
});

it.each([
  ['an element is missing', '<Amt Ccy="EUR">1.00</Amt>'],
  ['an element is out of order', '<Amt Ccy="EUR">1.00</Amt><Id>A</Id>'],
  ['an element is there too often', `<Id>A</Id>${'<Amt Ccy="EUR">1.00</Amt>'.repeat(3)}`],
  ['an attribute is missing', '<Id>A</Id><Amt>1.00</Amt>'],
  ['an amount is none', '<Id>A</Id><Amt Ccy="EUR">1,00</Amt>'],
  ['both of a choice are there', '<Id>A</Id><Choice><Dt>2026-03-31</Dt><DtTm>2026-03-31T00:00:00</DtTm></Choice>'],
])('the schema says that %s', (_, content) => {
  expect(judged(content)).not.toEqual([]);
});
