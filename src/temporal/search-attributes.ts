import { setTimeout as pause } from 'node:timers/promises';
import { type Connection, isGrpcServiceError, ServiceError } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../domain/names.ts';

/** `temporal.api.enums.v1.IndexedValueType` of the types in use. */
const INDEXED_VALUE_TYPES = { Keyword: 2, Bool: 5 } as const;
/** gRPC status ALREADY_EXISTS: another process was faster. */
const ALREADY_EXISTS = 6;
const VISIBLE_WITHIN_MS = 60_000;

export class SearchAttributeConflictError extends Error {
  override readonly name = 'SearchAttributeConflictError';
}

/**
 * Registers the product's search attributes that the namespace lacks and returns once they can be used; again is
 * harmless. Throws for one that exists with another type. Temporal Cloud has no operator service: there they are made
 * with `tcld` or in its UI.
 */
export async function ensureSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const missing = await missingAttributes(connection, namespace);
  if (Object.keys(missing).length === 0) return;
  await connection.operatorService
    .addSearchAttributes({ namespace, searchAttributes: missing })
    .catch((error: unknown) => {
      if ((error as { code?: number }).code !== ALREADY_EXISTS) throw error;
    });
  // The server learns of its own change with a delay, and refuses workflows that use an attribute it does not see yet.
  const deadline = performance.now() + VISIBLE_WITHIN_MS;
  while (Object.keys(await missingAttributes(connection, namespace)).length > 0) {
    if (performance.now() > deadline) throw new Error(`new search attributes do not appear in namespace ${namespace}`);
    await pause(200);
  }
}

/** Whether the server refused to show or register them: Temporal Cloud does, it has no operator service. */
export const areRefused = (error: unknown): boolean => error instanceof ServiceError || isGrpcServiceError(error);

/** Name -> indexed value type of the attributes that are not there. Throws as `ensureSearchAttributes`. */
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
