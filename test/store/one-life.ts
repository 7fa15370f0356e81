import { because } from '../../src/domain/reasons.ts';
import { switchFactsOf } from '../../src/domain/switches.ts';
import type { Store } from '../../src/store/store.ts';
import { batchClaim, openOrderRequest, payoutClaim } from './samples.ts';

/** Everything that is asked for one payout from its claim to its end, by whoever has a hand in it. */
export async function oneLife(store: Store, name = 'doc'): Promise<void> {
  const claim = payoutClaim(name);
  const { reference } = claim;
  const { uid, currency } = claim.instruction;
  const orderId = `order of ${name}`;
  const at = 1_790_000_000_000;
  const batchId = `batch of ${name}`;
  const payee = { uid, payeeId: 'ben-1' };
  await store.claimBatch(batchClaim(batchId, [`${name} a`, `${name} b`]));
  await store.releasable(batchId, 10, []);
  await store.inFlight(batchId);
  await store.pausedAccounts(10);
  await store.markReleased([reference], at);
  await store.quietPayouts({ batchId }, { changedBefore: at, now: at }, { after: null, limit: 10 });
  await store.quietPayouts({ batchId: null }, { changedBefore: at, now: at }, { after: null, limit: 10 });
  const { record } = await store.claimPayout(claim);
  await store.payout(reference);
  await store.payoutsOf([reference]);
  await store.payoutsOfOrders([orderId]);
  await store.payeeHistory({ ...payee, currency, name: { name: 'A', asShown: 'A', inSmall: 'a' }, country: 'DE' });
  await store.hasSuspectedDuplicate(uid);
  await store.matchingSwitch(switchFactsOf(record));
  await store.approvalsOf(reference, 'digest');
  await store.fundsNeededAhead(reference);
  await store.lookAlikes(['key'], at);
  await store.openOrder(openOrderRequest(reference));
  const attempt = { reference, attempt: 1, runId: 'run', activityId: '1', sentAt: at };
  await store.recordAttempt({ ...attempt, claim: { reference, term: record.term } });
  await store.finishAttempt(reference, 1, { outcome: 'accepted', orderId });
  await store.noteOrder(reference, { orderId });
  await store.openOrders({ uid, currency }, at);
  await store.neglectedWatches({ at, watchAliveSince: at - 1 });
  await store.attemptsOf([reference]);
  await store.acceptedBeside(record, { from: at - 1, to: at });
  await store.handedToBank({ currency, since: at });
  await store.settleAttempts(reference, { upTo: 1, as: 'paid' });
  await store.changePayout(reference, { state: 'needs-operator', reason: because('outcome-unknown'), at });
  await store.changePayout(reference, { state: 'completed', reason: null, orderId, at });
  await store.closeOrder(reference);
  await store.incidentsOf([reference]);
  await store.openWork(at);
}
