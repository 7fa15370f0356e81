import { z } from 'zod';
import { asksAgain, type Judge, readJson, unknownOutcome } from '../../../src/bank/answers.ts';
import type { Bank } from '../../../src/bank/bank.ts';
import { measured } from '../../../src/bank/bank-clock.ts';
import { createCalls } from '../../../src/bank/calls.ts';
import { sleep } from '../../../src/bank/deadline.ts';
import { BankError, type KnownOutcome } from '../../../src/bank/errors.ts';
import type { AccountBalance } from '../../../src/bank/schemas/accounts.ts';
import type { Beneficiary } from '../../../src/bank/schemas/beneficiaries.ts';
import type { Order } from '../../../src/bank/schemas/orders.ts';
import { createTransport } from '../../../src/bank/transport.ts';
import { formatMinor, parseAmount } from '../../../src/domain/money.ts';
import type { OrderStage } from '../../../src/domain/order-status.ts';
import type { BankCondition } from '../../../src/domain/submission.ts';
import { CURSOR_BANK_KEY, FAULTS } from './server.ts';

/** The other bank behind the seam: what is its own is in this file, HTTP and retries are the client's. */

const RULES: Readonly<Record<number, { condition: BankCondition; onSubmit: KnownOutcome; retryRead?: true }>> = {
  [FAULTS.malformed]: { condition: 'bad-request', onSubmit: 'refused' },
  [FAULTS.pot]: { condition: 'account-not-found', onSubmit: 'refused' },
  [FAULTS.contact]: { condition: 'beneficiary-not-found', onSubmit: 'refused' },
  [FAULTS.payment]: { condition: 'order-not-found', onSubmit: 'ambiguous' },
  [FAULTS.known]: { condition: 'already-exists', onSubmit: 'exists' },
  [FAULTS.blocked]: { condition: 'account-frozen', onSubmit: 'refused' },
  [FAULTS.short]: { condition: 'insufficient-funds', onSubmit: 'refused' },
  [FAULTS.busy]: { condition: 'internal-error', onSubmit: 'ambiguous', retryRead: true },
};

const payment = z.object({
  payment: z.string(),
  key: z.string(),
  owner: z.string(),
  pot: z.string(),
  money: z.string(),
  cents: z.number(),
  fee_cents: z.number(),
  at: z.iso.datetime(),
  state: z.enum(['queued', 'sent', 'done']),
});
/** Total: a state that is added to the schema does not compile here. */
const STAGES: Readonly<Record<z.infer<typeof payment>['state'], OrderStage>> = {
  queued: 'open',
  sent: 'past-audit',
  done: 'paid',
};
const pot = z.object({ pot: z.string(), owner: z.string(), money: z.string(), cents: z.number() });
const contact = z.object({
  contact: z.string(),
  owner: z.string(),
  money: z.string(),
  rail: z.string(),
  details: z.record(z.string(), z.string()),
});
const form = z.object({ rails: z.array(z.object({ rail: z.string(), asks: z.record(z.string(), z.string()) })) });
const listOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), next: z.string().nullish() });

const amountOf = (cents: number, money: string): string => formatMinor(BigInt(cents), money);
function centsOf(amount: string, money: string): number {
  const parsed = parseAmount(amount, money);
  return parsed.ok ? Number(parsed.minor) : 0;
}

const orderOf = (one: z.infer<typeof payment>): Order => ({
  order_id: one.payment,
  client_order_id: one.key,
  transaction_uid: one.owner,
  created_at: Date.parse(one.at),
  type: 'PAYMENT',
  direct: 'OUT',
  status: one.state,
  stage: STAGES[one.state],
  transaction_account: one.pot,
  transaction_currency: one.money,
  transaction_amount: amountOf(one.cents, one.money),
  fee: amountOf(one.fee_cents, one.money),
  fee_currency: one.money,
});
const accountOf = (one: z.infer<typeof pot>): AccountBalance => ({
  uid: one.owner,
  account_id: one.pot,
  currency: one.money,
  balance: amountOf(one.cents, one.money),
  frozen: undefined,
  updated_at: undefined,
});
const beneficiaryOf = (one: z.infer<typeof contact>): Beneficiary => ({
  id: one.contact,
  uid: one.owner,
  currency: one.money,
  beneficiary_type: 'personal',
  payment_type: one.rail,
  items: one.details,
  created_at: undefined,
});

/** Its answers have no envelope: the record itself, or a fault under HTTP 422. */
const judged =
  <T>(schema: z.ZodType<T>): Judge<T> =>
  (answer, call) => {
    const body = readJson(answer.body);
    if (answer.status === 200) {
      const { data, success } = schema.safeParse(body);
      if (success) return data;
      throw unknownOutcome('a record of another shape', true, answer, call);
    }
    const reported = z.object({ fault: z.number() }).safeParse(body).data;
    if (reported === undefined) throw unknownOutcome(`HTTP ${answer.status}`, asksAgain(answer.status), answer, call);
    const { condition, onSubmit, retryRead } = RULES[reported.fault] ?? {
      condition: 'unlisted',
      onSubmit: 'ambiguous',
    };
    const { operation } = call;
    const details = { condition, outcome: onSubmit, retryable: retryRead === true, operation, code: reported.fault };
    throw new BankError(`${operation} answered fault ${reported.fault}`, details);
  };

