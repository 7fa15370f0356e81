import { sleep } from '@temporalio/workflow';
import type { Obstacle } from '../../domain/gates.ts';
import type { PayoutInstruction } from '../../domain/instruction.ts';
import { doublingPause, type Waits } from '../../domain/policy.ts';
import { because } from '../../domain/reasons.ts';
import type { PayoutLife } from '../life.ts';
import { sends, waits } from '../proxies.ts';
import { untilCancelRequested } from './until-cancel-requested.ts';

/**
 * Makes sure that the payee named by fields exists at the bank. The activity decides whether a POST may be made; an
 * unknown outcome is looked for, never repeated blindly. Returns what the bank refused, or undefined once it is there.
 */
export async function ensureBeneficiary(
  life: PayoutLife,
  instruction: PayoutInstruction,
  pauses: Waits,
): Promise<Obstacle | undefined> {
  for (let looks = 0; ; looks += 1) {
    life.show('preparing', because('beneficiary-pending'));
    const added = await sends.addBeneficiary
      .executeWithOptions(
        { summary: looks === 0 ? 'adds the beneficiary' : `looks for the beneficiary, look ${looks + 1}` },
        [{ instruction }],
      )
      .catch(() => ({ kind: 'no-answer' as const }));
    if (added.kind === 'no-answer') {
      await untilCancelRequested(life, pauses.patienceMs, () => waits.awaitBank({ accountId: instruction.account_id }));
    }
    if (added.kind === 'there') return undefined;
    if (added.kind === 'refused') return added.obstacle;
    if (life.wantsCancel) return undefined;
    await sleep(doublingPause(looks, Math.ceil(pauses.lookAgainMs / 5), pauses.lookAgainMaxMs * 12), {
      summary: 'an add may be under way; looks again before anything is sent',
    });
  }
}
