import type { Client } from '@temporalio/client';
import { RECONCILIATION_ID, WORKFLOW_TYPES } from '../../domain/names.ts';
import { Problem } from '../../domain/problem.ts';
import { described, ifThere, isOpen } from './executions.ts';
import { startReconciliation } from './reconciliation-executions.ts';

/**
 * One namespace has one store. The claim is the memo of the workflow `reconciliation`, which runs as long as there are workers:
 * Temporal keeps one open execution per id, so of two stores that start at once one gets it and the other reads whose it is. No
 * lock of our own, nothing to renew, and visible in the Web UI.
 */
interface NamespaceClaim {
  runId: string;
  isOpen: boolean;
  /** Undefined: started by hand, which claims nothing. */
  storeId: string | undefined;
}

/** The namespace belongs to another store: its payouts would be judged by records that are not here (exit code 2). */
export class NamespaceTakenError extends Problem {
  constructor(namespace: string, { holder, storeId, open }: { holder: string; storeId: string; open?: number }) {
    const why = open === undefined ? 'whose reconciliation runs in it' : `of which ${open} workflows are open in it`;
    super(
      'set-up',
      'namespace-taken',
      `the Temporal namespace ${namespace} belongs to store ${holder}, ${why}, not to store ${storeId}: use ` +
        `that store (PAYOUTS_STORE_URL), or another namespace for this one (TEMPORAL_NAMESPACE). Only if store ${holder} is ` +
        `lost for good: stop its workers and start one with PAYOUTS_REPLACES_STORE=${holder}`,
    );
  }
}

/**
 * Takes the namespace for a store and makes its reconciliation pass now. Throws a `NamespaceTakenError` if another store holds
 * it, or held it last and left workflows open. `replaces`: id of a store that may be displaced.
 *
 * @returns id of the displaced store
 */
export async function takeNamespace(client: Client, storeId: string, replaces?: string): Promise<string | undefined> {
  const claim = await readClaim(client);
  const holder = claim?.storeId === storeId ? undefined : claim?.storeId;
  if (holder !== undefined && holder !== replaces) await assertLeft(client, storeId, holder, claim?.isOpen ?? false);
  if (claim?.isOpen === true && claim.storeId !== storeId) {
    const other = client.workflow.getHandle(RECONCILIATION_ID, claim.runId);
    await ifThere(() => other.terminate('another store takes the namespace'));
  }
  await startReconciliation(client, storeId);
  await assertNamespaceFits(client, storeId);
  return holder;
}

/** For a running worker: takes the namespace again if the reconciliation was ended, and throws if another store took it. */
export async function keepNamespace(client: Client, storeId: string): Promise<void> {
  const claim = await readClaim(client);
  if (claim?.isOpen !== true || claim.storeId !== storeId) await takeNamespace(client, storeId);
}

/** Throws a `NamespaceTakenError` if another store holds the namespace; `replaces`: the store that a worker will displace. */
export async function assertNamespaceFits(client: Client, storeId: string, replaces?: string): Promise<void> {
  const claim = await readClaim(client);
  if (claim?.isOpen !== true || claim.storeId === undefined) return;
  if (claim.storeId === storeId || claim.storeId === replaces) return;
  throw new NamespaceTakenError(client.options.namespace, { holder: claim.storeId, storeId });
}

async function readClaim(client: Client): Promise<NamespaceClaim | undefined> {
  const shown = await described(client, RECONCILIATION_ID);
  if (shown === undefined) return undefined;
  const { runId, status, memo } = shown;
  const storeId = typeof memo?.store === 'string' ? memo.store : undefined;
  return { runId, isOpen: isOpen(status), storeId };
}

async function assertLeft(client: Client, storeId: string, holder: string, holds: boolean): Promise<void> {
  const { namespace } = client.options;
  if (holds) throw new NamespaceTakenError(namespace, { holder, storeId });
  const types = [WORKFLOW_TYPES.payout, WORKFLOW_TYPES.payoutBatch, WORKFLOW_TYPES.cardPayment];
  const query = types.map((type) => `WorkflowType = '${type}'`).join(' OR ');
  const { count } = await client.workflow.count(`ExecutionStatus = 'Running' AND (${query})`);
  if (count > 0) throw new NamespaceTakenError(namespace, { holder, storeId, open: count });
}
