import { expect, it } from 'vitest';
import { createMetrics, storeFigures } from '../../../src/platform/telemetry/metrics.ts';
import type { OpenWork } from '../../../src/store/store.ts';

const NOTHING: OpenWork = {
  open: [],
  unknown: { count: 0, oldestSentAt: null },
  incidents: [],
  switchesOff: [],
  cardsForPeople: 0,
  oldestPollAt: null,
  oldestUnsignedAt: null,
};
const BUSY: OpenWork = {
  open: [{ state: 'held', count: 2, oldestCreatedAt: 40_000, oldestSince: 90_000 }],
  unknown: { count: 1, oldestSentAt: 60_000 },
  incidents: [{ kind: 'second-order', count: 3 }],
  switchesOff: [{ scope: 'currency', count: 1 }],
  cardsForPeople: 2,
  oldestPollAt: 99_000,
  oldestUnsignedAt: 95_000,
};

function figures() {
  const metrics = createMetrics();
  const state = { now: 100_000, reads: 0, answer: async (): Promise<OpenWork> => NOTHING };
  const refresh = storeFigures(metrics, {
    openWork: () => {
      state.reads += 1;
      return state.answer();
    },
    clockOffsetMs: () => -2_500,
    now: () => state.now,
  });
  const shown = async (): Promise<string[]> => {
    await refresh();
    return (await metrics.registry.metrics()).split('\n').filter((line) => !/^#|_count|_sum|^$|_total/.test(line));
  };
  return { state, shown };
}

it('are ages and counts, and what is gone is not shown as it was', async () => {
  const { state, shown } = figures();
  state.answer = async () => BUSY;
  expect(await shown()).toEqual(
    expect.arrayContaining([
      'payouts_open{state="held"} 2',
      'payouts_oldest_seconds{state="held",since="claimed"} 60',
      'payouts_oldest_seconds{state="held",since="changed"} 10',
      'payouts_unknown_outcomes 1',
      'payouts_unknown_outcome_oldest_seconds 40',
      'payouts_incidents_open{kind="second-order"} 3',
      'payouts_switches_off{scope="currency"} 1',
      'payouts_card_payments_for_people 2',
      'payouts_watch_oldest_sweep_seconds 1',
      'payouts_audit_unsigned_seconds 5',
      'payouts_bank_clock_offset_seconds -2.5',
    ]),
  );
  state.now += 6_000;
  state.answer = async () => NOTHING;
  const later = await shown();
  expect(later).toContain('payouts_unknown_outcomes 0');
  expect(later.join()).not.toMatch(/held|second-order|currency/);
});

it('are read once for all who ask at the same time, and again after a moment', async () => {
  const { state, shown } = figures();
  await Promise.all([shown(), shown(), shown()]);
  expect(state.reads).toBe(1);
  state.now += 6_000;
  await shown();
  expect(state.reads).toBe(2);
});

it('of a store that cannot be read are gone, and one says so', async () => {
  const { state, shown } = figures();
  state.answer = async () => BUSY;
  await shown();
  state.now += 6_000;
  state.answer = () => Promise.reject(new Error('the store is gone'));
  const lines = await shown();
  expect(lines).toContain('payouts_store_unread 1');
  // Not 0 either: nobody knows that there is none.
  expect(lines.filter((line) => !/bank_clock|build_info/.test(line))).toEqual(['payouts_store_unread 1']);
  state.now += 6_000;
  state.answer = async () => BUSY;
  expect(await shown()).toEqual(expect.arrayContaining(['payouts_unknown_outcomes 1', 'payouts_store_unread 0']));
});
