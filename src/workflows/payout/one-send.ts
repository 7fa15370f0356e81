import { call, isSuperseded } from '../proxies.ts';
import type { PayoutView } from './view.ts';

/** What a sending activity answers; undefined when it gave no answer: the caller notes that, and renews the claim. */
export async function answerTo<Result>(send: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await send();
  } catch (error) {
    if (isSuperseded(error)) throw error;
    return undefined;
  }
}

/**
 * After a sender that gave no answer: a worker that stood still while it took the task begins it later all the same, and what it sends
 * would come after everything that was looked at.
 */
export async function renewClaim(view: PayoutView): Promise<void> {
  view.renewed(await call('renewClaim', { claim: view.claim }, 'nothing is sent late any more'));
}

/** Both, where nothing has to be noted in between. */
export async function oneSend<Result>(view: PayoutView, send: () => Promise<Result>): Promise<Result | undefined> {
  const answer = await answerTo(send);
  if (answer === undefined) await renewClaim(view);
  return answer;
}
