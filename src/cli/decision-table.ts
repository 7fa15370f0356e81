import { flagsText } from '../domain/flags.ts';
import { beneficiaryFields } from '../domain/instruction.ts';
import { groupedAmount } from '../reports/display.ts';
import { maskedPayee } from '../reports/masked.ts';
import type { PayoutRecord } from '../store/store.ts';
import { table } from './table.ts';

const LISTED_MAX = 20;

/** What a person is about to decide on, as the rows say it: the same rows that the digest of a decision is made of. */
export function decisionTable(payouts: readonly PayoutRecord[]): string {
  const rows = payouts.slice(0, LISTED_MAX).map((payout) => {
    const { instruction, documentId, reason, assessed } = payout;
    return [
      documentId,
      amountText(payout),
      instruction.account_id,
      payeeText(payout),
      reason?.code ?? '',
      flagsText(assessed?.flags),
    ];
  });
  const more = payouts.length - rows.length;
  const lines = [table(['document', 'amount', 'from', 'to', 'why it asks', 'look at'], rows)];
  if (more > 0) lines.push(`and ${more} more; payouts status ID lists all of them`);
  return lines.join('\n');
}

/** Of an exchange by itself with what it sells, as it was quoted last. */
function amountText({ kind, amount, currency, assessed }: PayoutRecord): string {
  const { quotedSellAmount, sellCurrency } = assessed?.exchange ?? {};
  const sold = kind === 'exchange' && quotedSellAmount !== undefined;
  const price = sold ? ` for ${groupedAmount(quotedSellAmount)} ${sellCurrency}` : '';
  return `${groupedAmount(amount)} ${currency}${price}`;
}

/** Masked, and marked where it is new to the bank as far as the row says, or looks like an earlier payout. */
function payeeText({ instruction, kind, lookAlikeOf }: PayoutRecord): string {
  const { beneficiary_id: id, to_account_id: ownAccount = '' } = instruction;
  const flags = [
    id === undefined && kind === 'payout' ? 'by its details' : '',
    lookAlikeOf === null ? '' : 'look-alike',
  ];
  const { name, account } = maskedPayee(beneficiaryFields(instruction));
  const payee = kind === 'payout' ? (id ?? `${name} ${account}`.trim()) : ownAccount;
  return [payee, ...flags].filter((part) => part !== '').join(', ');
}
