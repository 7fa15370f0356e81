import { approvers } from '../../domain/approval.ts';
import { type ScopeFacts, scopeFactsOf } from '../../domain/authority.ts';
import type { Assessment } from '../../domain/gates.ts';
import { bankDigest } from '../../domain/question-digest.ts';
import { questionOfHold } from '../../domain/reasons.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { type Asked, type AskedBy, askedOf, ruledBy } from './asked.ts';
import { type AddedUpDeps, approvalsAddedUp } from './limits.ts';
import { isMade, isMakerAllowed, isOneDocument } from './made.ts';
import { isRejected, raisedIfRejected, type SignedQuestion, type VerdictDeps, verdictOn } from './verdict.ts';

/**
 * Whether people let a row leave as it was just read at the bank, by the policy in force now. Nothing that the store keeps of an
 * earlier reading decides: no digest, no number of approvals, no exception, no amount but that of the instruction, which is
 * signed.
 */

export interface LeaveDeps extends VerdictDeps, Pick<AddedUpDeps, 'bank'> {
  settings: AskedBy['settings'] & Pick<AddedUpDeps['settings'], 'clockSkewMs'>;
}

/** Before an order is sent, or a payee made. `read`: right now; without a policy the last assessment. */
export async function mayLeave(deps: LeaveDeps, row: PayoutRecord, read: Assessment): Promise<boolean> {
  if (!isOneDocument(row)) return false;
  const asked = askedNow(deps, row, read);
  if (deps.settings.policy === undefined) return hasNames(deps, row, asked);
  const touched = touchedBy(row, read);
  for (const { reason, digest } of read.exceptions ?? []) {
    const { verdict } = await verdictOn(deps, row, { question: questionOfHold(reason), digest, needed: 1 }, touched);
    if (verdict !== 'approved') return false;
  }
  const { digest, asksAlone: alone } = asked;
  const { approvalsNeeded: needed } = await raised(deps, row, asked, read);
  return isApproved(deps, row, { question: 'payout', digest, needed, alone }, touched);
}

/** Before the bank is told to release an order that it audits. `read`: with what the bank shows of the order. */
export async function mayRelease(
  deps: LeaveDeps,
  row: PayoutRecord,
  read: Assessment,
  orderId: string,
): Promise<boolean> {
  if (!isOneDocument(row)) return false;
  if (deps.settings.policy === undefined) return true;
  const { digest, asksAlone: alone, approvalsAtBank = 1 } = askedNow(deps, row, read);
  const needed = Math.max(1, approvalsAtBank);
  return isApproved(
    deps,
    row,
    { question: 'bank', digest: bankDigest(digest, orderId), needed, alone },
    touchedBy(row, read),
  );
}

/**
 * What a row asks, raised: by what was handed to the bank before, where a rule adds up; to one approval if its maker has not
 * signed it; and above everybody if it was rejected before fewer people were asked.
 */
export async function raised(
  deps: LeaveDeps,
  row: PayoutRecord,
  asked: Pick<Assessment, 'approvalsNeeded' | 'digest'>,
  read: Partial<Assessment>,
): Promise<Pick<Assessment, 'approvalsNeeded' | 'asked'>> {
  const { beneficiary, flags, ...seen } = read;
  const payee = beneficiary?.known === true ? beneficiary.id : undefined;
  const { beneficiary_id, to_account_id } = row.instruction;
  const ruled = { ...ruledBy(deps.settings.terms, row, seen, flags), payee: payee ?? beneficiary_id ?? to_account_id };
  const needed = Math.max(asked.approvalsNeeded, await approvalsAddedUp(deps, row, ruled));
  const least = needed > 0 || (await isMade(deps, row, touchedBy(row, read))) ? needed : 1;
  return { approvalsNeeded: least, ...(await raisedIfRejected(deps, row, { ...asked, approvalsNeeded: least })) };
}

/** How many must approve a row as last read, under the policy in force now. More are asked before a send if a rejection stands. */
export function neededNow(
  deps: AskedBy,
  row: PayoutRecord,
  assessed: Assessment,
): { needed: number; neededAtBank: number; alone: boolean } {
  const { approvalsNeeded, approvalsAtBank = 1, asksAlone = false } = askedNow(deps, row, assessed);
  return {
    needed: Math.max(assessed.approvalsNeeded, approvalsNeeded),
    neededAtBank: Math.max(1, approvalsAtBank),
    alone: asksAlone,
  };
}

/** What a row asks by a reading, under the policy in force now. */
export function askedNow(deps: AskedBy, row: PayoutRecord, { beneficiary, ...seen }: Assessment): Asked {
  const payee = beneficiary?.known === true ? beneficiary : undefined;
  return askedOf(deps, row, { ...seen, payee }, seen.flags);
}

/** Everything that a row moves or changes hands with, as read: both currencies and every account. */
export const touchedBy = (
  { kind, instruction }: Pick<PayoutRecord, 'kind' | 'instruction'>,
  { soldCurrency, exchange, payingAccountId }: Partial<Assessment>,
): ScopeFacts =>
  scopeFactsOf(kind, instruction, { soldCurrency: soldCurrency ?? exchange?.sellCurrency, payingAccountId });

async function isApproved(
  deps: LeaveDeps,
  row: PayoutRecord,
  asked: SignedQuestion,
  touched: ScopeFacts,
): Promise<boolean> {
  if (!isMakerAllowed(deps, row, touched)) return false;
  if (asked.needed === 0) return !(await isRejected(deps, row, asked, touched));
  return (await verdictOn(deps, row, asked, touched)).verdict === 'approved';
}

/** Names are believed, but count for what they were given to alone. */
async function hasNames(
  { store }: LeaveDeps,
  { reference, by }: PayoutRecord,
  { digest, approvalsNeeded }: Asked,
): Promise<boolean> {
  return approvers(await store.approvalsOf(reference, digest), by).length >= approvalsNeeded;
}