async function notOffered(): Promise<never> {
  const details = { condition: 'unsupported', outcome: 'not-sent', retryable: false, operation: 'none' } as const;
  throw new BankError('this bank has no such operation', details);
}

export function cursorBank(baseUrl: string): Bank {
  const clocks = { clock: () => performance.now(), now: Date.now };
  const limits = { connectMs: 1_000, bodyBytesMax: 100_000 };
  const { transport, clock } = measured(createTransport(baseUrl, limits), clocks);
  const key = { authorization: CURSOR_BANK_KEY, isNearEnd: () => false };
  const { read, send } = createCalls({
    transport,
    tokens: { get: async () => key, invalidate: () => {}, invalidateCurrent: () => {} },
    basePath: '',
    limits: { readTotalMs: 2_000, readAttemptMs: 1_000, sendTotalMs: 2_000 },
    authBeforeExecution: true,
    clock: clocks.clock,
    sleep,
  });

  /** Whole as soon as no cursor follows: what is added is behind it. */
  async function whole<T>(
    path: string,
    item: z.ZodType<T>,
    query: Record<string, string | undefined>,
    { calls = 1_000, pageSize, signal }: { calls?: number; pageSize?: number; signal?: AbortSignal } = {},
  ) {
    const items: T[] = [];
    for (let pagesRead = 1, after: string | undefined; ; pagesRead += 1) {
      const page = await read({ path, query: { ...query, after, limit: pageSize } }, judged(listOf(item)), { signal });
      items.push(...page.items);
      after = page.next ?? undefined;
      if (after === undefined || pagesRead === calls) return { items, pagesRead, stable: after === undefined };
    }
  }
  const listAll: Bank['orders']['listAll'] = async ({ uid, currency, from, type = 'PAYMENT' }, options) => {
    const since = from === undefined ? undefined : new Date(from).toISOString();
    const { items, ...scan } = await whole('/payments', payment, { owner: uid, money: currency, since }, options);
    return { ...scan, orders: type === 'PAYMENT' ? items.map(orderOf) : [] };
  };

  return {
    baseUrl,
    clock,
    accounts: {
      master: async () => (await read({ path: '/pots' }, judged(listOf(pot)))).items.map(accountOf),
      ofUser: async (owner) =>
        (await read({ path: '/pots', query: { owner } }, judged(listOf(pot)))).items.map(accountOf),
      get: async (id) => accountOf(await read({ path: '/pots/{id}', ids: { id } }, judged(pot))),
    },
    beneficiaries: {
      requiredDetails: async (currency, beneficiary_type) => {
        const { rails } = await read({ path: '/contact-forms', query: { money: currency } }, judged(form));
        return rails.map(({ rail, asks }) => ({
          currency,
          beneficiary_type,
          payment_type: rail,
          fields: Object.entries(asks).map(([field, rule]) => {
            return { field, required: true, regex: `^(${rule})$`, data_type: 'text' };
          }),
        }));
      },
      add: async ({ uid, currency, beneficiary_type: _kind, payment_type, ...details }, options) => {
        const body = { owner: uid, money: currency, rail: payment_type, details };
        const route = { method: 'POST', path: '/contacts', body } as const;
        return { beneficiary_id: (await send(route, judged(z.object({ contact: z.string() })), options)).contact };
      },
      get: async (id) => beneficiaryOf(await read({ path: '/contacts/{id}', ids: { id } }, judged(contact))),
      listAll: async ({ uid, currency }, options) => {
        const { items, ...scan } = await whole('/contacts', contact, { owner: uid, money: currency }, options);
        return { ...scan, beneficiaries: items.map(beneficiaryOf) };
      },
      update: notOffered,
      delete: notOffered,
    },
    transactions: {
      paymentFee: async () => {
        const price = await read({ path: '/prices' }, judged(z.object({ cents: z.number(), money: z.string() })));
        return { fee: amountOf(price.cents, price.money), fee_currency: price.money };
      },
      payment: async ({ account_id, beneficiary_id, reference, amount, currency }, options) => {
        const cents = centsOf(amount, currency);
        const body = { key: reference, pot: account_id, contact: beneficiary_id, cents };
        const route = { method: 'POST', path: '/payments', body } as const;
        return { order_id: (await send(route, judged(z.object({ payment: z.string() })), options)).payment };
      },
      transferFee: notOffered,
      transfer: notOffered,
      fxQuote: notOffered,
      fx: notOffered,
    },
    orders: {
      listAll,
      listStable: listAll,
      get: async (id) => orderOf(await read({ path: '/payments/{id}', ids: { id } }, judged(payment))),
      approve: notOffered,
      reject: notOffered,
    },
    cards: {
      setUp: notOffered,
      create: notOffered,
      resume: notOffered,
      retrieve: notOffered,
      retrieveRaw: notOffered,
      noticeOf: () => undefined,
    },
    authenticate: async () => {},
    close: () => transport.close(),
  };
}
