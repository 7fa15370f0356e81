import type { SendOptions } from '../../bank/call-options.ts';
import type { CardEntry, CardVault } from '../../bank/cards/card-vault.ts';
import type { Cards, CreateRequest, ThreeDsSession } from '../../bank/cards/cards.ts';
import { withoutCardData } from '../../bank/cards/without-card-data.ts';
import { BankError } from '../../bank/errors.ts';
import type { CardPaymentView } from '../../domain/card-payment.ts';
import type { CardSendResult, CreateInput, SetUpInput, SetUpResult } from '../../domain/card-sending.ts';
import type { Caller, Sender } from '../../store/claimed-row.ts';
import { type PostedPayment, sendCardOnce, sentBefore } from '../sending/send-card.ts';
import { viewOf } from './card-view.ts';
import { requestIdsOf, restartIdOf } from './request-ids.ts';

export interface VaultDeps extends Sender {
  vault: CardVault;
  bank: { cards: Pick<Cards, 'setUp' | 'create'> };
}

// Inputs, results and failures of these activities are history: no result holds card data, and no error escapes.

export async function setUpCard(
  deps: VaultDeps,
  { merchantRequestId, card, amount, currency }: SetUpInput,
): Promise<SetUpResult> {
  const entry = deps.vault.use(card.handle, merchantRequestId);
  if (entry === undefined) return { outcome: 'card-gone' };
  try {
    await deps.assertIdentity();
    const session = sessionOf(await deps.bank.cards.setUp({ card: entry.card, amount, currency }), entry);
    // A 3DS completion notice may name only the session.
    if (session.outcome === 'ready') await deps.store.cards.addSession(session.referenceId, merchantRequestId);
    return session;
  } catch (error) {
    if (!(error instanceof BankError)) return { outcome: 'unavailable', why: 'the set-up failed' };
    const status = error.httpStatus === undefined ? error.name : `HTTP ${error.httpStatus}`;
    const why = error.code === undefined ? status : `code ${error.code}`;
    const refused = error.outcome === 'refused' && !error.tokenSuspect;
    return { outcome: refused ? 'refused' : 'unavailable', why };
  }
}

export async function createCardPayment(deps: VaultDeps, caller: Caller, input: CreateInput): Promise<CardSendResult> {
  const entry = deps.vault.use(input.card.handle, input.merchantRequestId);
  if (entry === undefined) return cardGone(deps, caller, input);
  try {
    const rivals = requestIdsOf(input.merchantRequestId).create;
    const post = (options: SendOptions): Promise<PostedPayment> => create(deps, input, entry, options);
    const result = await withSetUpWanted(deps, input, await sendCardOnce(deps, caller, { ...input, rivals }, post));
    if (isOver(result, input)) deps.vault.forget(input.card.handle);
    return result;
  } catch {
    // The answer could not be stored. Repeating the same request returns the same payment.
    return { outcome: 'ambiguous', why: 'store-unreachable' };
  }
}

/** A stored answer that the workflow never received has no status; whether it asked for a setup was registered with it. */
async function withSetUpWanted(
  { store }: VaultDeps,
  { merchantRequestId, requestId }: CreateInput,
  result: CardSendResult,
): Promise<CardSendResult> {
  if (result.outcome !== 'answered' || result.payment.status !== '' || requestId !== merchantRequestId) return result;
  if ((await store.cards.ownerOfRequest(restartIdOf(merchantRequestId))) === undefined) return result;
  return { ...result, payment: { ...result.payment, status: 'REQUIRES_ACTION' } };
}

/** The card is gone, but may have been used: a run that was reset does not know. */
async function cardGone(deps: VaultDeps, caller: Caller, input: CreateInput): Promise<CardSendResult> {
  try {
    return await withSetUpWanted(deps, input, (await sentBefore(deps, caller, input)) ?? { outcome: 'card-gone' });
  } catch {
    return { outcome: 'not-sent', why: 'store-unreachable' };
  }
}

function sessionOf({ referenceId, dataCollectionInfo }: ThreeDsSession, entry: CardEntry): SetUpResult {
  const free = withoutCardData({ referenceId, dataCollectionInfo }, entry) as Partial<ThreeDsSession>;
  if (free.referenceId === undefined) return { outcome: 'unavailable', why: 'the session has no id that may be kept' };
  return { outcome: 'ready', referenceId: free.referenceId, dataCollectionInfo: free.dataCollectionInfo ?? null };
}

/**
 * Throws if the answer's id or status holds card data, which must not be stored: the payment is looked up instead. Also if it
 * shows the payment of another intent, which an acquirer took for the same one: the outcome is then unknown.
 */
async function create(
  { bank, store, now }: VaultDeps,
  { merchantRequestId, requestId, paymentType, amount, currency, referenceId }: CreateInput,
  entry: CardEntry,
  options: SendOptions,
): Promise<PostedPayment> {
  const intent = { merchantRequestId: requestId, paymentType, amount, currency };
  const request: CreateRequest = { ...intent, ...entry, ...(referenceId === null ? {} : { referenceId }) };
  const shown = await bank.cards.create(request, options);
  const { paymentId, status, nextAction, ...rest } = withoutCardData(shown, entry) as Partial<CardPaymentView>;
  if (paymentId === undefined || status === undefined) throw new Error('the answer has no id that may be kept');
  const events = await store.cards.linkPayment(paymentId, merchantRequestId, now());
  if (events === undefined) throw new Error('the payment of another intent');
  // Before the answer is in the store: whoever finds it there finds this too.
  if (status === 'REQUIRES_ACTION' && nextAction == null && referenceId === null) {
    await store.cards.addRequest(restartIdOf(merchantRequestId), merchantRequestId);
  }
  const action = nextAction?.type === undefined ? null : { ...nextAction, verifyUrl: nextAction.verifyUrl ?? null };
  const view = viewOf({ ...rest, paymentId, status, nextAction: action }, paymentId);
  return { payment: view, events };
}

/** Whether the card is no longer needed: the acquirer has decided, or continues with the session of a setup. */
function isOver(result: CardSendResult, { referenceId, keepCard }: CreateInput): boolean {
  if (result.outcome !== 'answered') return false;
  const { status, nextAction } = result.payment;
  return status !== 'REQUIRES_ACTION' || nextAction !== null || referenceId !== null || !keepCard;
}
