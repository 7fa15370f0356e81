import { batchIdOf, type Target } from '../channels/find-target.ts';
import { TARGET } from '../channels/http/operations/state-operations.ts';
import { parseWorkflowId } from '../domain/names.ts';
import { Problem } from '../domain/problem.ts';
import { isOneDocument } from '../people/decisions/verdict.ts';
import type { PayoutRecord } from '../store/store.ts';
import type { Session } from './session.ts';

/** `isShown`: a person sees what was found before anything follows from it. */
interface Confirmation {
  isShown: boolean;
}

/**
 * What an ID refers to. Throws a `Problem` that lists the candidates if there are several, or if a gateway has answered something
 * else.
 */
export async function findTarget(
  session: Session,
  id: string,
  confirmation: Confirmation = { isShown: true },
): Promise<Target> {
  const target = await session.ask(TARGET, { id });
  if (session.gateway === undefined) return target;
  const isMeant =
    target.kind === 'batch'
      ? isBatch(target.batch.batchId, id, confirmation)
      : isPayout(target.payout, id, confirmation);
  if (isMeant) return target;
  throw anotherOne(id);
}

/** The batch that an ID refers to; for a payout, its batch. Throws if the payout has none. */
export async function findBatch(session: Session, id: string, confirmation?: Confirmation): Promise<string> {
  const target = await findTarget(session, id, confirmation);
  // Only the gateway says in which batch a payout is.
  if (session.gateway !== undefined && target.kind === 'payout' && confirmation?.isShown === false)
    throw anotherOne(id);
  return batchIdOf(target, id);
}

/** Throws a `Problem` if a gateway answers payouts about an ID which it does not mean, by themselves or by their batch. */
export function assertMeant(
  session: Session,
  rows: readonly PayoutRecord[],
  id: string,
  confirmation: Confirmation,
): void {
  const isMeant = (row: PayoutRecord): boolean =>
    isPayout(row, id, confirmation) || (row.batchId !== null && isBatch(row.batchId, id, confirmation));
  if (session.gateway !== undefined && !rows.every(isMeant)) throw anotherOne(id);
}

/** The id of a batch begins like this; a document of that name is not taken for one. */
const UUID_BEGIN = /^[0-9a-f]{4}[0-9a-f-]{0,32}$/;

const isBatch = (batchId: string, id: string, { isShown }: Confirmation): boolean => {
  const key = keyOf(id);
  return (isShown && id === 'latest') || (UUID_BEGIN.test(key) && batchId.startsWith(key));
};

/**
 * A reference is signed, and it says which document is meant. What only the bank knows, an order id, and an id that is only begun
 * are believed if the payout is shown.
 */
function isPayout(row: PayoutRecord, id: string, { isShown }: Confirmation): boolean {
  const { reference, documentId, orderId } = row;
  if (reference.startsWith(keyOf(id))) return true;
  if (!isOneDocument(row)) return false;
  return documentId === id || (isShown && [documentId, orderId].some((known) => known?.startsWith(id)));
}

const keyOf = (id: string): string => parseWorkflowId(id)?.key ?? id;

export const anotherOne = (id: string): Problem =>
  new Problem('conflict', 'answers-otherwise', `The gateway answered about something else than "${id}".`, {
    hint: 'Nothing was signed. Give a whole id, and not that of an order or payment; do not use this gateway if it answers so again.',
  });
