import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { conditionOf } from '../../bank/errors.ts';
import type { Beneficiary } from '../../bank/schemas/beneficiaries.ts';
import { isWithin } from '../../domain/authority.ts';
import { shownValue } from '../../domain/finding.ts';
import { addDecimals, type Total, totalsOf } from '../../domain/money.ts';
import { Problem } from '../../domain/problem.ts';
import { type Html, html } from '../../reports/html.ts';
import type { PayeePayment, PayoutRecord, SeenPayee } from '../../store/store.ts';
import type { Caller } from '../http/callers.ts';
import { hasControls, parsed } from '../http/documents.ts';
import { maySeePayee, maySeePayout, payoutsSeenBy, seesAll } from '../http/may-see.ts';
import { shortText } from '../http/operation.ts';
import { accessOf } from '../http/route-access.ts';
import { placeAccess, show, viewOf } from './layout.ts';
import { pageLinks } from './page-links.ts';
import { type Column, dataTable, factList, moment, money, nothing, payeePath, ROW, TOTALS } from './pieces.ts';
import type { PagesGateway } from './sessions.ts';

const SHOWN_MAX = 100;
const PAYMENTS_MAX = 1_000;

const filled = shortText.optional().or(z.literal('').transform(() => undefined));
const payeesQuery = z.object({ text: filled, page: z.coerce.number().int().min(1).max(10_000).default(1) });

const LISTED: readonly Column<SeenPayee>[] = [
  {
    head: 'Payee',
    cell: ({ uid, payeeId, name }) => html`<a href="${payeePath(uid, payeeId)}">${name ?? payeeId}</a>`,
  },
  { head: 'Country', cell: ({ country }) => country },
  { head: 'User', cell: ({ uid }) => uid },
  { head: 'Id at the bank', cell: ({ payeeId }) => html`<code>${payeeId}</code>` },
  { head: 'First seen', cell: ({ seenAt }) => moment(seenAt) },
  { head: 'Details changed', cell: ({ changedAt }) => changedAt !== null && moment(changedAt) },
];

/** `/payees`: payees that payouts have named by their id at the bank; `/payees/UID/ID`: one of them, and what was paid to it. */
export function payeeRoutes(app: FastifyInstance, gateway: PagesGateway): void {
  const { store } = gateway;
  app.get('/payees', accessOf(placeAccess('/payees')), async (request, reply) => {
    const { caller } = request;
    const { text, page } = parsed(payeesQuery, request.query);
    const seenBy = seesAll(caller) && isMore(caller) ? undefined : payoutsSeenBy(caller);
    const offset = (page - 1) * SHOWN_MAX;
    const found = await store.payeeList({ text, seenBy }, { offset, limit: SHOWN_MAX + 1 });
    const body = html`<h1>Payees</h1>
<form class="filters" method="get" role="search"><label>Name or id <input type="search" name="text" maxlength="200" value="${text}"></label><button>Find</button></form>
${found.length === 0 ? nothing(text === undefined ? 'No payout has named a payee by its id yet.' : 'No payee matches.') : dataTable('By name', LISTED, found.slice(0, SHOWN_MAX))}
${pageLinks('/payees', { text }, { page, isMore: found.length > SHOWN_MAX })}`;
    return show(reply, viewOf(request, reply, gateway), { title: 'Payees', body });
  });
  app.get('/payees/:uid/:payee', accessOf(placeAccess('/payees')), async (request, reply) => {
    const { uid, payee: payeeId } = request.params as { uid: string; payee: string };
    const { caller } = request;
    const payments = await paymentsSeen(gateway, caller, { uid, payeeId });
    const { known, payee } = await payeeSeen(gateway, caller, { uid, payeeId }, payments.length > 0);
    const name = known.name ?? payeeId;
    const body = html`<h1>${name}</h1>
${aboutPayee(known, payee, payments.every(({ payout }) => !maySeePayee(caller, payout)) && caller.person !== undefined)}
<p><a class="button" href="/payouts?text=${encodeURIComponent(payeeId)}">All payouts to this payee</a></p>
<h2>Paid so far</h2>
${paidSoFar(payments)}`;
    return show(reply, viewOf(request, reply, gateway), { title: name, body });
  });
}

const isMore = ({ person }: Caller): boolean => person === undefined || person.roles.some((role) => role !== 'maker');

interface Paid extends PayeePayment {
  payout: PayoutRecord;
}

/** What was paid to a payee by payouts that the caller may see, newest first. */
async function paymentsSeen(
  { store }: PagesGateway,
  caller: Caller,
  payee: { uid: string; payeeId: string },
): Promise<Paid[]> {
  if (hasControls(payee.uid) || hasControls(payee.payeeId)) return [];
  const payments = await store.paymentsTo(payee, PAYMENTS_MAX);
  const rows = new Map(
    (await store.payoutsOf(payments.map(({ reference }) => reference))).map((row) => [row.reference, row]),
  );
  return payments.flatMap((payment) => {
    const payout = rows.get(payment.reference);
    return payout !== undefined && maySeePayout(caller, payout) ? [{ ...payment, payout }] : [];
  });
}

