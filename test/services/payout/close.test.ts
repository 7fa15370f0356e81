import { expect, it, onTestFinished } from 'vitest';
import { because } from '../../../src/domain/reasons.ts';
import type { ActivityDeps } from '../../../src/services/deps.ts';
import { recordState } from '../../../src/services/payout/close.ts';
import { payoutClaim } from '../../store/samples.ts';
import { openEmptyStore } from '../../support/empty-store.ts';

const CALLER = { workflowId: 'w', runId: 'run-1', activityId: '1' };

it('a shortage whose sum is not known does not keep the sum of an earlier one, which was of another account', async () => {
  const store = await openEmptyStore();
  onTestFinished(() => store.close());
  const { record } = await store.claimPayout(payoutClaim('first', { runId: CALLER.runId, at: 1_000 }));
  const later = await store.claimPayout(payoutClaim('later', { at: 2_000 }));
  const { reference, term } = record;
  const deps = { store, now: () => 5 } as unknown as ActivityDeps;
  const short = (fundsNeeded?: string) =>
    recordState(deps, CALLER, {
      claim: { storeId: store.id, reference, term },
      state: 'awaiting-funds',
      reason: because('insufficient-funds'),
      fundsNeeded,
    });
  const ahead = () => store.fundsNeededAhead(later.record.reference);
  await short('110.00');
  expect(await ahead()).toEqual(['110.00']);
  // The exchange is booked since: what is short is the account that pays.
  await short();
  expect(await ahead()).toEqual([]);
});
