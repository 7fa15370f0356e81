import type { Identity } from './mapping.ts';

/** Ids of one transaction, as in the message; `NOTPROVIDED` and blanks count as absent. */
interface TransactionIds {
  endToEndId?: string;
  instructionId?: string;
  /** Unique in the message without the other ids, e.g. message id, payment id and number joined by dots. */
  position: string;
}

const ABSENT = /^(?:NOT ?PROVIDED)?$/i;
const given = (id: string | undefined): string | undefined =>
  id === undefined || ABSENT.test(id.trim()) ? undefined : id.trim();

/** The document id of a payout; "/" becomes "|", because our ids must not contain a slash. */
export function documentId({ endToEndId, instructionId, position }: TransactionIds, identity: Identity): string {
  const chosen: Readonly<Record<Identity, string | undefined>> = {
    'end-to-end-id': given(endToEndId) ?? given(instructionId),
    'instruction-id': given(instructionId),
    position: undefined,
  };
  return (chosen[identity] ?? position).replaceAll('/', '|');
}
