import { batchIdOf, type Target } from '../channels/find-target.ts';
import { TARGET } from '../channels/http/operations/find.ts';
import type { Session } from './session.ts';

/** What an ID refers to. Throws a `Problem` that lists the candidates if there are several. */
export const findTarget = (session: Session, id: string): Promise<Target> => session.ask(TARGET, { id });

/** The batch that an ID refers to; for a payout, its batch. Throws if the payout has none. */
export const findBatch = async (session: Session, id: string): Promise<string> =>
  batchIdOf(await findTarget(session, id), id);
