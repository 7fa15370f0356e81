import { answerOrUndefined, renewClaim } from '../proxies.ts';
import type { PayoutView } from './view.ts';

/**
 * Call after a sender gave no answer. A worker that paused with its task may still start it later; without a new term it would
 * send after the searches.
 */
export async function takeNextTerm(view: PayoutView): Promise<void> {
  view.renewed(await renewClaim({ claim: view.claim }, 'nothing is sent late any more'));
}

/** Both, if nothing has to be noted in between. */
export async function sendOrRenewClaim<Result>(
  view: PayoutView,
  send: () => Promise<Result>,
): Promise<Result | undefined> {
  const answer = await answerOrUndefined(send);
  if (answer === undefined) await takeNextTerm(view);
  return answer;
}
