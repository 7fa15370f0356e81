import { expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import type { PayoutState } from '../../src/domain/payout-state.ts';
import { areEarlierUnpaid, provenUnpaid } from '../../src/store/proven-unpaid.ts';
import type { IncidentRecord, SendAttempt } from '../../src/store/store.ts';
import { record } from '../reports/records.ts';

const made = (reference: string, change: Partial<SendAttempt>): SendAttempt => ({
  reference,
  attempt: 1,
  runId: 'run-1',
  activityId: '1',
  sentAt: 1,
  listedFrom: null,
  outcome: null,
  orderId: null,
  code: null,
  answeredAt: null,
  resolved: null,
  request: null,
  ...change,
});

const isProven = async (state: PayoutState, ...attempts: SendAttempt[]): Promise<boolean> => {
  const row = record(1, state);
  const store = { attemptsOf: async () => attempts, incidentsOf: async () => [] };
  return (await provenUnpaid(store, [row])).has(row.reference);
};

const { reference: PAYMENT, uid, documentId } = record(1, 'failed');
const EXCHANGE = referenceOf(uid, documentId, 'exchange');

it.each([
  ['failed', true],
  ['rejected', true],
  ['cancelled', true],
  ['completed', false],
  ['needs-operator', false],
  ['processing', false],
] as const)('a payout that is %s and sent nothing: %s', async (state, proven) => {
  expect(await isProven(state)).toBe(proven);
});

it.each([
  [{ outcome: 'refused' }, true],
  [{ outcome: 'not-sent' }, true],
  [{ outcome: 'accepted', resolved: 'unpaid' }, true],
  [{ resolved: 'absent' }, true],
  [{}, false],
  [{ outcome: 'accepted' }, false],
  [{ outcome: 'exists' }, false],
  [{ outcome: 'ambiguous' }, false],
] as const)('an unpaid end beside an attempt %o: %s', async (change, proven) => {
  expect(await isProven('failed', made(PAYMENT, change))).toBe(proven);
  expect(await isProven('failed', made(EXCHANGE, change))).toBe(proven);
});

it('an unpaid end that the bank contradicts proves nothing', async () => {
  const row = record(1, 'failed');
  const incident = { reference: row.reference, orderId: 'ord-1', kind: 'order-after-end' } as IncidentRecord;
  const store = { attemptsOf: async () => [], incidentsOf: async () => [incident] };
  expect([...(await provenUnpaid(store, [row]))]).toEqual([]);
});

it('an exchange that is booked is no payment', async () => {
  expect(await isProven('rejected', made(EXCHANGE, { outcome: 'accepted', resolved: 'paid' }))).toBe(true);
});

it('a generation that follows none is not counted up to, however large somebody has made it', async () => {
  const asked: number[] = [];
  const store = {
    payoutsOf: async (references: readonly string[]) => {
      asked.push(references.length);
      return [];
    },
    attemptsOf: async () => [],
    incidentsOf: async () => [],
  };
  const generation = Number.MAX_SAFE_INTEGER;
  expect(await areEarlierUnpaid(store, { uid, documentId, generation, kind: 'payout' })).toBe(false);
  expect(asked).toEqual([1]);
});
