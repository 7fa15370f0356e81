import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CARD_FIELD_NAMES,
  CARD_FIELDS,
  type CardMessage,
  cardFields,
  cardFieldsProblem,
  readText,
  readValue,
  writeFields,
} from '../../../src/bank/cards/card-fields.ts';

const pathsOf = (mapping: Record<string, string>, message: CardMessage, field: string): string[] => {
  const paths = cardFields(mapping)[message] as Record<string, readonly (readonly string[])[]>;
  return (paths[field] ?? []).map((path) => path.join('.'));
};

describe('a mapping', () => {
  test('that is empty leaves every field under its own name', () => {
    for (const message of ['setup', 'session', 'create', 'payment'] as const) {
      for (const field of CARD_FIELDS[message]) expect(pathsOf({}, message, field)[0]).toBe(field);
    }
    const several = (['setup', 'session', 'create', 'payment'] as const).flatMap((message) =>
      CARD_FIELDS[message].map((field) => pathsOf({}, message, field)).filter(({ length }) => length !== 1),
    );
    // The sum that an answer shows.
    expect(several).toEqual([
      ['amount', 'amount.value'],
      ['currency', 'amount.currency'],
    ]);
    expect(pathsOf({}, 'resume', 'reference_id')).toEqual(['reference_id', 'three_ds_info.reference_id']);
    expect(pathsOf({}, 'webhook', 'payment_id')).toEqual([
      'payment_id',
      'data.payment_id',
      'data.object.payment_id',
      'payment.payment_id',
    ]);
    expect(cardFieldsProblem({})).toBeUndefined();
  });

  test('holds for every message, and for one alone where it names it', () => {
    const mapping = {
      amount: 'sum',
      'create.amount': 'order.sum total',
      payment_id: 'id',
      'webhook.payment_id': 'about.id',
    };
    expect(pathsOf(mapping, 'setup', 'amount')).toEqual(['sum']);
    expect(pathsOf(mapping, 'create', 'amount')).toEqual(['order.sum', 'total']);
    expect(pathsOf(mapping, 'payment', 'payment_id')).toEqual(['id']);
    expect(pathsOf(mapping, 'webhook', 'payment_id')).toEqual(['about.id']);
    expect(pathsOf({ payment_id: 'id' }, 'webhook', 'payment_id')).toEqual([
      'id',
      'data.id',
      'data.object.id',
      'payment.id',
    ]);
    expect(cardFieldsProblem(mapping)).toBeUndefined();
  });

  test.each<[Record<string, string>, string]>([
    [{ amount: 'currency' }, 'setup.amount and setup.currency are written to the same place'],
    [{ 'card.number': 'card' }, 'setup.card.number and setup.card.expiry_month are written to the same place'],
    [{ return_url: 'billing.email.url' }, 'create.billing.email and create.return_url are written to the same place'],
    [{ payment_status: '' }, 'payment.payment_status cannot be left out'],
    [{ 'create.merchant_request_id': ' ' }, 'create.merchant_request_id cannot be left out'],
    [{ amount: 'a..b' }, 'amount is not a path of member names separated by dots'],
    [{ amount: '.a' }, 'amount is not a path of member names separated by dots'],
    [{ amount: 'a\tb' }, 'amount is not a path of member names separated by dots'],
    [{ currency: 'order.__proto__.x' }, 'currency is not a path of member names separated by dots'],
  ])('%j cannot be used', (mapping, problem) => {
    expect(cardFieldsProblem(mapping)).toBe(problem);
  });

  test('of a read field may share its place with another', () => {
    expect(
      cardFieldsProblem({ 'payment.next_action.type': 'action', 'payment.payment_status': 'action' }),
    ).toBeUndefined();
  });
});

const leavesOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? Object.values(value).reduce((sum, it) => sum + leavesOf(it), 0) : 1;

describe('fields', () => {
  const member = fc.stringMatching(/^[a-z]{1,3}$/);
  const path = fc.array(member, { minLength: 1, maxLength: 4 }).map((members) => members.join('.'));

  test('that are written by any usable mapping are read back, each as it was', () => {
    const names = CARD_FIELDS.create;
    const mappings = fc.dictionary(fc.constantFrom(...names), path).filter((it) => cardFieldsProblem(it) === undefined);
    fc.assert(
      fc.property(mappings, (mapping) => {
        const fields = cardFields(mapping).create;
        const values = Object.fromEntries(names.map((name, at) => [name, `value ${at}`]));
        const body = JSON.parse(JSON.stringify(writeFields<'create'>(fields, values)));
        for (const name of names) expect(readText(fields[name], body)).toBe(values[name]);
        const places = names.reduce((sum, name) => sum + fields[name].length, 0);
        expect(leavesOf(body)).toBe(places);
      }),
    );
  });

  test('are searched for among own members only', () => {
    expect(readValue([['constructor']], {})).toBeUndefined();
    expect(readText([['a', 'length']], { a: 'text' })).toBeUndefined();
    expect(readText([['list', '1', 'id']], { list: [{ id: 'x' }, { id: 'y' }] })).toBe('y');
    expect(readText([['a'], ['b']], { a: null, b: '' })).toBeUndefined();
    expect(readText([['a'], ['b'], ['c']], { a: { x: 1 }, b: '', c: 7 })).toBe('7');
  });

  test('have names that are all known, each once', () => {
    expect(new Set(CARD_FIELD_NAMES).size).toBe(CARD_FIELD_NAMES.length);
    expect(CARD_FIELD_NAMES).toEqual(
      expect.arrayContaining(['card.number', 'create.card.number', 'payment.payment_id']),
    );
  });
});
