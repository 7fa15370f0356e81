import { contradictsEnd } from '../domain/card-judgement.ts';
import {
  type CardEvent,
  type CardPaymentInput,
  type CardPaymentType,
  type CardPaymentView,
  type CardState,
  isCardEnd,
} from '../domain/card-payment.ts';
import type { CardSendResult, ResumeInput } from '../domain/card-sending.ts';
import { type CardTerms, RESTARTS_MAX, RESUMES_MAX } from '../domain/card-terms.ts';
import { FAILURES } from '../domain/failures.ts';
import { parseAmount } from '../domain/money.ts';
import { cardWorkflowId } from '../domain/names.ts';
import type { Reason } from '../domain/payout-state.ts';
import { inDoubt } from '../domain/submission.ts';
import { cardDigest, cardRequestId } from '../identity.ts';
import { viewOf } from '../services/card-events/card-view.ts';
import { eventOf } from '../services/card-events/deliver.ts';
import type { ActivityDeps } from '../services/deps.ts';
import type { CardRecord } from '../store/card-store.ts';
import type { SendAttempt } from '../store/store.ts';
import { sendCardOnce, sessionOf } from './send-card.ts';
import { permanentFailure, reading } from './to-failure.ts';

export interface PrepareCardInput {
  workflowId: string;
  runId: string;
  input: Partial<CardPaymentInput>;
}

/** Where a card payment stands in the store. */
export interface StoredCardState {
  state: CardState;
  reason: Reason | null;
  paymentId: string | null;
}

/** What the first activity of a card payment returns into history. */
export type PreparedCard =
  | ({ kind: 'ended' } & StoredCardState)
  | {
      kind: 'ready';
      amount: string;
      paymentType: CardPaymentType;
      terms: CardTerms;
      /** merchant_request_id of the n-th create (the caller's own first) and of the n-th resume. */
      requestIds: { create: string[]; resume: string[] };
      /** What earlier runs have sent; absent when they sent nothing. */
      earlier?: EarlierRuns;
    };

export interface EarlierRuns {
  /** The last of their creates, and how many attempts it had. */
  creation: number;
  attempts: number;
  /** When the first of these was sent, epoch ms; null when none may have been executed. */
  inDoubtSince: number | null;
  /** The payment of that create, where it is known. */
  paymentId: string | null;
  /** The 3-D Secure session of that create. */
  referenceId: string | null;
  /** Resumes that were answered or refused; the next one may be in doubt. */
  resumes: number;
  /** The resume in doubt. */
  openResume?: { attempts: number; othersKnown: number; firstSentAt: number };
  /** A resume may have been executed. */
  resumed: boolean;
  events: CardEvent[];
}

export interface ClaimPaymentInput {
  merchantRequestId: string;
  paymentId: string;
}

export interface RecordCardStateInput {
  merchantRequestId: string;
  /** Absent: as it is, with a changed amount. */
  state?: CardState;
  reason?: Reason | null;
  paymentId?: string;
  bin?: string;
  lastFour?: string;
  amount?: string;
}

export const cardActivities = (deps: ActivityDeps) => ({
  /** Checks the identity, takes the claim and fixes the terms. Nothing here moves money; all of it may run again. */
  prepareCard: (input: PrepareCardInput): Promise<PreparedCard> => prepareCard(deps, input),

  /** What the acquirer shows now. */
  async retrievePayment({ paymentId }: { paymentId: string }): Promise<CardPaymentView> {
    return reading(async () => viewOf(await deps.bank.cards.retrieve(paymentId)));
  },

  /** Makes a payment this intent's, unless it is another's: false then. */
  async claimPayment({ merchantRequestId, paymentId }: ClaimPaymentInput): Promise<boolean> {
    await deps.store.cards.link(paymentId, merchantRequestId, deps.now());
    return (await deps.store.cards.ownerOfPayment(paymentId)) === merchantRequestId;
  },

  /** One POST that resumes a payment after its challenge. */
  resumePayment: (input: ResumeInput): Promise<CardSendResult> =>
    sendCardOnce(deps, input, (options) =>
      deps.bank.cards.resume(
        {
          merchantRequestId: input.requestId,
          paymentType: input.paymentType,
          amount: input.amount,
          currency: input.currency,
          paymentId: input.paymentId,
          referenceId: input.referenceId ?? undefined,
        },
        options,
      ),
    ),

  /** Where the payment stands, for people and for the payouts that wait for it. A stored end is never left. */
  async recordCardState({ merchantRequestId, ...change }: RecordCardStateInput): Promise<StoredCardState> {
    const { cards } = deps.store;
    const record = await cards.change(merchantRequestId, { ...change, at: deps.now() });
    if (isCardEnd(record.state)) {
      await noteContradictions(deps, record);
      const waiters = await cards.waiters(merchantRequestId);
      await Promise.all(waiters.map((workflowId) => deps.executions.lookAgain(workflowId)));
    }
    return stateOf(record);
  },
});

