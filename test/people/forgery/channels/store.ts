import { signablePlan } from '../../../../src/people/signing/signed-plan.ts';
import { signedBy } from '../../../support/people.ts';
import type { Attack, ForgedChannel } from '../attack.ts';
import { FORGERIES, type Forge } from '../statements.ts';

/** Written past every channel; then the workflow is asked to read. */
const written =
  (forge: Forge): Attack =>
  async ({ product, any, cast }, random) => {
    const target = any(random);
    const { store, client } = product;
    const signed = forge(cast, target.about, random);
    await store.takeSignedDecision(signed, Date.now());
    if (random.chance(0.3))
      await client.workflow.getHandle(target.workflowId).signal(signed.decision, { by: signed.subject, remark: 'no' });
    return 'unanswered';
  };

/** Rows of the store that somebody has written who can write there, and who has nobody's key. */
export const STORE: ForgedChannel = {
  name: 'rows of the store',
  kinds: {
    ...Object.fromEntries(Object.entries(FORGERIES).map(([kind, forge]) => [kind, written(forge)])),
    'approvals by name': async ({ product, any }, random) => {
      const { reference, digest, workflowId } = any(random);
      const { store, client } = product;
      await store.recordApprovals({ reference, digest, by: ['bob', 'carol'], at: Date.now() });
      await client.workflow.getHandle(workflowId).signal('approve', { by: 'carol' });
      return 'unanswered';
    },
    'a row of another batch under a plan of hers': async ({ product, any, cast }, random) => {
      const { storeId, question, reference, digest } = any(random);
      const plan = signablePlan([{ reference, digest }]);
      const about = { storeId, question, reference: 'ended', digest: plan.digest };
      await product.store.takeSignedPlan(signedBy(cast.carol, about), plan.inclusions(), Date.now());
      return 'unanswered';
    },
  },
};
