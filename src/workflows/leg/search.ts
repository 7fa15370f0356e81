import { sleep } from '@temporalio/workflow';
import type { OrderSearch } from '../../activities/payout/find-order.ts';
import { doublingPause } from '../../domain/durations.ts';
import type { ReasonCode } from '../../domain/reasons.ts';
import { answerOrUndefined, listScans } from '../proxies.ts';
import { LOOKS_TO_CONFIRM } from './followed-order.ts';
import type { OrderLeg } from './order-leg.ts';

export interface SearchResult extends OrderSearch {
  conflict: ReasonCode | undefined;
  /** A search a few seconds before showed something else. */
  hasChanged?: boolean;
}

/**
 * `searchOnce`, repeated within seconds before people are asked about a conflict: one wrong record among good ones asks nobody. A
 * second order stops the payout at once.
 */
export async function searchUntilSure(leg: OrderLeg, n: number, mayProve: boolean): Promise<SearchResult | undefined> {
  const { lookAgainMs, lookAgainMaxMs } = leg.terms.waits;
  let search = await searchOnce(leg, n, mayProve);
  for (let looks = 0; looks < LOOKS_TO_CONFIRM; looks += 1) {
    const isSure = search?.conflict !== 'reference-conflict' || leg.view.state === 'needs-operator';
    if (isSure) return search;
    await sleep(doublingPause(looks, lookAgainMs, lookAgainMaxMs), {
      summary: 'searches again before people are asked',
    });
    const again = await searchOnce(leg, n, mayProve);
    if (again !== undefined) search = { ...again, hasChanged: true };
  }
  return search;
}

/** Undefined if the bank did not answer. `mayProve`: reads so far back that a list without the order would prove its absence. */
export async function searchOnce(leg: OrderLeg, n: number, mayProve: boolean): Promise<SearchResult | undefined> {
  const { view, plan, firstSentAt } = leg;
  const { claim, recorded } = view;
  const since = firstSentAt ?? Date.now();
  const input = { claim, leg: plan.kind, since, recorded, placedIds: leg.placedIds, mayProve };
  const search = await answerOrUndefined(() =>
    listScans.findOrder.executeWithOptions({ summary: `search ${n + 1} for the order of this reference` }, [input]),
  );
  if (search === undefined) {
    view.note(`search ${n + 1}: the bank did not answer`);
    return undefined;
  }
  const { orderIds, differences, accepted, nearMisses, ordersRead, pagesRead, stable, doubt } = search;
  const shown = doubt === undefined ? 'not stable' : `not stable, shows ${doubt}`;
  const unstable = search.clocksApart ? "not stable, the bank's clock is too far from ours" : shown;
  view.note(
    `search ${n + 1}: ${orderIds.length} found among ${ordersRead} orders on ${pagesRead} pages, ` +
      `${stable ? 'stable' : unstable}${differences.length > 0 ? `, other ${differences.join(', ')}` : ''}`,
  );
  // One order was accepted and another is shown: people must say which of them pays.
  const otherAccepted = orderIds.length > 0 && accepted.some((orderId) => !orderIds.includes(orderId));
  if (orderIds.length > 1 || otherAccepted) return { ...search, conflict: 'duplicate-suspected' };
  const isOther = differences.length > 0 || nearMisses > 0;
  return { ...search, conflict: isOther ? 'reference-conflict' : undefined };
}
