import { PAYOUT_VIEW, type PayoutView, SUMMARY } from '../channels/http/operations/state-operations.ts';
import { type LabelledText, labelledLines, minuteOf, widthOf } from '../domain/display.ts';
import { visible } from '../domain/finding.ts';
import { groupedAmount } from '../domain/money.ts';
import { flagsText } from '../domain/payee.ts';
import { CHECK_NAMES, checkText } from '../reports/check-texts.ts';
import { payeeText } from '../reports/masked.ts';
import { incidentRemedy } from '../reports/next-step.ts';
import { stepLines } from '../reports/render-steps.ts';
import {
  acknowledgementText,
  type ReportedIncident,
  type ReportedPayout,
  returnedText,
} from '../reports/report-document.ts';
import { retriedReference } from '../store/proven-unpaid.ts';
import { bothSidesText } from './decision-texts.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { timesOf } from './inbox-actions.ts';
import { printReport, summaryText, writtenReport } from './report-files.ts';
import type { Session } from './session.ts';
import { findBatch, findTarget } from './targets.ts';

// Commands that only read: `status` and `report` use the store and boot nothing.

export async function watch(
  session: Session,
  id: string,
  { timeout }: { timeout: number | undefined },
): Promise<ExitCode> {
  const batchId = await findBatch(session, id);
  const { followAndReport } = await import('./run.ts');
  return followAndReport(session, [batchId], timeout);
}

/** `payouts status ID`: a batch as its document, a payout as one record; what waits, and for whom. */
export async function status(session: Session, id: string): Promise<void> {
  const target = await findTarget(session, id);
  await session.sayHindrances();
  if (target.kind === 'payout') return showPayout(session, target.payout.reference);
  const { batchId } = target.batch;
  await session.output.stream(session.document(batchId), async () => {
    const { summary, liveUrl } = await session.ask(SUMMARY, { id: batchId });
    return summaryText(summary, liveUrl, false);
  });
}

export async function showPayout(session: Session, reference: string): Promise<void> {
  const view = await session.ask(PAYOUT_VIEW, { reference });
  const width = widthOf(process.stdout);
  const text = payoutText(view, { now: Date.now(), width });
  const sides =
    view.sides === null
      ? 'The bank does not answer now, so its side of the comparison is missing.'
      : bothSidesText(view.sides, width);
  session.output.result(payoutDocument(view), sides === '' ? text : `${text}\n\n${sides}`);
}

/** `payouts report ID`: writes the report files again (the same facts give the same bytes) and shows them. */
export async function report(session: Session, id: string, options: { mask: boolean }): Promise<ExitCode> {
  const batchId = await findBatch(session, id);
  await printReport(session, await writtenReport(session, batchId, options.mask));
  return EXIT.completed;
}

function payoutDocument({ payout, incidents, step, payee: named, note, checks, reported }: PayoutView): object {
  const { reference, workflowId, kind, uid, documentId, batchId, row, instruction } = payout;
  const { orderId, fee, feeCurrency } = payout;
  const { state, reason } = reported;
  const { amount, currency, to_account_id: toAccountId } = instruction;
  const { accountId, payee, exchange, maker, approvals, handedOverAt, submittedAt, endedAt, returns, url } = reported;
  const accounts = kind === 'payout' ? { accountId, payee: { ...payee, ...named }, note } : { accountId, toAccountId };
  const known = { reference, retryOf: retriedReference(payout) ?? null, workflowId, kind, uid, id: documentId };
  const people = { maker, approvals, handedOverAt, submittedAt, endedAt };
  const policyHash = payout.assessed?.policyHash ?? null;
  const flags = payout.assessed?.flags ?? [];
  const moved = { state, orderId, amount, currency, fee, feeCurrency, exchange, returns };
  const facts = { ...moved, ...people, reason, policyHash, flags };
  const next = step === null ? null : { ...step, ...timesOf(step) };
  const checked = checks.map(({ kind, verdict, provider, askedAt, name, otherName, caseId, why }) => ({
    ...{ kind, verdict, provider, askedAt: new Date(askedAt).toISOString() },
    ...{ name, otherName, caseId, why },
  }));
  return { payout: { ...known, batchId, row, ...accounts, ...facts, checks: checked, url }, next, incidents };
}

