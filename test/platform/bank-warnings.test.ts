import { pino } from 'pino';
import { expect, it } from 'vitest';
import { envelopeError } from '../../src/bank/errors.ts';
import type { Log } from '../../src/domain/settings.ts';
import { bankClockAlarm, bankWarnings, clockComplaint } from '../../src/platform/open-bank.ts';
import { UNMEASURED_CLOCK } from '../support/unmeasured-clock.ts';

it('a bank that does not answer is reported within a minute, and asked no oftener than needed', async () => {
  let asked = 0;
  let fails: Error | undefined;
  let now = 1_000_000;
  const master = async () => {
    asked += 1;
    if (fails !== undefined) throw fails;
    return [];
  };
  const warnings = bankWarnings({
    bank: { clock: UNMEASURED_CLOCK, accounts: { master } },
    settings: { clockSkewMs: 600_000 },
    log: pino({ level: 'silent' }),
    now: () => now,
  });
  expect(await warnings()).toEqual([]);
  fails = new Error('connect ECONNREFUSED');
  expect(await warnings()).toEqual([]);
  expect(asked).toBe(1);
  now += 30_000;
  expect(await warnings()).toEqual([
    expect.stringMatching(/^the bank does not answer.* or PAYOUTS_API_RATE is used up/),
  ]);
  // A refusal is an answer.
  fails = envelopeError(2006, { operation: 'GET accounts' });
  now += 30_000;
  expect(await warnings()).toEqual([]);
});

const LIMIT_MS = 600_000;

it.each([
  [undefined, undefined],
  [LIMIT_MS, undefined],
  [-LIMIT_MS, undefined],
  [900_000, "the bank's clock is 900 s ahead of this machine's"],
  [-900_000, "the bank's clock is 900 s behind this machine's"],
])('a bank clock that is off by %j is worth: %s', (offset, words) => {
  const complaint = clockComplaint(offset, LIMIT_MS);
  if (words === undefined) expect(complaint).toBeUndefined();
  else expect(complaint).toContain(words);
});

it('a bank clock that is off is said when the limit is crossed, not again and again', () => {
  const said: string[] = [];
  const log = {
    warn: (_details: object, text: string) => said.push(`warn ${text.slice(0, 16)}`),
    info: (_details: object, text: string) => said.push(`info ${text.slice(-22)}`),
  } as unknown as Log;
  let now: number | undefined;
  const alarm = bankClockAlarm({ offset: () => now }, LIMIT_MS, log);
  for (const ms of [undefined, 0, 900_000, 900_000, 0, -900_000]) {
    now = ms;
    alarm();
  }
  expect(said).toEqual(["warn the bank's clock", 'info within the limit again', "warn the bank's clock"]);
});
