import { setTimeout as pause } from 'node:timers/promises';
import {
  type Client,
  type Connection,
  isGrpcServiceError,
  NamespaceNotFoundError,
  ServiceError,
} from '@temporalio/client';
import { RECONCILIATION_ID, SEARCH_ATTRIBUTES, WORKFLOW_TYPES } from '../../domain/names.ts';
import { Problem } from '../../domain/problem.ts';
import { GRPC, grpcStatusOf } from './connection.ts';
import { described, ifThere, isOpen, startReconciliation } from './workflow-executions.ts';

/** gRPC statuses of a service that hides its cluster id from a client of one namespace. */
const NOT_SHOWN: ReadonlySet<number | undefined> = new Set([GRPC.PERMISSION_DENIED, GRPC.UNIMPLEMENTED]);

/**
 * Identity of the Temporal service of a client. The cluster id is random, created and stored with its database. If it is hidden
 * (default authorization shows it only to readers of the whole cluster), the namespace id, also random, replaces it. Throws
 * a `NamespaceNotFoundError`, so that a misspelled name is never stored.
 */
export async function temporalIdentity(client: Client): Promise<{ cluster: string; namespace: string }> {
  const { namespace } = client.options;
  const id = await namespaceId(client, namespace);
  return { cluster: (await clusterId(client)) || `of namespace ${id}`, namespace };
}

async function clusterId({ workflowService }: Client): Promise<string> {
  try {
    return (await workflowService.getClusterInfo({})).clusterId ?? '';
  } catch (error) {
    if (NOT_SHOWN.has(grpcStatusOf(error))) return '';
    throw error;
  }
}

async function namespaceId({ workflowService }: Client, namespace: string): Promise<string> {
  try {
    return (await workflowService.describeNamespace({ namespace })).namespaceInfo?.id ?? '';
  } catch (error) {
    if (grpcStatusOf(error) === GRPC.NOT_FOUND) throw new NamespaceNotFoundError(namespace);
    throw error;
  }
}

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
      `the Temporal namespace ${namespace} belongs to store ${holder}, ${why}, not to store ${storeId}.`,
      {
        hint:
          'Use that store (PAYOUTS_STORE_URL), or another namespace for this one (TEMPORAL_NAMESPACE). Only if store ' +
          `${holder} is lost for good: stop its workers and start one with PAYOUTS_REPLACES_STORE=${holder}`,
      },
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

/** `temporal.api.enums.v1.IndexedValueType` of the types we use. */
const INDEXED_VALUE_TYPES = { Keyword: 2, Bool: 5 } as const;
const VISIBLE_WITHIN_MS = 60_000;

export class SearchAttributeConflictError extends Error {
  override readonly name = 'SearchAttributeConflictError';
}

/**
 * Registers the product's search attributes that the namespace lacks and returns once they are usable; idempotent. Throws if one
 * exists with another type. Temporal Cloud has no operator service: create them there with `tcld` or in its UI.
 */
export async function ensureSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const missing = await missingAttributes(connection, namespace);
  if (Object.keys(missing).length > 0) {
    await connection.operatorService
      .addSearchAttributes({ namespace, searchAttributes: missing })
      .catch((error: unknown) => {
        // Another process was faster.
        if (grpcStatusOf(error) !== GRPC.ALREADY_EXISTS) throw error;
      });
  }
  const deadline = performance.now() + VISIBLE_WITHIN_MS;
  while (!(await areUsable(connection, namespace))) {
    if (performance.now() > deadline) throw new Error(`new search attributes do not appear in namespace ${namespace}`);
    await pause(200);
  }
}

/** The server lists an attribute some seconds before it accepts workflows and queries that use it. */
async function areUsable(connection: Connection, namespace: string): Promise<boolean> {
  const query = Object.keys(SEARCH_ATTRIBUTES)
    .map((name) => `${name} IS NULL`)
    .join(' AND ');
  try {
    await connection.workflowService.countWorkflowExecutions({ namespace, query });
    return true;
  } catch (error) {
    if (grpcStatusOf(error) === GRPC.INVALID_ARGUMENT) return false;
    throw error;
  }
}

/** Whether the server refused to list or register them, as Temporal Cloud does without an operator service. */
export const areRefused = (error: unknown): boolean => error instanceof ServiceError || isGrpcServiceError(error);

/** Indexed value types of the missing attributes, by name. Throws like `ensureSearchAttributes`. */
export async function missingAttributes(connection: Connection, namespace: string): Promise<Record<string, number>> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing: Record<string, number> = {};
  for (const [name, type] of Object.entries(SEARCH_ATTRIBUTES)) {
    const wanted = INDEXED_VALUE_TYPES[type];
    const present = customAttributes?.[name];
    if (present === undefined) missing[name] = wanted;
    else if (present !== wanted) {
      throw new SearchAttributeConflictError(`search attribute ${name} is no ${type} in namespace ${namespace}`);
    }
  }
  return missing;
}
