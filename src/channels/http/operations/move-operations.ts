import { z } from 'zod';
import type { ScopeFacts, SignedDecision } from '../../../domain/authority.ts';
import { holdsCardNumber } from '../../../domain/card-number.ts';
import { madeDigest } from '../../../domain/identity.ts';
import { type PayoutInstruction, payoutInput } from '../../../domain/instruction.ts';
import { payoutWorkflowId } from '../../../domain/names.ts';
import { Problem } from '../../../domain/problem.ts';
import { inMarkdown } from '../../../domain/text.ts';
import {
  checkedMove,
  identityOf,
  type MoveAsked,
  type MoveOutlook,
  outlookOf,
  takenMove,
} from '../../../files/intake/own-move.ts';
import { type StoreUse, storeUseOf } from '../../../files/intake/plan.ts';
import { takeOrRefuse, whyDecisionIsVoid } from '../../../people/decisions/verdict.ts';
import { executionsOver, restartPayout } from '../../../platform/temporal/workflow-executions.ts';
import type { PayoutRecord } from '../../../store/store.ts';
import { unknownId } from '../../find-target.ts';
import { makerOf } from '../callers.ts';
import { hasControls, storableText } from '../documents.ts';
import { maySeePayout } from '../may-see.ts';
import { operation, type Place, pathId, shortText } from '../operation.ts';
import type { CallerAccess } from '../route-access.ts';
import { NOT_COUNTED, nameOf, signedInput, WHAT_TO_SIGN } from './decision-operations.ts';

const TAG = 'moves';
const MAKING: CallerAccess = { roles: ['maker'], scope: 'each' };

/** What is wrong with a field is a finding, as in a file. */
const field = z.string().max(1_000).optional();
const note = z
  .string()
  .max(1_000)
  .refine(
    (text) => !holdsCardNumber(text) && !hasControls(text),
    'must not contain a card number or control characters',
  )
  .optional()
  .describe('passed to the bank');

const asked = {
  kind: z.enum(['transfer', 'exchange']),
  instruction: z
    .strictObject({
      id: field,
      uid: field.describe('of both accounts'),
      account_id: field,
      to_account_id: field,
      amount: field.describe('of an exchange: what is bought'),
      currency: field.describe('of an exchange: that of to_account_id; a transfer has that of its accounts'),
      note,
      reason: note,
      execute_on: field.describe('date before which it is not sent'),
      expires_at: field.describe("instant: end of the bank's audit"),
      fee_cap: field.describe('the highest fee, in its own currency'),
      max_slippage: field.describe('how much worse the rate may get, as a fraction'),
      sell_currency: field.describe('of max_rate'),
      max_rate: field.describe('the most that is sold for one unit of currency without asking people'),
    })
    .meta({ id: 'MoveInstruction', description: 'Members as columns of a file; account_id pays.' }),
  by: storableText.optional(),
};

/** A document that is known and open, or what a new one would do. */
type PlannedMove =
  | { known: PayoutRecord }
  | { known: null; outlook: MoveOutlook; store: StoreUse; signs: Pick<SignedDecision, 'reference' | 'digest'> };

export const PLAN_MOVE = operation({
  method: 'POST',
  path: '/v1/moves/plan',
  tag: TAG,
  summary: 'What a transfer or an exchange would do now; nothing is claimed',
  access: MAKING,
  input: z.strictObject(asked),
  answer: z.looseObject({ known: z.looseObject({ reference: z.string() }).nullable() }),
  async run(place, given): Promise<PlannedMove> {
    const { store, config } = place;
    const move = moveOf(place, given, undefined);
    const known = await openMove(place, move);
    if (known !== undefined) return { known };
    return place.readingBank(async (bank) => {
      const checked = await checkedMove(bank, move, config.settings);
      const signs = { reference: identityOf(checked).reference, digest: madeDigest(checked.instruction) };
      return { known: null, outlook: await outlookOf(bank, checked), store: await storeUseOf(config, store), signs };
    });
  },
});

export const MOVE = operation({
  method: 'POST',
  path: '/v1/moves',
  tag: TAG,
  summary: 'Transfer money between own accounts, or exchange it',
  description:
    'Under a policy its maker signs the reference, and the digest of the instruction. The same document is never moved ' +
    'twice: a request that is repeated finds it.',
  access: MAKING,
  input: z.strictObject({ ...asked, signed: signedInput }),
  answer: z.looseObject({ reference: z.string() }),
  async run(place, { signed, ...given }): Promise<{ reference: string }> {
    const { config } = place;
    const move = moveOf(place, given, signed);
    const known = await openMove(place, move);
    if (known !== undefined) {
      await againIfGone(place, known);
      return { reference: known.reference };
    }
    const { touched, ...checked } = await checkedMove(await place.bank(), move, config.settings);
    await takeMakersWord(place, checked, { signed, touched });
    await start(place, checked);
    return { reference: identityOf(checked).reference };
  },
});

