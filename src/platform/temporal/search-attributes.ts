import { setTimeout as pause } from 'node:timers/promises';
import { type Connection, isGrpcServiceError, ServiceError } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../../domain/names.ts';
import { GRPC, grpcStatusOf } from './grpc-status.ts';

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
