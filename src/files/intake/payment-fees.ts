import type { Bank } from '../../bank/bank.ts';
import { isJudged, undefinedIf } from '../../bank/errors.ts';
import { mostSoldFor } from '../../domain/agreed-cost.ts';
import type { PayoutInstruction } from '../../domain/instruction.ts';
import { someAtOnce } from '../../domain/iterate.ts';
import { addDecimals, compareDecimals, inProportion } from '../../domain/money.ts';
import { itemsInTurns } from '../input.ts';
import type { StagedFile } from './staged-file.ts';

/** Each payout asks for its own again before it is sent: a plan need not ask for those of all. */
const QUOTES_MAX = 200;
const AT_ONCE = 8;

interface FeesAsked {
  isOfIt: (row: PayoutInstruction) => boolean;
  payingAccountId: string;
  /** Of the rows. */
  currency: string;
}

/**
 * The fees that rows pay in their own currency, to be bought with them: as quoted for the first rows, and for each other one the
 * highest quoted of its type of payment, else of all. What turns out lower stays on the account; what is too low leaves the last
 * payouts waiting for money, as do rows of a type for which nothing is quoted.
 */
export async function boughtFees(
  bank: Bank,
  staged: StagedFile,
  { isOfIt, payingAccountId, currency }: FeesAsked,
): Promise<{ fees: string /** Of one row. */; highest: string }> {
  const rows = new Map<string, number>();
  const asked: PayoutInstruction[] = [];
  for await (const page of itemsInTurns(staged.claimPages())) {
    for (const { instruction } of page) {
      if (!isOfIt(instruction)) continue;
      if (instruction.beneficiary_id !== undefined && asked.length < QUOTES_MAX) asked.push(instruction);
      else rows.set(typeOf(instruction), (rows.get(typeOf(instruction)) ?? 0) + 1);
    }
  }
  let amount = '0';
  const highest = new Map<string, string>();
  await someAtOnce(asked, AT_ONCE, async (instruction) => {
    const { uid, beneficiary_id = '', amount: paid } = instruction;
    const query = { uid, account_id: payingAccountId, beneficiary_id, amount: paid, currency };
    const quote = await undefinedIf(isJudged, () => bank.transactions.paymentFee(query));
    if (quote === undefined) return;
    const fee = quote.fee_currency === currency ? quote.fee : '0';
    amount = addDecimals(amount, fee);
    for (const type of new Set([typeOf(instruction), ''])) {
      if (compareDecimals(fee, highest.get(type) ?? '-1') === 1) highest.set(type, fee);
    }
  });
  for (const [type, count] of rows) {
    const fee = highest.get(type) ?? highest.get('');
    if (fee !== undefined) amount = addDecimals(amount, inProportion(fee, `${count}`, '1'));
  }
  // No fee is more exact than its currency.
  return { fees: mostSoldFor(amount, { maxRate: '1', currency }), highest: highest.get('') ?? '0' };
}

const typeOf = ({ payment_type = '' }: PayoutInstruction): string => payment_type;
