import { describe, expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import type { PayoutState } from '../../src/domain/payout-state.ts';
import { areEarlierUnpaid, earlierReferences, provenUnpaid } from '../../src/store/proven-unpaid.ts';
import type { IncidentRecord, ReturnSeen, SendAttempt } from '../../src/store/store.ts';
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

const none = async () => [];
const NOTHING = { attemptsOf: none, incidentsOf: none, returnsOf: none, paidOrdersOf: none };

const isProven = async (state: PayoutState, ...attempts: SendAttempt[]): Promise<boolean> => {
  const row = record(1, state);
  const store = { ...NOTHING, attemptsOf: async () => attempts };
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
  const store = { ...NOTHING, incidentsOf: async () => [incident] };
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
    ...NOTHING,
  };
  const generation = Number.MAX_SAFE_INTEGER;
  expect(await areEarlierUnpaid(store, { uid, documentId, generation, kind: 'payout' })).toBe(false);
  expect(earlierReferences({ uid, documentId, generation, kind: 'payout' })).toHaveLength(1_000);
  expect(asked).toEqual([1_000]);
});

describe('a completed payout of 10.00 EUR', () => {
  const row = record(1, 'completed', { orderId: 'ord-1' });
  const { reference } = row;
  const acknowledged = { by: 'bob', reason: 'the account is closed', at: 3 };
  const incident = (change: Partial<IncidentRecord> = {}): IncidentRecord => ({
    ...{ id: 'inc-1', kind: 'returned', reference, orderId: 'ord-2', order: null, seenAt: 2, acknowledged },
    ...change,
  });
  const back = (amount: string, currency = 'EUR'): ReturnSeen => ({
    ...{ orderId: `back-${amount}`, reference, amount, currency, seenAt: 2 },
  });
  const isOurs = async (incidents: IncidentRecord[], returns: ReturnSeen[], attempts: SendAttempt[] = []) => {
    const store = {
      ...NOTHING,
      attemptsOf: async () => attempts,
      incidentsOf: async () => incidents,
      returnsOf: async () => returns,
    };
    return (await provenUnpaid(store, [row])).has(reference);
  };

  it('whose money came back in full may be paid again once somebody has agreed', async () => {
    expect(await isOurs([incident()], [back('10.00')])).toBe(true);
    expect(await isOurs([incident()], [back('4.00'), back('6.0')])).toBe(true);
    expect(await isOurs([incident()], [back('-10.00')])).toBe(true);
    expect(
      await isOurs([incident()], [back('10.00')], [made(reference, { outcome: 'accepted', orderId: 'ord-1' })]),
    ).toBe(true);
  });

  it.each([
    ['nobody has agreed', [incident({ acknowledged: null })], [back('10.00')]],
    ['not all returns are agreed', [incident(), incident({ acknowledged: null })], [back('4.00'), back('6.00')]],
    ['part of it came back', [incident()], [back('9.99')]],
    ['other money came back', [incident()], [back('10.00', 'USD')]],
    ['the bank contradicts its end too', [incident(), incident({ kind: 'second-order' })], [back('10.00')]],
    ['nothing is said to have come back', [], [back('10.00')]],
    ['no return is known', [incident()], []],
  ])('may not if %s', async (_, incidents, returns) => {
    expect(await isOurs(incidents, returns)).toBe(false);
  });

  it('may not while an attempt of it is in doubt', async () => {
    for (const change of [{ outcome: 'ambiguous' }, { outcome: 'accepted', orderId: 'another' }] as const) {
      expect(await isOurs([incident()], [back('10.00')], [made(reference, change)])).toBe(false);
    }
  });
});
