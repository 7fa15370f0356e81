import { defineSearchAttributeKey, type SearchAttributePair, SearchAttributeType } from '@temporalio/common';
import { SEARCH_ATTRIBUTES } from '../domain/names.ts';

type Name = keyof typeof SEARCH_ATTRIBUTES;

/** One without a value is not set. */
export type SearchAttributes = {
  readonly [N in Name]?: ((typeof SEARCH_ATTRIBUTES)[N] extends 'Bool' ? boolean : string) | null;
};

/** Known from the start. */
export const lastingAttributes = (
  reference: string,
  { currency = '', batchId }: { currency?: string | number; batchId?: string | number },
): SearchAttributes => ({
  PayoutReference: reference,
  PayoutCurrency: `${currency}`,
  PayoutBatchId: batchId as string | undefined,
});

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

export const payoutState = defineSearchAttributeKey('PayoutState' satisfies Name, SearchAttributeType.KEYWORD);
