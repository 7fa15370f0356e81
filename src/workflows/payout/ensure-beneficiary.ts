import { sleep } from '@temporalio/workflow';
import type { Obstacle } from '../../domain/gates.ts';
import type { Waits } from '../../domain/policy.ts';
import { because } from '../../domain/reasons.ts';
import { doublingPause } from '../../domain/time.ts';
import { polls, sends } from '../proxies.ts';
import { sendOrRenewClaim } from './one-send.ts';
import type { PayoutView } from './view.ts';
import { untilCancelRequested } from './waits.ts';

/**
 * Makes sure that a payee given by its details exists at the bank. The activity decides whether a POST may be made; after an
 * unknown outcome it searches, and never repeats blindly. Returns what the bank refused, `not-approved` if there is no (valid)
 * approval any more, or undefined if the payee exists or a cancel is requested.
 */
export async function ensureBeneficiary(
  view: PayoutView,
  pauses: Waits,
): Promise<Obstacle | 'not-approved' | undefined> {
  for (let looks = 0; ; looks += 1) {
    view.show('preparing', because('beneficiary-pending'));
    const summary = looks === 0 ? 'adds the beneficiary' : `searches for the beneficiary, search ${looks + 1}`;
    const added = await sendOrRenewClaim(view, () =>
      sends.addBeneficiary.executeWithOptions({ summary }, [{ claim: view.claim }]),
    );
    if (added === undefined) {
      await untilCancelRequested(view.inbox, pauses.patienceMs, () => polls.awaitBank({ accountId: view.accountId }));
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
