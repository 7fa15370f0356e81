import type { Selectable } from 'kysely';
import type { PayoutInstruction } from '../domain/instruction.ts';
import type { Reason } from '../domain/payout-state.ts';
import type { BatchTable, OpenOrderTable, PayoutTable, SendAttemptTable } from './schema.ts';
import type { BatchRecord, OpenOrder, PayoutRecord, SendAttempt } from './store.ts';

/** Rows as the store's callers see them. */

export function payoutRecord(row: Selectable<PayoutTable>): PayoutRecord {
  return {
    reference: row.reference,
    workflowId: row.workflow_id,
    kind: row.kind,
    uid: row.uid,
    documentId: row.document_id,
    generation: row.generation,
    batchId: row.batch_id,
    row: row.row,
    instruction: JSON.parse(row.instruction) as PayoutInstruction,
    payloadDigest: row.payload_digest,
    amount: row.amount,
    currency: row.currency,
    by: row.by,
    original: row.original === null ? null : (JSON.parse(row.original) as PayoutRecord['original']),
    lookAlikeOf: row.look_alike_of,
    state: row.state,
    reason: row.reason === null ? null : (JSON.parse(row.reason) as Reason),
    orderId: row.order_id,
    fee: row.fee,
    feeCurrency: row.fee_currency,
    claimRunId: row.claim_run_id,
    term: row.term,
    assessed: row.assessed === null ? null : (JSON.parse(row.assessed) as PayoutRecord['assessed']),
    releasedAt: row.released_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    endedAt: row.ended_at,
  };
}

export function batchRecord(row: Selectable<BatchTable>): BatchRecord {
  return {
    batchId: row.batch_id,
    file: row.file,
    sha256: row.sha256,
    by: row.by,
    control: row.control,
    total: row.total,
    message: row.message === null ? null : (JSON.parse(row.message) as BatchRecord['message']),
    retryOf: row.retry_of,
    canary: row.canary,
    controlReason: row.control_reason,
    createdAt: row.created_at,
    endedAt: row.ended_at,
  };
}

export function sendAttempt(row: Selectable<SendAttemptTable>): SendAttempt {
  return {
    reference: row.reference,
    attempt: row.attempt,
    runId: row.run_id,
    activityId: row.activity_id,
    sentAt: row.sent_at,
    outcome: row.outcome,
    orderId: row.order_id,
    code: row.code,
    settled: row.settled,
    request: row.request === null ? null : (JSON.parse(row.request) as SendAttempt['request']),
  };
}

export function openOrderRecord(row: Selectable<OpenOrderTable>): OpenOrder {
  return {
    reference: row.reference,
    workflowId: row.workflow_id,
    uid: row.uid,
    currency: row.currency,
    openedAt: row.opened_at,
    orderId: row.order_id,
    notifiedStatus: row.notified_status,
    nextLookAt: row.next_look_at,
  };
}
