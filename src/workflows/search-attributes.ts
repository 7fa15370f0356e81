import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { SEARCH_ATTRIBUTES } from '../domain/names.ts';

// The search attributes of `SEARCH_ATTRIBUTES` as the SDK takes them.

type Declared = typeof SEARCH_ATTRIBUTES;
type Named<Type> = { [Name in keyof Declared]: Declared[Name] extends Type ? Name : never }[keyof Declared];

const keyword = (name: Named<'Keyword'>) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);
const flag = (name: Named<'Bool'>) => defineSearchAttributeKey(name, SearchAttributeType.BOOL);

export const payoutBatchId = keyword('PayoutBatchId');
export const payoutState = keyword('PayoutState');
export const payoutCurrency = keyword('PayoutCurrency');
export const payoutOrderId = keyword('PayoutOrderId');
export const payoutReference = keyword('PayoutReference');
export const payoutNeedsAttention = flag('PayoutNeedsAttention');
