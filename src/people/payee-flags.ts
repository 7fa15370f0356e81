import type { Bank } from '../bank/bank.ts';
import { byEarlierClock } from '../bank/bank-time.ts';
import { payeeDigest } from '../bank/payee-lists.ts';
import type { Beneficiary } from '../bank/schemas/beneficiaries.ts';
import { beneficiaryFields } from '../domain/instruction.ts';
import type { Flag } from '../domain/payee.ts';
import { payeeCountry, payeeFlags, payeeName } from '../domain/payee.ts';
import type { PayeeAsked, PayeeHistory, PayoutRecord, Store } from '../store/store.ts';
import { skeletons } from './look-alike-names.ts';

/** The store's query about the payee of a row. `payee`: as the bank shows it; undefined: not shown yet. */
export function askedAbout({ instruction }: PayoutRecord, payee: Beneficiary | undefined): PayeeAsked {
  const { uid, currency } = instruction;
  const items = payee?.items ?? beneficiaryFields(instruction);
  const name = payeeName(items);
  if (name === undefined) return { uid, payeeId: payee?.id, currency, country: payeeCountry(items) };
  const [asShown, inSmall] = skeletons(name);
  return { uid, payeeId: payee?.id, currency, name: { name, asShown, inSmall }, country: payeeCountry(items) };
}

/** No payee gets older by a clock of ours that is ahead. */
const timeOf = ({ bank, now }: { bank: Bank; now: () => number }): number => byEarlierClock({ bank }, now());

/** What people should check about the payee of a row. */
export function flagsOf(
  clocks: Parameters<typeof timeOf>[0],
  history: PayeeHistory,
  { instruction: { amount, uid } }: PayoutRecord,
  payee: Beneficiary | undefined,
): Flag[] {
  const now = timeOf(clocks);
  const digest = payee && payeeDigest(payee);
  const isOther = digest !== undefined && history.digest !== undefined && history.digest !== digest;
  const changedAt = isOther ? now : history.changedAt;
  const isOfAnotherUser = payee !== undefined && payee.uid !== uid;
  return payeeFlags({ ...history, createdAt: payee?.created_at, digest, changedAt, isOfAnotherUser, amount }, now);
}

/** The same, and what the bank shows is kept for the next payout to it. */
export async function notedFlags(
  { store, ...clocks }: { store: Store; bank: Bank; now: () => number },
  row: PayoutRecord,
  payee: Beneficiary | undefined,
): Promise<Flag[]> {
  const asked = askedAbout(row, payee);
  const history = await store.payeeHistory(asked);
  const digest = payee && payeeDigest(payee);
  if (payee !== undefined && digest !== undefined && history.digest !== digest) {
    const { uid, name, country = null } = asked;
    const { id: payeeId, items } = payee;
    await store.notePayee({ uid, payeeId, digest, name, country, items, seenAt: timeOf(clocks) });
  }
  return flagsOf(clocks, history, row, payee);
}
