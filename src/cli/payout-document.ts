import { flagsText } from '../domain/flags.ts';
import type { ReportedIncident } from '../reports/batch-report.ts';
import { standingOf } from '../reports/display.ts';
import type { PayoutRecord } from '../store/store.ts';

/** One payout, transfer or exchange as `status` shows it. */
export function payoutDocument(payout: PayoutRecord, incidents: readonly ReportedIncident[], url: string): object {
  const { reference, workflowId, kind, uid, documentId, batchId, row, instruction } = payout;
  const { state, orderId, amount, currency, fee, feeCurrency, reason } = payout;
  const { account_id: accountId, to_account_id: toAccountId } = instruction;
  const accounts = kind === 'payout' ? {} : { accountId, toAccountId };
  const named = { reference, workflowId, kind, uid, id: documentId, batchId, row, ...accounts };
  const policyHash = payout.assessed?.policyHash ?? null;
  const flags = payout.assessed?.flags ?? [];
  const facts = { state, orderId, amount, currency, fee, feeCurrency, reason, policyHash, flags };
  return { schemaVersion: 1, payout: { ...named, ...facts, url }, incidents };
}

/** The same for a terminal. */
export function payoutText(payout: PayoutRecord, incidents: readonly ReportedIncident[], url: string): string {
  const { kind, instruction } = payout;
  const rows: [string, string | null][] = [
    [kind, `${payout.currency} ${payout.amount}, document ${payout.documentId}`],
    ['accounts', kind === 'payout' ? null : `${instruction.account_id} to ${instruction.to_account_id ?? ''}`],
    ['state', payout.state],
    ['why', payout.reason?.message ?? null],
    ['reference', payout.reference],
    ['order', payout.orderId],
    ['fee', payout.fee === null ? null : `${payout.fee} ${payout.feeCurrency ?? ''}`],
    ['batch', payout.batchId],
    ['look at', flagsText(payout.assessed?.flags) || null],
    ['policy', payout.assessed?.policyHash ?? null],
    ...incidents.map((incident): [string, string] => [
      'incident',
      `${incident.message} (order ${incident.orderId}; ${standingOf(incident)})`,
    ]),
    ['Temporal UI', url],
  ];
  return rows
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name.padEnd(12)}${value}`)
    .join('\n');
}
