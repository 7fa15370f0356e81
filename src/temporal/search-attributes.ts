import type { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../domain/names.ts';

/** `temporal.api.enums.v1.IndexedValueType` of the types in use. */
const INDEXED_VALUE_TYPES = { Keyword: 2, Bool: 5 } as const;
/** gRPC status ALREADY_EXISTS: another process was faster. */
const ALREADY_EXISTS = 6;

export class SearchAttributeConflictError extends Error {
  override readonly name = 'SearchAttributeConflictError';
}

/**
 * Registers the product's search attributes that the namespace lacks; again is harmless. Throws for one that exists
 * with another type. Temporal Cloud has no operator service: there they are made with `tcld` or in its UI.
 */
export async function ensureSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const { customAttributes = {} } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing: Record<string, number> = {};
  for (const [name, type] of Object.entries(SEARCH_ATTRIBUTES)) {
    const wanted = INDEXED_VALUE_TYPES[type];
    const present = customAttributes?.[name];
    if (present === undefined) missing[name] = wanted;
    else if (present !== wanted)
      throw new SearchAttributeConflictError(`search attribute ${name} is no ${type} in namespace ${namespace}`);
  }
  if (Object.keys(missing).length === 0) return;
  await connection.operatorService
    .addSearchAttributes({ namespace, searchAttributes: missing })
    .catch((error: unknown) => {
      if ((error as { code?: number }).code !== ALREADY_EXISTS) throw error;
    });
}
