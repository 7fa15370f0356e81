import { expectedReference } from '../support/checker/references.ts';
import { decimalText, minorOf } from './bank/books.ts';
import type { PlannedPayout } from './scenario.ts';
import type { World } from './world.ts';

/** Of what is bought for an account of one currency from one of another. */
const keyOf = ({ batchId, accepted: { uid, accountId, currency } }: PlannedPayout): string =>
  JSON.stringify([batchId, uid, accountId, currency]);

/** One exchange of each batch for each account and currency, and the rows that it buys for, which name it from now on. */
export function planSharedExchanges({ payouts, worlds }: World): PlannedPayout[] {
  if (!worlds.sharedExchanges) return [];
  const sell = payouts.filter(
    ({ batchId, accepted: { uid, accountId, currency } }) =>
      batchId !== undefined && accountId !== `${uid}-${currency}`,
  );
  return [...Map.groupBy(sell, keyOf).values()].map((rows, index) => {
    const exchange = exchangeFor(rows, `FX-${index + 1}`);
    for (const { accepted } of rows) accepted.boughtBy = exchange.reference;
    return exchange;
  });
}

function exchangeFor(rows: readonly PlannedPayout[], id: string): PlannedPayout {
  const [{ batchId, accepted: first }] = rows as [PlannedPayout, ...PlannedPayout[]];
  const { uid, accountId, currency, maker } = first;
  const sum = rows.reduce((before, { accepted: { amount } }) => before + (minorOf(amount, currency) ?? 0n), 0n);
  const amount = decimalText(sum, currency);
  const accepted = { kind: 'exchange' as const, uid, id, generation: 0, accountId, amount, currency, maker };
  const instruction = { uid, id, account_id: accountId, to_account_id: `${uid}-${currency}`, amount, currency };
  const reference = expectedReference(accepted, 'exchange');
  return { reference, workflowId: `exchange/${reference}`, input: instruction, instruction, accepted, batchId };
}

/** A batch notifies the rows that wait for an exchange once it has ended; some it cannot reach, which read again by themselves. */
export function notifyOfExchange(world: World, workflowId: string): void {
  const ended = world.payouts.find((it) => it.workflowId === workflowId);
  if (ended?.accepted.kind !== 'exchange') return;
  for (const { accepted, ...row } of world.payouts) {
    if (accepted.boughtBy !== ended.reference || world.rare.chance(0.2)) continue;
    world.time.after(world.rare.spell(2_000), () => world.cluster.signal(row.workflowId, 'orderChanged'));
  }
}
