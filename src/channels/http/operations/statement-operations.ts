import { z } from 'zod';
import { resolveDigest } from '../../../domain/authority.ts';
import { visible } from '../../../domain/finding.ts';
import { Problem } from '../../../domain/problem.ts';
import { entryOfLine } from '../../../domain/statements/lines.ts';
import { type OrdersStatement, takeOrders } from '../../../reports/statements/orders-statement.ts';
import { reconcileUser } from '../../../reports/statements/reconcile-user.ts';
import {
  DISCREPANCIES_MAX,
  type DiscrepancyDocument,
  discrepanciesCsv,
  discrepancyDocuments,
  type Flow,
  flowsOf,
  statementDocument,
} from '../../../reports/statements/statement-report.ts';
import type { PayoutRecord, StatementRecord } from '../../../store/store.ts';
import { findTarget } from '../../find-target.ts';
import type { Caller } from '../callers.ts';
import { storableText } from '../documents.ts';
import { assertMayOperate, OPERATING } from '../may-see.ts';
import { flag, operation, type Place, pathId, shortText } from '../operation.ts';
import type { CallerAccess } from '../route-access.ts';
import { nameOf, signedInput, storeSigned } from './decision-operations.ts';

const TAG = 'statements';
export const READING_BOOKS: CallerAccess = { roles: ['operator', 'auditor'], scope: 'each' };
const LISTED = 200;

type OnAccount = Pick<StatementRecord, 'uid' | 'accountId' | 'currency'>;

/** Statements show everything of an account, so whoever has a scope of kinds sees none. */
export function maySeeBooks({ person }: Caller, { uid, accountId, currency }: OnAccount): boolean {
  const { kinds, uids, accounts, currencies } = person?.scope ?? {};
  const holds = (list: readonly string[] | undefined, value: string): boolean => list?.includes(value) ?? true;
  return kinds === undefined && holds(uids, uid) && holds(accounts, accountId) && holds(currencies, currency);
}

export interface Books {
  statements: ReturnType<typeof statementDocument>[];
  flows: (Flow & { uid: string })[];
}

export const STATEMENTS = operation({
  method: 'GET',
  path: '/v1/statements',
  tag: TAG,
  summary: 'The statements taken, newest first, and what they booked by day',
  access: READING_BOOKS,
  input: z.strictObject({ accountId: shortText.optional() }),
  answer: z.looseObject({ statements: z.array(z.looseObject({})), flows: z.array(z.looseObject({})) }),
  async run({ store, caller }, { accountId }): Promise<Books> {
    const found = (await store.statementsTaken({ accountId, limit: LISTED })).filter((it) => maySeeBooks(caller, it));
    const byUser = Map.groupBy(found, ({ uid }) => uid);
    const flows: Books['flows'] = [];
    for (const [uid, some] of byUser) {
      const accounts = new Set(some.map((it) => it.accountId));
      flows.push(...(await flowsOf(store, uid, accounts)).map((flow) => ({ ...flow, uid })));
    }
    return { statements: found.map(statementDocument), flows };
  },
});

const side = z.object({ amount: z.string(), currency: z.string() }).meta({ id: 'Money' }).nullable();

/** As `DiscrepancyDocument`. */
const discrepancy = z
  .looseObject({
    id: z.string(),
    kind: z.string(),
    says: z.string(),
    accountId: z.string(),
    day: z.string(),
    ours: side,
    booked: side,
    isOpen: z.boolean(),
    payout: z.looseObject({ reference: z.string() }).nullable(),
    bookings: z.array(z.looseObject({ entry: z.string().describe('for matchEntry') })),
  })
  .meta({ id: 'Discrepancy' });

const search = z.strictObject({
  accountId: shortText.optional(),
  all: flag.describe('also those that are explained by now'),
});

async function found(
  { store, caller }: Place,
  { accountId, all }: z.output<typeof search>,
): Promise<DiscrepancyDocument[]> {
  const records = await store.discrepancies({ accountId, open: !all, limit: DISCREPANCIES_MAX });
  return discrepancyDocuments(
    store,
    records.filter((it) => maySeeBooks(caller, it)),
  );
}

