import { v7 } from 'uuid';
import { z } from 'zod';
import type { DecideUpdate, StatementAbout } from '../../../domain/authority.ts';
import { isDecision, resolveDigest, type SignedDecision } from '../../../domain/authority.ts';
import { MESSAGES } from '../../../domain/names.ts';
import { canRecheck, RESOLVE_ACTIONS } from '../../../domain/payout-state.ts';
import { Problem } from '../../../domain/problem.ts';
import { roleAskedOf } from '../../../people/decisions/scope.ts';
import { scopeFactsOfRow, storeDecision } from '../../../people/decisions/verdict.ts';
import { askAudited, outcomeInWords } from '../../../people/decisions/verify.ts';
import { inTime, resolveMs } from '../../../platform/temporal/worker-answer.ts';
import {
  executionsOver,
  refusalOf,
  resolvePayout,
  updatePayout,
} from '../../../platform/temporal/workflow-executions.ts';
import { decidedText } from '../../../reports/decided-text.ts';
import type { PayoutRecord } from '../../../store/store.ts';
import { makerOf } from '../callers.ts';
import { storableText } from '../documents.ts';
import { assertMayOperate, DECIDERS, mayDecide, mayOperate } from '../may-see.ts';
import { operation, type Place, pathId, visiblePayout } from '../operation.ts';

/** The answer of a payout's workflow, or why it refused. */
export type DecisionAnswer = { outcome: string; says?: string } | { refused: string };

const decisionAnswer = z
  .union([
    z.looseObject({
      outcome: z.string(),
      says: z.string().optional().describe('what was decided, and whose turn it is'),
    }),
    z.looseObject({ refused: z.string() }),
  ])
  .meta({ id: 'DecisionAnswer' });
const TAG = 'decisions';
const byInput = storableText.optional();

/** Checked as a whole by the code that relies on it. */
export const signedInput = z
  .custom<SignedDecision>((given) => isDecision(given), 'is not a signed decision')
  .meta({
    id: 'SignedDecision',
    description: 'Statement about a question, and the signature over it (docs/production.md); required under a policy.',
    type: 'object',
    properties: {
      ...Object.fromEntries(['id', 'storeId', 'question', 'reference', 'digest', 'subject', 'remark'].map(textMember)),
      decision: { type: 'string', enum: ['approve', 'reject'] },
      ...Object.fromEntries(['signedAt', 'expiresAt'].map((name) => [name, { type: 'integer' }])),
      ...Object.fromEntries(['credential', 'signature'].map(textMember)),
    },
  })
  .optional();

function textMember(name: string): [string, { type: 'string' }] {
  return [name, { type: 'string' }];
}

export const DECIDE = operation({
  method: 'POST',
  path: '/v1/payouts/:reference/decisions',
  tag: TAG,
  summary: 'Approve or reject what a payout asks now',
  access: { roles: ['approver', 'compliance'], scope: 'each' },
  input: z.strictObject({
    reference: pathId,
    decision: z.enum(['approve', 'reject']),
    by: byInput,
    remark: storableText.optional(),
    digest: z
      .string()
      .max(1_000)
      .optional()
      .describe('of the question that was shown; required where nothing is signed'),
    signed: signedInput,
  }),
  answer: decisionAnswer,
  async run(place, { reference, decision, remark, digest, signed, ...asked }) {
    const row = await visiblePayout(place, reference);
    if (!mayDecide(place.caller, row)) throw notYours(DECIDERS[roleAskedOf(row)]);
    if (signed === undefined && digest === undefined) throw unbound();
    const by = nameOf(place, asked.by, signed);
    const update: DecideUpdate = { decisionId: signed?.id ?? v7(), decision, by, remark, digest, signed };
    const detail: Record<string, string> = remark === undefined ? {} : { remark };
    const answer = await sendAudited(place, row, { by, action: decision, detail }, async (client) =>
      updatePayout({ client, store: place.store }, row, MESSAGES.decide, update),
    );
    const after = await place.store.payout(reference);
    if (!('outcome' in answer) || answer.outcome !== 'counted' || signed === undefined || after === undefined)
      return answer;
    return { ...answer, says: await decidedText(place, signed, [after]) };
  },
});

/** It would count for whatever the payout asks when it arrives. */
const unbound = (): Problem =>
  new Problem('usage', 'digest-missing', 'The decision does not say what it is about.', {
    hint: 'Send `digest`, as GET /v1/waiting shows it with the question.',
  });

export const CANCEL_PAYOUT = operation({
  method: 'POST',
  path: '/v1/payouts/:reference/cancel',
  tag: TAG,
  summary: 'Cancel a payout, if that is still possible; needs no signature',
  access: { roles: ['maker', 'operator'], scope: 'each' },
  input: z.strictObject({ reference: pathId, by: byInput, reason: storableText }),
  answer: decisionAnswer,
  async run(place, { reference, reason, by: given }) {
    const row = await visiblePayout(place, reference);
    const { caller, store } = place;
    const isMakers = caller.person?.name === row.by;
    if (!isMakers && !mayOperate(caller, 'resolve', scopeFactsOfRow(row))) throw notYours('its maker, or an operator');
    const by = nameOf(place, given, undefined);
    return sendAudited(place, row, { by, action: 'cancel', detail: { reason } }, (client) =>
      updatePayout({ client, store }, row, MESSAGES.cancel, { by, reason }),
    );
  },
});

