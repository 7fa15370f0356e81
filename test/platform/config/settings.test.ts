import { expect, it } from 'vitest';
import { loadConfig } from '../../../src/platform/config.ts';

it('reconciliation obeys the time scale in its pause, down to 30 seconds, and never in how far it reads back', () => {
  const settingsAt = (scale: string) => loadConfig({ PAYOUTS_TIME_SCALE: scale }).settings;
  expect(settingsAt('1')).toMatchObject({ reconcileEveryMs: 6 * 3_600_000, reconcileDays: 45 });
  expect(settingsAt('0.01')).toMatchObject({ reconcileEveryMs: 216_000, reconcileDays: 45 });
  expect(settingsAt('0.0001')).toMatchObject({ reconcileEveryMs: 30_000, reconcileDays: 45 });
});
