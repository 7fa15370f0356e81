import { assertNoCardNumber } from '../../channels/find-card.ts';
import type { CardDocument } from '../../channels/http/card-documents.ts';
import {
  aboutCard,
  CANCEL_CARD,
  CARD_AMOUNT,
  RESOLVE_CARD,
  type ResolveCardAction,
} from '../../channels/http/operations/card-decisions.ts';
import { CARD } from '../../channels/http/operations/cards.ts';
import { mayOperateCard, type SignedDecision } from '../../domain/authority.ts';
import { groupedAmount } from '../../domain/display.ts';
import { formatMinor, parseAmount } from '../../domain/money.ts';
import { MESSAGES } from '../../domain/names.ts';
import { Problem } from '../../domain/problem.ts';
import { confirm } from '../confirm.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import { holdKey, type SignedOptions, signerOf } from '../signer.ts';

/** The card payment that is decided about. */
async function found(session: Session, id: string, { key }: Pick<SignedOptions, 'key'>): Promise<CardDocument> {
  assertNoCardNumber(id);
  await holdKey(session, key);
  return (await session.ask(CARD, { id })).card_payment;
}

/**
 * Whoever may decide about a card payment, once asked whether they do; what they decide is signed where a policy asks for that.
 */
async function decided(
  session: Session,
  payment: CardDocument,
  { yes, ...asker }: SignedOptions,
  { question, action, remark = '' }: { question: string; action: string; remark?: string },
): Promise<{ by: string; signed: SignedDecision | undefined }> {
  const signer = await signerOf(session, asker, 'resolve', (person) => mayOperateCard(person, payment));
  await confirm(question, yes);
  const { merchant_request_id: merchantRequestId } = payment;
  return { by: signer.name, signed: signer.sign?.(aboutCard({ merchantRequestId }, action, remark)) };
}

/** `payouts card cancel ID`: before anything was sent that takes money. */
export async function cancelCard(
  session: Session,
  given: string,
  { remark, ...options }: SignedOptions & { remark: string | undefined },
): Promise<ExitCode> {
  const payment = await found(session, given, options);
  const { merchant_request_id: id } = payment;
  const question = `Cancel card payment ${id}?`;
  const word = await decided(session, payment, options, { question, action: MESSAGES.cancel, remark });
  const asked = { id, ...word, reason: remark ?? 'cancelled by an operator' };
  const { outcome } = await session.ask(CANCEL_CARD, asked).catch(notNow(payment));
  session.output.result({ merchant_request_id: id, outcome }, outcome);
  return outcome === 'cancelled' ? EXIT.completed : EXIT.exceptions;
}

/** `payouts card amount ID AMOUNT`: only before anything was sent that can take money. */
export async function changeCardAmount(
  session: Session,
  given: string,
  text: string,
  options: SignedOptions,
): Promise<void> {
  const payment = await found(session, given, options);
  const { merchant_request_id: id, currency } = payment;
  const parsed = parseAmount(text, currency);
  if (!parsed.ok) {
    throw new Problem('usage', 'amount-refused', `This amount cannot be used: ${parsed.rule}.`, {
      hint: `Write a decimal above 0 with no more decimals than ${currency} has.`,
    });
  }
  const amount = formatMinor(parsed.minor, currency);
  const question = `Change ${groupedAmount(payment.amount)} ${currency} to ${groupedAmount(amount)}?`;
  const word = await decided(session, payment, options, { question, action: `${MESSAGES.changeAmount} ${amount}` });
  const told = await session.ask(CARD_AMOUNT, { id, amount, ...word }).catch(notNow(payment));
  session.output.result({ merchant_request_id: id, amount: told.amount }, `${groupedAmount(told.amount)} ${currency}`);
}

interface ResolveCardOptions extends SignedOptions {
  action: ResolveCardAction;
  evidence: string;
  paymentId: string | undefined;
}

/** `payouts card resolve ID`: an operator's decision on a card payment in `needs-operator`. */
export async function resolveCard(session: Session, given: string, options: ResolveCardOptions): Promise<ExitCode> {
  const { action, evidence, paymentId, ...asker } = options;
  if (action === 'adopt-payment' && paymentId === undefined) {
    throw new Problem('usage', 'payment-id-missing', 'adopt-payment needs the id of the payment to adopt.', {
      hint: 'Add --payment-id ID, as the acquirer writes it.',
    });
  }
  const payment = await found(session, given, options);
  const { merchant_request_id: id } = payment;
  const question = `${action} for card payment ${id}?`;
  const signing = paymentId === undefined ? action : `${action} ${paymentId}`;
  const word = await decided(session, payment, asker, { question, action: signing, remark: evidence });
  const told = await session.ask(RESOLVE_CARD, { id, action, evidence, paymentId, ...word }).catch(notNow(payment));
  if ('confirmed' in told) {
    session.output.result({ merchant_request_id: id, confirmed: true }, 'the stored end is confirmed');
    return EXIT.completed;
  }
  const { accepted, message, isStarted } = told;
  const text = accepted || isStarted ? message : `refused: ${message}`;
  session.output.result({ merchant_request_id: id, accepted, message }, text);
  return accepted || (isStarted && action === 'keep-looking') ? EXIT.completed : EXIT.exceptions;
}

/** What a payment cannot do now is no error in the command. */
const notNow =
  ({ merchant_request_id: id, state }: CardDocument) =>
  (error: unknown): never => {
    if (!(error instanceof Problem)) throw error;
    if (error.code === 'not-now') {
      throw new Problem('refused', 'not-now', error.message, { hint: `payouts card show ${id} shows its state.` });
    }
    if (error.code !== 'not-running') throw error;
    throw new Problem('conflict', 'not-running', `This card payment is not running; it is ${state}.`, {
      hint: `payouts card show ${id} shows more.`,
    });
  };
