import { DECIDE_PLAN, PLAN } from '../../channels/http/operations/plans.ts';
import { counted, groupedAmount } from '../../domain/display.ts';
import { FLAGS, type Flag } from '../../domain/flags.ts';
import { Problem } from '../../domain/problem.ts';
import { type BatchPlan, WHY_EXCLUDED } from '../../people/decisions/plan.ts';
import { signablePlan } from '../../people/signing/plan.ts';
import { capsText } from '../../reports/question-facts.ts';
import { confirm } from '../confirm.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import { type DecideOptions, type Signer, signerOf } from '../signer.ts';
import { table } from '../table.ts';

/**
 * `payouts approve|reject BATCH` under a policy: one signature for every row that asks, or will ask, the same question. Rows that
 * need a signature of their own are listed and not decided.
 */
export async function decideBatch(
  session: Session,
  decision: 'approve' | 'reject',
  batchId: string,
  options: DecideOptions & { kind?: readonly string[] },
): Promise<ExitCode> {
  const signer = await signerOf(session, options, 'payout');
  const [kind, ...others] = options.kind ?? [];
  // Without one single kind: our own approvals first, then the orders in the bank's audit, once no row waits for ours.
  const isOneKind = kind !== undefined && others.length === 0;
  const question = isOneKind ? (kind === 'bank-approval-required' ? 'bank' : 'payout') : undefined;
  const { plan } = await session.ask(PLAN, { id: batchId, decision, question, subject: signer.name });
  session.output.tell(planText(plan));
  const { length } = plan.rows;
  if (length === 0) {
    throw new Problem('usage', 'nothing-awaited', `No row of batch ${batchId} can be decided together with others.`, {
      hint: `payouts ${decision} REFERENCE decides a single row; payouts status ${batchId} shows them.`,
    });
  }
  await confirm(
    `${decision === 'approve' ? 'Approve' : 'Reject'} ${counted(length, 'payout')} by one signature?`,
    options.yes,
  );
  const signed = signedPlan(signer, plan, options.remark);
  await session.ask(DECIDE_PLAN, { id: batchId, decision, question: plan.question, signed });
  const { rows: _, ...shown } = plan;
  const outcome = `${decision === 'approve' ? 'approved' : 'rejected'} by one signature: ${counted(length, 'payout')}`;
  const document = { decisions: [{ reference: batchId, outcome }], plan: { ...shown, rows: length } };
  session.output.result(document, `${batchId}  ${outcome}`);
  return EXIT.completed;
}

/** What is signed is the digest of the rows, whoever has sent them. */
function signedPlan({ sign }: Signer, { batchId: reference, question, decision, rows }: BatchPlan, remark = '') {
  if (sign === undefined) throw new Error('a batch is decided only by signature');
  return sign({ question, reference, digest: signablePlan(rows).digest, decision, remark });
}

const LISTED_MAX = 20;

function planText(plan: BatchPlan): string {
  const { batchId, question, rows, totals, payees, newPayees, caps, flags, apart, digest } = plan;
  const what =
    question === 'bank'
      ? counted(rows.length, "order in the bank's audit", "orders in the bank's audit")
      : counted(rows.length, 'payout');
  const sums = totals.map(
    ({ currency, count, amount }) => `  ${currency}  ${groupedAmount(amount)} in ${counted(count, 'payout')}`,
  );
  const flagged = Object.entries(flags) as [Flag, number][];
  const more = apart.length - LISTED_MAX;
  const listed = apart
    .slice(0, LISTED_MAX)
    .map(({ documentId, amount, currency, why }) => [
      documentId,
      `${groupedAmount(amount)} ${currency}`,
      WHY_EXCLUDED[why],
    ]);
  return [
    `${batchId}: ${what} to ${counted(payees, 'payee')}, ${groupedAmount(newPayees)} of them new`,
    ...sums,
    ...caps.map((it) => `  ${capsText(it)}`),
    ...flagged.map(([flag, count]) => `  check ${count}: ${FLAGS[flag]}`),
    ...(apart.length === 0
      ? []
      : [
          `${counted(apart.length, 'payout needs a separate decision', 'payouts need separate decisions')} and ${apart.length === 1 ? 'is' : 'are'} not decided by this signature:`,
          table(['document', 'amount', 'why'], listed),
        ]),
    ...(more > 0 ? [`and ${groupedAmount(more)} more; payouts status ${batchId} lists all of them`] : []),
    `digest ${digest}`,
  ].join('\n');
}
