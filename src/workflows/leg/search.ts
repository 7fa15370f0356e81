import { sleep } from '@temporalio/workflow';
import type { OrderSearch } from '../../activities/find.ts';
import { doublingPause } from '../../domain/time.ts';
import { answerOrUndefined, listScans } from '../proxies.ts';
import { LOOKS_TO_CONFIRM } from './followed-order.ts';
import type { OrderLeg } from './order-leg.ts';

/** `hasChanged`: a search a few seconds before showed something else. */
export type SearchResult = OrderSearch & { hasChanged?: boolean };

/**
 * `searchOnce`, repeated within seconds before people are asked about a conflict: one wrong record among good ones asks nobody. A
 * second order stops the payout at once.
 */
export async function searchUntilSure(leg: OrderLeg, n: number, mayProve: boolean): Promise<SearchResult | undefined> {
  const { lookAgainMs, lookAgainMaxMs } = leg.terms.waits;
  let search: SearchResult | undefined = await searchOnce(leg, n, mayProve);
  for (let looks = 0; looks < LOOKS_TO_CONFIRM; looks += 1) {
    const isSure =
      search?.kind !== 'conflict' || search.reason !== 'reference-conflict' || leg.view.state === 'needs-operator';
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
export async function searchOnce(leg: OrderLeg, n: number, mayProve: boolean): Promise<OrderSearch | undefined> {
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
  const { ordersRead, pagesRead, doubt = 'stable' } = search;
  view.note(`search ${n + 1}: ${whatIsFound(search)} among ${ordersRead} orders on ${pagesRead} pages, ${doubt}`);
  return search;
}

function whatIsFound(search: OrderSearch): string {
  switch (search.kind) {
    case 'found':
      return '1 found';
    case 'conflict':
      return `${search.listed.length} found, which cannot be taken for the one that was sent,`;
    case 'nothing':
      return '0 found';
  }
}
