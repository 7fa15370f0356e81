import { beforeEach, expect, it, vi } from 'vitest';
import { dayRange, dayStart } from '../../../src/cli/command.ts';
import { list } from '../../../src/cli/list.ts';
import type { Session } from '../../../src/cli/session.ts';
import { because } from '../../../src/domain/reasons.ts';
import { DAY_MS } from '../../../src/domain/time.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import type { Store } from '../../../src/store/store.ts';
import { batchClaim } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { fakeSession } from '../../support/fake-session.ts';

const DAY = Date.parse('2026-03-02T00:00:00Z');
const HOUR = 3_600_000;

let store: Store;
let printed: { document: unknown; text: string };
let session: Session;

beforeEach(async () => {
  store = await newStore();
  const output = { result: (document: unknown, text: string) => (printed = { document, text }) };
  session = fakeSession({ config: loadConfig({}), store: async () => store, output });
  const claim = batchClaim('b-1', ['INV-1', 'INV-2', 'INV-3', 'INV-4'], DAY);
  await store.claimBatch(claim);
  const [one, two, three, four] = claim.rows.map(({ reference }) => reference);
  const paid = { state: 'completed', fee: '1.25', feeCurrency: 'USD' } as const;
  await store.changePayout(one ?? '', { ...paid, at: DAY + HOUR });
  await store.changePayout(two ?? '', { ...paid, at: DAY + 2 * HOUR });
  await store.changePayout(three ?? '', { ...paid, at: DAY + DAY_MS });
  await store.changePayout(four ?? '', { state: 'failed', reason: because('bank-failed'), at: DAY + HOUR });
});

const onTheDay = { from: DAY, to: DAY + DAY_MS };

it('shows what went out on a day and what it cost, by the day of its end', async () => {
  await list(session, { state: ['completed'], ended: onTheDay });
  expect(printed.text).toMatch(/INV-1 .* 1\.25 USD/);
  expect(printed.text).toMatch(/INV-2 /);
  expect(printed.text).not.toMatch(/INV-[34]/);
  expect(printed.text).toMatch(/^2 payouts\.$/m);
  expect(printed.text).toMatch(/^currency +payouts +requested +paid +fees$/m);
  expect(printed.text).toMatch(/^USD +2 +21\.00 +21\.00 +2\.50$/m);
  expect(printed.document).toMatchObject({
    payouts: [{ id: 'INV-1', fee: '1.25', feeCurrency: 'USD' }, { id: 'INV-2' }],
    totals: { payouts: 2, isCut: false, currencies: [{ currency: 'USD', completed: '21.00', fees: '2.50' }] },
  });
});

it('distinguishes what was paid from what was asked for', async () => {
  await list(session, { ended: onTheDay });
  expect(printed.text).toMatch(/^USD +3 +31\.50 +21\.00 +2\.50$/m);
  expect(printed.text).toMatch(/INV-4 .* failed +bank-failed/);
});

it('finds what came back', async () => {
  const [one] = await store.searchPayouts({ text: 'INV-1' }, { limit: 1 });
  const { reference = '' } = one ?? {};
  await store.recordReturn({ orderId: 'o-1', reference, amount: '10.50', currency: 'USD', seenAt: DAY });
  await list(session, { returned: true });
  expect(printed.text).toMatch(/^1 payout\.$/m);
  expect(printed.text).toMatch(/^currency .* returned$/m);
  expect(printed.text).toMatch(/^USD .* 10\.50$/m);
});

it('has no column and no total for what nobody has', async () => {
  await list(session, { state: ['failed'] });
  expect(printed.text).toMatch(/^currency +payouts +requested$/m);
  expect(printed.text).not.toMatch(/ fee /);
  await list(session, { text: 'INV-9' });
  expect(printed.text).toBe('No payout matches.');
});

it('knows a day by its date, today and yesterday, and several by the first and the last', () => {
  vi.useFakeTimers({ now: DAY + 5 * HOUR });
  expect([dayStart('today'), dayStart('yesterday'), dayStart('2026-03-02')]).toEqual([DAY, DAY - DAY_MS, DAY]);
  expect(dayRange('today')).toEqual(onTheDay);
  expect(dayRange('2026-03-01..2026-03-02')).toEqual({ from: DAY - DAY_MS, to: DAY + DAY_MS });
  vi.useRealTimers();
  for (const odd of ['2026-02-30', '2026-03-02..2026-03-01', 'a..b..c', '']) expect(() => dayRange(odd)).toThrow();
});
