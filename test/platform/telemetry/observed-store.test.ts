import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createLog } from '../../../src/platform/log.ts';
import { createMetrics } from '../../../src/platform/telemetry/metrics.ts';
import { observedStore } from '../../../src/platform/telemetry/observed.ts';
import type { Store } from '../../../src/store/store.ts';
import { batchClaim } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';

async function observed() {
  const inner = await newStore();
  const lines: string[] = [];
  const metrics = createMetrics();
  const log = createLog('info', { write: (line: string) => lines.push(line) });
  const counted = async (name: string): Promise<string[]> =>
    (await metrics.registry.getSingleMetricAsString(name)).split('\n').filter((line) => !/^#|\} 0$/.test(line));
  return { store: observedStore(inner, metrics, log), lines, counted };
}

const claimed = async (store: Store): Promise<string[]> => {
  const claim = batchClaim('b-1', ['a', 'b', 'c', 'd']);
  await store.claimBatch(claim);
  return claim.rows.map(({ reference }) => reference);
};

const REASON = { code: 'refused-by-bank', message: 'the bank refused it' };

it('reports every end once, with its reason', async () => {
  const { store, lines, counted } = await observed();
  const [a = '', b = ''] = await claimed(store);
  await store.changePayout(a, { state: 'submitting', at: 2 });
  await store.changePayout(a, { state: 'completed', at: 3 });
  // It has ended.
  expect(await store.changePayout(a, { state: 'failed', reason: REASON, at: 4 })).toBe(false);
  await store.changePayout(b, { state: 'failed', reason: REASON, at: 4 });
  await store.cancelUnreleased('b-1', null, REASON, 5);
  expect(await counted('payouts_ended_total')).toEqual([
    'payouts_ended_total{state="completed"} 1',
    'payouts_ended_total{state="failed"} 1',
    'payouts_ended_total{state="cancelled"} 2',
  ]);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'payout ended', reference: a, state: 'completed' },
    { msg: 'payout ended', reference: b, state: 'failed', reason: 'refused-by-bank' },
    { msg: 'rows ended before they were released', batchId: 'b-1', rows: 2 },
  ]);
});

it('reports attempts, incidents, returns and orders of nobody', async () => {
  const { store, lines, counted } = await observed();
  const [reference = ''] = await claimed(store);
  await store.recordAttempt({ reference, attempt: 1, runId: 'r', activityId: '1', sentAt: 2 });
  await store.finishAttempt(reference, 1, { outcome: 'refused', code: 2010 });
  const incident = { kind: 'second-order', reference, orderId: 'o-1', seenAt: 3 } as const;
  await store.recordIncident(incident);
  await store.recordIncident(incident);
  const back = { orderId: 'o-2', reference, amount: '1.00', currency: 'EUR', seenAt: 4 };
  await store.recordReturn(back);
  await store.recordReturn(back);
  const list = { uid: 'u', currency: 'EUR' };
  await store.recordUnaskedOrders([{ orderId: 'o-3', ...list, clientOrderId: null, stem: '', shown: null, seenAt: 5 }]);
  expect(await counted('payouts_attempts_total')).toEqual(['payouts_attempts_total{outcome="refused"} 1']);
  expect(await counted('payouts_incidents_total')).toEqual(['payouts_incidents_total{kind="second-order"} 1']);
  expect(await counted('payouts_returns_total')).toEqual(['payouts_returns_total 1']);
  expect(await counted('payouts_unasked_orders_total')).toEqual(['payouts_unasked_orders_total 1']);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'attempt ended', reference, attempt: 1, outcome: 'refused', code: 2010 },
    { msg: 'incident', kind: 'second-order', reference },
    { msg: 'money came back', reference },
    { msg: 'the bank shows orders that this store did not send', count: 1 },
  ]);
});

it.each([
  ['approve refused', {}, 'approve'],
  ['asked to resolve', { outcome: 'refused' }, 'resolve'],
  ['sign-in refused', {}, 'sign-in'],
  ['sign-in refused', { count: '7' }, 'sign-in'],
  ['refused', {}, 'other'],
  ['asked to resolve', { outcome: 'searched again' }, undefined],
  ['payload refused', {}, undefined],
])('an entry "%s" with %j is a refusal of: %s', async (action, detail, decision) => {
  const { store, lines, counted } = await observed();
  await store.audit({
    at: 1,
    actor: 'alice',
    action,
    subject: 'r-1',
    detail: { ...detail, why: 'alice is the maker' },
  });
  const shown = await counted('payouts_decisions_refused_total');
  expect(shown).toEqual(
    decision === undefined
      ? []
      : [`payouts_decisions_refused_total{decision="${decision}"} ${'count' in detail ? detail.count : 1}`],
  );
  expect(await counted('payouts_payloads_refused_total')).toEqual([
    `payouts_payloads_refused_total ${action === 'payload refused' ? 1 : 0}`,
  ]);
  expect(lines.join()).not.toContain('alice');
  expect(await store.auditEntriesOf('r-1')).toMatchObject([{ action }]);
});

it('does what the store does, and nothing when the store fails', async () => {
  const failing = { audit: () => Promise.reject(new Error('disk full')) } as unknown as Store;
  const metrics = createMetrics();
  const store = observedStore(failing, metrics, pino({ level: 'silent' }));
  const entry = { at: 1, actor: 'bob', action: 'approve refused', subject: 'r-1', detail: {} };
  await expect(store.audit(entry)).rejects.toThrow('disk full');
  expect(await metrics.registry.getSingleMetricAsString('payouts_decisions_refused_total')).toContain('"approve"} 0');
});

it('begins every count by a label at 0: in a series that begins with what happened, Prometheus sees no increase', async () => {
  const shown = await createMetrics().registry.metrics();
  for (const series of [
    ...['completed', 'failed', 'rejected', 'cancelled'].map((state) => `ended_total{state="${state}"}`),
    ...['accepted', 'ambiguous'].map((outcome) => `attempts_total{outcome="${outcome}"}`),
    ...['approve', 'sign-in', 'other'].map((decision) => `decisions_refused_total{decision="${decision}"}`),
    'incidents_total{kind="second-order"}',
    'looks_total{by="list"}',
  ]) {
    expect(shown).toContain(`payouts_${series} 0\n`);
  }
});
