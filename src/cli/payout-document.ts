import { flagsText } from '../domain/flags.ts';
import type { ReportedIncident } from '../reports/batch-report.ts';
import { CHECK_NAMES, type CheckShown, checkText } from '../reports/check-texts.ts';
import { groupedAmount, standingOf } from '../reports/display.ts';
import type { NextStep } from '../reports/next-step.ts';
import { stepLines } from '../reports/render-steps.ts';
import { labelled } from '../reports/wrap.ts';
import { visible } from '../rules/finding.ts';
import { INCIDENT_REMEDIES } from '../rules/remedies.ts';
import type { PayoutRecord } from '../store/store.ts';
import { timesOf } from './batch-steps.ts';

/** One payout, transfer or exchange as `status` shows it. */
export function payoutDocument(
  payout: PayoutRecord,
  incidents: readonly ReportedIncident[],
  { step, url, checks }: { step: NextStep | undefined; url: string; checks: readonly CheckShown[] },
): object {
  const { reference, workflowId, kind, uid, documentId, batchId, row, instruction } = payout;
  const { state, orderId, amount, currency, fee, feeCurrency, reason } = payout;
  const { account_id: accountId, to_account_id: toAccountId } = instruction;
  const accounts = kind === 'payout' ? {} : { accountId, toAccountId };
  const named = { reference, workflowId, kind, uid, id: documentId, batchId, row, ...accounts };
  const policyHash = payout.assessed?.policyHash ?? null;
  const flags = payout.assessed?.flags ?? [];
  const facts = { state, orderId, amount, currency, fee, feeCurrency, reason, policyHash, flags };
  const next = step === undefined ? null : { ...step, ...timesOf(step) };
  const checked = checks.map(({ kind, verdict, provider, askedAt, name, otherName, caseId, why }) => ({
    ...{ kind, verdict, provider, askedAt: new Date(askedAt).toISOString() },
    ...{ name, otherName, caseId, why },
  }));
  return { schemaVersion: 1, payout: { ...named, ...facts, checks: checked, url }, next, incidents };
}

/** The same for a terminal; without a link where nobody answers. */
export function payoutText(
  payout: PayoutRecord,
  incidents: readonly ReportedIncident[],
  {
    step,
    url,
    checks,
    now,
    width,
  }: {
    step: NextStep | undefined;
    url: string | undefined;
    checks: readonly CheckShown[];
    now: number;
    width: number;
  },
): string {
  const { kind, instruction } = payout;
  const rows: [string, string | null][] = [
    [kind, `${groupedAmount(payout.amount)} ${payout.currency}, document ${payout.documentId}`],
    ['accounts', kind === 'payout' ? null : `${instruction.account_id} to ${instruction.to_account_id ?? ''}`],
    ['state', payout.state],
    ['reference', payout.reference],
    ['order', payout.orderId],
    ['fee', payout.fee === null ? null : `${groupedAmount(payout.fee)} ${payout.feeCurrency ?? ''}`],
    ['batch', payout.batchId],
    ['look at', flagsText(payout.assessed?.flags) || null],
    ...checks.map((check): [string, string] => [CHECK_NAMES[check.kind], checkText(check)]),
    ['policy', payout.assessed?.policyHash ?? null],
    ...incidents.flatMap((incident): [string, string][] => [
      ['incident', `${incident.message} (order ${incident.orderId}; ${standingOf(incident)})`],
      ...(incident.acknowledged === null ? incidentSteps(incident) : []),
    ]),
  ];
  const shown = rows.flatMap(([name, value]) =>
    value === null ? [] : labelled(name, visible(value), { labelWidth: LABEL, width }),
  );
  return [
    ...shown,
    ...(step === undefined ? [] : ['', ...stepLines(step, { now, width })]),
    ...(url === undefined ? [] : ['', `Temporal UI  ${url}`]),
  ].join('\n');
}

function incidentSteps({ kind, id }: ReportedIncident): [string, string][] {
  const { todo, byItself } = INCIDENT_REMEDIES[kind];
  return [
    ['to do', todo.replaceAll('INCIDENT', id)],
    ['by itself', byItself],
  ];
}

const LABEL = 'payee check  '.length;