/** What was told to the workflow in the moment of its end, and says something else. */
async function noteContradictions({ store, now }: ActivityDeps, record: CardRecord): Promise<void> {
  const { merchantRequestId } = record;
  for (const event of await store.cards.eventsOf(merchantRequestId)) {
    if (event.kind !== 'status' || event.trust !== 'verified' || !contradictsEnd(record, event)) continue;
    await store.cards.settleEvent(event, { merchantRequestId, effect: 'contradicts', at: now() });
  }
}

const digestOf = ({ merchantRequestId, amount, currency, paymentType }: CardRecord): string =>
  cardDigest({ merchant_request_id: merchantRequestId, amount, currency, payment_type: paymentType });

const stateOf = ({ state, reason, paymentId }: CardRecord): StoredCardState => ({ state, reason, paymentId });

async function prepareCard(deps: ActivityDeps, { workflowId, runId, input }: PrepareCardInput): Promise<PreparedCard> {
  const { merchant_request_id: id = '', amount, currency, payment_type: paymentType, three_ds: threeDs } = input;
  if (id === '' || workflowId !== cardWorkflowId(id)) {
    throw permanentFailure(
      FAILURES.wrongWorkflowId,
      'the workflow id of a card payment is card/<merchant_request_id>: the id is the lock against taking money twice',
    );
  }
  const payable = amount !== undefined && currency !== undefined && parseAmount(amount, currency).ok;
  const known = (paymentType === 'AUTH' || paymentType === 'DEBIT') && (threeDs === 'setup' || threeDs === 'skip');
  if (!payable || !known) {
    throw permanentFailure(
      FAILURES.invalidInput,
      'the input needs amount (a decimal string above 0), currency, payment_type AUTH or DEBIT, and three_ds setup or skip',
    );
  }
  await deps.assertIdentity();
  const digest = cardDigest({ merchant_request_id: id, amount, currency, payment_type: paymentType });
  const { record, samePayload, holder } = await deps.store.cards.claim({
    merchantRequestId: id,
    workflowId,
    amount,
    currency,
    paymentType,
    digest,
    by: input.by ?? null,
    runId,
    at: deps.now(),
  });
  // An amount that was changed since is what a later run is started with.
  if (!samePayload && digest !== digestOf(record)) {
    throw permanentFailure(FAILURES.idReused, 'this merchant_request_id was used before for another payment');
  }
  if (isCardEnd(record.state)) return { kind: 'ended', ...stateOf(record) };
  const requestIds = {
    create: Array.from({ length: RESTARTS_MAX + 1 }, (_, n) => (n === 0 ? id : cardRequestId(id, 'create', n))),
    resume: Array.from({ length: RESUMES_MAX }, (_, n) => cardRequestId(id, 'resume', n)),
  };
  return {
    kind: 'ready',
    amount: record.amount,
    paymentType,
    terms: deps.settings.cardTerms,
    requestIds,
    earlier: holder === 'this-run' ? undefined : await earlierRuns(deps, id, requestIds),
  };
}

/** What runs before this one have sent: nothing is sent again before it is known what became of it. */
async function earlierRuns(
  { store }: ActivityDeps,
  merchantRequestId: string,
  requestIds: { create: readonly string[]; resume: readonly string[] },
): Promise<EarlierRuns | undefined> {
  const creates = await Promise.all(requestIds.create.map((id) => store.attempts(id)));
  const resumes = await Promise.all(requestIds.resume.map((id) => store.attempts(id)));
  const linked = await store.cards.paymentsOf(merchantRequestId);
  const creation = creates.findLastIndex((attempts) => attempts.length > 0);
  if (creation === -1 && linked.length === 0) return undefined;
  const last = creates[creation] ?? [];
  // A payment that another create was answered with is not the one of the last.
  const others = new Set(creates.slice(0, Math.max(0, creation)).flatMap(paymentsIn));
  const begun = resumes.findLastIndex((attempts) => attempts.length > 0);
  const open = inDoubt(resumes[begun] ?? []);
  const isOpen = open.length > 0 && open.every(({ outcome }) => outcome !== 'accepted');
  return {
    creation: Math.max(0, creation),
    attempts: last.length,
    inDoubtSince: inDoubt(last)[0]?.sentAt ?? null,
    paymentId: paymentsIn(last).at(-1) ?? linked.filter((id) => !others.has(id)).at(-1) ?? null,
    referenceId: sessionOf(last.at(-1)),
    resumes: isOpen ? begun : begun + 1,
    ...(isOpen && {
      openResume: {
        attempts: resumes[begun]?.length ?? 0,
        othersKnown: open.length,
        firstSentAt: open[0]?.sentAt ?? 0,
      },
    }),
    resumed: resumes.some((attempts) => inDoubt(attempts).length > 0),
    events: (await store.cards.eventsOf(merchantRequestId)).map(eventOf),
  };
}

const paymentsIn = (attempts: readonly SendAttempt[]): string[] => attempts.flatMap(({ orderId }) => orderId ?? []);
