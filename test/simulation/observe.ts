import type { PayoutRecord, Store } from '../../src/store/store.ts';
import type { Observation, ReportedRow } from '../support/checker/observation.ts';
import { expectedReference } from '../support/checker/references.ts';
import { seenOrder } from './bank/orders.ts';
import type { Disturbances } from './disturbances.ts';
import type { Rogues } from './rogues.ts';
import type { World } from './world.ts';

/** Longest way of a request from the record of its attempt to the bank: the client's own limit, and the wire. */
const SEND_DELAY_MAX_MS = 31_000;

/** How old a read of the list may be when something is sent that follows from it. */
const READ_AGE_MS = 2 * 60_000;

/** What a run showed, in the checker's words. */
export async function observe(
  world: World,
  {
    disturbances,
    rogues,
    switches,
    settled,
    comparedAt,
  }: {
    disturbances: Disturbances;
    rogues: Rogues;
    switches: Observation['switches'];
    settled: boolean;
    comparedAt: number | undefined;
  },
  boundMs: number,
): Promise<Observation> {
  const { bank, settings, payouts, time, olderCopies } = world;
  const homes = [world, ...(world.second === undefined ? [] : [world.second])];
  const banks = [bank, ...(world.otherTenant === undefined ? [] : [world.otherTenant.bank])];
  // What was noted of an order by an id that it had before is of the order.
  const idNow = (orderId: string | null): string | null => orderId && bank.machine.idNow(orderId);
  const rows: ReportedRow[] = [];
  const attempts: Observation['attempts'] = [...olderCopies.forgottenAttempts];
  const audits: Observation['audits'] = [...olderCopies.forgottenAudits];
  for (const { reference } of payouts) {
    for (const { store, row } of await world.rows(reference)) rows.push(await reported(store, row));
    for (const { store } of homes.flatMap((home) => home.stores)) {
      for (const { at, actor, action, detail } of await store.auditEntriesOf(reference)) {
        audits.push({ at, actor, action, orderId: idNow(detail.orderId ?? null) });
      }
    }
  }
  // An attempt that never came to the bank may be in doubt all the same.
  const own = payouts.flatMap(({ accepted }) => [
    expectedReference(accepted, 'payment'),
    expectedReference(accepted, 'exchange'),
  ]);
  for (const reference of new Set([
    ...own,
    ...banks.flatMap(({ posts }) => posts).map(({ body }) => body?.reference),
  ])) {
    if (typeof reference !== 'string') continue;
    for (const [home, at] of homes.entries()) attempts.push(...(await attemptsIn(at, home, reference)));
  }
  return {
    settings: {
      referenceDedupe: settings.terms.referenceDedupe,
      closedMeans: settings.terms.closedMeans,
      lateCommitMs: settings.terms.waits.lateCommitMs,
      listLagMs: settings.terms.waits.listLagMs,
      ...(world.isReconciled && {
        noMoneyRecheckMs: settings.terms.waits.noMoneyRecheckMs,
        statusLagMs: bank.profile.statusLagMs,
        readAgeMs: READ_AGE_MS,
        isSpellingSame: bank.profile.spelling !== undefined,
      }),
      approvalRules: [...settings.approvalRules],
      sendDelayMaxMs: SEND_DELAY_MAX_MS,
      provesAbsence: world.worlds.clockApartMs === undefined || Number.isFinite(bank.profile.clockRightFrom),
    },
    accepted: payouts.map(({ accepted }) => accepted),
    orders: banks.flatMap(({ machine }) => machine.orders.map(seenOrder)),
    posts: banks.flatMap((it) =>
      it.posts.map((post) => ({
        ...post,
        ...(it === bank ? { orderId: idNow(post.orderId), madeId: idNow(post.madeId) } : { isElsewhere: true }),
      })),
    ),
    beneficiaries: bank.payees.seen(),
    fees: bank.fees,
    accounts: banks.flatMap(({ books }) => books.seen()),
    attempts,
    rows,
    statesSeen: world.statesSeen,
    results: world.results,
    interruptions: disturbances.interruptions,
    decisions: world.decisions,
    audits,
    notedOrders: (await Promise.all(homes.map(notedOrders))).flat(),
    comparedAt,
    traffic: world.proxy.traffic,
    switches,
    restores: olderCopies.restoredAt,
    rollbacks: world.rollback.at,
    ...(world.second === undefined ? {} : { homes: world.secondHome.resumed }),
    senders: homes.flatMap(({ senders }) => [...senders.values()]),
    foreignCalls: rogues.calls,
    calm: { from: world.calmFrom ?? time.now, until: time.now, boundMs, settled },
  };
}

/** What the first home had recorded a copy of it has, too. */
async function attemptsIn(world: World, home: number, reference: string): Promise<Observation['attempts']> {
  const seen: Observation['attempts'] = [];
  for (const { store } of world.stores) {
    for (const { attempt, sentAt, outcome, orderId } of await store.attempts(reference)) {
      const key = `${reference} ${attempt}`;
      const recordedAt = world.recordedAt.get(key) ?? sentAt;
      const outcomeAt = world.outcomesAt.get(key);
      seen.push({ reference, attempt, recordedAt, sentAt, outcome, outcomeAt, orderId, home });
    }
  }
  return seen;
}

async function reported(store: Store, row: PayoutRecord): Promise<ReportedRow> {
  const { reference, uid, documentId: id, generation, state, reason, orderId, fee, feeCurrency, endedAt } = row;
  const { amount, currency } = row.instruction;
  const returns = (await store.returnsOf([reference])).map((it) => ({
    orderId: it.orderId,
    amount: it.amount,
    currency: it.currency,
  }));
  const said = { reference, uid, id, generation, state, reasonCode: reason?.code ?? null };
  return { ...said, orderId, amount, currency, fee, feeCurrency, endedAt, returns };
}

/** Orders of which people were notified after an end: as an incident, or as one that nobody has asked for. */
async function notedOrders({ stores, payouts, isReconciled }: World): Promise<string[]> {
  if (!isReconciled) return [];
  const noted = await Promise.all(
    stores.map(async ({ store, database }) => {
      const incidents = await store.incidentsOf(payouts.map(({ reference }) => reference));
      const unasked = database.prepare('select order_id from unasked_orders').all() as { order_id: string }[];
      return [...incidents.map(({ orderId }) => orderId), ...unasked.map((order) => order.order_id)];
    }),
  );
  return noted.flat();
}
