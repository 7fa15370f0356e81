import type { Assessment } from '../../domain/gates.ts';
import { bankDigest, holdDigest } from '../../domain/question-digest.ts';
import { questionOfHold } from '../../domain/reasons.ts';
import { legReferences } from '../../store/claimed-row.ts';
import type { PayoutRecord, Store } from '../../store/store.ts';
import type { AskedBy } from './asked.ts';
import { neededNow } from './let-through.ts';
import type { SignedQuestion } from './verdict.ts';

/**
 * The open question of a payout, from the row that people are shown as well; undefined if it asks nothing. How many must approve
 * is what the policy in force now asks of the last reading.
 */
export async function openQuestion(
  { store, settings }: AskedBy & { store: Pick<Store, 'attemptsOf'> },
  row: PayoutRecord,
): Promise<SignedQuestion | undefined> {
  const { state, reason, assessed } = row;
  if (assessed === null) return undefined;
  const { digest } = assessed;
  const { needed, neededAtBank, alone } = neededNow({ settings }, row, assessed);
  switch (state) {
    case 'awaiting-approval':
      return { question: 'payout', digest, needed, alone };
    case 'held':
      return reason === null
        ? undefined
        : { question: questionOfHold(reason), digest: held(assessed, reason.code), needed: 1 };
    case 'awaiting-bank-approval': {
      const orderId = row.orderId ?? (await acceptedOrder(store, row));
      if (orderId === undefined) return undefined;
      return { question: 'bank', digest: bankDigest(digest, orderId), needed: neededAtBank, alone };
    }
    default:
      return undefined;
  }
}

/** Digest of the question of a row that is held for this reason. */
const held = ({ digest, exceptions = [] }: Assessment, code: string): string =>
  exceptions.find(({ reason }) => reason.code === code)?.digest ?? holdDigest(digest, code);

/** Order id of the payout's exchange, which its row does not name. */
async function acceptedOrder(store: Pick<Store, 'attemptsOf'>, row: PayoutRecord): Promise<string | undefined> {
  const attempts = await store.attemptsOf(Object.values(legReferences(row)));
  return attempts.findLast(({ orderId, settled }) => orderId !== null && settled === null)?.orderId ?? undefined;
}
