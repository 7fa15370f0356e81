import { WorkflowUpdateFailedError } from '@temporalio/client';
import { batchWorkflowId } from '../../../../src/domain/names.ts';
import { signedBy } from '../../../support/people.ts';
import { type Attack, type ForgedChannel, type Reported, refusedOr } from '../attack.ts';
import type { Scene } from '../scene.ts';
import { FORGERIES, type Forge } from '../statements.ts';
import type { Target } from '../world.ts';

interface Answer {
  outcome: string;
  missing: number;
}

/** An update of a payout. "Counted, one is missing" is the state for everybody. */
async function update({ product }: Scene, { workflowId }: Target, args: object): Promise<Reported> {
  let answer: Answer | undefined;
  const reported = await refusedOr(
    async () => {
      answer = await product.client.workflow
        .getHandle(workflowId)
        .executeUpdate<Answer, [object]>('decide', { args: [args] });
    },
    (error) => error instanceof WorkflowUpdateFailedError,
  );
  return answer?.outcome === 'counted' && answer.missing === 1 ? 'unanswered' : reported;
}

const signedUpdate =
  (forge: Forge): Attack =>
  (scene, random) => {
    const target = scene.any(random);
    const signed = forge(scene.cast, target.about, random);
    const { id: decisionId, decision, subject: by, remark } = signed;
    return update(scene, target, { decisionId, decision, by, remark, signed });
  };

const unsigned =
  (more: (target: Target) => object): Attack =>
  (scene, random) => {
    const target = scene.any(random);
    const raw = { decisionId: `raw-${random.between(1, 1e9)}`, decision: 'approve', by: 'carol', remark: 'no' };
    return update(scene, target, { ...raw, ...more(target) });
  };

/** The Temporal update `decide` of a payout, and `approve` of a batch. */
export const UPDATES: ForgedChannel = {
  name: 'Temporal updates',
  kinds: {
    ...Object.fromEntries(Object.entries(FORGERIES).map(([kind, forge]) => [kind, signedUpdate(forge)])),
    'nothing signed, a name': unsigned(() => ({})),
    'nothing signed, a name and the digest': unsigned(({ digest }) => ({ digest })),
    'nothing signed, a rejection': unsigned(() => ({ decision: 'reject' })),
    'the id of a decision that counts': unsigned(() => ({ decisionId: 'x', signed: null })),
    'a word instead of a decision': unsigned(() => ({ signed: 'yes' })),
    'a list instead of a decision': unsigned(() => ({ signed: [] })),
    'a decision without its members': unsigned(({ about }) => ({ signed: about })),
    'a decision of wrong types': unsigned((target) => ({ signed: { ...target.about, id: 7, expiresAt: '9' } })),
    'a name that fills a book': unsigned((target) => ({ signed: { ...target.about, subject: 'x'.repeat(50_000) } })),
    'neither approved nor rejected': async (scene, random) => {
      const target = scene.any(random);
      const signed = { ...signedBy(scene.cast.carol, target.about), decision: 'maybe' };
      return update(scene, target, { decisionId: signed.id, decision: 'maybe', by: 'carol', signed });
    },
    'a batch approved by a name': async ({ product, any }, random) => {
      const handle = product.client.workflow.getHandle(batchWorkflowId(any(random).batchId));
      await handle.executeUpdate<unknown, [object]>('approve', { args: [{ by: 'carol', note: 'all of them' }] });
      return 'unanswered';
    },
  },
};
