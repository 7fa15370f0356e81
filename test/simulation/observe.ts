import type { Observation, ReportedRow } from '../checker/observation.ts';
import { expectedReference } from '../checker/references.ts';
import { seenOrder } from './bank/orders.ts';
import type { Disturbances } from './disturbances.ts';
import type { World } from './world.ts';

/** Longest way of a request from the record of its attempt to the bank: the client's own limit, and the wire. */
const SEND_DELAY_MAX_MS = 31_000;

/** What a run showed, in the checker's words. */
export async function observe(
  world: World,
  disturbances: Disturbances,
  switches: Observation['switches'],
  settled: boolean,
  boundMs: number,
): Promise<Observation> {
  const { bank, settings, store, payouts, time } = world;
  const rows: ReportedRow[] = [];
  const attempts: Observation['attempts'] = [];
  const audits: Observation['audits'] = [];
  for (const { reference } of payouts) {
    const row = await store.payout(reference);
    if (row === undefined) continue;
    const {
      uid,
      documentId: id,
      generation,
      state,
      reason,
      orderId,
      amount,
      currency,
      fee,
      feeCurrency,
      endedAt,
    } = row;
    const returns = (await store.returnsOf([reference])).map((it) => ({
      orderId: it.orderId,
      amount: it.amount,
      currency: it.currency,
    }));
    const said = { reference, uid, id, generation, state, reasonCode: reason?.code ?? null };
    rows.push({ ...said, orderId, amount, currency, fee, feeCurrency, endedAt, returns });
    for (const { at, actor, action, detail } of await store.auditOf(reference)) {
      audits.push({ at, actor, action, orderId: detail.orderId ?? null });
    }
  }
  // An attempt that never came to the bank may be in doubt all the same.
  const own = payouts.flatMap(({ accepted }) => [
    expectedReference(accepted, 'payment'),
    expectedReference(accepted, 'exchange'),
  ]);
  for (const reference of new Set([...own, ...bank.posts.map(({ body }) => body?.reference)])) {
    if (typeof reference !== 'string') continue;
    for (const { attempt, sentAt, outcome, orderId } of await store.attempts(reference)) {
      attempts.push({ reference, attempt, recordedAt: sentAt, outcome, orderId });
    }
  }
  return {
    settings: {
      referenceDedupe: settings.referenceDedupe,
      closedMeans: settings.closedMeans,
      lateCommitMs: settings.waits.lateCommitMs,
      listLagMs: settings.waits.listLagMs,
      approvalRules: [...settings.approvalRules],
      sendDelayMaxMs: SEND_DELAY_MAX_MS,
    },
    accepted: payouts.map(({ accepted }) => accepted),
    orders: bank.machine.orders.map(seenOrder),
    posts: bank.posts,
    beneficiaries: bank.payees.seen(),
    fees: bank.fees,
    accounts: bank.books.seen(),
    attempts,
    rows,
    statesSeen: world.statesSeen,
    results: world.results,
    interruptions: disturbances.interruptions,
    decisions: world.decisions,
    audits,
    notedOrders: [],
    traffic: world.door.traffic,
    switches,
    calm: { from: world.calmFrom ?? time.now, until: time.now, boundMs, settled },
  };
}