/** The state of a started one, until its row shows it. */
export const MOVED = operation({
  method: 'GET',
  path: '/v1/moves/:reference',
  tag: TAG,
  summary: 'A transfer or exchange that was started, once it is claimed; or why it was not',
  access: MAKING,
  input: z.strictObject({
    reference: pathId,
    kind: asked.kind,
    digest: shortText.describe('of the instruction that its maker has signed'),
  }),
  answer: z.looseObject({ payout: z.looseObject({ reference: z.string() }).nullable() }),
  async run(place, { reference, kind, digest }): Promise<{ payout: PayoutRecord | null }> {
    const row = await rowOf(place, reference);
    if (row !== undefined) return { payout: row };
    await assertSigner(place, { reference, digest });
    const workflowId = payoutWorkflowId(reference, kind);
    const client = await place.client();
    if (await executionsOver(client).isOpen(workflowId)) return { payout: null };
    const claimed = await rowOf(place, reference);
    if (claimed !== undefined) return { payout: claimed };
    // A workflow that ended without claiming a row has sent nothing; its failure says why.
    await client.workflow
      .getHandle(workflowId)
      .result()
      .catch((error: Error) => {
        const why = error.cause instanceof Error ? error.cause.message : error.message;
        throw new Problem('refused', 'not-taken', `Nothing was sent: ${why}`, {
          hint: 'Correct what was asked for, and ask again under the same id.',
          cause: error,
        });
      });
    throw forgotten(workflowId);
  },
});

type Given = Pick<z.output<typeof PLAN_MOVE.input>, 'kind' | 'by'> & { instruction: object };

function moveOf(place: Place, { kind, instruction, by }: Given, signed: SignedDecision | undefined): MoveAsked {
  const maker = place.config.settings.policy === undefined ? makerOf(place.caller, by) : nameOf(place, by, signed);
  const given = Object.entries(instruction).filter(([, value]) => value !== undefined && value !== '');
  return { kind, instruction: Object.fromEntries(given) as PayoutInstruction, by: maker };
}

const openMove = ({ store, caller }: Place, move: MoveAsked): Promise<PayoutRecord | undefined> =>
  takenMove(store, move, (row) => maySeePayout(caller, row));

async function againIfGone(place: Place, row: PayoutRecord): Promise<void> {
  const client = await place.client();
  if (!(await executionsOver(client).isOpen(row.workflowId))) await restartPayout(client, row);
}

/**
 * Stores what the maker has signed: under a policy the workflow accepts only exactly this. A request that comes again has it stored
 * already.
 */
async function takeMakersWord(
  { store, config: { settings }, now }: Place,
  move: MoveAsked,
  { signed, touched }: { signed: SignedDecision | undefined; touched: ScopeFacts },
): Promise<void> {
  if (settings.policy === undefined) return;
  const { reference } = identityOf(move);
  const digest = madeDigest(move.instruction);
  const isThis = signed?.question === 'make' && signed.decision === 'approve' && signed.reference === reference;
  if (signed === undefined || !isThis || signed.digest !== digest) {
    throw new Problem('conflict', 'signed-something-else', 'What was signed is not what is asked for.', {
      hint: `The maker signs the reference and the digest of the instruction. ${WHAT_TO_SIGN}`,
    });
  }
  const authority = { store, settings, now };
  const take = async (): Promise<boolean> => {
    await store.takeSignedDecision(signed, now());
    return true;
  };
  const why = await takeOrRefuse(await whyDecisionIsVoid(authority, signed, touched), authority, signed, { take });
  if (why !== undefined)
    throw new Problem('forbidden', 'decision-refused', `The decision does not count: ${why}.`, { hint: NOT_COUNTED });
}

async function start(place: Place, move: MoveAsked): Promise<void> {
  const { kind, instruction, by } = move;
  const { currency, amount, id } = instruction;
  await executionsOver(await place.client()).startPayout({
    ...identityOf(move),
    kind,
    input: payoutInput({ instruction, batchId: null, by: by ?? null, generation: 0 }),
    summary: `${currency} ${amount}, document ${inMarkdown(id)}`,
  });
}

/** Throws a `Problem` if the caller may not see it. */
async function rowOf({ store, caller }: Place, reference: string): Promise<PayoutRecord | undefined> {
  const row = await store.payout(reference);
  if (row === undefined || maySeePayout(caller, row)) return row;
  throw unknownId(reference);
}

/** What has no row yet is shown to the person who has signed it. */
async function assertSigner(
  { store, caller: { person } }: Place,
  about: { reference: string; digest: string },
): Promise<void> {
  if (person === undefined) return;
  const made = await store.signedDecisionsOf({ ...about, question: 'make' });
  if (!made.some(({ subject }) => subject === person.name)) throw unknownId(about.reference);
}

/** The workflow has ended in Temporal, but the store has no row of it and will never get one: the store is an older copy. */
const forgotten = (workflowId: string): Problem =>
  new Problem(
    'refused',
    'not-taken',
    `${workflowId} has ended before, and the store does not know it. Nothing was sent.`,
    {
      hint: 'An older copy of the store was restored. Before it is moved under a new id, payouts orders UID CURRENCY shows whether the bank has it.',
    },
  );
