import { referenceOf } from '../domain/identity.ts';
import { addDecimals } from '../domain/money.ts';
import { isEnd, isUnpaid } from '../domain/payout-state.ts';
import { type Settling, settlingKey, settlingOf } from '../domain/settling.ts';
import { DAY_MS } from '../domain/time.ts';
import { openQuestion } from '../people/decisions/shown-question.ts';
import { approvedBy } from '../people/decisions/verdict.ts';
import type { App, StoreReader } from '../platform/app.ts';
import { orderReference, orderReferences } from '../store/claimed-row.ts';
import { inPages } from '../store/in-pages.ts';
import type { BatchRecord, PayoutRecord, Store } from '../store/store.ts';
import type { ReportSource } from './batch-report.ts';
import { hindrancesNow } from './hindrances.ts';
import { workflowUrl } from './links.ts';
import { nextStep, type StepContext } from './next-step.ts';
import type { ReportPaths } from './report-document.ts';
import { type ExchangePart, exchangeOf, type PayoutFacts, partsOf, type Share } from './reported-payout.ts';

/** What reports are made from. */
export type Reporting = Pick<App, 'config' | 'store' | 'ui'>;

/**
 * Reads what the report of a batch is made from, the rows and what is stored about them, a page at a time. `now`: absent for a
 * report that must not change with time; then signatures count as of the newest decision.
 */
export function reportSource(
  app: Reporting,
  batch: BatchRecord,
  { reports, isMasked, now }: { reports: ReportPaths; isMasked: boolean; now?: () => number },
): ReportSource {
  return {
    batch,
    pages: pagesOf(app, batch.batchId, { now, isMasked }),
    refused: app.store.refusedRows(batch.batchId),
    workflowUrl: (workflowId) => workflowUrl(app.ui, workflowId),
    reports,
    isMasked,
  };
}

type RowWithFacts = readonly [PayoutRecord, PayoutFacts];

async function* pagesOf(
  { config, store }: Reporting,
  batchId: string,
  { now, isMasked }: { now: (() => number) | undefined; isMasked: boolean },
): AsyncGenerator<RowWithFacts[]> {
  const decidedAt = await store.lastDecisionAt();
  const parts = await exchangeParts(store, batchId);
  for await (const rows of inPages(store.rows(batchId))) {
    const facts = await factsOf(store, rows);
    const context = await stepContext(
      { config, settings: config.settings, store, now: now ?? (() => decidedAt) },
      rows,
    );
    // Who works now is no fact about the batch.
    context.hindrance = undefined;
    context.isMasked = isMasked;
    // Nor how long others took until now.
    if (now === undefined) context.settling = new Map();
    yield facts.map(([row, its]) => [row, { ...its, part: parts.get(row.reference), step: nextStep(row, context) }]);
  }
}

/** By reference: what each payout of a batch has of the exchange that bought for it, in proportion to what it paid. */
async function exchangeParts(store: Store, batchId: string): Promise<ReadonlyMap<string, ExchangePart>> {
  const exchanges = await store.exchangesOf(batchId);
  if (exchanges.length === 0) return new Map();
  const shares = new Map<string, Share[]>(exchanges.map(({ reference }) => [reference, []]));
  for await (const page of inPages(store.rows(batchId))) {
    for (const row of page)
      shares.get(row.instruction.exchanged_by ?? '')?.push({ reference: row.reference, weight: boughtFor(row) });
  }
  const parts = new Map<string, ExchangePart>();
  for (const [exchange, facts] of await moneyFactsOf(store, exchanges)) {
    const whole = exchangeOf(exchange, facts);
    if (whole === null) continue;
    for (const [reference, part] of partsOf(whole, exchange.instruction.currency, shares.get(exchange.reference) ?? []))
      parts.set(reference, part);
  }
  return parts;
}

/** With its fee, as far as it is known and in the currency that is bought. */
function boughtFor({ instruction: { amount, currency }, assessed, ...row }: PayoutRecord): string {
  const { fee, feeCurrency } = row.fee === null ? (assessed ?? {}) : row;
  return fee != null && feeCurrency === currency ? addDecimals(amount, fee) : amount;
}

