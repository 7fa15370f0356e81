import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import { v7 } from 'uuid';
import { readJsonOnce } from '../bank/json.ts';
import { assertNoCardNumber, requestIdOf } from '../channels/find-target.ts';
import { type CardDocument, waitingFor } from '../channels/http/card-documents.ts';
import { type GatewayClient, gatewayAddress } from '../channels/http/gateway-client.ts';
import {
  aboutCard,
  CANCEL_CARD,
  CARD_AMOUNT,
  RESOLVE_CARD,
  type ResolveCardAction,
} from '../channels/http/operations/card-decision-operations.ts';
import { CARD, CARD_AT_ACQUIRER, CARDS } from '../channels/http/operations/card-operations.ts';
import { mayOperateCard, type SignedDecision } from '../domain/authority.ts';
import { isMerchantRequestId } from '../domain/card-number.ts';
import { type CardState, isCardEnd } from '../domain/card-payment.ts';
import { type LabelledText, labelled, labelledLines, secondOf, widthOf } from '../domain/display.ts';
import type { Finding } from '../domain/finding.ts';
import { formatMinor, groupedAmount, parseAmount } from '../domain/money.ts';
import { MESSAGES } from '../domain/names.ts';
import { Problem } from '../domain/problem.ts';
import { problemOf } from '../files/intake/problem-of.ts';
import { answerOrRefuse, confirm } from './confirm.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { type FollowEnd, followUntil } from './follow-batch.ts';
import { neededFor, todoFor } from './inbox-actions.ts';
import { type Output, table } from './output.ts';
import type { Session } from './session.ts';
import { holdKey, type SignedOptions, signerOf } from './signer.ts';
import { anotherOne } from './targets.ts';

export interface CreateCardOptions {
  amount: string;
  currency: string;
  id: string | undefined;
  type: 'AUTH' | 'DEBIT';
  /** `--no-3ds`. */
  '3ds': boolean;
  returnUrl: string | undefined;
  cardFrom: string | undefined;
  by: string | undefined;
  key?: string;
  gateway: string | undefined;
  wait: boolean;
  timeout: number | undefined;
}

interface Created {
  card_payment: CardDocument;
  client_secret: string;
  /** Of an embedded sandbox. */
  checkout_url: string | null;
}

/** `payouts card create`: asks a gateway to take money from a card, which comes from a file or from the cardholder. */
export async function createCard(session: Session, options: CreateCardOptions): Promise<ExitCode> {
  const id = options.id ?? v7();
  await holdKey(session, options.key);
  const gatewayUrl = await gatewayOf(session, options.gateway);
  const card = options.cardFrom === undefined ? undefined : await cardFrom(options.cardFrom);
  const body = {
    // An id that may contain a card number is not sent; the gateway refuses the empty one.
    merchant_request_id: isMerchantRequestId(id) ? id : '',
    amount: options.amount,
    currency: options.currency,
    payment_type: options.type,
    return_url: options.returnUrl,
    three_ds: options['3ds'] ? 'setup' : 'skip',
    // Every gateway refuses null as a card: it reports what else is wrong with the request, and claims nothing.
    ...(card === undefined ? {} : { card: 'unreadable' in card ? null : card.given }),
    ...(options.by === undefined ? {} : { by: options.by }),
  };
  // Shown before anything is sent: run again under another id, the same command would take the money twice.
  if (options.id === undefined) session.output.notify(`Card payment ${id}`);
  try {
    return await askAndFollow(session, options, { body, id, gatewayUrl });
  } catch (error) {
    throw asTyped(withId(error, id), options, card);
  }
}

const OPTIONS: Readonly<Record<string, string>> = {
  merchant_request_id: '--id',
  amount: '--amount',
  currency: '--currency',
  return_url: '--return-url',
  by: '--by',
};

/** Moves the gateway's findings to the options and the file that the user wrote. */
function asTyped(problem: Problem, { cardFrom: file }: CreateCardOptions, card: GivenFile): Problem {
  const unreadable = card !== undefined && 'unreadable' in card ? [card.unreadable] : [];
  const placed = problem.findings
    .filter(({ column }) => unreadable.length === 0 || column !== 'card')
    .map((finding) =>
      finding.file === 'card'
        ? { ...finding, file: nameOf(file) }
        : { ...finding, file: 'card create', column: OPTIONS[finding.column ?? ''] ?? finding.column },
    );
  const findings = [...placed, ...unreadable];
  const { kind, code, message, hint, cause } = problem;
  // All the gateway's findings were about the null in the place of the unreadable card.
  if (problem.findings.length > 0 && placed.length === 0) {
    return new Problem('usage', 'card-unreadable', 'The card cannot be read.', { hint, findings });
  }
  return new Problem(kind, code, message, { hint, findings, cause });
}

