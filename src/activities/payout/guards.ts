import { DAY_MS } from '../../domain/durations.ts';
import type { Assessment, Guards } from '../../domain/gates.ts';
import { compareDecimals, sumDecimals } from '../../domain/money.ts';
import { mainLegOf, payoutReference, payoutWorkflowId } from '../../domain/names.ts';
import { isUnpaid } from '../../domain/payout-state.ts';
import { switchFactsOf } from '../../domain/switches.ts';
import { touchedBy } from '../../people/decisions/let-through.ts';
import { limitPassed } from '../../people/decisions/limits.ts';
import { isMakerAllowed } from '../../people/decisions/made.ts';
import type { CardRecord } from '../../store/card-store.ts';
import { areEarlierUnpaid, earlierReferences, isLaterSent } from '../../store/proven-unpaid.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { hearAfterRestore, startAgain } from '../card-events/deliver.ts';
import { cardStanding } from '../cards/card-standing.ts';
import type { ActivityDeps } from '../deps.ts';
import { contradictions } from '../reconciliation/contradictions.ts';
import { askBank } from '../sending/ask-first.ts';

/** What our own store and the policy hold against sending. */

/** Every guard must be present, undefined if it does not object: a guard left unread would let everything through. */
type ReadGuards = { [Name in keyof Required<Guards>]: Guards[Name] };

export async function guardsOf(deps: ActivityDeps, row: PayoutRecord, read: Assessment): Promise<ReadGuards> {
  const { store } = deps;
  const { beneficiary, payingAccountId, exchange } = read;
  const { instruction } = row;
  const beneficiaryId = beneficiary?.known ? beneficiary.id : undefined;
  const touched = switchFactsOf(row);
  const switchedOff = await store.matchingSwitch({
    ...touched,
    accounts: [...touched.accounts, ...present(payingAccountId), ...present(exchange?.sellAccountId)],
    currencies: [...touched.currencies, ...present(exchange?.sellCurrency)],
    payees: [...touched.payees, ...present(beneficiaryId)],
  });
  const { after_card_payment: id } = instruction;
  const card = id === undefined ? {} : await cardPaymentOf(deps, id, row);
  // What is switched off is not sent: its list is read when that is over.
  const atBank = switchedOff === undefined ? await askedBank(deps, row, read) : {};
  return {
    switchedOff,
    earlierOpen: (await isEarlierDoubtful(deps, row)) || atBank.earlier,
    listDoubt: atBank.doubt,
    limit: await limitPassed(deps, row, { beneficiaryId, payingAccountId, exchange }),
    makerNotAllowed: isMakerAllowed(deps, row, touchedBy(row, read)) ? undefined : true,
    lookAlike: await lookAlikeOf(store, row),
    cardPayment: card.cardPayment,
    collected: card.collected,
  };
}

/** By the store, and by what the bank now shows of orders said to have taken no money: it may have changed its mind. */
async function isEarlierDoubtful(deps: ActivityDeps, row: PayoutRecord): Promise<true | undefined> {
  if (!(await areEarlierUnpaid(deps.store, row)) || (await isLaterSent(deps.store, row))) return true;
  for (const payout of await deps.store.payoutsOf(earlierReferences(row))) {
    if ((await contradictions(deps, payout)).length > 0) return true;
  }
  return undefined;
}

const WAITS: ReadonlySet<PayoutRecord['state']> = new Set(['scheduled', 'held', 'awaiting-funds', 'awaiting-approval']);

