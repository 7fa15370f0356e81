import type { Bank } from '../api/bank.ts';
import { isJudged, unless } from '../api/errors.ts';
import { beneficiaryFields } from '../domain/instruction.ts';
import { objectionOf } from '../domain/payee-check.ts';
import { checkText } from '../reports/check-texts.ts';
import { groupedAmount, minuteOf } from '../reports/display.ts';
import { shortId } from '../reports/next-step.ts';
import { wrap } from '../reports/wrap.ts';
import { shownValue, visible } from '../rules/finding.ts';
import { checksShown } from '../services/payee-checks.ts';
import { legReferences } from '../services/sending/claimed-row.ts';
import type { PayoutRecord, Store } from '../store/store.ts';
import { payeeName } from './decision-table.ts';
import { table } from './table.ts';

// What looks alike, was changed or is there twice, beside what it is compared with.

/** Rows whose other side is shown. */
const SHOWN_MAX = 5;

type Side = Readonly<Record<string, string>>;

/** Whether anything of a row has another side that the bank has to be asked for. */
export const needsBank = ({ reason, assessed }: PayoutRecord): boolean =>
  isPayeeInDoubt(reason?.code) ||
  assessed?.flags?.includes('changed-payee') === true ||
  reason?.code === 'duplicate-suspected';

const isPayeeInDoubt = (code: string | undefined): boolean =>
  code === 'beneficiary-changed' || code === 'beneficiary-conflict';

/** Both sides of the rows that have two, as text; empty for rows without. `bank`: absent, its side is left out. */
export async function bothSides(
  { store, bank, width }: { store: Store; bank?: Pick<Bank, 'beneficiaries' | 'orders'>; width: number },
  payouts: readonly PayoutRecord[],
): Promise<string> {
  const texts: string[] = [];
  for (const row of payouts) {
    if (texts.length >= SHOWN_MAX) break;
    const { lookAlikeOf, reason } = row;
    const earlier = lookAlikeOf === null ? undefined : await store.payout(lookAlikeOf);
    if (earlier !== undefined)
      texts.push(compared(row, ['this payout', 'earlier payout'], payoutSide(row), payoutSide(earlier), width));
    if (bank === undefined || !needsBank(row)) continue;
    const text =
      reason?.code === 'duplicate-suspected' ? await orders(store, bank, row, width) : await payee(bank, row, width);
    if (text !== undefined) texts.push(text);
  }
  return texts.join('\n\n');
}

/** Of the rows that are held for a verdict on their payee: what it says, names and all. */
export async function verdictsText(store: Store, payouts: readonly PayoutRecord[], width: number): Promise<string> {
  const lines: string[] = [];
  for (const row of payouts) {
    if (lines.length >= SHOWN_MAX) break;
    const check = (await checksShown(store, row)).find((it) => objectionOf(it) === row.reason?.code);
    if (check === undefined) continue;
    lines.push(...wrap(visible(`${row.documentId} (${shortId(row.reference)}): ${checkText(check)}`), width));
  }
  return lines.join('\n');
}

function compared(row: PayoutRecord, heads: readonly [string, string], one: Side, other: Side, width: number): string {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  const rows = names.map((name) => {
    const [a = '', b = ''] = [one[name], other[name]];
    return [name, a, b, a === b ? '' : 'differs'];
  });
  return `${row.documentId} (${shortId(row.reference)})\n${table(['', ...heads, ''], rows, width)}`;
}

function payoutSide(row: PayoutRecord): Side {
  const { documentId, reference, uid, amount, currency, instruction, by, state, createdAt, batchId } = row;
  return {
    document: documentId,
    payout: shortId(reference),
    user: uid,
    amount: `${groupedAmount(amount)} ${currency}`,
    from: instruction.account_id,
    to: payeeName(row),
    'handed over': minuteOf(createdAt),
    by: by ?? 'nobody who is known',
    batch: batchId === null ? '' : shortId(batchId),
    state,
  };
}

/** As the instruction has it, and as the bank has it now; masked, so that what differs may look the same. */
async function payee(bank: Pick<Bank, 'beneficiaries'>, row: PayoutRecord, width: number): Promise<string | undefined> {
  const { instruction, assessed } = row;
  const known = assessed?.beneficiary;
  const id = instruction.beneficiary_id ?? (known?.known === true ? known.id : undefined);
  if (id === undefined) return undefined;
  const shown = await unless(isJudged, () => bank.beneficiaries.get(id));
  if (shown === undefined) return `${row.documentId}: the bank does not show payee ${id} now.`;
  const asked = beneficiaryFields(instruction);
  const names = [...new Set([...Object.keys(asked), ...Object.keys(shown.items)])].sort();
  const rows = names.map((name) => {
    const [ours, theirs] = [asked[name], shown.items[name]];
    const differs = instruction.beneficiary_id === undefined && ours !== theirs;
    return [name, shownValue(name, ours) ?? '', shownValue(name, theirs) ?? '', differs ? 'differs' : ''];
  });
  const note =
    instruction.beneficiary_id === undefined
      ? ''
      : '\nThe row names the payee by its id: what the bank showed before is kept as a digest alone.';
  const heads = ['field', 'instruction', 'bank now', ''];
  return `${row.documentId} (${shortId(row.reference)}), payee ${id}\n${table(heads, rows, width)}${note}`;
}

/** The orders that are known under the references of a row, as the bank shows them now. */
async function orders(
  store: Store,
  bank: Pick<Bank, 'orders'>,
  row: PayoutRecord,
  width: number,
): Promise<string | undefined> {
  const attempts = await store.attemptsOf(Object.values(legReferences(row)));
  const incidents = await store.incidentsOf([row.reference]);
  const known = [row.orderId, ...attempts.map(({ orderId }) => orderId), ...incidents.map(({ orderId }) => orderId)];
  const ids = new Set(known.filter((id) => id !== null));
  const shown = [];
  for (const id of ids) {
    const order = await unless(isJudged, () => bank.orders.get(id));
    if (order !== undefined) shown.push(order);
  }
  if (shown.length === 0) return undefined;
  const cells = shown.map((order) => [
    order.order_id,
    order.status,
    `${groupedAmount(order.transaction_amount ?? order.buy_amount ?? '')} ${order.transaction_currency ?? order.buy_currency ?? ''}`.trim(),
    order.created_at === undefined ? '' : minuteOf(order.created_at),
  ]);
  return `${row.documentId} (${shortId(row.reference)})\n${table(['order', 'status', 'amount', 'created'], cells, width)}`;
}
