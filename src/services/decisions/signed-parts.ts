import type { Beneficiary } from '../../api/schemas/beneficiaries.ts';
import { type AgreedCost, agreedCost } from '../../domain/agreed-cost.ts';
import type { Assessment } from '../../domain/gates.ts';
import type { Terms } from '../../domain/policy.ts';
import { payloadDigest } from '../../identity.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { payeeDigest } from '../sending/payee.ts';

/** What a reading of the bank shows of what is signed. */
export interface SeenAtBank
  extends Pick<
    Partial<Assessment>,
    'payingAccountId' | 'transfer' | 'exchange' | 'firstSellAmount' | 'fee' | 'feeCurrency'
  > {
  /** The one that a payout names by its id. */
  payee?: Beneficiary;
}

type Caps = Pick<Terms, 'feeCap' | 'maxSlippage'>;

/** The caps of a row, or those of the settings. */
export const capsOf = ({ instruction }: PayoutRecord, { feeCap, maxSlippage }: Caps): Caps => ({
  feeCap: instruction.fee_cap ?? feeCap,
  maxSlippage: instruction.max_slippage ?? maxSlippage,
});

/** What a row costs at most, as it is signed. The exchange of a payout is bounded by its rate alone. */
export function costAtMost(row: PayoutRecord, seen: SeenAtBank, settings: Caps): AgreedCost {
  const caps = capsOf(row, settings);
  return row.kind === 'payout' ? { feeAtMost: caps.feeCap } : agreedCost(seen, caps);
}

/**
 * What the digest that is signed is made of: everything that says whom and what is paid, or moved between which accounts, and at
 * which cost at most; and nothing that the bank makes only when the payee is there.
 */
export function signedParts(row: PayoutRecord, seen: SeenAtBank, settings: Caps): Record<string, string | undefined> {
  const { kind, uid, generation, instruction } = row;
  const parts = { kind, payload: payloadDigest(instruction), uid, generation: `${generation}` };
  if (kind === 'payout') return { ...parts, ...payeeParts(row, seen), ...capsOf(row, settings) };
  const { feeAtMost, sellAtMost } = costAtMost(row, seen, settings);
  const sells = sellAtMost && `${sellAtMost.amount} ${sellAtMost.currency}`;
  return { ...parts, accounts: accountsShown(seen), feeAtMost, sells };
}

function payeeParts({ instruction }: PayoutRecord, { payee, payingAccountId }: SeenAtBank) {
  // A payee named by its details is compared with them at every reading; one named by its id is what the bank shows.
  const isNamed = instruction.beneficiary_id !== undefined && payee !== undefined;
  return { payee: isNamed ? payeeDigest(payee) : undefined, account: payingAccountId };
}

/** Whose accounts and of which currencies the bank shows those of the row to be; what they are named is in the row. */
function accountsShown({ transfer, exchange }: SeenAtBank): string | undefined {
  if (transfer !== undefined) {
    const { source, destination } = transfer;
    return JSON.stringify([source.uid, source.currency, destination.uid, destination.currency]);
  }
  return exchange && JSON.stringify([exchange.sellCurrency, exchange.buyCurrency]);
}
