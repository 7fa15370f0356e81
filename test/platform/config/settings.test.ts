import { expect, it } from 'vitest';
import { loadConfig } from '../../../src/platform/config.ts';

it('reconciliation obeys the time scale in its pause, down to 30 seconds, and never in how far it reads back', () => {
  const settingsAt = (scale: string) => loadConfig({ PAYOUTS_TIME_SCALE: scale }).settings;
  expect(settingsAt('1')).toMatchObject({ reconcileEveryMs: 6 * 3_600_000, reconcileDays: 45 });
  expect(settingsAt('0.01')).toMatchObject({ reconcileEveryMs: 216_000, reconcileDays: 45 });
  expect(settingsAt('0.0001')).toMatchObject({ reconcileEveryMs: 30_000, reconcileDays: 45 });
});

it('personal data is kept unless a number of days is set, at least what returns and look-alikes need', () => {
  const daysOf = (env: Record<string, string>) => loadConfig(env).retentionDays;
  expect(daysOf({})).toBeUndefined();
  expect(daysOf({ PAYOUTS_RETENTION_DAYS: '90' })).toBe(90);
  expect(() => daysOf({ PAYOUTS_RETENTION_DAYS: '89' })).toThrow('PAYOUTS_RETENTION_DAYS');
  const returns = { PAYOUTS_RECONCILE_DAYS: '100' };
  expect(() => daysOf({ ...returns, PAYOUTS_RETENTION_DAYS: '129' })).toThrow('at least 130');
  expect(daysOf({ ...returns, PAYOUTS_RETENTION_DAYS: '130' })).toBe(130);
  expect(() => daysOf({ PAYOUTS_LOOK_ALIKE_DAYS: '365', PAYOUTS_RETENTION_DAYS: '365' })).toThrow('at least 366');
});
