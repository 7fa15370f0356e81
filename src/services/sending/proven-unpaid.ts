import { mainLegOf } from '../../domain/names.ts';
import { isUnpaid } from '../../domain/payout-state.ts';
import { inDoubt } from '../../domain/submission.ts';
import { referenceOf } from '../../identity.ts';
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
  const unpaid = payouts.filter(({ state }) => isUnpaid(state));
  const incidents = await store.incidentsOf(unpaid.map(({ reference }) => reference));
  const contradicted = new Set(incidents.map(({ reference }) => reference));
  const ended = unpaid.filter(({ reference }) => !contradicted.has(reference));
  const legs = ended.map((payout) => Object.values(legReferences(payout)));
  const open = new Set(inDoubt(await store.attemptsOf(legs.flat())).map(({ reference }) => reference));
  return new Set(
    ended.filter((_, index) => legs[index]?.every((leg) => !open.has(leg))).map(({ reference }) => reference),
  );
}

/**
 * A new generation is a new reference: allowed only when every one before has an end without money, and nothing that was sent for it
 * is unsettled.
 */
export async function areEarlierUnpaid(
  store: Pick<Store, 'attemptsOf' | 'incidentsOf' | 'payoutsOf'>,
  row: Generation,
): Promise<boolean> {
  const { uid, documentId, generation, kind } = row;
  if (generation === 0) return true;
  // Each follows one that is there: nobody counts up to a number that somebody has made up.
  const last = referenceOf(uid, documentId, mainLegOf(kind), generation - 1);
  if ((await store.payoutsOf([last])).length === 0) return false;
  return (await provenUnpaid(store, await store.payoutsOf(earlierReferences(row)))).size === generation;
}

type Generation = Pick<PayoutRecord, 'uid' | 'documentId' | 'generation' | 'kind'>;

export const earlierReferences = ({ uid, documentId, generation, kind }: Generation): string[] =>
  Array.from({ length: generation }, (_, before) => referenceOf(uid, documentId, mainLegOf(kind), before));
