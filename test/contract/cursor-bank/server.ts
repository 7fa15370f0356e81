import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Another bank, which shares nothing with the interface of the first: it pays out of pots to contacts, counts in cents, writes
 * times as ISO 8601, names what is wrong by numbers of its own, and lists with a cursor.
 */

export const CURSOR_BANK_KEY = 'cursor-bank-key';
/** Its own numbers, of which two are those of HTTP statuses. */
export const FAULTS = {
  malformed: 400,
  pot: 12,
  contact: 13,
  payment: 14,
  known: 21,
  blocked: 31,
  short: 32,
  busy: 503,
};
const MOST_ON_A_PAGE = 3;
const FEE_CENTS = 25;

interface Pot {
  pot: string;
  owner: string;
  money: string;
  cents: number;
  blocked: boolean;
}

interface Contact {
  contact: string;
  owner: string;
  money: string;
  rail: string;
  details: Record<string, string>;
}

interface Payment {
  payment: string;
  key: string;
  owner: string;
  pot: string;
  money: string;
  cents: number;
  at: string;
  state: 'queued' | 'sent' | 'done';
}

export interface CursorBank {
  url: string;
  pots: Map<string, Pot>;
  payments: Payment[];
  /** So many payments are booked and the connection is cut before their answer. */
  losesAnswers: number;
  close(): Promise<void>;
}

class Fault extends Error {
  readonly fault: number;

  constructor(fault: keyof typeof FAULTS) {
    super(fault);
    this.fault = FAULTS[fault];
  }
}

function existing<T>(value: T | undefined, otherwise: keyof typeof FAULTS): T {
  if (value === undefined) throw new Fault(otherwise);
  return value;
}

export async function startCursorBank(): Promise<CursorBank> {
  const pots = new Map<string, Pot>();
  for (const [pot, money, cents, blocked] of [
    ['pot-1', 'USD', 100_000, false],
    ['pot-2', 'EUR', 5_000, false],
    ['pot-3', 'USD', 5_000, true],
  ] as const) {
    pots.set(pot, { pot, owner: 'o-1', money, cents, blocked });
  }
  const contacts = new Map<string, Contact>();
  const payments: Payment[] = [];
  const close = () => new Promise<void>((closed) => server.close(() => closed()));
  const bank: CursorBank = { url: '', pots, payments, losesAnswers: 0, close };

  function pay({ key, pot: potId, contact, cents }: Record<string, unknown>): object {
    if (typeof key !== 'string' || typeof cents !== 'number' || cents <= 0) throw new Fault('malformed');
    const pot = existing(pots.get(String(potId)), 'pot');
    existing(contacts.get(String(contact)), 'contact');
    if (payments.some((payment) => payment.key === key)) throw new Fault('known');
    if (pot.blocked) throw new Fault('blocked');
    if (pot.cents < cents + FEE_CENTS) throw new Fault('short');
    pot.cents -= cents + FEE_CENTS;
    const at = new Date().toISOString();
    const { owner, money } = pot;
    const payment: Payment = { payment: randomUUID(), key, owner, pot: pot.pot, money, cents, at, state: 'queued' };
    payments.push(payment);
    return { payment: payment.payment };
  }

  /** Each read finds a payment one step further. */
  function shown(payment: Payment) {
    const before = { ...payment, fee_cents: FEE_CENTS };
    payment.state = payment.state === 'queued' ? 'sent' : 'done';
    return before;
  }

  /** The first few behind the cursor, and a cursor where more follow. */
  function listed<T>(all: readonly T[], idOf: (one: T) => string, query: URLSearchParams) {
    const limit = Math.min(MOST_ON_A_PAGE, Number(query.get('limit') ?? MOST_ON_A_PAGE));
    const start = all.findIndex((one) => idOf(one) === query.get('after')) + 1;
    const items = all.slice(start, start + limit);
    const last = items.at(-1);
    return { items, next: last !== undefined && start + limit < all.length ? idOf(last) : null };
  }

  function answer(method: string, path: string, query: URLSearchParams, body: Record<string, unknown>): object {
    const [, collection, id] = path.split('/');
    const owner = query.get('owner');
    const money = query.get('money');
    const isAsked = (one: { owner: string; money: string }) =>
      (owner === null || one.owner === owner) && (money === null || one.money === money);
    switch (`${method} ${collection}${id === undefined ? '' : '/id'}`) {
      case 'GET pots':
        return { items: [...pots.values()].filter(isAsked) };
      case 'GET pots/id':
        return existing(pots.get(id ?? ''), 'pot');
      case 'GET contact-forms':
        return { rails: [{ rail: 'wire', asks: { holder: '.+', account_no: '[0-9]{4,12}' } }] };
      case 'POST contacts': {
        const contact = { ...(body as unknown as Contact), contact: randomUUID() };
        contacts.set(contact.contact, contact);
        return { contact: contact.contact };
      }
      case 'GET contacts':
        return listed([...contacts.values()].filter(isAsked), (one) => one.contact, query);
      case 'GET contacts/id':
        return existing(contacts.get(id ?? ''), 'contact');
      case 'GET prices':
        return { cents: FEE_CENTS, money: 'USD' };
      case 'POST payments':
        return pay(body);
      case 'GET payments': {
        const since = query.get('since') ?? '';
        const all = payments.filter((payment) => isAsked(payment) && payment.at >= since);
        return listed(all.map(shown), (one) => one.payment, query);
      }
      case 'GET payments/id':
        return shown(
          existing(
            payments.find((payment) => payment.payment === id),
            'payment',
          ),
        );
      default:
        throw new Fault('malformed');
    }
  }

  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://cursor.test');
    const text = Buffer.concat(chunks).toString();
    try {
      if (request.headers.authorization !== CURSOR_BANK_KEY) throw new Fault('malformed');
      const body = text === '' ? {} : JSON.parse(text);
      const { method = '' } = request;
      const answered = answer(method, pathname, searchParams, body);
      if (`${method} ${pathname}` === 'POST /payments' && bank.losesAnswers > 0) {
        bank.losesAnswers -= 1;
        response.destroy();
      } else response.end(JSON.stringify(answered));
    } catch (error) {
      response.statusCode = 422;
      response.end(JSON.stringify({ fault: error instanceof Fault ? error.fault : FAULTS.busy }));
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  bank.url = `http://127.0.0.1:${port}`;
  return bank;
}
