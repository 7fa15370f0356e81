import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { v7 } from 'uuid';
import { isCardEnd } from '../../domain/card-payment.ts';
import { type CardDocument, documentOf } from '../../gateway/card-documents.ts';
import type { CardRecord, StoredCardEvent } from '../../store/card-store.ts';
import { workflowUrl } from '../../temporal/ui-link.ts';
import { CommandError, EXIT, type ExitCode } from '../exit.ts';
import { findCard } from '../find-card.ts';
import { exitOfCard, followCard } from '../follow-card.ts';
import { gatewayClient } from '../gateway-client.ts';
import { interruptSignal } from '../interrupt.ts';
import type { Session } from '../session.ts';
import { table } from '../table.ts';

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
  gateway: string | undefined;
  wait: boolean;
  timeout: number | undefined;
}

interface Created {
  card_payment: CardDocument;
  client_secret: string;
}

/** `payouts card create`: asks a gateway to take money from a card; the card comes from a file, or from the cardholder. */
export async function createCard(session: Session, options: CreateCardOptions): Promise<ExitCode> {
  const id = options.id ?? v7();
  const { gatewayUrl, checkoutUrl } = await gatewayOf(session, options.gateway);
  const returnUrl = options.returnUrl ?? checkoutUrl;
  if (returnUrl === undefined) {
    throw new CommandError(EXIT.usage, 'return-url-missing', 'It is not known where the cardholder comes back to.', {
      hint: 'Add --return-url URL.',
    });
  }
  const [token] = session.config.gatewayTokens.reveal();
  const client = gatewayClient(gatewayUrl, token?.token);
  const created = await client.post<Created>('/v1/card-payments', {
    merchant_request_id: id,
    amount: options.amount,
    currency: options.currency,
    payment_type: options.type,
    return_url: returnUrl,
    three_ds: options['3ds'] ? 'setup' : 'skip',
    ...(options.cardFrom === undefined ? {} : { card: await cardFrom(options.cardFrom) }),
    ...(options.by === undefined ? {} : { by: options.by }),
  });
  const fragment = new URLSearchParams({ gateway: gatewayUrl, id, secret: created.client_secret });
  const checkout = checkoutUrl === undefined ? null : `${checkoutUrl}#${fragment}`;
  const result = (payment: CardDocument): void =>
    session.output.result(
      { schemaVersion: 1, card_payment: payment, client_secret: created.client_secret, checkout_url: checkout },
      cardText(payment, [['checkout', checkout]]),
    );
  if (!options.wait) {
    result(created.card_payment);
    return EXIT.completed;
  }
  if (checkout !== null && options.cardFrom === undefined) session.output.say(`Checkout ${checkout}`);
  const { payment, end } = await followCard(client, id, {
    output: session.output,
    timeoutMs: options.timeout,
    interrupted: interruptSignal(),
  });
  result(payment);
  return end === 'interrupted' ? EXIT.interrupted : exitOfCard(payment.state);
}

/** The gateway given, or that of the stack that is up; on an embedded sandbox with its checkout page. */
async function gatewayOf(
  session: Session,
  given: string | undefined,
): Promise<{ gatewayUrl: string; checkoutUrl: string | undefined }> {
  if (given !== undefined) return { gatewayUrl: given, checkoutUrl: undefined };
  const { gatewayUrl, apiUrl } = await session.stack('join-only');
  if (gatewayUrl === null) {
    throw new CommandError(EXIT.usage, 'gateway-missing', 'The stack that is up has no gateway.', {
      hint: 'Name one with --gateway URL.',
    });
  }
  return { gatewayUrl, checkoutUrl: session.config.bank.kind === 'sandbox' ? `${apiUrl}/checkout` : undefined };
}

const CARD_BYTES_MAX = 64 * 1024;

