import { approvalsAsked } from '../../domain/authority.ts';
import type { Flag } from '../../domain/flags.ts';
import type { Assessment } from '../../domain/gates.ts';
import { approvalDigest } from '../../domain/identity.ts';
import { approvalsNeeded, asksAlone, type RuledPayout, type Terms } from '../../domain/policy.ts';
import type { WorkerSettings } from '../../domain/settings.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { agreedParts, costAtMost, type SeenAtBank, signedParts } from './signed-parts.ts';

/** What people are asked before a payout is sent, and how many must approve it there and at the bank. */
export type Asked = Pick<Assessment, 'digest' | 'approvalsNeeded' | 'approvalsAtBank' | 'asksAlone' | 'approvedFirst'>;

/** Settings that the question derives from. */
export interface AskedBy {
  /** `approvalRules` count where no policy is set. */
  settings: Pick<WorkerSettings, 'policy'> &
    Partial<Pick<WorkerSettings, 'approvalRules'>> & { terms: Pick<Terms, 'feeCap' | 'maxSlippage'> };
}

/**
 * What must be approved before a row is sent as the bank shows it: the only place where that is derived, for whoever asks, shows
 * or, right before the first byte, proves it. Pure.
 */
export function askedOf(
  { settings: { policy, approvalRules = [], terms } }: AskedBy,
  row: PayoutRecord,
  seen: SeenAtBank,
  flags: readonly Flag[] = [],
): Asked {
  const ruled = ruledBy(terms, row, seen, flags);
  if (policy === undefined) {
    return {
      digest: approvalDigest(agreedParts(row, seen)),
      approvalsNeeded: approvalsNeeded(approvalRules, { ...ruled, sold: undefined }),
    };
  }
  return {
    digest: approvalDigest(signedParts(row, seen, terms)),
    approvalsNeeded: approvalsAsked(policy, ruled, 'before-submit'),
    approvalsAtBank: approvalsAsked(policy, ruled, 'at-bank'),
    // A payee is created only after the approval.
    approvedFirst: true,
    ...(asksAlone(policy.approvals, ruled) && { asksAlone: true }),
  };
}

/** What rules look at. */
export function ruledBy(
  terms: AskedBy['settings']['terms'],
  row: PayoutRecord,
  seen: SeenAtBank,
  flags: readonly Flag[] = [],
): RuledPayout & Parameters<typeof approvalsAsked>[1] {
  const { kind, instruction } = row;
  const { account_id: accountId, amount, currency } = instruction;
  const { sellAtMost: sold } = costAtMost(row, seen, terms);
  const [newPayee, changedPayee] = [flags.includes('new-payee'), flags.includes('changed-payee')];
  const { payingAccountId } = seen;
  return { kind, accountId, payingAccountId, amount, currency, sold, newPayee, changedPayee };
}
