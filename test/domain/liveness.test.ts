import { expect, it } from 'vitest';
import { hindrancesOf, hindranceText, livenessOf, type SignOfLife } from '../../src/domain/liveness.ts';

const NOW = Date.UTC(2026, 4, 12, 6, 20);
const AT_0609 = Date.UTC(2026, 4, 12, 6, 9);
const SECOND = 1_000;

const worker = (change: Partial<SignOfLife> = {}): SignOfLife => ({
  aliveAt: NOW - 5 * SECOND,
  endedAt: null,
  outages: null,
  ...change,
});
const cutOff = (since: number): SignOfLife => worker({ outages: { bank: { since, cause: 'nothing-listens' } } });
const texts = (signs: readonly SignOfLife[], waiting?: number): string[] =>
  hindrancesOf(livenessOf(signs, NOW), 'payouts dev').map((it) => hindranceText(it, waiting));

it('nothing is in the way while a worker is answered', () => {
  expect(texts([worker()])).toEqual([]);
});

it('a bank that answers no worker is down since the last of them was answered', () => {
  expect(texts([cutOff(AT_0609), cutOff(AT_0609 - SECOND)], 6)).toEqual([
    'The bank has not answered since 2026-05-12 06:09 UTC (nothing listens there). 6 payouts wait; nothing is lost, nothing to do.',
  ]);
  expect(texts([cutOff(AT_0609), worker()])).toEqual([]);
});

it('without a number of payouts it says none', () => {
  expect(texts([cutOff(AT_0609)])).toEqual([
    'The bank has not answered since 2026-05-12 06:09 UTC (nothing listens there). Nothing is lost, nothing to do.',
  ]);
});

it('what ends only by a change of the settings is not called nothing to do', () => {
  const refused = worker({ outages: { bank: { since: AT_0609, cause: 'key-refused' } } });
  expect(texts([refused], 1)).toEqual([
    'The bank has given no usable answer since 2026-05-12 06:09 UTC (it does not accept the key). 1 payout waits; nothing is lost. `payouts doctor` says what to change (PAYOUTS_API_URL).',
  ]);
});

it('nobody is sent to change an address because the bank shows a page of its maintenance', () => {
  const maintained = worker({ outages: { bank: { since: AT_0609, cause: 'answers-something-else' } } });
  expect(texts([maintained])[0]).toMatch(
    /Nothing is lost\. It may be under maintenance\. If this lasts, `payouts doctor` says what to change/,
  );
});

it.each([
  ['was killed', worker({ aliveAt: AT_0609 })],
  ['has ended', worker({ aliveAt: AT_0609, endedAt: AT_0609 })],
])('nobody works if the only worker %s', (_, gone) => {
  expect(texts([gone], 59)).toEqual([
    'Nobody has been working since 2026-05-12 06:09 UTC. 59 payouts wait; nothing is lost. Start `payouts dev`.',
  ]);
});

it('what a dead worker said of the bank is not repeated', () => {
  const [text] = texts([{ ...cutOff(AT_0609), aliveAt: AT_0609 }]);
  expect(text).toMatch(/^Nobody has been working/);
});

it('a store that no worker has used yet has no time', () => {
  expect(texts([])).toEqual(['Nobody has worked yet. Nothing is lost. Start `payouts dev`.']);
});
