import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { v7 } from 'uuid';
import { readJsonOnce } from '../../api/json.ts';
import { isMerchantRequestId } from '../../domain/card-number.ts';
import { isCardEnd } from '../../domain/card-payment.ts';
import { Problem } from '../../domain/problem.ts';
import type { CardDocument } from '../../gateway/card-documents.ts';
import { problemOf } from '../../intake/problem-of.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { exitOfCard, followCard } from '../follow-card.ts';
import { gatewayAddress, gatewayClient } from '../gateway-client.ts';
import type { Session } from '../session.ts';
import { cardText } from './card.ts';

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
  assertId(id);
  const { gatewayUrl, checkoutUrl } = await gatewayOf(session, options.gateway);
  const returnUrl = options.returnUrl ?? checkoutUrl;
  if (returnUrl === undefined) {
    throw new Problem('usage', 'return-url-missing', 'It is not known where the cardholder comes back to.', {
      hint: 'Add --return-url URL.',
    });
  }
  const body = {
    merchant_request_id: id,
    amount: options.amount,
    currency: options.currency,
    payment_type: options.type,
    return_url: returnUrl,
    three_ds: options['3ds'] ? 'setup' : 'skip',
    ...(options.cardFrom === undefined ? {} : { card: await cardFrom(options.cardFrom) }),
    ...(options.by === undefined ? {} : { by: options.by }),
  };
  // Said before anything is sent: under another id the same command takes the money once more.
  if (options.id === undefined) session.output.tell(`Card payment ${id}`);
  try {
    return await askAndFollow(session, options, { body, id, gatewayUrl, checkoutUrl });
  } catch (error) {
    throw withId(error, id);
  }
}

interface Asked {
  body: object;
  id: string;
  gatewayUrl: string;
  checkoutUrl: string | undefined;
}

async function askAndFollow(
  session: Session,
  { wait, cardFrom: file, timeout }: CreateCardOptions,
  { body, id, gatewayUrl, checkoutUrl }: Asked,
): Promise<ExitCode> {
  const [token] = session.config.gateway.tokens.reveal();
  const client = gatewayClient(gatewayUrl, token?.token);
  const created = await client.post<Created>('/v1/card-payments', body);
  const fragment = new URLSearchParams({ gateway: gatewayUrl, id, secret: created.client_secret });
  const checkout = checkoutUrl === undefined ? null : `${checkoutUrl}#${fragment}`;
  const result = (payment: CardDocument): void =>
    session.output.result(
      { schemaVersion: 1, card_payment: payment, client_secret: created.client_secret, checkout_url: checkout },
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

function assertId(id: string): void {
  if (isMerchantRequestId(id)) return;
  throw new Problem('usage', 'id-refused', 'This is no merchant_request_id.', {
    hint: '--id has 1 to 64 of A-Z a-z 0-9 . _ ~ - and no card number in it.',
  });
}

/** The money may have been asked for: whoever runs the command again must do so under the same id. */
function withId(error: unknown, id: string): Problem {
  const { kind, code, message, hint: said, findings, cause } = problemOf(error);
  const hint = code === 'id-reused' ? 'Another payment needs another --id.' : `${said} Run it again with --id ${id}.`;
  return new Problem(kind, code, message, { hint: hint.trim(), findings, cause });
}

/** The gateway given, or that of the stack that is up; on an embedded sandbox with its checkout page. */
async function gatewayOf(
  session: Session,
  given: string | undefined,
): Promise<{ gatewayUrl: string; checkoutUrl: string | undefined }> {
  if (given !== undefined) return { gatewayUrl: gatewayAddress(given), checkoutUrl: undefined };
  const { gatewayUrl, apiUrl } = await session.stack('join-only');
  if (gatewayUrl === null) {
    throw new Problem('usage', 'gateway-missing', 'The stack that is up has no gateway.', {
      hint: 'Name one with --gateway URL.',
    });
  }
  return { gatewayUrl, checkoutUrl: session.config.bank.kind === 'sandbox' ? `${apiUrl}/checkout` : undefined };
}

const CARD_BYTES_MAX = 64 * 1024;

/** A card as JSON from a file or, for `-`, from stdin; never from the command line, which every user of a machine sees. */
async function cardFrom(path: string): Promise<unknown> {
  const unreadable = (why: string): Problem =>
    new Problem('usage', 'card-unreadable', `The card cannot be read: ${why}.`, {
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
    return readJsonOnce(json);
  } catch {
    // The parser's own words show the text.
    throw unreadable('it is no JSON that names each member once');
  }
}