/** What the bank's lists have against the order that would be sent next. */
async function askedBank(
  deps: ActivityDeps,
  row: PayoutRecord,
  { exchange, transfer, obstacle }: Assessment,
): Promise<{ earlier?: string; doubt?: Guards['listDoubt'] }> {
  if (obstacle !== undefined) return {};
  const { uid, kind } = row;
  const { currency } = row.instruction;
  const own = { uid, currency };
  const sold = exchange === undefined ? [] : [{ uid, currency: exchange.sellCurrency }];
  const arrival = transfer === undefined ? [] : [{ uid: transfer.destination.uid, currency }];
  const leg = exchange === undefined ? mainLegOf(kind) : 'exchange';
  // Whatever was seen before the row waited, for people or for money, is of the past.
  const hasWaited = WAITS.has(row.state);
  // Whoever hands over a batch has looked for it; of a generation that somebody started by itself nobody has.
  const isAlone = row.batchId === null && row.generation > 0;
  const begunAfter = hasWaited ? deps.now() : isAlone ? row.createdAt : 0;
  const { earlier, doubt } = await askBank(deps, row, leg, [own, ...sold, ...arrival], begunAfter);
  return { ...(earlier.length > 0 && { earlier: `order ${earlier.join(', ')}` }), doubt };
}

/**
 * State of the card payment. The payout is registered as a waiter before the read, so an end stored meanwhile is either seen here
 * or signalled.
 */
async function cardPaymentOf(
  deps: ActivityDeps,
  merchantRequestId: string,
  row: Pick<PayoutRecord, 'reference' | 'instruction'>,
): Promise<Pick<Guards, 'cardPayment' | 'collected'>> {
  const { cards } = deps.store;
  await cards.addWaiter(merchantRequestId, payoutWorkflowId(row.reference));
  const found = await cards.get(merchantRequestId);
  if (found?.state === 'succeeded') await hearAfterRestore(deps, found);
  // If its workflow was closed without an end, nobody else would find out.
  else if (found !== undefined) await startAgain(deps, found);
  const record = await cards.get(merchantRequestId);
  return { cardPayment: cardStanding(record), collected: await collectedBy(deps, record, row) };
}

/** What people look at of a card payment that has succeeded. */
async function collectedBy(
  { store, settings }: ActivityDeps,
  record: CardRecord | undefined,
  { reference, instruction }: Pick<PayoutRecord, 'reference' | 'instruction'>,
): Promise<Guards['collected']> {
  if (record === undefined || cardStanding(record) !== 'succeeded') return undefined;
  const { merchantRequestId } = record;
  const { amount, currency, paymentType } = record;
  const needed = [instruction.amount, ...(await alsoPaidFrom(store, merchantRequestId, { reference, currency }))];
  const covers = currency === instruction.currency && compareDecimals(amount, sumDecimals(needed)) !== -1;
  const isTaken = paymentType === 'DEBIT' || settings.cardAuthCounts;
  return { amount, currency, isTaken, covers };
}

/** What of the guards people may let through, right before an order is sent. */
export async function toLetThrough(
  deps: ActivityDeps,
  row: PayoutRecord,
): Promise<Pick<Guards, 'lookAlike' | 'collected'>> {
  const { after_card_payment: id } = row.instruction;
  const record = id === undefined ? undefined : await deps.store.cards.get(id);
  return { lookAlike: await lookAlikeOf(deps.store, row), collected: await collectedBy(deps, record, row) };
}

/**
 * Amounts of the other payouts that wait for the same card payment, or were paid from it: those that ended unpaid took nothing.
 * Each of two that it covers only alone sees the other, whichever registered first, so people decide which one is paid.
 */
async function alsoPaidFrom(
  { cards, payoutsOf }: ActivityDeps['store'],
  merchantRequestId: string,
  { reference, currency }: { reference: string; currency: string },
): Promise<string[]> {
  const others = (await cards.waiters(merchantRequestId)).map(payoutReference).filter((other) => other !== reference);
  return (await payoutsOf(others))
    .filter(({ instruction, state }) => instruction.currency === currency && !isUnpaid(state))
    .map(({ instruction }) => instruction.amount);
}

const present = (value: string | undefined): string[] => (value === undefined ? [] : [value]);

/** Days between the two claims, not until now: the reason must not change while the payout is held. */
async function lookAlikeOf(store: ActivityDeps['store'], row: PayoutRecord): Promise<Assessment['lookAlike']> {
  if (row.lookAlikeOf === null) return undefined;
  const earlier = await store.payout(row.lookAlikeOf);
  if (earlier === undefined) return { daysBefore: null };
  return { daysBefore: Math.max(0, Math.floor((row.createdAt - earlier.createdAt) / DAY_MS)) };
}
