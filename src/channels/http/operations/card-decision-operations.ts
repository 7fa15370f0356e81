import { z } from 'zod';
import { mayOperateCard, resolveDigest, type SignedDecision } from '../../../domain/authority.ts';
import { isMerchantRequestId } from '../../../domain/card-number.ts';
import { cardPaymentInput, isCardEnd } from '../../../domain/card-payment.ts';
import { MESSAGES } from '../../../domain/names.ts';
import { Problem } from '../../../domain/problem.ts';
import { askAudited } from '../../../people/decisions/verify.ts';
import { executionsOver, startCardPayment } from '../../../platform/temporal/workflow-executions.ts';
import type { CardRecord } from '../../../store/card-store.ts';
import type { ResolveCardUpdate } from '../../../workflows/messages.ts';
import { unknownCard, visibleCard } from '../../find-target.ts';
import { makerOf } from '../callers.ts';
import { amountDocument, cancelDocument } from '../card-documents.ts';
import { amountBody, amountOf, cancelBody } from '../card-requests.ts';
import { storableText } from '../documents.ts';
import { reused } from '../idempotency.ts';
import { assertMayControlCard } from '../may-see.ts';
import { operation, type Place, shortText } from '../operation.ts';
import type { CallerAccess } from '../route-access.ts';
import { answered, updateCard } from '../take-payment.ts';
import { CARD_TAG } from './card-operations.ts';
import { nameOf, notYours, signedInput, storeSigned } from './decision-operations.ts';

const requestId = z.string();
/** Its maker, and an operator whose scope holds it. */
const CONTROL: CallerAccess = { roles: ['maker', 'operator'], scope: 'each' };

export const CARD_AMOUNT = operation({
  method: 'POST',
  path: '/v1/card-payments/:id/amount',
  tag: CARD_TAG,
  summary: 'Change the amount before anything that takes money is sent',
  access: CONTROL,
  keyed: true,
  input: amountBody.extend({ id: requestId, signed: signedInput }),
  answer: amountDocument,
  async run(place, { id, amount: given, by, signed }, key): Promise<{ amount: string }> {
    const record = await controlled(place, id);
    const amount = amountOf(given, record.currency);
    const asker = await askerOf(place, record, { by, signed, action: `${MESSAGES.changeAmount} ${amount}` });
    const change = { amount, by: asker };
    const taken = await sendAudited<{ amount: string }>(
      place,
      record,
      MESSAGES.changeAmount,
      change,
      key ?? signed?.id,
    );
    if (taken.amount !== amount) throw reused();
    return { amount };
  },
});

export const CANCEL_CARD = operation({
  method: 'POST',
  path: '/v1/card-payments/:id/cancel',
  tag: CARD_TAG,
  summary: 'Cancel a card payment before anything that takes money is sent',
  access: CONTROL,
  input: cancelBody.extend({ id: requestId, signed: signedInput }),
  answer: cancelDocument,
  async run(place, { id, by, reason = 'cancelled by the merchant', signed }): Promise<{ outcome: string }> {
    const record = await controlled(place, id);
    const asked = { by: await askerOf(place, record, { by, signed, action: MESSAGES.cancel }), reason };
    const { outcome } = await sendAudited<{ outcome: string }>(place, record, MESSAGES.cancel, asked);
    return { outcome };
  },
});

/** `confirm-end`: the stored end is right, despite what has contradicted it. */
const ACTIONS = ['keep-looking', 'adopt-payment', 'close-as-not-paid', 'confirm-end'] as const;
export type ResolveCardAction = (typeof ACTIONS)[number];

type CardResolved = { confirmed: true } | { accepted: boolean; message: string; isStarted: boolean };

