import type { WorkerSettings } from '../../config/settings.ts';
import { approvalsAsked } from '../../domain/authority.ts';
import type { Flag } from '../../domain/flags.ts';
import type { Assessment } from '../../domain/gates.ts';
import { asksAlone, type Terms } from '../../domain/policy.ts';
import { approvalDigest } from '../../identity.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { costAtMost, type SeenAtBank, signedParts } from '../decisions/signed-parts.ts';

export type SignedTerms = Pick<
  Assessment,
  'digest' | 'approvalsNeeded' | 'approvalsAtBank' | 'asksAlone' | 'approvedFirst'
>;

/** Settings that the terms derive from. */
export interface TermsOf {
  settings: Pick<WorkerSettings, 'policy'> & { terms: Pick<Terms, 'feeCap' | 'maxSlippage'> };
}

/** What people sign, if a policy is set. A payee is then created only after the approval. */
export function signedTerms(
  { settings }: TermsOf,
  row: PayoutRecord,
  seen: SeenAtBank,
  flags: readonly Flag[] = [],
): SignedTerms | undefined {
  const { policy, terms } = settings;
  if (policy === undefined) return undefined;
  const { kind, instruction } = row;
  const { account_id: accountId, amount, currency } = instruction;
  const [newPayee, changedPayee] = [flags.includes('new-payee'), flags.includes('changed-payee')];
  const { sellAtMost: sold } = costAtMost(row, seen, terms);
  const { payingAccountId } = seen;
  const asked = { kind, accountId, payingAccountId, amount, currency, sold, newPayee, changedPayee };
  return {
    digest: approvalDigest(signedParts(row, seen, terms)),
    approvalsNeeded: approvalsAsked(policy, asked, 'before-submit'),
    approvalsAtBank: approvalsAsked(policy, asked, 'at-bank'),
    approvedFirst: true,
    ...(asksAlone(policy.approvals, asked) && { asksAlone: true }),
  };
}
