import { pino } from 'pino';
import { expect, it } from 'vitest';
import { envelopeError } from '../../src/api/errors.ts';
import { bankWarnings } from '../../src/compose/bank-warnings.ts';
import { UNMEASURED_CLOCK } from '../support/unmeasured-clock.ts';

it('a bank that does not answer is told of within a minute, and asked no oftener than needed', async () => {
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