export const RESOLVE_CARD = operation({
  method: 'POST',
  path: '/v1/card-payments/:id/resolve',
  tag: CARD_TAG,
  summary: 'Decide on a card payment of unknown outcome, or whose end was contradicted',
  access: { roles: ['operator'], scope: 'each' },
  input: z.strictObject({
    id: requestId,
    action: z.enum(ACTIONS),
    evidence: storableText,
    paymentId: shortText.optional().describe('the payment to adopt'),
    by: storableText.optional(),
    signed: signedInput,
  }),
  answer: z.looseObject({}),
  async run(place, { id, action, evidence, paymentId, by: given, signed }): Promise<CardResolved> {
    const record = await named(place, id);
    const { person } = place.caller;
    if (person !== undefined && !mayOperateCard(person, record)) throw notYours('an operator');
    const by = nameOf(place, given, signed);
    await storeSigned(
      place,
      signed,
      aboutCard(record, paymentId === undefined ? action : `${action} ${paymentId}`, evidence),
    );
    if (action === 'confirm-end') return confirmEnd(place, record, { by, evidence });
    if (await startedAgain(place, record)) {
      const message = 'its workflow was closed and is started again; it first checks what was sent';
      return { accepted: false, message, isStarted: true };
    }
    const asked: ResolveCardUpdate = { action, evidence, paymentId, by };
    const taken = await sendAudited<{ accepted: boolean; message: string }>(place, record, MESSAGES.resolve, asked);
    return { ...taken, isStarted: false };
  },
});

/** What somebody signs who decides about a card payment. */
export const aboutCard = (
  { merchantRequestId: reference }: Pick<CardRecord, 'merchantRequestId'>,
  action: string,
  remark = '',
) => ({ question: 'resolve', reference, digest: resolveDigest(action, reference), remark }) as const;

/** By its own id alone. The store is not asked about an impossible one, over which it might fail. */
async function named(place: Place, id: string): Promise<CardRecord> {
  if (!isMerchantRequestId(id)) throw unknownCard();
  return visibleCard(place, id);
}

/** Of a path, for those who may decide about it. */
async function controlled(place: Place, id: string): Promise<CardRecord> {
  const record = await named(place, id);
  assertMayControlCard(place.caller, record);
  return record;
}

/** In whose name. A token is enough to keep money where it is; what is signed too is stored before it is carried out. */
async function askerOf(
  place: Place,
  record: CardRecord,
  { by, signed, action }: { by: string | undefined; signed: SignedDecision | undefined; action: string },
): Promise<string> {
  if (signed !== undefined) await storeSigned(place, signed, aboutCard(record, action, signed.remark));
  return makerOf(place.caller, signed?.subject ?? by) ?? 'gateway';
}

/** Sends one update to the workflow, with an audit entry of request and answer. */
async function sendAudited<Answer extends object>(
  place: Place,
  { merchantRequestId, workflowId }: CardRecord,
  update: string,
  asked: { by: string },
  updateId?: string,
): Promise<Answer> {
  const { by, ...what } = asked;
  const answer = await askAudited(
    place,
    { by, action: update, subject: merchantRequestId, detail: inWords(what) },
    async () =>
      answered(
        await updateCard<Answer>(await place.client(), merchantRequestId, update, {
          payload: asked,
          updateId,
          ms: place.answerMs,
        }),
      ),
    inWords,
  );
  await place.carriedOut([workflowId]);
  return answer;
}

/** The members that are set, as texts. */
const inWords = (said: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(said)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, `${value}`]),
  );

/** An operator has checked with the acquirer: the stored end is right, and the payouts that wait for this payment check again. */
async function confirmEnd(
  place: Place,
  { merchantRequestId }: CardRecord,
  word: { by: string; evidence: string },
): Promise<CardResolved> {
  const { cards } = place.store;
  const asked = { by: word.by, action: 'confirm-end', subject: merchantRequestId, detail: { evidence: word.evidence } };
  const confirmed = async (): Promise<void> => {
    if (await cards.confirmEnd(merchantRequestId, { ...word, at: place.now() })) return;
    throw new Problem('usage', 'not-contradicted', 'Nothing has contradicted the end of this card payment.', {
      hint: `payouts card show ${merchantRequestId} shows its events.`,
    });
  };
  // Confirming an end already writes its own audit entry.
  await askAudited(place, asked, confirmed, () => undefined);
  const waiting = await cards.waiters(merchantRequestId);
  if (waiting.length > 0) {
    const executions = executionsOver(await place.client());
    await Promise.all(waiting.map((workflowId) => executions.readAgain(workflowId)));
  }
  return { confirmed: true };
}

/** If the payment has no end but its workflow is closed (terminated, say), starts it again under its id. */
async function startedAgain(place: Place, record: CardRecord): Promise<boolean> {
  if (isCardEnd(record.state)) return false;
  const client = await place.client();
  if (await executionsOver(client).isOpen(record.workflowId)) return false;
  await startCardPayment(client, cardPaymentInput(record));
  return true;
}
