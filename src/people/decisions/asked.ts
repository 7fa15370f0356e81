import { payeeDigest } from '../../bank/payee-lists.ts';
import type { Beneficiary } from '../../bank/schemas/beneficiaries.ts';
import { type AgreedCost, agreedCost } from '../../domain/agreed-cost.ts';
import { approvalsAsked } from '../../domain/authority.ts';
import type { Assessment, Payee } from '../../domain/gates.ts';
import { approvalDigest, madeDigest } from '../../domain/identity.ts';
import { addDecimals, compareDecimals } from '../../domain/money.ts';
import type { Flag } from '../../domain/payee.ts';
import { approvalsNeeded, asksAlone, type Caps, type RuledPayout, type Terms } from '../../domain/policy.ts';
import type { WorkerSettings } from '../../domain/settings.ts';
import type { PayoutRecord } from '../../store/store.ts';

/** The parts of a bank reading that are signed. */
export interface SeenAtBank
  extends Pick<Partial<Assessment>, 'payingAccountId' | 'transfer' | 'exchange' | 'mostSold' | 'fee' | 'feeCurrency'> {
  /** The payee as the bank shows it; absent: it shows none. */
  payee?: Payee;
}

export const asPayee = (beneficiary: Beneficiary): Payee => ({ id: beneficiary.id, digest: payeeDigest(beneficiary) });

/** The row's own caps, or those of the settings. */
export const capsOf = ({ instruction }: Pick<PayoutRecord, 'instruction'>, { feeCap, maxSlippage }: Caps): Caps => ({
  feeCap: instruction.fee_cap ?? feeCap,
  maxSlippage: instruction.max_slippage ?? maxSlippage,
});

/** What an exchange may buy for a row: the amount of the payout, and with it the fee now, or one within the cap. */
export function boughtWithin(
  row: PayoutRecord,
  now: string,
  { feeCurrency }: SeenAtBank,
  settings: Caps,
): { atLeast: string; atMost: string } {
  const { amount: atLeast, currency } = row.instruction;
  const { feeCap } = capsOf(row, settings);
  if (row.kind !== 'payout' || feeCurrency !== currency || feeCap === undefined) return { atLeast, atMost: now };
  const capped = addDecimals(atLeast, feeCap);
  return { atLeast, atMost: compareDecimals(capped, now) === 1 ? capped : now };
}

/** The highest cost of a row, as signed. A payout's exchange is bounded by its rates alone, which its instruction has. */
export function costAtMost(row: PayoutRecord, seen: SeenAtBank, settings: Caps): AgreedCost {
  const caps = capsOf(row, settings);
  return row.kind === 'payout' ? { feeAtMost: caps.feeCap } : agreedCost(seen, caps);
}

/**
 * Input of the signed digest: all that says who is paid what, or moved between which accounts, and the highest cost. Nothing that
 * the bank only creates after the payee exists.
 */
export function signedParts(row: PayoutRecord, seen: SeenAtBank, settings: Caps): Record<string, string | undefined> {
  const { kind, uid, generation, instruction } = row;
  const parts = { kind, payload: madeDigest(instruction), uid, generation: `${generation}` };
  if (kind === 'payout') return { ...parts, ...payeeParts(row, seen), ...capsOf(row, settings) };
  const { feeAtMost, sellAtMost } = costAtMost(row, seen, settings);
  const sells = sellAtMost && `${sellAtMost.amount} ${sellAtMost.currency}`;
  return { ...parts, accounts: accountsShown(seen), feeAtMost, sells };
}

function payeeParts({ instruction }: PayoutRecord, { payee, payingAccountId }: SeenAtBank) {
  // A payee given by its details is compared with them at every reading, so only one named by id is signed as the bank shows it.
  const isNamed = instruction.beneficiary_id !== undefined;
  return { payee: isNamed ? payee?.digest : undefined, account: payingAccountId };
}

/** What is compared where no policy is set, so that names are believed: the row, and the payee and fee as last read. */
function agreedParts(
  { kind, instruction }: PayoutRecord,
  { payee, payingAccountId, fee = '', feeCurrency = '' }: SeenAtBank,
): Record<string, string | undefined> {
  const parts = { payload: madeDigest(instruction), fee: `${fee} ${feeCurrency}` };
  return kind === 'payout' ? { ...parts, payee: payee?.digest, account: payingAccountId } : parts;
}

/** Owners and currencies of the accounts as the bank shows them; the account ids are in the row. */
function accountsShown({ transfer, exchange }: SeenAtBank): string | undefined {
  if (transfer !== undefined) {
    const { source, destination } = transfer;
    return JSON.stringify([source.uid, source.currency, destination.uid, destination.currency]);
  }
  return exchange && JSON.stringify([exchange.sellCurrency, exchange.buyCurrency]);
}

/** What people are asked before a payout is sent, and how many must approve it there and at the bank. */
export type Asked = Pick<Assessment, 'digest' | 'approvalsNeeded' | 'approvalsAtBank' | 'asksAlone' | 'approvedFirst'>;

/** Settings that the question derives from. */
export interface AskedBy {
  /** `approvalRules` count where no policy is set. */
  settings: WorkerSettings;
}

/**
 * What must be approved before a row is sent as the bank shows it: the only place where that is derived, for every part that asks, shows
 * or, right before the first byte, proves it. Pure.
 */
export function askedOf(
  { settings: { policy, approvalRules, terms } }: AskedBy,
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

/** What rules use. */
export function ruledBy(
  terms: Terms,
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
