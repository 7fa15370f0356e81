import { sleep } from '@temporalio/workflow';
import type { Obstacle } from '../../domain/gates.ts';
import { doublingPause, type Waits } from '../../domain/policy.ts';
import { because } from '../../domain/reasons.ts';
import { polls, sends } from '../proxies.ts';
import { oneSend } from './one-send.ts';
import { untilCancelRequested } from './until-cancel-requested.ts';
import type { PayoutView } from './view.ts';

/**
 * Makes sure that the payee named by fields exists at the bank. The activity decides whether a POST may be made; an
 * unknown outcome is looked for, never repeated blindly. Returns what the bank refused, that it is not approved (any more), or
 * undefined once it is there.
 */
export async function ensureBeneficiary(
  view: PayoutView,
  accountId: string,
  pauses: Waits,
): Promise<Obstacle | 'not-approved' | undefined> {
  for (let looks = 0; ; looks += 1) {
    view.show('preparing', because('beneficiary-pending'));
    const summary = looks === 0 ? 'adds the beneficiary' : `searches for the beneficiary, search ${looks + 1}`;
    const added = await oneSend(view, () =>
      sends.addBeneficiary.executeWithOptions({ summary }, [{ claim: view.claim }]),
    );
    if (added === undefined) {
      await untilCancelRequested(view.inbox, pauses.patienceMs, () => polls.awaitBank({ accountId }));
    }
    if (added?.kind === 'there') return undefined;
    if (added?.kind === 'refused') return added.obstacle;
    if (added?.kind === 'not-approved') return 'not-approved';
    if (view.inbox.wantsCancel) return undefined;
    await sleep(doublingPause(looks, Math.ceil(pauses.lookAgainMs / 5), pauses.lookAgainMaxMs * 12), {
      summary: 'an add may be under way; searches again before anything is sent',
    });
  }
}