/** What else the store knows about rows, except their next steps. */
export async function factsOf(store: Store, rows: readonly PayoutRecord[]): Promise<RowWithFacts[]> {
  const approvals = await approvalsOf(store, rows);
  const names = await namesAtBank(store, rows);
  return (await moneyFactsOf(store, rows)).map(([row, facts]) => [
    row,
    {
      ...facts,
      approvals: approvals.get(row.reference) ?? [],
      nameAtBank: names.get(row.reference) ?? null,
      step: undefined,
    },
  ]);
}

type MoneyFacts = Pick<PayoutFacts, 'attempts' | 'booked' | 'paid' | 'returns' | 'incidents'>;

/** Of these what says where money went. */
export async function moneyFactsOf(
  store: Store,
  rows: readonly PayoutRecord[],
): Promise<(readonly [PayoutRecord, MoneyFacts])[]> {
  const references = rows.map(({ reference }) => reference);
  const exchanges = rows.map((row) => orderReference(row, 'exchange'));
  const attempts = Map.groupBy(await store.attemptsOf([...references, ...exchanges]), byReference);
  const booked = new Map((await store.bookedExchangesOf(references)).map((it) => [it.reference, it]));
  const paid = new Map((await store.paidOrdersOf(references)).map((it) => [it.reference, it]));
  const returns = Map.groupBy(await store.returnsOf(references), byReference);
  // Money that came back has members of its own.
  const found = (await store.incidentsOf(references)).filter(({ kind }) => kind !== 'returned');
  const incidents = Map.groupBy(found, byReference);
  return rows.map((row, index) => {
    const { reference } = row;
    const sent = { payment: attempts.get(reference) ?? [], exchange: attempts.get(exchanges[index] ?? '') ?? [] };
    const [returned, contradictions] = [returns.get(reference) ?? [], incidents.get(reference) ?? []];
    const shown = { booked: booked.get(reference), paid: paid.get(reference) };
    return [row, { attempts: sent, ...shown, returns: returned, incidents: contradictions }];
  });
}

const byReference = ({ reference }: { reference: string }): string => reference;

/** Approvals of the last reading: those of an earlier one are void. */
async function approvalsOf(
  store: Store,
  rows: readonly PayoutRecord[],
): Promise<Map<string, PayoutFacts['approvals'][number][]>> {
  const digests = new Map(rows.map(({ reference, assessed }) => [reference, assessed?.digest]));
  const before = await store.approvalsOfMany([...digests.keys()]);
  const atBank = await store.entriesOfActions(['approve at the bank'], [...digests.keys()]);
  const all = [
    ...before
      .filter(({ reference, digest }) => digests.get(reference) === digest)
      .map(({ reference, by, at }) => ({ reference, by, at, where: 'before-submit' as const })),
    ...atBank.map(({ subject: reference, actor: by, at }) => ({ reference, by, at, where: 'at-bank' as const })),
  ];
  const found = new Map<string, PayoutFacts['approvals'][number][]>();
  for (const { reference, ...approval } of all) found.set(reference, [...(found.get(reference) ?? []), approval]);
  return found;
}

async function namesAtBank(store: Store, rows: readonly PayoutRecord[]): Promise<Map<string, string | null>> {
  const asked = rows.flatMap(({ uid, beneficiaryId: payeeId }) => (payeeId === null ? [] : [{ uid, payeeId }]));
  const names = new Map((await store.payeesOf(asked)).map(({ uid, payeeId, name }) => [`${uid}/${payeeId}`, name]));
  return new Map(
    rows.map(({ reference, uid, beneficiaryId }) => [reference, names.get(`${uid}/${beneficiaryId}`) ?? null]),
  );
}

