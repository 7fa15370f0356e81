import { isCardEnd } from '../domain/card-payment.ts';
import type { Guards } from '../domain/gates.ts';
import type { CardRecord } from '../store/card-store.ts';

/**
 * What payouts that depend on a card payment go by. An unknown one counts as open: it may still be created. People must resolve a
 * contradiction first.
 */
export function cardStanding(
  record: Pick<CardRecord, 'state' | 'contradictedAt'> | undefined,
): NonNullable<Guards['cardPayment']> {
  if (record === undefined || !isCardEnd(record.state)) return 'open';
  if (record.contradictedAt !== null) return 'contradicted';
  return record.state === 'succeeded' ? 'succeeded' : 'unpaid';
}