async function askAndFollow(
  session: Session,
  options: CreateCardOptions,
  { body, id, gatewayUrl }: { body: object; id: string; gatewayUrl: string },
): Promise<ExitCode> {
  const { wait, cardFrom: file, timeout } = options;
  const client = session.gatewayAt(gatewayUrl);
  const created = await client.post<Created>('/v1/card-payments', body);
  const fragment = new URLSearchParams({ gateway: gatewayUrl, id, secret: created.client_secret });
  const checkout = created.checkout_url === null ? null : `${created.checkout_url}#${fragment}`;
  const result = (payment: CardDocument): void =>
    session.output.result(
      { card_payment: payment, client_secret: created.client_secret, checkout_url: checkout },
      cardText(payment, [
        ['confirm at', isCardEnd(payment.state) ? null : (payment.next_action?.verify_url ?? null)],
        ['checkout', checkout],
      ]),
    );
  if (!wait) {
    result(created.card_payment);
    return EXIT.completed;
  }
  if (checkout !== null && file === undefined) session.output.say(`Checkout ${checkout}`);
  const { payment = created.card_payment, end } = await followCard(client, id, session.output, timeout);
  result(payment);
  return end === 'interrupted' ? EXIT.interrupted : exitOfCard(payment.state);
}

/** The money may have been asked for: the command must be run again under the same id. */
function withId(error: unknown, id: string): Problem {
  const { kind, code, message, hint: said, findings, cause } = problemOf(error);
  // If there are findings, nothing was asked for.
  const hint = findings.length === 0 ? hintWithId(code, said, id) : said;
  return new Problem(kind, code, message, { hint: hint.trim(), findings, cause });
}

function hintWithId(code: string, said: string, id: string): string {
  return code === 'id-reused' ? 'Another payment needs another --id.' : `${said} Run it again with --id ${id}.`;
}

/** The given gateway, else that of PAYOUTS_GATEWAY_URL, else that of the stack that is up. */
async function gatewayOf(session: Session, given: string | undefined): Promise<string> {
  const named = given === undefined ? session.config.gateway.url : gatewayAddress(given);
  if (named !== undefined) return named;
  const { gatewayUrl } = await session.stack('join-only');
  if (gatewayUrl !== null) return gatewayUrl;
  throw new Problem('usage', 'gateway-missing', 'The running stack has no gateway.', {
    hint: 'Name one with --gateway URL.',
  });
}

const CARD_BYTES_MAX = 64 * 1024;

type GivenFile = { given: unknown } | { unreadable: Finding } | undefined;

const nameOf = (path = ''): string => (path === '-' ? 'stdin' : basename(path));

/** A card as JSON from a file or, for `-`, from stdin; never from the command line, which every user of the machine can see. */
async function cardFrom(path: string): Promise<GivenFile> {
  const unreadable = (message: string) => ({
    unreadable: { file: nameOf(path), line: 0, row: null, column: null, value: null, rule: 'card-unreadable', message },
  });
  let json: string;
  try {
    json = path === '-' ? await text(process.stdin) : await readFile(path, 'utf8');
  } catch {
    return unreadable('the file does not exist or cannot be read.');
  }
  if (json.length > CARD_BYTES_MAX) return unreadable('it is too long for a card.');
  try {
    return { given: readJsonOnce(json) };
  } catch {
    // The parser's own message would repeat the text.
    return unreadable('it is not JSON in which each member appears once.');
  }
}

/** The card payment that is decided about. Throws a `Problem` if a gateway answers another one than the ID means. */
async function found(session: Session, id: string, { key, yes }: SignedOptions): Promise<CardDocument> {
  assertNoCardNumber(id);
  await holdKey(session, key);
  const { card_payment: payment, payment_ids: known } = await session.ask(CARD, { id });
  // Only the acquirer knows whose payment id it is: it is believed if the payment is shown.
  const isMeant = payment.merchant_request_id === requestIdOf(id) || (!yes && known.includes(id));
  if (session.gateway !== undefined && !isMeant) throw anotherOne(id);
  return payment;
}

