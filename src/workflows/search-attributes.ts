import { defineSearchAttributeKey, type SearchAttributePair, SearchAttributeType } from '@temporalio/common';
import { SEARCH_ATTRIBUTES } from '../domain/names.ts';

type Name = keyof typeof SEARCH_ATTRIBUTES;
type Value<N extends Name> = (typeof SEARCH_ATTRIBUTES)[N] extends 'Bool' ? boolean : string;

const keyOf = (name: Name) =>
  defineSearchAttributeKey(
    name,
    SEARCH_ATTRIBUTES[name] === 'Bool' ? SearchAttributeType.BOOL : SearchAttributeType.KEYWORD,
  );

export type SearchAttributes = { readonly [N in Name]?: Value<N> | null };

/** Search attributes as the SDK takes them; one without a value is left out. */
export function searchAttributes(values: SearchAttributes): SearchAttributePair[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [{ key: keyOf(name as Name), value } as SearchAttributePair],
  );
}

export const payoutState = defineSearchAttributeKey('PayoutState' satisfies Name, SearchAttributeType.KEYWORD);
