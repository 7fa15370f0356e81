import type { SignedDecision } from '../domain/authority.ts';
import { anyOf, counted, totalsText } from '../domain/display.ts';
import { groupedAmount, totalsOf } from '../domain/money.ts';
import { isEnd, type ShownState } from '../domain/payout-state.ts';
import { openQuestion } from '../people/decisions/shown-question.ts';
import { verdictOn } from '../people/decisions/verdict.ts';
import type { StoreReader } from '../platform/app.ts';
import type { PayoutRecord } from '../store/store.ts';
import { whoMay } from './next-step.ts';

type Decided = Pick<SignedDecision, 'question' | 'decision'>;

/** Of a decision about more rows, only the sum is given. */
const ROWS_MAX = 1_000;

/**
 * What somebody has decided under a policy, and whose turn it is now: `You approved 4 payouts, 21,057.00 EUR. 2 are being paid, 2
 * need carol.`
 *
 * @param rows as the store has them after the decision was stored
 */
export async function decidedText(
  app: StoreReader,
  { question, decision }: Decided,
  rows: readonly PayoutRecord[],
): Promise<string> {
  const [only, ...others] = rows;
  const name = only !== undefined && others.length === 0 ? only.documentId : counted(rows.length, 'payout');
  const sum = totalsText(totalsOf(rows.map(({ instruction }) => instruction)));
  if (decision === 'reject') {
    return `You rejected ${name}, ${sum}. ${question === 'bank' ? 'The bank is asked to reject.' : 'Nothing is paid.'}`;
  }
  if (rows.length > ROWS_MAX) return `You approved ${name}, ${sum}. The page of the batch shows what each waits for.`;
  const counts = new Map<string, number>();
  for (const row of rows) {
    const [one, many] = await turnOf(app, question, row);
    const key = `${one}/${many}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const turns = [...counts].map(([key, count]) => {
    const [one = '', many = ''] = key.split('/');
    const who = others.length === 0 ? 'It' : groupedAmount(count);
    return `${who} ${count === 1 ? one : many}`;
  });
  return `You approved ${name}, ${sum}. ${turns.join(', ')}.`;
}

/** What becomes of a row now, after "1" and after "2". */
async function turnOf(app: StoreReader, question: Decided['question'], row: PayoutRecord): Promise<Turn> {
  const { policy } = app.settings;
  if (row.state === 'completed') return ['is paid', 'are paid'];
  if (isEnd(row.state)) return [`is ${row.state}`, `are ${row.state}`];
  if (row.state === 'held') return ['is held', 'are held'];
  const asked = await openQuestion(app, row);
  if (asked === undefined) {
    return BEFORE_ASKING[row.state] ?? PAID;
  }
  if (asked.question !== question) return ['asks something else now', 'ask something else now'];
  const verdict = await verdictOn(app, row, asked);
  if (verdict.verdict === 'rejected') return ['was rejected by somebody else', 'were rejected by somebody else'];
  if (!('awaited' in verdict) || verdict.verdict === 'approved' || policy === undefined) return PAID;
  const { approvedBy, needed } = verdict.awaited;
  const names = whoMay({ policy, at: app.now() }, row, question, { maker: row.by, approved: approvedBy });
  const missing = needed - approvedBy.length;
  const who = missing > 1 ? `${missing} of ${names.join(', ')}` : anyOf(names);
  const needs = names.length < missing ? 'more approvals than people may give under the policy' : who;
  return [`needs ${needs}`, `need ${needs}`];
}

type Turn = [one: string, many: string];

const PAID: Turn = ['is being paid', 'are being paid'];
const PREPARED: Turn = ['is still being prepared', 'are still being prepared'];

const BEFORE_ASKING: Partial<Record<ShownState, Turn>> = {
  received: PREPARED,
  preparing: PREPARED,
  scheduled: ['waits for its date', 'wait for their date'],
  'awaiting-funds': ['waits for money on its account', 'wait for money on their account'],
};