/**
 * The person who decides about a card payment, after the question; the decision is signed where a policy asks for that.
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
  const reported = await session.ask(CARD_AMOUNT, { id, amount, ...word }).catch(notNow(payment));
  session.output.result(
    { merchant_request_id: id, amount: reported.amount },
    `${groupedAmount(reported.amount)} ${currency}`,
  );
}

interface ResolveCardOptions extends SignedOptions {
  action: ResolveCardAction;
  evidence: string;
  paymentId: string | undefined;
}

/** `payouts card resolve ID`: an operator's decision on a card payment in `needs-operator`. */
export async function resolveCard(session: Session, idGiven: string, options: ResolveCardOptions): Promise<ExitCode> {
  const { action, evidence, paymentId: given, ...asker } = options;
  const isNeeded = action === 'adopt-payment' && given === undefined;
  const paymentId = isNeeded ? await answerOrRefuse('Which payment_id of the acquirer?', '--payment-id') : given;
  const payment = await found(session, idGiven, options);
  const { merchant_request_id: id } = payment;
  const question = `${action} for card payment ${id}?`;
  const signing = paymentId === undefined ? action : `${action} ${paymentId}`;
  const word = await decided(session, payment, asker, { question, action: signing, remark: evidence });
  const reported = await session.ask(RESOLVE_CARD, { id, action, evidence, paymentId, ...word }).catch(notNow(payment));
  if ('confirmed' in reported) {
    session.output.result({ merchant_request_id: id, confirmed: true }, 'the stored end is confirmed');
    return EXIT.completed;
  }
  const { accepted, message, isStarted } = reported;
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

const POLL_MS = 500;

/** Follows a card payment until it has ended or waits for an operator. */
async function followCard(
  client: GatewayClient,
  id: string,
  output: Output,
  timeoutMs: number | undefined,
): Promise<{ payment: CardDocument | undefined; end: FollowEnd }> {
  let payment: CardDocument | undefined;
  let sentTo: string | undefined;
  const isSettled = async (): Promise<boolean> => {
    const shown = await client.get<{ card_payment: CardDocument }>(`/v1/card-payments/${encodeURIComponent(id)}`);
    payment = shown.card_payment;
    output.progress(`${id}  ${payment.state}`);
    const confirmAt = payment.next_action?.verify_url;
    if (confirmAt !== undefined && confirmAt !== sentTo) output.say(`The cardholder confirms at ${confirmAt}`);
    sentTo = confirmAt ?? sentTo;
    return isSettledCard(payment.state);
  };
  const end = await followUntil(isSettled, { timeoutMs, everyMs: POLL_MS });
  return { payment, end };
}

const isSettledCard = (state: CardState): boolean => isCardEnd(state) || state === 'needs-operator';

function exitOfCard(state: CardState): ExitCode {
  if (state === 'succeeded') return EXIT.completed;
  return isSettledCard(state) ? EXIT.exceptions : EXIT.stillOpen;
}

export async function showCard(session: Session, id: string): Promise<void> {
  assertNoCardNumber(id);
  const { card_payment: document, payment_ids: payments, events } = await session.ask(CARD, { id });
  const rows = events.map(({ received_at: at, kind, status, amount, currency, trust, effect }) => [
    secondOf(at),
    kind,
    status,
    `${amount ?? ''} ${currency ?? ''}`.trim(),
    trust,
    effect ?? 'open',
  ]);
  const list = events.length === 0 ? [] : [table(['event (UTC)', 'kind', 'status', 'says', 'trust', 'effect'], rows)];
  const facts = cardText(document, [['other ids', payments.filter((it) => it !== document.payment_id).join(' ')]]);
  session.output.result(
    { card_payment: document, payment_ids: payments, events },
    [facts, ...todoIn(document), ...list].join('\n\n'),
  );
}

function todoIn(payment: CardDocument): string[] {
  const layout = { labelWidth: LABEL_WIDTH, width: widthOf(process.stdout) };
  const needed = neededFor(payment);
  const waiting = waitingFor(payment);
  if (needed === undefined) {
    const lines = [
      labelled('to do', waiting?.todo ?? '', layout),
      labelled('otherwise', waiting?.byItself ?? '', layout),
    ];
    return waiting === undefined ? [] : [lines.flat().join('\n')];
  }
  return [labelled('to do', todoFor(payment.merchant_request_id, needed), layout).join('\n')];
}

export async function listCards(session: Session): Promise<void> {
  const { card_payments: documents } = await session.ask(CARDS, {});
  const rows = documents.map((it) => [
    it.merchant_request_id,
    secondOf(it.created_at),
    it.state,
    groupedAmount(it.amount),
    it.currency,
    it.payment_id ?? '',
    neededFor(it)?.code ?? it.reason?.code ?? '',
  ]);
  const head = ['card payment', 'created (UTC)', 'state', 'amount', 'currency', 'payment', 'why'];
  const shown = rows.length === 0 ? 'No card payment yet.' : table(head, rows);
  session.output.result({ card_payments: documents }, shown);
}

const LABEL_WIDTH = 'Temporal UI   '.length;

/** `payouts card retrieve ID`: the payment as the acquirer shows it now; all that may be card data is masked. */
export async function retrieveCard(session: Session, id: string): Promise<void> {
  assertNoCardNumber(id);
  const { payment } = await session.ask(CARD_AT_ACQUIRER, { id });
  session.output.result({ payment }, JSON.stringify(payment, null, 2));
}

/** A payment as text for people; rows of `more` without a value are left out. */
export function cardText(payment: CardDocument, more: readonly LabelledText[]): string {
  const { amount, currency, payment_type: type, bin, last_four: lastFour, reason } = payment;
  const rows: LabelledText[] = [
    ['payment', `${groupedAmount(amount)} ${currency}, ${type}, ${payment.merchant_request_id}`],
    ['state', payment.state],
    ['why', reason?.message],
    ['card', bin === null || lastFour === null ? null : `${bin}******${lastFour}`],
    ['acquirer', payment.payment_id],
    ['contradicted', payment.contradicted ? 'yes: the acquirer later contradicted the end' : null],
    ...more,
    ['Temporal UI', payment.url],
  ];
  return labelledLines(rows, { labelWidth: LABEL_WIDTH, width: Number.POSITIVE_INFINITY }).join('\n');
}
