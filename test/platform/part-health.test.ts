import { pino } from 'pino';
import { expect, it } from 'vitest';
import { PartHealth } from '../../src/platform/part-health.ts';

const MINUTE = 60_000;

function watched() {
  const state = { now: 1_000_000, asked: 0, fails: undefined as Error | undefined };
  const bank = async () => {
    state.asked += 1;
    if (state.fails !== undefined) throw state.fails;
  };
  const health = new PartHealth(
    { bank, temporal: async () => undefined },
    { log: pino({ level: 'silent' }), now: () => state.now },
  );
  const called = (result: 'ok' | 'refused' | 'ambiguous' | 'not-sent') => health.observe(undefined).ended(result, 1);
  return { state, health, called };
}

const refused = () => Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });

it('one failed call is no outage if the bank answers when it is asked', async () => {
  const { state, health, called } = watched();
  called('ambiguous');
  expect(await health.check()).toBe(false);
  expect([state.asked, health.outages]).toEqual([1, {}]);
});

it('an outage is dated from the first call without an answer, and ends with an answer', async () => {
  const { state, health, called } = watched();
  called('not-sent');
  const since = state.now;
  state.now += 5_000;
  called('ambiguous');
  state.fails = refused();
  expect(await health.check()).toBe(true);
  expect(health.outages).toEqual({ bank: { since, cause: 'nothing-listens' } });
  state.now += MINUTE;
  expect(await health.check()).toBe(false);
  expect(health.outages).toEqual({ bank: { since, cause: 'nothing-listens' } });
  called('ok');
  expect(await health.check()).toBe(true);
  expect(health.outages).toEqual({});
});

it('asks a bank that nobody calls every half minute, and one that answers never', async () => {
  const { state, health, called } = watched();
  for (const _ of Array(5)) {
    state.now += 10_000;
    called('refused');
    await health.check();
  }
  expect(state.asked).toBe(0);
  state.now += 31_000;
  state.fails = refused();
  expect(await health.check()).toBe(true);
  expect(health.outages.bank?.since).toBe(state.now);
});

it('its own limit on calls, and the bank that asks for fewer of them, are an outage only if nothing is let through for a minute', async () => {
  const { state, health, called } = watched();
  called('not-sent');
  const since = state.now;
  state.fails = new Error('GET accounts: the limit of calls left no room in time');
  expect(await health.check()).toBe(false);
  expect(health.outages).toEqual({});
  state.now += MINUTE;
  expect(await health.check()).toBe(true);
  expect(health.outages).toEqual({ bank: { since, cause: 'asks-for-fewer-calls' } });
});
