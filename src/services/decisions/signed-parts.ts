import type { Beneficiary } from '../../api/schemas/beneficiaries.ts';
import type { Terms } from '../../domain/policy.ts';
import { payloadDigest } from '../../identity.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { payeeDigest } from '../sending/payee.ts';

/**
 * What the digest of a signed payout is made of: everything that says whom and what is paid and at which cost at most, and nothing
 * that the bank makes only when the payee is there. `payee`: as the bank shows the one that is named by its id.
 */
export function signedParts(
  { uid, generation, instruction }: PayoutRecord,
  { payee, payingAccountId }: { payee: Beneficiary | undefined; payingAccountId: string | undefined },
  { feeCap, maxSlippage }: Pick<Terms, 'feeCap' | 'maxSlippage'>,
) {
  const { beneficiary_id: id, fee_cap: ownCap, max_slippage: ownSlippage } = instruction;
  return {
    payload: payloadDigest(instruction),
    uid,
    generation: `${generation}`,
    // A payee named by its details is compared with them at every reading; one named by its id is what the bank shows.
    payee: id === undefined || payee === undefined ? undefined : payeeDigest(payee),
    account: payingAccountId,
    feeCap: ownCap ?? feeCap,
    maxSlippage: ownSlippage ?? maxSlippage,
  };
}
