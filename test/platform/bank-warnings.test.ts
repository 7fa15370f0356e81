import { expect, it } from 'vitest';
import type { Log } from '../../src/domain/settings.ts';
import { bankClockAlarm, clockComplaint } from '../../src/platform/open-bank.ts';

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
