import { defineSearchAttributeKey, type SearchAttributePair, SearchAttributeType } from '@temporalio/common';
import { SEARCH_ATTRIBUTES } from '../domain/names.ts';

type Name = keyof typeof SEARCH_ATTRIBUTES;

/** One without a value is not set. */
export type SearchAttributes = {
  readonly [N in Name]?: ((typeof SEARCH_ATTRIBUTES)[N] extends 'Bool' ? boolean : string) | null;
};

/** Those that a view sets, and sets again. */
type Changing = 'PayoutState' | 'PayoutOrderId' | 'PayoutNeedsAttention';

/** Known from the start, each of them: one that is only registered would be found by no list. */
export const lastingAttributes = (
  reference: string,
  { currency = '', batchId, id, uid }: { currency?: unknown; batchId?: unknown; id?: unknown; uid?: unknown },
): { [N in Exclude<Name, Changing>]: SearchAttributes[N] } => ({
  PayoutReference: reference,
  PayoutCurrency: `${currency}`,
  PayoutBatchId: batchId as string | undefined,
  PayoutDocument: keyword(id),
  PayoutUid: keyword(uid),
});

/** The visibility store on SQL has no room for more, and a workflow that sets more never ends its task. */
const KEYWORD_MAX = 255;

/** Anybody can start a workflow with anything: what is no keyword is not set. */
const keyword = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= KEYWORD_MAX ? value : undefined;

const keyOf = (name: Name) =>
  defineSearchAttributeKey(
    name,
    SEARCH_ATTRIBUTES[name] === 'Bool' ? SearchAttributeType.BOOL : SearchAttributeType.KEYWORD,
  );

/** As the SDK takes them; one without a value is left out. */
export function searchAttributes(values: SearchAttributes): SearchAttributePair[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [{ key: keyOf(name as Name), value } as SearchAttributePair],
  );
}

/** The SDK does not export the type of a key, and our declarations must not name a file inside of it. */
type KeywordKey = Extract<SearchAttributePair, { key: { type: 'KEYWORD' } }>['key'];

export const payoutState: KeywordKey = defineSearchAttributeKey(
  'PayoutState' satisfies Name,
  SearchAttributeType.KEYWORD,
);
