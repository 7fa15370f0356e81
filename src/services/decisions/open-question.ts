import type { Assessment } from '../../domain/gates.ts';
import { bankDigest, holdDigest } from '../../domain/question-digest.ts';
import { questionOfHold } from '../../domain/reasons.ts';
import type { PayoutRecord, Store } from '../../store/store.ts';
import { legReferences } from '../sending/claimed-row.ts';
import type { SignedQuestion } from './verdict.ts';

/** The open question of a payout, from the row that people are shown as well; undefined if it asks nothing. */
export async function openQuestion(
  store: Pick<Store, 'attemptsOf'>,
  row: PayoutRecord,
): Promise<SignedQuestion | undefined> {
  const { state, reason, assessed } = row;
  if (assessed === null) return undefined;
  const { digest, approvalsNeeded, approvalsAtBank = 1 } = assessed;
  switch (state) {
    case 'awaiting-approval':
      return { question: 'payout', digest, needed: approvalsNeeded };
    case 'held':
      return reason === null
        ? undefined
        : { question: questionOfHold(reason), digest: held(assessed, reason.code), needed: 1 };
    case 'awaiting-bank-approval': {
      const orderId = row.orderId ?? (await acceptedOrder(store, row));
      if (orderId === undefined) return undefined;
      return { question: 'bank', digest: bankDigest(digest, orderId), needed: Math.max(1, approvalsAtBank) };
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