/** A card as JSON from a file or, for `-`, from stdin; never from the command line, which every user of a machine sees. */
async function cardFrom(path: string): Promise<unknown> {
  const unreadable = (why: string): CommandError =>
    new CommandError(EXIT.usage, 'card-unreadable', `The card cannot be read: ${why}.`, {
      hint: 'A JSON object with number, expiry_month, expiry_year, and cvv and holder_name where known.',
    });
  let json: string;
  try {
    json = path === '-' ? await text(process.stdin) : await readFile(path, 'utf8');
  } catch {
    throw unreadable('there is no such file, or it is not ours to read');
  }
  if (json.length > CARD_BYTES_MAX) throw unreadable('it is too long');
  try {
    return JSON.parse(json);
  } catch {
    // The parser's own words show the text.
    throw unreadable('it is no JSON');
  }
}

/** `payouts card show ID`: a card payment as the store has it, with the events that came. */
export async function showCard(session: Session, id: string): Promise<ExitCode> {
  const store = await session.store();
  const record = await findCard(store, id);
  const document = await documentIn(session, record);
  const events = (await store.cards.eventsOf(record.merchantRequestId)).map(eventDocument);
  const payments = await store.cards.paymentsOf(record.merchantRequestId);
  const rows = events.map(({ received_at: at, kind, status, trust, effect }) => [
    at.slice(0, 19),
    kind,
    status,
    trust,
    effect ?? 'open',
  ]);
  const list = events.length === 0 ? '' : `\n${table(['event (UTC)', 'kind', 'status', 'trust', 'effect'], rows)}`;
  session.output.result(
    { schemaVersion: 1, card_payment: document, payment_ids: payments, events },
    cardText(document, [['other ids', payments.filter((it) => it !== document.payment_id).join(' ') || null]]) + list,
  );
  return EXIT.completed;
}

/** `payouts card list`: the newest card payments. */
export async function listCards(session: Session): Promise<ExitCode> {
  const records = await (await session.store()).cards.list(LISTED);
  const documents = await Promise.all(records.map((record) => documentIn(session, record)));
  const rows = documents.map((it) => [
    it.merchant_request_id,
    it.created_at.slice(0, 19),
    it.state,
    it.amount,
    it.currency,
    it.payment_id ?? '',
  ]);
  const head = ['card payment', 'created (UTC)', 'state', 'amount', 'currency', 'payment'];
  const shown = rows.length === 0 ? 'No card payment yet.' : table(head, rows);
  session.output.result({ schemaVersion: 1, card_payments: documents }, shown);
  return EXIT.completed;
}

const LISTED = 100;

/** `payouts card retrieve ID`: the payment as the acquirer shows it now, what may be card data masked. */
export async function retrieveCard(session: Session, id: string): Promise<ExitCode> {
  const known = await (await session.store()).cards.find(id);
  const bank = session.bank(await session.stack('join-or-boot'));
  const payment = await bank.cards.retrieveRaw(known?.paymentId ?? id);
  session.output.result({ schemaVersion: 1, payment }, JSON.stringify(payment, null, 2));
  return EXIT.completed;
}

async function documentIn(session: Session, record: CardRecord): Promise<CardDocument> {
  const { url, namespace } = await session.ui();
  return documentOf(record, undefined, workflowUrl(url, namespace, record.workflowId));
}

function eventDocument({ kind, paymentId, status, trust, receivedAt, effect }: StoredCardEvent) {
  const at = new Date(receivedAt).toISOString();
  return { kind, payment_id: paymentId, status, trust, received_at: at, effect };
}

function cardText(payment: CardDocument, more: readonly [string, string | null][]): string {
  const { amount, currency, payment_type: type, bin, last_four: lastFour, next_action: action, reason } = payment;
  const rows: [string, string | null][] = [
    ['payment', `${currency} ${amount}, ${type}, ${payment.merchant_request_id}`],
    ['state', payment.state],
    ['why', reason?.message ?? null],
    ['card', bin === null || lastFour === null ? null : `${bin}******${lastFour}`],
    ['acquirer', payment.payment_id],
    ['confirm at', isCardEnd(payment.state) ? null : (action?.verify_url ?? null)],
    ['contradicted', payment.contradicted ? 'yes: the acquirer has said something else after the end' : null],
    ...more,
    ['Temporal UI', payment.url],
  ];
  return rows
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name.padEnd(14)}${value}`)
    .join('\n');
}
