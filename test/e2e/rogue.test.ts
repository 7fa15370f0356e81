import { NativeConnection, Worker } from '@temporalio/worker';
import { expect, inject, it } from 'vitest';
import { payloadDigest, referenceOf } from '../../src/domain/identity.ts';
import { payoutWorkflowId, TASK_QUEUE } from '../../src/domain/names.ts';
import {
  ACTIVITIES,
  ACTIVITIES_ELSEWHERE,
  INVENTED,
  INVENTED_ELSEWHERE,
  inventedCalls,
} from '../people/forgery/invented-calls.ts';
import { openScene, type Scene } from '../people/forgery/scene.ts';
import type { Target } from '../people/forgery/world.ts';
import { signedBy } from '../support/people.ts';
import { DEFAULT_INSTRUCTION, ordersUnder } from '../support/product.ts';
import { beingAStranger } from '../support/stranger.ts';
import { TAKEN_CLAIM } from '../support/taken-claim.ts';

interface Call {
  activity: string;
  input: unknown;
}

/** A workflow of a stranger that makes these calls; with `takes` under the id of a payout, whose run it ends. */
function rogue(
  { product: { client } }: Scene,
  { reference, workflowId, row }: Target,
  calls: readonly Call[],
  takes?: 'takes',
): Promise<string[]> {
  return client.workflow.execute<(given: object) => Promise<string[]>>('rogueCalls', {
    workflowId: takes === undefined ? `rogue/${reference}` : workflowId,
    workflowIdConflictPolicy: takes === undefined ? 'FAIL' : 'TERMINATE_EXISTING',
    taskQueue: 'rogue',
    args: [{ calls, ...(takes && { takes: { ...row.instruction, by: 'alice' } }) }],
  });
}

/** Every activity, for every target at once. */
async function callsEverything(scene: Scene, targets: readonly Target[], takes?: 'takes'): Promise<string[]> {
  const { store } = scene.product;
  const answers = await Promise.all(
    targets.map(async (target) => {
      const { reference, documentId, row } = target;
      const orderId = (await ordersUnder(scene.product, reference))[0]?.order_id ?? 'ord-forged';
      const claim = takes === undefined ? { storeId: store.id, reference, term: row.term } : TAKEN_CLAIM;
      return rogue(scene, target, inventedCalls({ claim, reference, documentId, orderId }), takes);
    }),
  );
  return answers.flat();
}

/** A stranger may hold money back: reject what the bank audits, among other things. */
const moving = (posts: readonly string[]): string[] => posts.filter((operation) => operation !== 'orders.reject');

it('a stranger is tried with every activity that there is', () => {
  expect(Object.keys(INVENTED).sort()).toEqual([...ACTIVITIES].sort());
  expect(Object.keys(INVENTED_ELSEWHERE).sort()).toEqual([...ACTIVITIES_ELSEWHERE].sort());
});

it('a stranger’s workflows move no money beside ours or in their place, and an approved payout once at most', async () => {
  const scene = await openScene();
  const { product, planned, targets } = scene;
  const before = await scene.moneyState();
  await beingAStranger(product, async () => {
    const beside = await callsEverything(scene, targets);
    for (const activity of ['submitPayment', 'addBeneficiary', 'approveOrder', 'rejectOrder', 'closePayout']) {
      const own = beside.filter((answer) => answer.startsWith(activity));
      expect(own.length).toBeGreaterThanOrEqual(targets.length);
      expect(own.filter((answer) => !/failed: (Superseded|time-out)|"not-sent"/.test(answer))).toEqual([]);
    }
    expect(await scene.moneyState()).toEqual(before);

    // A bank that takes a reference twice, and a stranger who is the first to send what people have approved.
    const approved = planned.slice(0, 2);
    await product.sandboxTest('PUT', 'profile', { dedupe: 'none' });
    const submits = [1, 2, 3, 4].map((attempt) => ({
      activity: 'submitPayment',
      input: { claim: TAKEN_CLAIM, attempt },
    }));
    for (const [n, target] of approved.entries()) {
      const lostAnswers = { operation: 'transactions.payment', kind: 'drop-after', times: 9 };
      if (n === 0) await product.sandboxTest('POST', 'faults', lostAnswers);
      await product.client.workflow.getHandle(target.workflowId).terminate('a stranger');
      await product.store.takeSignedDecision(signedBy(scene.cast.carol, target.about), Date.now());
      await rogue(scene, target, submits, 'takes');
      await product.sandboxTest('DELETE', 'faults');
      expect(await ordersUnder(product, target.reference)).toHaveLength(1);
    }

    const rest = targets.filter((target) => !approved.includes(target));
    const paid = await scene.moneyState();
    await callsEverything(scene, rest, 'takes');
    const after = await scene.moneyState();
    expect(moving(after.posts)).toEqual(moving(paid.posts));
    expect(Object.keys(after.orders).sort()).toEqual(Object.keys(paid.orders).sort());
    for (const { reference } of rest) expect(after.orders[reference]).not.toBe('COMPLETED');
    for (const target of rest) expect(await scene.isCounted(target)).toBe(false);
  });
});

/** On every request, this worker says that all is well and everybody has approved. */
const LIES: Readonly<Record<string, (input: { claim?: unknown }) => Promise<unknown>>> = {
  verifyDecisions: async () => ({
    verdict: 'approved',
    awaited: { kind: 'payout', digest: 'any', needed: 0, approvedBy: ['bob', 'carol'] },
  }),
  useDecision: async () => ({ by: 'erin' }),
  auditRefused: async () => undefined,
  recordState: async () => undefined,
  closePayout: async () => undefined,
  assess: async () => ({
    beneficiary: { known: true, id: DEFAULT_INSTRUCTION.beneficiary_id, digest: 'any' },
    payingAccountId: DEFAULT_INSTRUCTION.account_id,
    fee: '0.00',
    feeCurrency: 'USD',
    digest: 'any',
    approvalsNeeded: 0,
  }),
};

it('a stranger’s worker on our queue has nothing sent by answering workflows that everybody has approved', async () => {
  const scene = await openScene();
  const { product, cast, targets } = scene;
  const before = await scene.moneyState();
  const connection = await NativeConnection.connect({ address: inject('temporalAddress') });
  const rogueWorker = await Worker.create({
    connection,
    namespace: product.namespace,
    taskQueue: TASK_QUEUE,
    workflowBundle: { codePath: inject('workflowBundlePath') },
    activities: LIES,
  });
  const reported = async (workflowId: string) =>
    product.client.workflow.getHandle(workflowId).signal('approve', { by: 'carol' });
  await rogueWorker.runUntil(async () => {
    for (let n = 0; n < 12; n += 1) {
      const instruction = { ...DEFAULT_INSTRUCTION, id: `lied-${n}` };
      const reference = referenceOf(instruction.uid, instruction.id);
      const about = { question: 'make', reference, digest: payloadDigest(instruction) } as const;
      await product.store.takeSignedDecision(signedBy(cast.alice, { storeId: product.store.id, ...about }), Date.now());
      // Delayed, so that its first task comes by the queue, and may go to the stranger's worker.
      await product.start({ id: instruction.id }, { by: 'alice', delayMs: 1 });
      await reported(payoutWorkflowId(reference));
    }
    for (let round = 0; round < 5; round += 1) {
      for (const { workflowId } of targets) await reported(workflowId);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  });
  await connection.close();
  const after = await scene.moneyState();
  expect(moving(after.posts)).toEqual(moving(before.posts));
  expect(after.orders).toEqual(before.orders);
});
