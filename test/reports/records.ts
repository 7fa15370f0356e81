import type { PayoutState } from '../../src/domain/payout-state.ts';
import { because, type ReasonCode } from '../../src/domain/reasons.ts';
import { referenceOf } from '../../src/identity.ts';
import { type BatchReport, buildBatchReport } from '../../src/reports/batch-report.ts';
import { reportPaths } from '../../src/reports/write-reports.ts';
import type { BatchRecord, IncidentRecord, PayoutRecord, ReturnRecord } from '../../src/store/store.ts';

/** Without the columns that no report reads. */
export const BATCH = {
  batchId: 'batch-1',
  file: 'payroll.csv',
  sha256: '0'.repeat(64),
  by: 'maria',
  control: 'running',
  total: 0,
  canary: null,
  controlReason: null,
  message: null,
  retryOf: null,
  createdAt: 1_750_000_000_000,
  endedAt: null,
} as BatchRecord;

export const LINKS = {
  workflowUrl: (workflowId: string): string =>
    `http://127.0.0.1:8233/namespaces/default/workflows/${encodeURIComponent(workflowId)}`,
};

/** A store row as a report meets it; the beneficiary's details are there to prove that they stay out. */
export function record(
  row: number,
  state: PayoutState,
  change: Partial<PayoutRecord> = {},
  reason?: ReasonCode,
): PayoutRecord {
  const [uid, documentId] = ['u-1001', `INV-${row}`];
  const reference = referenceOf(uid, documentId);
  const [amount, currency] = [change.amount ?? '10.00', change.currency ?? 'EUR'];
  return {
    reference,
    workflowId: `payout/${reference}`,
    kind: 'payout',
    uid,
    documentId,
    generation: 0,
    batchId: BATCH.batchId,
    row,
    instruction: {
      id: documentId,
      uid,
      account_id: 'acc-1',
      amount,
      currency,
      account_name: 'Ramirez',
      account_no: '99887766',
    },
    payloadDigest: '',
    amount,
    currency,
    by: 'maria',
    original: null,
    lookAlikeOf: null,
    term: 1,
    assessed: null,
    state,
    reason: reason === undefined ? null : because(reason),
    orderId: state === 'completed' ? `ord-${row}` : null,
    fee: state === 'completed' ? '1.50' : null,
    feeCurrency: state === 'completed' ? 'EUR' : null,
    claimRunId: 'run-1',
    releasedAt: 1,
    createdAt: 1,
    updatedAt: 2,
    endedAt: null,
    ...change,
  } as PayoutRecord;
}

export function reportOf(
  rows: Iterable<PayoutRecord>,
  {
    dir = '/reports',
    returns = [],
    incidents = [],
    batch = {},
  }: {
    dir?: string;
    returns?: ReturnRecord[];
    incidents?: (Omit<IncidentRecord, 'id' | 'acknowledged'> & Partial<IncidentRecord>)[];
    batch?: Partial<BatchRecord>;
  } = {},
): Promise<BatchReport> {
  return buildBatchReport(
    { ...BATCH, ...batch },
    rows,
    async () => ({
      returns,
      incidents: incidents.map((it) => ({ id: `inc-${it.orderId}`, acknowledged: null, ...it })),
      refused: [],
    }),
    LINKS,
    reportPaths(dir, BATCH.batchId),
  );
}
