import { WorkflowUpdateFailedError } from '@temporalio/client';
import { type ResolveOptions, resolve } from '../../../../src/cli/decision-actions.ts';
import type { Statement } from '../../../../src/domain/authority.ts';
import { resolveDigest } from '../../../../src/domain/authority.ts';
import type { Random } from '../../../simulation/random.ts';
import { signedBy } from '../../../support/people.ts';
import type { Attack, ForgedChannel, Reported } from '../attack.ts';
import { type Name, policyOfMallory } from '../cast.ts';
import { keyFile } from '../keys.ts';
import type { Scene } from '../scene.ts';
import { commanded, sessionOf } from '../session.ts';

/** What would pay again, or end it as unpaid. */
const ACTIONS = ['resend', 'close-as-not-paid', 'adopt-order'] as const;
type Action = (typeof ACTIONS)[number];

async function resolved(
  { product }: Scene,
  workflowId: string,
  request: { action: Action; by: string; decisionId?: string },
): Promise<Reported> {
  const args: [object] = [{ evidence: 'statement 12', orderId: 'ord-forged', ...request }];
  const answer = await product.client.workflow
    .getHandle(workflowId)
    .executeUpdate<{ accepted: boolean; message: string }, [object]>('resolve', { args })
    .catch((error: unknown) => {
      if (error instanceof WorkflowUpdateFailedError) return { accepted: false, message: `${error.cause?.message}` };
      throw error;
    });
  return answer.accepted ? 'taken' : { refused: answer.message };
}

type Said = Partial<Statement> & { digest?: string };

/** Signed by somebody, written into the store, and named by the update. */
const signed =
  (who: Name, of: (action: Action, scene: Scene, random: Random) => Said = () => ({}), by: string = who): Attack =>
  async (scene, random) => {
    const { product, cast } = scene;
    const { reference, workflowId } = random.pick(scene.lost);
    const action = random.pick(ACTIONS);
    const digest = resolveDigest(action, 'ord-forged');
    const about = { storeId: product.store.id, question: 'resolve', reference, digest } as const;
    const statement = signedBy(cast[who], { ...about, ...of(action, scene, random) });
    await product.store.takeSignedDecision({ ...statement, ...(who === by ? {} : { subject: by }) }, Date.now());
    return resolved(scene, workflowId, { action, by, decisionId: statement.id });
  };

const unsigned =
  (by: string, decisionId?: string): Attack =>
  (scene, random) =>
    resolved(scene, random.pick(scene.lost).workflowId, { action: random.pick(ACTIONS), by, decisionId });

const command =
  (who: Name | undefined, more: { by?: string; selfMade?: true } = {}): Attack =>
  (scene, random) => {
    const options: ResolveOptions = {
      action: random.pick(ACTIONS),
      evidence: 'statement 12',
      order: 'ord-forged',
      yes: true,
      by: more.by,
      key: who && keyFile(scene, who),
    };
    const policy = more.selfMade === true ? policyOfMallory(scene.cast) : undefined;
    const { reference } = random.pick(scene.lost);
    return commanded(() => resolve(sessionOf(scene, { policy }), reference, options));
  };

const HOUR = 3_600_000;

/** What operators decide about an unknown outcome: the update `resolve` and the command. */
export const RESOLVES: ForgedChannel = {
  name: 'resolve',
  kinds: {
    'an operator’s name': unsigned('erin'),
    'a decision that there is not': unsigned('erin', 'no-such-decision'),
    'an approver': signed('carol'),
    'the maker': signed('alice'),
    'a stranger': signed('mallory'),
    'a stranger in her name': signed('mallory', () => ({}), 'erin'),
    'about another action': signed('erin', () => ({ digest: resolveDigest('keep-looking') })),
    'about another order': signed('erin', (action) => ({ digest: resolveDigest(action, 'ord-other') })),
    'about another payout': signed('erin', () => ({ reference: 'other' })),
    'about another question': signed('erin', () => ({ question: 'switch' })),
    'in another store': signed('erin', () => ({ storeId: 'x' })),
    'what is over': signed('erin', () => ({ signedAt: Date.now() - HOUR, expiresAt: Date.now() - 1 })),
    'what is yet to come': signed('erin', () => ({ signedAt: Date.now() + HOUR, expiresAt: Date.now() + HOUR + 9 })),
    'command, without a key': command(undefined),
    'command, without a key, in her name': command(undefined, { by: 'erin' }),
    'command, with an approver’s key': command('carol'),
    'command, with a stranger’s key, in her name': command('mallory', { by: 'erin' }),
    'command, under a policy of one’s own': command('mallory', { selfMade: true }),
  },
};
