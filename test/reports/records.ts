import { referenceOf } from '../../src/domain/identity.ts';
import type { PayoutState } from '../../src/domain/payout-state.ts';
import { because, type ReasonCode } from '../../src/domain/reasons.ts';
import { type BatchSummary, batchReport, type ReportSource, summaryOf } from '../../src/reports/batch-report.ts';
import { nextStep, type StepContext } from '../../src/reports/next-step.ts';
import type { BatchReport } from '../../src/reports/report-document.ts';
import type { PayoutFacts } from '../../src/reports/reported-payout.ts';
import { jsonReport, reportPaths } from '../../src/reports/write-reports.ts';
import { chunks } from '../../src/store/engine/database.ts';
import type { BatchRecord, IncidentRecord, PayoutRecord, ReturnSeen, SendAttempt } from '../../src/store/store.ts';

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

const LINKS = {
  workflowUrl: (workflowId: string): string =>
    `http://127.0.0.1:8233/namespaces/default/workflows/${encodeURIComponent(workflowId)}`,
};

/** `amount` and `currency` of its instruction. */
export type RecordChange = Partial<PayoutRecord> & { amount?: string; currency?: string };

/** A store row as a report meets it; the beneficiary's details are there to prove that they stay out. */
export function record(
  row: number,
  state: PayoutState,
  { amount = '10.00', currency = 'EUR', ...change }: RecordChange = {},
  reason?: ReasonCode,
): PayoutRecord {
  const [uid, documentId] = ['u-1001', `INV-${row}`];
  const reference = referenceOf(uid, documentId);
  return {
    reference,
    workflowId: `payout/${reference}`,
    kind: 'payout',
    uid,
    documentId,
    generation: 0,
    cameBack: null,
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
    by: 'maria',
    original: null,
    lookAlikeOf: null,
    erasedAt: null,
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
    stateSince: 2,
    endedAt: null,
    ...change,
  } as PayoutRecord;
}

interface Beside {
  dir?: string;
  returns?: ReturnSeen[];
  incidents?: (Omit<IncidentRecord, 'id' | 'acknowledged' | 'order'> & Partial<IncidentRecord>)[];
  batch?: Partial<BatchRecord>;
  isMasked?: boolean;
  /** By row. */
  facts?: Record<number, Partial<PayoutFacts>>;
}

const HOUR = 3_600_000;
const WAITS = { fundsPatienceMs: 24 * HOUR, approvalTtlMs: 72 * HOUR, lateCommitMs: 600_000, listLagMs: 120_000 };

/** A trial, in which names are believed. */
export const TRIAL: StepContext = {
  policy: undefined,
  terms: { auditTtlMs: 72 * HOUR, waits: WAITS },
  calendar: undefined,
} as unknown as StepContext;

/** What the store holds of these rows, a page of two at a time. */
export function sourceOf(
  rows: Iterable<PayoutRecord>,
  { dir = '/reports', returns = [], incidents = [], batch = {}, isMasked = false, facts = {} }: Beside = {},
): ReportSource {
  const known = incidents.map(
    (it) => ({ id: `inc-${it.orderId}`, acknowledged: null, order: null, ...it }) as IncidentRecord,
  );
  const withFacts = Array.from(rows, (row): [PayoutRecord, PayoutFacts] => [
    row,
    {
      attempts: { payment: [], exchange: [] },
      booked: undefined,
      paid: undefined,
      approvals: [],
      returns: returns.filter(({ reference }) => reference === row.reference),
      incidents: known.filter(({ reference }) => reference === row.reference),
      nameAtBank: null,
      step: nextStep(row, TRIAL),
      ...facts[row.row ?? 0],
    },
  ]);
  return {
    batch: { ...BATCH, ...batch },
    pages: chunks(withFacts, 2),
    refused: [],
    ...LINKS,
    reports: reportPaths(dir, BATCH, isMasked),
    isMasked,
  };
}

export const batchSummary = (...of: Parameters<typeof sourceOf>): Promise<BatchSummary> =>
  summaryOf(batchReport(sourceOf(...of)));

/** The whole document. */
export async function reportOf(...of: Parameters<typeof sourceOf>): Promise<BatchReport> {
  const source = sourceOf(...of);
  return JSON.parse((await Array.fromAsync(jsonReport(source.batch, batchReport(source)))).join(''));
}

const EXCHANGE = {
  sellAccountId: 'acc-usd',
  buyAccountId: 'acc-eur',
  amount: '1001.50',
  currency: 'EUR',
  expiredAt: 9,
  sellCurrency: 'USD',
  quotedSellAmount: '1085.00',
};

const attempt = (reference: string, sentAt: number, request: SendAttempt['request']): SendAttempt => ({
  reference,
  ...{ attempt: 1, runId: 'run-1', activityId: '1', sentAt, answeredAt: null, listedFrom: null },
  ...{ outcome: 'accepted', orderId: `fx-${sentAt}`, code: null },
  request,
  resolved: 'paid',
});

/** A row that sold dollars for euros and was approved twice, with everything that a report says of it. */
export function paidThroughAnExchange(
  state: PayoutState = 'completed',
  amounts: { sold?: string; rate?: string } = {},
): { rows: PayoutRecord[]; facts: Record<number, Partial<PayoutFacts>> } {
  const at = Date.UTC(2026, 4, 12, 14, 30);
  const ended = state === 'completed' ? { endedAt: at + 90_000 } : {};
  const row = record(1, state, {
    amount: '1000.00',
    createdAt: at,
    updatedAt: at + 90_000,
    stateSince: at + 90_000,
    ...ended,
  });
  const { reference, instruction } = row;
  const payment = {
    accountId: 'acc-eur',
    beneficiaryId: 'ben-1',
    payeeDigest: 'of-payee',
    amount: '1000.00',
    currency: 'EUR',
    expiredAt: 9,
  };
  const reason = state === 'held' ? because('fee-above-cap') : null;
  const facts: Partial<PayoutFacts> = {
    attempts: {
      payment: [attempt(reference, at + 60_000, payment)],
      exchange: [attempt('exchange', at + 30_000, EXCHANGE)],
    },
    booked: {
      ...{ reference, orderId: 'fx-1', soldAmount: amounts.sold ?? '1085.20', soldCurrency: 'USD' },
      ...{ boughtAmount: '1001.50', boughtCurrency: 'EUR', rate: amounts.rate ?? '0.9229' },
      ...{ fee: '2.00', feeCurrency: 'USD', seenAt: at + 40_000 },
    },
    approvals: [
      { by: 'bob', at: at + 10_000, where: 'before-submit' },
      { by: 'carol', at: at + 80_000, where: 'at-bank' },
    ],
    returns: [{ orderId: 'r-1', reference, amount: '4.00', currency: 'EUR', seenAt: at + 99_000 }],
  };
  return { rows: [{ ...row, reason, instruction: { ...instruction, execute_on: '2026-05-12' } }], facts: { 1: facts } };
}