/** Without a link if no UI is up. */
function payoutText(
  { payout, incidents, step, payee, note, checks, reported, liveUrl }: PayoutView,
  { now, width }: { now: number; width: number },
): string {
  const { kind, instruction } = payout;
  const { maker, approvals, handedOverAt, submittedAt, endedAt } = reported;
  const minute = (iso: string): string => minuteOf(Date.parse(iso));
  const rows: LabelledText[] = [
    [kind, `${groupedAmount(instruction.amount)} ${instruction.currency}, document ${payout.documentId}`],
    ['from', instruction.account_id],
    ['to', payee.name || payeeText(payout)],
    ['account', payee.account],
    ['bank', [payee.bank, payee.country].filter((part) => part !== '').join(', ')],
    ['for', note],
    ['erased', payout.erasedAt === null ? null : `details of the payee, ${minuteOf(payout.erasedAt)}`],
    ['state', reported.state],
    ['submitted', `${minute(handedOverAt)}${maker === null ? ', maker unknown' : ` by ${maker}`}`],
    ['approved', approvals.map(({ by, at }) => `${minute(at)} by ${by}`).join(', ')],
    ['sent', submittedAt && minute(submittedAt)],
    [payout.state === 'completed' && kind === 'payout' ? 'paid' : 'ended', endedAt && minute(endedAt)],
    ['fee', payout.fee === null ? null : `${groupedAmount(payout.fee)} ${payout.feeCurrency ?? ''}`],
    ['exchange', exchangeText(reported)],
    // For a row that waits or ended unpaid, the next step gives the reason.
    ['note', payout.state === 'completed' ? payout.reason?.message : null],
    ['returned', returnedText(reported)],
    ['pays again', retriedReference(payout)],
    ['reference', payout.reference],
    ['order', payout.orderId],
    ['batch', payout.batchId],
    ['flags', flagsText(payout.assessed?.flags)],
    ...checks.map((check): LabelledText => [CHECK_NAMES[check.kind], checkText(check)]),
    ['policy', payout.assessed?.policyHash],
    ...incidents.flatMap((incident): LabelledText[] => [
      ['incident', `${incident.message} (order ${incident.orderId}; ${acknowledgementText(incident)})`],
      ...(incident.acknowledged === null ? incidentSteps(incident, payout) : []),
    ]),
  ];
  const shown = rows.map(([name, value]): LabelledText => [name, value && visible(value)]);
  return [
    ...labelledLines(shown, { labelWidth: LABEL, width }),
    ...(step === null ? [] : ['', ...stepLines(step, { now, width })]),
    ...(liveUrl === null ? [] : ['', `Temporal UI  ${liveUrl}`]),
  ].join('\n');
}

function exchangeText({ exchange }: ReportedPayout): string | null {
  if (exchange === null || exchange.soldAmount === null) return null;
  const { soldAmount, soldCurrency, boughtAmount, boughtCurrency, rate, fee, feeCurrency } = exchange;
  return [
    `${groupedAmount(soldAmount)} ${soldCurrency} for ${groupedAmount(boughtAmount)} ${boughtCurrency}`,
    rate === null ? '' : `rate ${rate}`,
    fee === null || !/[1-9]/.test(fee) ? '' : `fee ${groupedAmount(fee)} ${feeCurrency ?? soldCurrency}`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}

function incidentSteps(incident: ReportedIncident, payout: PayoutView['payout']): LabelledText[] {
  const { todo, byItself } = incidentRemedy(incident, payout);
  return [
    ['to do', todo],
    ['otherwise', byItself],
  ];
}

const LABEL = 'payee check  '.length;
