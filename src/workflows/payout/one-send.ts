import { call, isSuperseded } from '../proxies.ts';
import type { PayoutView } from './view.ts';

/**
 * What a sending activity answers; undefined when it gave no answer. The claim is renewed then: a worker that stood still while it
 * took the task begins it later all the same, and what it sends would come after everything that was looked at.
 */
export async function oneSend<Result>(view: PayoutView, send: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await send();
  } catch (error) {
    if (isSuperseded(error)) throw error;
    view.renewed(await call('renewClaim', { claim: view.claim }, 'nothing is sent late any more'));
    return undefined;
  }
}
