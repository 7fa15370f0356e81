import type { PlanQuestion, SignedDecision } from '../../../../src/domain/authority.ts';
import {
  type BatchPlan,
  type PlanDeps,
  planReader,
  planToSign,
  takePlan,
} from '../../../../src/people/decisions/batch-plan.ts';
import { signablePlan } from '../../../../src/people/signing/signed-plan.ts';
import { signedBy } from '../../../support/people.ts';
import type { Attack, ForgedChannel, Reported } from '../attack.ts';
import type { Scene } from '../scene.ts';
import { type About, FORGERIES, type Forge } from '../statements.ts';
import type { Target } from '../world.ts';

const BATCHES = ['open', 'audited'] as const;

const depsOf = ({ opened: { store, bank, config } }: Scene): PlanDeps => ({
  store,
  bank,
  settings: config.settings,
  now: Date.now,
});

const planOf = (scene: Scene, batchId: string): Promise<BatchPlan> =>
  planToSign(planReader(depsOf(scene), { batchId, subject: 'carol' }), { batchId, decision: 'approve' });

async function handedOver(scene: Scene, plan: BatchPlan, signed: SignedDecision): Promise<Reported> {
  const taken = await takePlan(depsOf(scene), plan, signed);
  if ('refused' in taken) return taken;
  // A plan is kept with any rows: whether it counts for one is asked of that row.
  const counted = await Promise.all(scene.targets.map((target) => scene.isCounted(target)));
  return counted.includes(true) ? 'taken' : 'unanswered';
}

/** What the command and the page of a batch hand over, with a signature that does not count. */
const forged =
  (forge: Forge): Attack =>
  async (scene, random) => {
    const batchId = random.pick(BATCHES);
    const plan = await planOf(scene, batchId);
    const { question, digest } = plan;
    const signed = forge(scene.cast, { storeId: scene.product.store.id, question, reference: batchId, digest }, random);
    return handedOver(scene, { ...plan, decision: signed.decision }, signed);
  };

/** A tree of somebody's own, written past the channel, under something that a person has really signed. */
const planted =
  (make: (scene: Scene, target: Target, about: About) => Promise<void>): Attack =>
  async (scene, random) => {
    const target = scene.any(random);
    const { storeId, question, batchId, digest } = target;
    await make(scene, target, { storeId, question, reference: batchId, digest });
    await scene.product.client.workflow.getHandle(target.workflowId).signal('approve', { by: 'carol' });
    return 'unanswered';
  };

/** One signature for a batch. */
export const PLANS: ForgedChannel = {
  name: 'plan signatures',
  kinds: {
    ...Object.fromEntries(Object.entries(FORGERIES).map(([kind, forge]) => [kind, forged(forge)])),
    'the plan of another batch': async (scene) => {
      const { cast, product } = scene;
      const [open, audited] = await Promise.all(BATCHES.map((batchId) => planOf(scene, batchId)));
      if (open === undefined || audited === undefined) throw new Error('no plan');
      const about = { storeId: product.store.id, question: open.question, reference: 'open', digest: audited.digest };
      return handedOver(scene, open, signedBy(cast.carol, about));
    },
    'rows that nobody has planned': async (scene) => {
      const { cast, product, targets } = scene;
      const plan = await planOf(scene, 'open');
      const { question, digest } = plan;
      const signed = signedBy(cast.carol, { storeId: product.store.id, question, reference: 'open', digest });
      const rows = targets.map((target) => ({ reference: target.reference, digest: target.digest }));
      return handedOver(scene, { ...plan, rows }, signed);
    },
    'a row that asks alone': planted(async ({ product, cast, targets }, target, about) => {
      const alone = targets.find(({ batchId }) => batchId === 'alone') ?? target;
      const plan = signablePlan([{ reference: alone.reference, digest: alone.digest }]);
      const signed = signedBy(cast.carol, { ...about, reference: 'alone', question: 'payout', digest: plan.digest });
      await product.store.takeSignedPlan(signed, plan.inclusions(), Date.now());
    }),
    'a row that is not in the tree': planted(async ({ product, cast }, { reference, digest }, about) => {
      const plan = signablePlan([{ reference: 'another', digest: 'other' }]);
      const rows = [{ reference, digest, index: 0, path: [] }];
      const signed = signedBy(cast.carol, { ...about, digest: plan.digest });
      await product.store.takeSignedPlan(signed, rows, Date.now());
    }),
    'a tree under no plan': planted(async ({ product, cast }, { reference, digest }, about) => {
      const rows = [{ reference, digest, index: 0, path: [] }];
      const signed = signedBy(cast.carol, { ...about, digest: 'plan/1/of-nothing' });
      await product.store.takeSignedPlan(signed, rows, Date.now());
    }),
    'a tree that a stranger has signed': planted(async ({ product, cast }, { reference, digest }, about) => {
      const plan = signablePlan([{ reference, digest }]);
      const signed = { ...signedBy(cast.mallory, { ...about, digest: plan.digest }), subject: 'carol' };
      await product.store.takeSignedPlan(signed, plan.inclusions(), Date.now());
    }),
    'a tree for another question': planted(async ({ product, cast }, { reference, digest, question }, about) => {
      const plan = signablePlan([{ reference, digest }]);
      const other: PlanQuestion = question === 'payout' ? 'bank' : 'payout';
      const signed = signedBy(cast.carol, { ...about, question: other, digest: plan.digest });
      await product.store.takeSignedPlan(signed, plan.inclusions(), Date.now());
    }),
  },
};
