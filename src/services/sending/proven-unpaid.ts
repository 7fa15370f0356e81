import { isEnd } from '../../domain/payout-state.ts';
import { inDoubt } from '../../domain/submission.ts';
import type { PayoutRecord, Store } from '../../store/store.ts';
import { legReferences } from './claimed-row.ts';

/**
 * References of those payouts that are proven to have taken no money: each has an end other than completed, of all that was sent for
 * it nothing is unsettled, and the bank has shown no order against it. The word of its state alone proves nothing.
 */
export async function provenUnpaid(
  store: Pick<Store, 'attemptsOf' | 'incidentsOf'>,
  payouts: readonly PayoutRecord[],
): Promise<ReadonlySet<string>> {
  const unpaid = payouts.filter(({ state }) => isEnd(state) && state !== 'completed');
  const incidents = await store.incidentsOf(unpaid.map(({ reference }) => reference));
  const contradicted = new Set(incidents.map(({ reference }) => reference));
  const ended = unpaid.filter(({ reference }) => !contradicted.has(reference));
  const legs = ended.map((payout) => Object.values(legReferences(payout)));
  const open = new Set(inDoubt(await store.attemptsOf(legs.flat())).map(({ reference }) => reference));
  return new Set(
    ended.filter((_, index) => legs[index]?.every((leg) => !open.has(leg))).map(({ reference }) => reference),
  );
}

const PAGE = 500;

/** Rows a page at a time, so that what is asked about them is asked once a page. */
export async function* inPages(rows: AsyncIterable<PayoutRecord>): AsyncGenerator<PayoutRecord[]> {
  let page: PayoutRecord[] = [];
  for await (const row of rows) {
    page.push(row);
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