/** The payee in the store and at the bank. Throws a `Problem` for one that neither shows, or that the caller may not see. */
async function payeeSeen(
  { store, bank }: PagesGateway,
  caller: Caller,
  { uid, payeeId }: { uid: string; payeeId: string },
  isPaid: boolean,
): Promise<{ known: SeenPayee; payee: Beneficiary | undefined | 'no-answer' }> {
  const { person } = caller;
  const isOfScope =
    person === undefined || isWithin(person.scope, { kind: 'payout', uid, accounts: [], currencies: [] });
  const isSeen = isOfScope && (isPaid || (seesAll(caller) && isMore(caller)));
  const known =
    isSeen && !hasControls(uid) && !hasControls(payeeId) ? await store.seenPayee({ uid, payeeId }) : undefined;
  if (known === undefined) throw unknownPayee();
  const payee = await bank.beneficiaries.get(payeeId).catch((error: unknown) => {
    return conditionOf(error) === 'beneficiary-not-found' ? undefined : ('no-answer' as const);
  });
  return { known, payee };
}

const unknownPayee = (): Problem =>
  new Problem('not-found', 'unknown-id', 'There is no such payee.', {
    hint: 'The list of payees shows those that are known.',
  });

/** @param isMasked for somebody who neither decides about a payout to it nor has handed one over */
function aboutPayee(known: SeenPayee, payee: Beneficiary | undefined | 'no-answer', isMasked: boolean): Html {
  const { uid, payeeId, country, seenAt, changedAt } = known;
  return html`<section class="card" aria-label="The payee">${factList([
    ['User', uid],
    ['Id at the bank', html`<code>${payeeId}</code>`],
    ['Country', country],
    ['First seen', moment(seenAt)],
    ['Details changed', changedAt !== null && moment(changedAt)],
  ])}</section>
<h2>As the bank shows it now</h2>
${payee === 'no-answer' ? html`<p class="problem">The bank does not answer now.</p>` : payee === undefined ? nothing('The bank does not know this payee any more.') : detailFacts(payee, isMasked)}`;
}

const detailFacts = (
  { currency, payment_type: payment, beneficiary_type: type, items }: Beneficiary,
  isMasked: boolean,
): Html =>
  factList([
    ['currency', currency],
    ['payment type', payment],
    ['type', type],
    ...Object.entries(items).map(([name, value]) => [name, isMasked ? shownValue(name, value) : value] as const),
  ]);

const PAID: readonly Column<Paid>[] = [
  { head: 'Document', cell: ({ payout }) => ROW.document.cell(payout) },
  { head: 'Amount', isFigure: true, cell: ({ amount, currency }) => money(amount, currency) },
  { head: 'From', cell: ({ payout }) => payout.accountId },
  { head: 'Paid', cell: ({ paidAt }) => moment(paidAt) },
  {
    head: 'Returned',
    isFigure: true,
    cell: ({ payout: { cameBack } }) => cameBack !== null && money(cameBack.amount, cameBack.currency),
  },
  {
    head: 'Fee',
    isFigure: true,
    cell: ({ payout: { fee, feeCurrency } }) => fee !== null && money(fee, feeCurrency ?? ''),
  },
];

interface PaidTotal extends Total {
  /** Decimal. */
  returned: string;
}

function paidTotals(payments: readonly Paid[]): PaidTotal[] {
  const back = totalsOf(payments.flatMap(({ payout }) => payout.cameBack ?? []));
  const returnedIn = new Map(back.map(({ currency, amount }) => [currency, amount]));
  return totalsOf(payments).map((total) => ({ ...total, returned: returnedIn.get(total.currency) ?? '0' }));
}

const RETURNED: readonly Column<PaidTotal>[] = [
  { head: 'Returned', isFigure: true, cell: ({ returned, currency }) => money(returned, currency) },
  {
    head: 'Paid less returned',
    isFigure: true,
    cell: ({ amount, returned, currency }) => money(addDecimals(amount, `-${returned}`), currency),
  },
];

function paidSoFar(payments: readonly Paid[]): Html {
  if (payments.length === 0) return nothing('Nothing was paid to this payee yet.');
  const isBack = payments.some(({ payout }) => payout.cameBack !== null);
  const totals = isBack ? [...TOTALS, ...RETURNED] : TOTALS;
  const listed = isBack ? PAID : PAID.filter(({ head }) => head !== 'Returned');
  return html`${dataTable(payments.length === PAYMENTS_MAX ? `The last ${PAYMENTS_MAX} payments` : 'All payments', totals, paidTotals(payments))}
${dataTable(payments.length > SHOWN_MAX ? `The last ${SHOWN_MAX}` : 'Newest first', listed, payments.slice(0, SHOWN_MAX))}`;
}
