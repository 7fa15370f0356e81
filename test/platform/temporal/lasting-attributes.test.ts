import { expect, it } from 'vitest';
import { INSTRUCTION_FIELDS, type PayoutInstruction, payoutInput } from '../../../src/domain/instruction.ts';
import { SEARCH_ATTRIBUTES } from '../../../src/domain/names.ts';
import { lastingAttributes, searchAttributes } from '../../../src/workflows/search-attributes.ts';

const namesOf = (input: Parameters<typeof lastingAttributes>[1]): Record<string, unknown> =>
  Object.fromEntries(searchAttributes(lastingAttributes('ref', input)).map(({ key, value }) => [key.name, value]));

it('contains document and user of a payout, and nothing else of its input', () => {
  const input = {
    id: 'INV-1',
    uid: 'u-1',
    currency: 'EUR',
    batchId: 'b-1',
    account_name: 'Odette',
    account_no: '86420975',
  };
  expect(namesOf(input)).toEqual({
    PayoutReference: 'ref',
    PayoutCurrency: 'EUR',
    PayoutBatchId: 'b-1',
    PayoutDocument: 'INV-1',
    PayoutUid: 'u-1',
  });
});

it('sets each of them for a row of a batch, whose workflow input has not all that the row says', () => {
  const instruction = Object.fromEntries(
    INSTRUCTION_FIELDS.map((field) => [field, 'said']),
  ) as unknown as PayoutInstruction;
  const input = payoutInput({ instruction, batchId: 'b-1', by: 'carol', generation: 0 });
  const changing = ['PayoutState', 'PayoutOrderId', 'PayoutNeedsAttention'];
  expect([...Object.keys(namesOf(input)), ...changing].sort()).toEqual(Object.keys(SEARCH_ATTRIBUTES).sort());
});

it.each([
  ['a number', 7],
  ['nothing', ''],
  ['what no store of Temporal takes', 'x'.repeat(256)],
])('sets no attribute for %s', (_what, id) => {
  expect(namesOf({ id, uid: 'u-1', currency: 'EUR' })).not.toHaveProperty('PayoutDocument');
});

it('sets no attribute for an order id that no store of Temporal takes, which the workflow would never get past', () => {
  const values = { PayoutState: 'needs-operator', PayoutNeedsAttention: false, PayoutOrderId: 'x'.repeat(256) };
  expect(searchAttributes(values).map(({ key }) => key.name)).toEqual(['PayoutState', 'PayoutNeedsAttention']);
});
