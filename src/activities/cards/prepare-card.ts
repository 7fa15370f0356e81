import { type CardEvent, type CardPaymentInput, type CardPaymentType, isCardEnd } from '../../domain/card-payment.ts';
import type { CardTerms } from '../../domain/card-terms.ts';
import { FAILURES, Misuse } from '../../domain/failures.ts';
import { cardDigest } from '../../domain/identity.ts';
import { parseAmount } from '../../domain/money.ts';
import { cardWorkflowId } from '../../domain/names.ts';
import { believedFrom } from '../../domain/restored.ts';
import { inDoubt } from '../../domain/submission.ts';
import type { CardRecord } from '../../store/card-store.ts';
import type { Caller } from '../../store/claimed-row.ts';
import type { SendAttempt } from '../../store/store.ts';
import { eventOf } from '../card-events/deliver.ts';
import type { ActivityDeps } from '../deps.ts';
import { sessionOf } from '../sending/send-card.ts';
import { claimCard, claimOf } from './claim-card.ts';
import { type StoredCardState, stateOf } from './record-card-state.ts';
import { type CardRequestIds, requestIdsOf, restartIdOf } from './request-ids.ts';

export interface PrepareCardInput {
  input: Partial<CardPaymentInput>;
  /** A run of this workflow id there was before this one, by the word of whoever has started it, or by its own history. */
  ranBefore?: boolean;
  /** The run knows no payment at the acquirer, and is about to end as unpaid. */
  endsWithout?: boolean;
}

/** What the first activity of a card payment returns into history. */
export type PreparedCard =
  | ({ kind: 'ended' } & StoredCardState)
  | {
      kind: 'ready';
      amount: string;
      paymentType: CardPaymentType;
      terms: CardTerms;
      requestIds: CardRequestIds;
      /** What earlier runs sent; absent if they sent nothing. */
      earlier?: EarlierRuns;
    };

export interface EarlierRuns {
  /** Index of the last create that was sent, and its number of attempts. */
  creation: number;
  attempts: number;
  /** When the first attempt in doubt of that create was sent, epoch ms; null if none may have been executed. */
  inDoubtSince: number | null;
  /** The payment_id of that create, if known. */
  paymentId: string | null;
  /** The 3-D Secure session of that create. */
  referenceId: string | null;
  /** That create was sent without a 3DS setup and the acquirer asked for one: start over with a setup. */
  wantsSetUp: boolean;
  /** payment_ids of the earlier creates. */
  before: string[];
  /** Number of resumes that were answered or refused; the one after them may be in doubt. */
  resumes: number;
  /** The resume in doubt. */
  openResume?: { attempts: number; othersKnown: number; firstSentAt: number };
  /** Whether some resume may have been executed. */
  resumed: boolean;
  events: CardEvent[];
}

/** Checks the identity, takes the claim and fixes the terms. Nothing here moves money; all of it may run again. */
export async function prepareCard(
  deps: ActivityDeps,
  caller: Caller,
  { input, ranBefore = false, endsWithout = false }: PrepareCardInput,
): Promise<PreparedCard> {
  const { merchant_request_id: id = '', amount, currency, payment_type: paymentType, three_ds: threeDs, by } = input;
  if (id === '' || caller.workflowId !== cardWorkflowId(id)) {
    throw new Misuse(
      FAILURES.wrongWorkflowId,
      'the workflow id of a card payment is card/<merchant_request_id>: the id is the lock against taking money twice',
    );
  }
  const payable = amount !== undefined && currency !== undefined && parseAmount(amount, currency).ok;
  const known = (paymentType === 'AUTH' || paymentType === 'DEBIT') && (threeDs === 'setup' || threeDs === 'skip');
  if (!payable || !known) {
    throw new Misuse(
      FAILURES.invalidInput,
      'the input needs amount (a decimal string above 0), currency, payment_type AUTH or DEBIT, and three_ds setup or skip',
    );
  }
  const asked = { merchant_request_id: id, amount, currency, payment_type: paymentType, by };
  const { record, samePayload, holder } = await claimCard(deps, caller, asked);
  // After a change of the amount, a later run is started with the new one.
  if (!samePayload && claimOf(asked).digest !== cardDigest(record)) {
    throw new Misuse(FAILURES.idReused, 'this merchant_request_id was used before for another payment');
  }
  if (isCardEnd(record.state)) return { kind: 'ended', ...stateOf(record) };
  const terms = deps.settings.cardTerms;
  const hadOther = ranBefore || holder === 'other-run';
  const earlier = hadOther ? await withForgotten(deps, record, await earlierRuns(deps, id), endsWithout) : undefined;
  return { kind: 'ready', amount: record.amount, paymentType, terms, requestIds: requestIdsOf(id), earlier };
}

const NOTHING_SENT: EarlierRuns = {
  ...{ creation: 0, attempts: 0, inDoubtSince: null, paymentId: null, referenceId: null, wantsSetUp: false },
  ...{ before: [], resumes: 0, resumed: false, events: [] },
};

/**
 * After an older copy was put in the store's place, a run before this one may have sent what it does not show, and no interface
 * finds that: only an event names it, or people. While the acquirer repeats its first answer, the same request finds it, so that
 * is known only by a run that ends without a payment.
 */
async function withForgotten(
  { store, settings, now }: ActivityDeps,
  { createdAt }: CardRecord,
  earlier: EarlierRuns | undefined,
  endsWithout: boolean,
): Promise<EarlierRuns | undefined> {
  const restored = await store.restored();
  if (restored === undefined) return earlier;
  if (!endsWithout && now() - restored.from < settings.cardTerms.repeatWindowMs) return earlier;
  if (createdAt > (believedFrom(restored, settings) ?? createdAt)) return earlier;
  const known = earlier ?? NOTHING_SENT;
  // What came after the payment that is known may be missing as well.
  return { ...known, paymentId: null, inDoubtSince: known.inDoubtSince ?? restored.from };
}

/** What runs before this one have sent: nothing is sent again before it is known what became of it. */
async function earlierRuns({ store }: ActivityDeps, merchantRequestId: string): Promise<EarlierRuns | undefined> {
  const { create, resume } = requestIdsOf(merchantRequestId);
  const creates = await Promise.all(create.map((id) => store.attempts(id)));
  const linked = await store.cards.paymentsOf(merchantRequestId);
  const creation = creates.findLastIndex((attempts) => attempts.length > 0);
  if (creation === -1 && linked.length === 0) return undefined;
  const last = creates[creation] ?? [];
  const resumes = await Promise.all(resume.map((id) => store.attempts(id)));
  // A payment_id that an earlier create was answered with does not belong to the last one.
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
    wantsSetUp: creation === 0 && (await store.cards.ownerOfRequest(restartIdOf(merchantRequestId))) !== undefined,
    before: [...others],
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
