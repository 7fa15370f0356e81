import { WorkflowFailedError, type WorkflowStartOptions } from '@temporalio/client';
import type { Statement } from '../../../../src/domain/authority.ts';
import { payloadDigest, referenceOf } from '../../../../src/domain/identity.ts';
import type { PayoutInstruction } from '../../../../src/domain/instruction.ts';
import {
  mainOrderKindOf,
  type PayoutKind,
  payoutWorkflowId,
  TASK_QUEUE,
  workflowTypeOf,
} from '../../../../src/domain/names.ts';
import type { Random } from '../../../simulation/random.ts';
import { signedBy } from '../../../support/people.ts';
import { DEFAULT_INSTRUCTION } from '../../../support/product.ts';
import { type Attack, type ForgedChannel, type Reported, refusedOr } from '../attack.ts';
import type { Name } from '../cast.ts';
import type { Scene } from '../scene.ts';

interface Started {
  input?: object;
  /** Second argument: what a run before this one is said to have known. */
  before?: object;
  kind?: PayoutKind;
  workflowId?: string;
  options?: Partial<WorkflowStartOptions>;
}

const isWorkflowError = (error: Error): boolean =>
  error instanceof WorkflowFailedError || error.name === 'WorkflowExecutionAlreadyStartedError';

/** Some wait for a store that has their row, for ever. */
const LIFE = '1s';

function start({ product }: Scene, random: Random, started: Started): Promise<Reported> {
  const { input = {}, before, kind = 'payout', options = {} } = started;
  const instruction = { ...DEFAULT_INSTRUCTION, id: `raw-${random.between(1, 1e9)}`, ...input };
  const { uid, id } = instruction;
  const { generation } = instruction as { generation?: number };
  const {
    workflowId = payoutWorkflowId(
      referenceOf(uid, id, mainOrderKindOf(kind), typeof generation === 'number' ? generation : 0),
      kind,
    ),
  } = started;
  return refusedOr(
    () =>
      product.client.workflow.execute(workflowTypeOf(kind), {
        workflowId,
        taskQueue: TASK_QUEUE,
        args: before === undefined ? [instruction] : [instruction, before],
        workflowRunTimeout: LIFE,
        ...options,
      }),
    isWorkflowError,
  );
}

const raw =
  (of: (scene: Scene, random: Random) => Started = () => ({})): Attack =>
  (scene, random) =>
    start(scene, random, of(scene, random));

/** Somebody is said to have signed that they hand over just this, or nearly. */
const made =
  (who: Name, said: Partial<Statement> = {}, paid: Partial<PayoutInstruction> = {}, by: string = who): Attack =>
  async (scene, random) => {
    const { product, cast } = scene;
    const instruction = { ...DEFAULT_INSTRUCTION, id: `made-${random.between(1, 1e9)}` };
    const about = { reference: referenceOf(instruction.uid, instruction.id), digest: payloadDigest(instruction) };
    const signed = signedBy(cast[who], { storeId: product.store.id, question: 'make', ...about, ...said });
    await product.store.takeSignedDecision(signed, Date.now());
    return start(scene, random, { input: { ...instruction, ...paid, by } });
  };

const HOUR = 3_600_000;

/** Workflows that somebody starts by hand, on the queue of the product. */
export const STARTS: ForgedChannel = {
  name: 'raw workflow starts',
  kinds: {
    'by nobody': raw(),
    'in the name of a maker': raw(() => ({ input: { by: 'alice' } })),
    'in the name of an approver': raw(() => ({ input: { by: 'bob' } })),
    'in the name of a look-alike': raw(() => ({ input: { by: 'аlice' } })),
    'in the name of a list': raw(() => ({ input: { by: ['alice'] } })),
    'made by a stranger': made('mallory', { subject: 'alice' }, {}, 'alice'),
    'made by an approver': made('bob'),
    'made out of scope': made('anna'),
    'made by somebody else': made('anna', {}, {}, 'alice'),
    'made, with another amount': made('alice', {}, { amount: '9999.00' }),
    'made, to another payee': made('alice', {}, { beneficiary_id: 'ben-u1001-usd-swift' }),
    'made, and not any more': made('alice', { signedAt: Date.now() - HOUR, expiresAt: Date.now() - 1 }),
    'made in another store': made('alice', { storeId: 'x' }),
    'made, as an approval': made('alice', { question: 'payout' }),
    'under the id of another payout': raw(() => ({ workflowId: payoutWorkflowId(referenceOf('u-1001', 'other')) })),
    'under an id of its own': raw(() => ({ workflowId: 'mine' })),
    'an id that is under way, with another amount': raw(({ any }, random) => {
      const { row, workflowId } = any(random);
      return { input: { ...row.instruction, amount: '9999.00' }, workflowId };
    }),
    'a further generation of what is under way': raw(({ any }, random) => ({
      input: { ...any(random).row.instruction, generation: 1, by: 'alice' },
    })),
    'a further generation of what was rejected': raw(({ ended }, random) => ({
      input: { id: random.pick(ended).documentId, generation: 1, by: 'alice' },
    })),
    'an odd generation': raw((_scene, random) => ({
      input: { by: 'alice', generation: random.pick([-1, '1', 1.5, null, {}, true, 2 ** 60]) },
    })),
    'as a row of a batch': raw(() => ({ input: { by: 'alice', batchId: 'open' } })),
    'in the place of a run before': raw(({ product }) => ({
      input: { by: 'alice' },
      before: { storeId: product.store.id, term: 1, orderKinds: {} },
    })),
    'with a memo': raw(() => ({ input: { by: 'alice' }, options: { memo: { ranBefore: true } } })),
    'a transfer': raw(() => ({ kind: 'transfer', input: { to_account_id: 'acc-u1002-usd', by: 'alice' } })),
    'an exchange': raw(() => ({
      kind: 'exchange',
      input: { account_id: 'acc-u1001-eur', to_account_id: 'acc-u1001-usd', by: 'alice' },
    })),
    'a batch that nobody has claimed': async ({ product }, random) => {
      const options = { workflowId: `payout-batch/raw-${random.between(1, 1e9)}`, taskQueue: TASK_QUEUE };
      const started = { ...options, workflowRunTimeout: LIFE, args: [{ batchId: 'of nobody' }] as [object] };
      return refusedOr(() => product.client.workflow.execute('payoutBatch', started), isWorkflowError);
    },
  },
};
