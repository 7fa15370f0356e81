import type { Identity } from './mapping.ts';

/** Ids of one transaction, as the message has them; `NOTPROVIDED` and blanks are no id. */
interface TransactionIds {
  endToEndId?: string;
  instructionId?: string;
  /** Unique in the message without either of them, e.g. message id, payment id and number joined by points. */
  position: string;
}

const ABSENT = /^(?:NOT ?PROVIDED)?$/i;
const given = (id: string | undefined): string | undefined =>
  id === undefined || ABSENT.test(id.trim()) ? undefined : id.trim();

/** The document id of a payout: "/" becomes "|", because ids of ours hold none. */
export function documentId({ endToEndId, instructionId, position }: TransactionIds, identity: Identity): string {
  const chosen: Readonly<Record<Identity, string | undefined>> = {
    'end-to-end-id': given(endToEndId) ?? given(instructionId),
    'instruction-id': given(instructionId),
    position: undefined,
  };
  return (chosen[identity] ?? position).replaceAll('/', '|');
}
