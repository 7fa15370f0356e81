import { expect, it } from 'vitest';
import type { ActivityDeps } from '../../src/activities/deps.ts';
import type { Beneficiary } from '../../src/bank/schemas/beneficiaries.ts';
import { notedFlags } from '../../src/people/payee-flags.ts';
import { payoutClaim } from '../store/samples.ts';
import { newStore } from '../support/empty-store.ts';

const DAY_MS = 86_400_000;
const MADE_AT = 100 * DAY_MS;

it('a payee is as new as the bank has it, when our clock is ahead', async () => {
  const store = await newStore();
  const { record } = await store.claimPayout(payoutClaim('doc'));
  const payee = { id: 'ben-1', created_at: MADE_AT, items: {} } as unknown as Beneficiary;
  const isNew = async (now: number, offset?: number): Promise<boolean> => {
    const deps = { store, bank: { clock: { offset: () => offset } }, now: () => now } as unknown as ActivityDeps;
    return (await notedFlags(deps, record, payee)).includes('new-payee');
  };
  expect(await isNew(MADE_AT + DAY_MS)).toBe(true);
  expect(await isNew(MADE_AT + 8 * DAY_MS)).toBe(false);
  expect(await isNew(MADE_AT + 8 * DAY_MS, -7 * DAY_MS)).toBe(true);
  expect(await isNew(MADE_AT + DAY_MS, 7 * DAY_MS)).toBe(true);
});

it('people are shown that the bank has a payee under another user', async () => {
  const store = await newStore();
  const { record } = await store.claimPayout(payoutClaim('doc'));
  const deps = { store, bank: { clock: { offset: () => 0 } }, now: () => MADE_AT } as unknown as ActivityDeps;
  const flags = (uid: string) =>
    notedFlags(deps, record, { id: 'ben-1', uid, created_at: MADE_AT, items: {} } as unknown as Beneficiary);
  expect(await flags(record.uid)).not.toContain('payee-of-another-user');
  expect(await flags('u-of-others')).toContain('payee-of-another-user');
});
