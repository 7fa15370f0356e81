import type { Beneficiary } from '../../api/schemas/beneficiaries.ts';
import type { WorkerSettings } from '../../config/settings.ts';
import { approvalsAsked } from '../../domain/authority.ts';
import type { Flag } from '../../domain/flags.ts';
import type { Assessment } from '../../domain/gates.ts';
import { asksAlone, type Terms } from '../../domain/policy.ts';
import { approvalDigest, payloadDigest } from '../../identity.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { payeeDigest } from '../sending/payee.ts';

export type SignedTerms = Pick<
  Assessment,
  'digest' | 'approvalsNeeded' | 'approvalsAtBank' | 'asksAlone' | 'approvedFirst'
>;

/** What terms are made of. */
export interface TermsOf {
  settings: Pick<WorkerSettings, 'policy'> & { terms: Pick<Terms, 'feeCap' | 'maxSlippage'> };
}

/**
 * What is signed, where a policy asks for that: everything that says whom and what is paid and at which cost at most, and nothing
 * that the bank makes only when the payee is there, so that a payee is created after the approval and not before. `payee` is what
 * the bank shows of it; undefined: nothing so far.
 */
export function signedTerms(
  { settings }: TermsOf,
  { uid, generation, instruction }: PayoutRecord,
  {
    payee,
    flags,
    payingAccountId,
  }: { payee: Beneficiary | undefined; flags: readonly Flag[]; payingAccountId: string },
): SignedTerms | undefined {
  const { policy, terms } = settings;
  if (policy === undefined) return undefined;
  const { feeCap, maxSlippage } = terms;
  const { account_id: accountId, amount, currency, fee_cap: ownCap, max_slippage: ownSlippage } = instruction;
  const [newPayee, changedPayee] = [flags.includes('new-payee'), flags.includes('changed-payee')];
  const asked = { uid, accountId, amount, currency, newPayee, changedPayee };
  // A payee named by its details is compared with them at every reading; one named by its id is what the bank shows.
  const shown = instruction.beneficiary_id === undefined ? undefined : payee;
  return {
    digest: approvalDigest({
      payload: payloadDigest(instruction),
      uid,
      generation: `${generation}`,
      payee: shown === undefined ? undefined : payeeDigest(shown),
      account: payingAccountId,
      feeCap: ownCap ?? feeCap,
      maxSlippage: ownSlippage ?? maxSlippage,
    }),
    approvalsNeeded: approvalsAsked(policy, asked, 'before-submit'),
    approvalsAtBank: approvalsAsked(policy, asked, 'at-bank'),
    approvedFirst: true,
    ...(asksAlone(policy.approvals, asked) && { asksAlone: true }),
  };
}