export const DISCREPANCIES = operation({
  method: 'GET',
  path: '/v1/discrepancies',
  tag: TAG,
  summary: 'Where the books of the bank and ours differ, with both sides, newest first',
  access: READING_BOOKS,
  input: search,
  answer: z.looseObject({ discrepancies: z.array(discrepancy) }),
  run: async (place, input) => ({ discrepancies: await found(place, input) }),
});

export const DISCREPANCIES_CSV = operation({
  method: 'GET',
  path: '/v1/discrepancies.csv',
  tag: TAG,
  summary: 'The same as a table',
  access: READING_BOOKS,
  input: search,
  answer: z.string(),
  type: 'text/csv; charset=utf-8',
  async run(place, input): Promise<AsyncIterable<string>> {
    const text = discrepanciesCsv(await found(place, input));
    return (async function* () {
      yield text;
    })();
  },
});

export const TAKE_ORDERS = operation({
  method: 'POST',
  path: '/v1/statements/orders',
  tag: TAG,
  summary: "Take the bank's order list of a user as the statement of each account",
  description: 'For a bank that sends no statements.',
  access: OPERATING,
  input: z.strictObject({ uid: shortText }),
  answer: z.looseObject({ accounts: z.array(z.looseObject({})) }),
  async run(place, { uid }): Promise<{ accounts: OrdersStatement[] }> {
    const { uids, accounts, currencies, kinds } = place.caller.person?.scope ?? {};
    const isWhole = [accounts, currencies, kinds].every((list) => list === undefined);
    if (!isWhole || uids?.includes(uid) === false) throw outsideScope();
    return { accounts: await takeOrders(place, await place.bank(), uid) };
  },
});

const outsideScope = (): Problem =>
  new Problem('forbidden', 'outside-scope', 'This is outside your scope in the policy.', {
    hint: 'It needs a scope that holds all accounts of the user.',
  });

/** What an operator signs who says which payout a booking belongs to; `reference` absent: none. */
export const matchOf = (entry: string, reference: string | undefined, remark: string) =>
  ({ question: 'resolve', reference: entry, digest: resolveDigest('match', reference), remark }) as const;

export const MATCH = operation({
  method: 'POST',
  path: '/v1/entries/:entry/match',
  tag: TAG,
  summary: 'Say which payout a booking belongs to, or that it belongs to none',
  description: 'It changes no payout; the bookings are compared again.',
  access: OPERATING,
  input: z.strictObject({
    entry: pathId.describe('id of the booking, as in a discrepancy'),
    payout: shortText.optional().describe('reference, order id or document id; absent: it belongs to no payout'),
    reason: storableText,
    by: storableText.optional(),
    signed: signedInput,
  }),
  answer: z.looseObject({ entry: z.string(), discrepancies: z.int() }),
  async run(place, { entry, payout: named, reason, by: given, signed }) {
    const { store, caller, now } = place;
    const kept = await store.statementEntry(entryOfLine(entry));
    if (kept === undefined || !maySeeBooks(caller, kept)) throw unknownEntry(entry);
    assertMayOperate(caller, 'resolve');
    const payout = named === undefined ? undefined : await payoutNamed(place, named);
    const by = nameOf(place, given, signed);
    await storeSigned(place, signed, matchOf(entry, named, reason));
    const { uid } = kept;
    await store.decideEntry({ lineId: entry, uid, reference: payout?.reference ?? null, by, reason, at: now() });
    const { discrepancies } = await reconcileUser(place, uid);
    return { entry, reference: payout?.reference ?? null, discrepancies };
  },
});

async function payoutNamed({ store, caller }: Place, id: string): Promise<PayoutRecord> {
  const target = await findTarget(store, id, caller);
  if (target.kind === 'payout') return target.payout;
  throw new Problem('usage', 'not-a-payout', 'A booking belongs to a payout, and this is a batch.', {
    hint: 'Give the reference, the order id or the document id of one payout.',
  });
}

const unknownEntry = (entry: string): Problem =>
  new Problem('not-found', 'unknown-id', `There is no booking "${visible(entry)}".`, {
    hint: 'payouts statement shows the ids of bookings that belong to no payout.',
  });