export const RECHECK = operation({
  method: 'POST',
  path: '/v1/payouts/:reference/recheck',
  tag: TAG,
  summary: 'Have a payout that is held, or waits for money, check at once; approves nothing',
  access: { roles: ['maker', 'approver', 'compliance', 'operator'], scope: 'each' },
  input: z.strictObject({ reference: pathId, by: byInput }),
  answer: decisionAnswer,
  async run(place, { reference, by: given }): Promise<DecisionAnswer> {
    const row = await visiblePayout(place, reference);
    if (!canRecheck(row.state)) return { refused: `it waits for nothing that can be checked: it is ${row.state}` };
    const by = makerOf(place.caller, given) ?? 'gateway';
    return sendAudited(place, row, { by, action: 'recheck', detail: {} }, async (client) =>
      (await executionsOver(client).readAgain(row.workflowId)) ? 'rechecking' : { refused: 'it is not running' },
    );
  },
});

export const RESOLVE = operation({
  method: 'POST',
  path: '/v1/payouts/:reference/resolve',
  tag: TAG,
  summary: 'Decide on a payout whose outcome cannot be determined',
  access: { roles: ['operator'], scope: 'each' },
  input: z.strictObject({
    reference: pathId,
    action: z.enum(RESOLVE_ACTIONS),
    evidence: storableText,
    order: z.string().max(200).optional().describe('id of the order to adopt'),
    by: byInput,
    signed: signedInput,
  }),
  answer: decisionAnswer,
  async run(place, { reference, action, evidence, order: orderId, by: given, signed }) {
    const row = await visiblePayout(place, reference);
    const touched = scopeFactsOfRow(row);
    assertMayOperate(place.caller, 'resolve', touched);
    const by = nameOf(place, given, signed);
    const digest = resolveDigest(action, orderId);
    await storeSigned(place, signed, { question: 'resolve', reference, digest, remark: evidence }, touched);
    const request = { action, by, evidence, orderId, decisionId: signed?.id };
    const ms = resolveMs(place.config.settings);
    return sendAudited(
      place,
      row,
      { by, action: 'resolve', detail: { action, evidence } },
      (client) => resolvePayout({ client, store: place.store }, row, request),
      ms,
    );
  },
});

type Client = Awaited<ReturnType<Place['client']>>;

/** Asks a workflow, with an audit entry of request and answer. */
async function sendAudited(
  place: Place,
  { reference: subject, workflowId }: PayoutRecord,
  asked: { by: string; action: string; detail: Readonly<Record<string, string>> },
  ask: (client: Client) => Promise<string | { refused: string }>,
  ms = place.answerMs,
): Promise<DecisionAnswer> {
  const client = await place.client();
  const answer = await askAudited(
    place,
    { ...asked, subject },
    () => inTime(client, () => ask(client), ms).catch(refusalOf),
    outcomeInWords,
  );
  await place.carriedOut([workflowId]);
  return typeof answer === 'string' ? { outcome: answer } : answer;
}

/** In whose name: the signer's, who over HTTP must be the caller. */
export function nameOf({ caller, config }: Place, by: string | undefined, signed: SignedDecision | undefined): string {
  const isPolicy = config.settings.policy !== undefined;
  const name = makerOf(caller, isPolicy ? (signed?.subject ?? by) : by);
  if (name !== undefined) return name;
  throw new Problem('usage', 'name-missing', 'Nobody is named as who asks.', { hint: 'Give your name.' });
}

/**
 * Stores what an operator has signed before it is carried out. Throws a `Problem` if the policy requires a signature and this is
 * none for exactly that.
 */
export async function storeSigned(
  { store, config, now }: Place,
  signed: SignedDecision | undefined,
  about: StatementAbout,
  touched?: ReturnType<typeof scopeFactsOfRow>,
): Promise<void> {
  const { settings } = config;
  if (settings.policy === undefined) return;
  const differing = signed === undefined ? [] : differences(signed, about);
  if (signed === undefined || differing.length > 0) {
    const why =
      signed === undefined
        ? 'The policy asks for a signature, and `signed` is missing.'
        : `What was signed is not what is asked for: ${differing.join(', ')}.`;
    throw new Problem('conflict', 'signed-something-else', why, { hint: WHAT_TO_SIGN });
  }
  const why = await storeDecision({ store, settings, now }, signed, touched);
  if (why !== undefined)
    throw new Problem('forbidden', 'decision-refused', `The decision does not count: ${why}.`, { hint: NOT_COUNTED });
}

/** The reason is in the message. */
export const NOT_COUNTED = 'Nothing was decided. Read the question again, and sign what it shows now.';

/** For programs: the command signs what it asks for. */
export const WHAT_TO_SIGN = 'docs/production.md ("For programs") says what each request signs.';

/** Members of the statement that are other than what is asked for. */
const differences = (signed: SignedDecision, about: StatementAbout): string[] =>
  Object.entries({ ...about, decision: 'approve' })
    .filter(([member, value]) => signed[member as keyof StatementAbout | 'decision'] !== value)
    .map(([member]) => member);

export const notYours = (who: string): Problem =>
  new Problem('forbidden', 'role-missing', 'The policy does not let you decide this.', {
    hint: `It requires ${who} whose scope covers it, and who is not its maker where it is an approval.`,
  });
