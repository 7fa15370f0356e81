import { payloadDigest, referenceOf } from '../../src/domain/identity.ts';
import type { PayoutInstruction } from '../../src/domain/instruction.ts';
import { payoutWorkflowId } from '../../src/domain/names.ts';
import type { BatchClaim, ClaimRow, OpenOrderRequest, Store } from '../../src/store/store.ts';

/** The identity that stores of tests are used with. */
export const WORLD = { bank: 'https://bank.example', namespace: 'default' };

export function instruction(id: string, fields: Partial<PayoutInstruction> = {}): PayoutInstruction {
  return {
    id,
    uid: 'user-1',
    account_id: 'acc-1',
    amount: '10.50',
    currency: 'USD',
    beneficiary_id: 'ben-1',
    ...fields,
  };
}

/** What was sent of a payment of it. */
export const SENT_PAYMENT = {
  accountId: 'acc-1',
  beneficiaryId: 'ben-1',
  payeeDigest: 'of-payee',
  amount: '10.50',
  currency: 'USD',
  expiredAt: 9,
};

export function claimRow(row: number, id: string, fields: Partial<PayoutInstruction> = {}): ClaimRow {
  const asked = instruction(id, fields);
  const reference = referenceOf(asked.uid, asked.id);
  return {
    row,
    reference,
    workflowId: payoutWorkflowId(reference),
    instruction: asked,
    payloadDigest: payloadDigest(asked),
  };
}

/** A batch with one row for each document id. */
export function batchClaim(batchId: string, ids: readonly string[], at = 1_000): BatchClaim & { rows: ClaimRow[] } {
  return {
    batchId,
    file: `${batchId}.csv`,
    sha256: `sha-of-${batchId}`,
    by: 'maker',
    rows: ids.map((id, index) => claimRow(index + 1, id)),
    at,
  };
}

export function documentIds(count: number, prefix = 'doc'): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}`);
}

export type PayoutClaimRequest = Parameters<Store['claimPayout']>[0];

export function payoutClaim(id: string, change: Partial<PayoutClaimRequest> = {}): PayoutClaimRequest {
  const { reference, workflowId, instruction: asked, payloadDigest: digest } = claimRow(1, id);
  return {
    reference,
    workflowId,
    instruction: asked,
    payloadDigest: digest,
    generation: 0,
    by: null,
    runId: 'run-1',
    derivedReferences: [],
    at: 2_000,
    ...change,
  };
}

export function openOrderRequest(reference: string, change: Partial<OpenOrderRequest> = {}): OpenOrderRequest {
  return {
    reference,
    workflowId: payoutWorkflowId(reference),
    uid: 'user-1',
    currencies: ['USD'],
    at: 10_000,
    since: change.at ?? 10_000,
    listedSince: 0,
    watchAliveSince: 9_000,
    ...change,
  };
}
