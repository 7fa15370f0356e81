import { defineSearchAttributeKey, type SearchAttributePair, SearchAttributeType } from '@temporalio/common';
import { SEARCH_ATTRIBUTES } from '../domain/names.ts';

type Name = keyof typeof SEARCH_ATTRIBUTES;

/** An attribute without a value is not set. */
export type SearchAttributes = {
  readonly [N in Name]?: ((typeof SEARCH_ATTRIBUTES)[N] extends 'Bool' ? boolean : string) | null;
};

/** Attributes that a view sets repeatedly. */
type Changing = 'PayoutState' | 'PayoutOrderId' | 'PayoutNeedsAttention';

/** Attributes known from the start. All must be set here: one that is only registered would never match in a list. */
export const lastingAttributes = (
  reference: string,
  { currency, batchId, id, uid }: { currency?: unknown; batchId?: unknown; id?: unknown; uid?: unknown },
) =>
  ({
    PayoutReference: reference,
    PayoutCurrency: currency,
    PayoutBatchId: batchId,
    PayoutDocument: id,
    PayoutUid: uid,
  }) as { [N in Exclude<Name, Changing>]: SearchAttributes[N] };

/** Longer keywords do not fit the SQL visibility store, and a workflow that sets one never completes its workflow task. */
const KEYWORD_MAX = 255;

/**
 * Anybody can start a workflow with any input, and a bank can give an order any id: what is no value of the attribute is not set.
 */
const isValue = (name: Name, value: unknown): boolean =>
  SEARCH_ATTRIBUTES[name] === 'Bool'
    ? typeof value === 'boolean'
    : typeof value === 'string' && value !== '' && value.length <= KEYWORD_MAX;

const keyOf = (name: Name) =>
  defineSearchAttributeKey(
    name,
    SEARCH_ATTRIBUTES[name] === 'Bool' ? SearchAttributeType.BOOL : SearchAttributeType.KEYWORD,
  );

/** As the SDK takes them; attributes without a value are omitted. */
export function searchAttributes(values: SearchAttributes): SearchAttributePair[] {
  return (Object.entries(values) as [Name, unknown][]).flatMap(([name, value]) =>
    isValue(name, value) ? [{ key: keyOf(name), value } as SearchAttributePair] : [],
  );
}

/** The SDK does not export the type of a key, and our declarations must not refer to its internal files. */
type KeywordKey = Extract<SearchAttributePair, { key: { type: 'KEYWORD' } }>['key'];

export const payoutState: KeywordKey = defineSearchAttributeKey(
  'PayoutState' satisfies Name,
  SearchAttributeType.KEYWORD,
);