/** What the next steps of rows depend on, from store and configuration. `now`: for the expiry of signatures. */
export async function stepContext(app: StoreReader, rows: readonly PayoutRecord[]): Promise<StepContext> {
  const { store } = app;
  const { policy, terms, calendar } = app.settings;
  const unpaid = rows
    .filter(({ kind, state }) => kind === 'payout' && isUnpaid(state))
    .map(({ reference }) => reference);
  return {
    policy,
    at: app.now(),
    terms,
    calendar,
    settling: await settlingsOf(store, rows, app.now()),
    auditEnds: await auditEnds(store, rows),
    approvedBy: await approvers(app, rows),
    hindrance: (await hindrancesNow(app))[0],
    off: await store.switches(),
    exchanged: referencesIn([...(await store.bookedExchangesOf(unpaid)), ...(await boughtForAll(store, rows))]),
    contradicted: referencesIn(await store.incidentsOf(unpaid)),
    paidAgainBy: await nextGenerations(store, rows),
  };
}

/** Kinds of payouts that are looked up for one answer; for further ones no arrival is estimated. */
const KINDS_MAX = 20;

/** By `settlingKey`: how long payouts like these took. */
async function settlingsOf(store: Store, rows: readonly PayoutRecord[], now: number): Promise<Map<string, Settling>> {
  const open = rows.filter(({ kind, state }) => kind === 'payout' && !isEnd(state));
  const kinds = new Map(open.map(({ instruction }) => [settlingKey(instruction), instruction]));
  const found = new Map<string, Settling>();
  for (const [key, { currency, payment_type: type }] of [...kinds].slice(0, KINDS_MAX)) {
    const settling = settlingOf(await store.settlingTimes({ currency, paymentType: type, since: now - LEARNED_MS }));
    if (settling !== undefined) found.set(key, settling);
  }
  return found;
}

/** What is older says little of how long payouts take now. */
const LEARNED_MS = 90 * DAY_MS;

/** By reference: the payout that pays an ended row again. */
async function nextGenerations(store: Store, rows: readonly PayoutRecord[]): Promise<Map<string, PayoutRecord>> {
  const ended = rows.filter(({ kind, state }) => kind === 'payout' && isEnd(state));
  const nextOf = ({ uid, documentId, generation }: PayoutRecord): string =>
    referenceOf(uid, documentId, 'payment', generation + 1);
  const found = new Map((await store.payoutsOf(ended.map(nextOf))).map((it) => [it.reference, it]));
  return new Map(
    ended.flatMap((row) => {
      const next = found.get(nextOf(row));
      return next === undefined ? [] : [[row.reference, next] as const];
    }),
  );
}

/** Those for which the exchange of their batch has bought. */
async function boughtForAll(store: Store, rows: readonly PayoutRecord[]): Promise<PayoutRecord[]> {
  const waited = rows.filter(({ state, instruction }) => isUnpaid(state) && instruction.exchanged_by !== undefined);
  const exchanges = await store.payoutsOf([
    ...new Set(waited.map(({ instruction }) => instruction.exchanged_by ?? '')),
  ]);
  const bought = new Set(exchanges.filter(({ state }) => state === 'completed').map(({ reference }) => reference));
  return waited.filter(({ instruction }) => bought.has(instruction.exchanged_by ?? ''));
}

/** When the bank's audit of each order ends, as sent with the order: the bank keeps to that. */
/** When the bank's audit of each of these ends, epoch ms by reference. */
export async function auditEnds(store: Store, rows: readonly PayoutRecord[]): Promise<Map<string, number>> {
  const owners = new Map(
    rows
      .filter(({ state }) => state === 'awaiting-bank-approval')
      .flatMap((row) => Object.values(orderReferences(row)).map((orderKind) => [orderKind, row.reference] as const)),
  );
  const ends = new Map<string, number>();
  for (const { reference, request, resolved } of await store.attemptsOf([...owners.keys()])) {
    const owner = owners.get(reference);
    if (owner !== undefined && resolved === null && request !== null && 'expiredAt' in request)
      ends.set(owner, request.expiredAt);
  }
  return ends;
}

const referencesIn = (found: readonly { reference: string }[]): Set<string> =>
  new Set(found.map(({ reference }) => reference));

async function approvers(app: StoreReader, rows: readonly PayoutRecord[]): Promise<Map<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const row of rows) {
    const asked = await openQuestion(app, row);
    if (asked === undefined || asked.needed < 2) continue;
    found.set(row.reference, await approvedBy(app, row, asked));
  }
  return found;
}
