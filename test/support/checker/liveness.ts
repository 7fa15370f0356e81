import { sameAmount } from './decimals.ts';
import { isPaidByOther } from './documents.ts';
import {
  END_STATES,
  type Facts,
  moneyStateOf,
  type PayoutFacts,
  type ReferenceFacts,
  type Violation,
} from './facts.ts';
import type { BankOrder } from './observation.ts';
import { TRIES } from './one-order.ts';

/** I13, I16: after the faults everything ends, people are asked only where they are needed, and the bank is not flooded. */
export function liveness(facts: Facts): Violation[] {
  const { calm } = facts;
  const inTime = calm.settled && calm.until - calm.from <= calm.boundMs;
  return [
    ...(inTime
      ? []
      : [
          {
            invariant: 'I13' as const,
            reference: null,
            message: `not settled ${calm.until - calm.from} ms after the last fault`,
          },
        ]),
    ...facts.payouts.flatMap((payout) => endedOrUndecidable(facts, payout)),
    ...notFlooded(facts),
  ];
}

function endedOrUndecidable(facts: Facts, payout: PayoutFacts): Violation[] {
  const { row, payment, instruction } = payout;
  if (row === undefined || END_STATES.has(row.state)) return [];
  const bought = facts.payouts.find((other) => other.payment.reference === instruction.boughtBy);
  if (row.reasonCode === 'awaiting-exchange' && bought?.row?.state === 'needs-operator') return [];
  const broken = (message: string): Violation[] => [{ invariant: 'I13', reference: payment.reference, message }];
  if (row.state !== 'needs-operator') return broken(`still ${row.state} (${row.reasonCode})`);
  return isUndecidable(facts, payout)
    ? []
    : broken(`with an operator (${row.reasonCode}) although the bank's API decides it`);
}

/**
 * The oracle of "people are needed": something under one of the payout's references that no read of the bank can settle.
 * - more than one order, or one that is not what was asked for;
 * - one that got another id, unless it pays and a single write made it: the other id may be another order's;
 * - a status without a known meaning, or one that never ends;
 * - no order, and the same reference may not be sent again: the bank says it exists, the setting forbids it, or the resends
 *   that the setting allows are used up;
 * - no order, something was sent, and no list can prove that it came to nothing;
 * - no order, and a run was closed while people were asked: they decide before anything is sent;
 * - somebody has closed its runs again and again: that person is asked;
 * - another generation of its document took or may take money.
 */
export function isUndecidable(facts: Facts, payout: PayoutFacts): boolean {
  const orderKinds = [payout.payment, payout.exchange];
  return (
    isClosedAgainAndAgain(facts, payout) ||
    isPaidByOther(facts, payout) ||
    orderKinds.some((under) => referenceIsUndecidable(facts, payout, under))
  );
}

/** So many runs closed in a row, and people are asked rather than one more is started. */
const CLOSED_RUNS = 5;

function isClosedAgainAndAgain({ interruptions, restores }: Facts, { row, payment }: PayoutFacts): boolean {
  const closed = interruptions.filter(
    ({ reference, kind, whileParked }) => reference === payment.reference && kind === 'terminated' && !whileParked,
  );
  // For an older copy, which has no end of the row, a run that has ended was closed too.
  return row?.reasonCode === 'workflow-closed' && closed.length + restores.length >= CLOSED_RUNS;
}

function referenceIsUndecidable(facts: Facts, payout: PayoutFacts, under: ReferenceFacts): boolean {
  const { orders } = under;
  if (orders.length > 1) return true;
  // What an exchange was to buy is in the store alone, and an older copy may not have it: the fee may be another one since.
  if (under === payout.exchange && facts.restores.length > 0 && orders.length > 0) return true;
  if (isSeenAlike(facts, under)) return true;
  // What another home has bought is not what this one would buy: the fee may be another one since.
  if (under === payout.exchange && facts.homes !== undefined && orders.length > 0) return true;
  const [order] = orders;
  if (order === undefined) return isSpent(facts, payout, under);
  const moneyState = moneyStateOf(order, facts);
  const other =
    (order.reference !== under.reference && !isLearned(facts, order)) ||
    (under === payout.payment && !sameAmount(order.amount, payout.instruction.amount));
  const isAnother = order.isRenumbered === true && !(moneyState === 'paid' && isOfOneWrite(under));
  return other || isAnother || moneyState === 'unclear' || moneyState === 'live';
}

const isOfOneWrite = ({ attempts }: ReferenceFacts): boolean =>
  attempts.filter(({ outcome }) => outcome !== 'not-sent' && outcome !== 'refused').length === 1;

/** Once the bank has shown the order of an answer in its own spelling, that says how it spells every other one. */
function isLearned({ settings, orders, attempts }: Facts, { orderId, uid, currency }: BankOrder): boolean {
  const example = orders.find(
    (order) =>
      order.orderId !== orderId &&
      order.uid === uid &&
      order.currency === currency &&
      attempts.some((attempt) => attempt.outcome === 'accepted' && attempt.orderId === order.orderId),
  );
  return settings.isSpellingSame === true && example !== undefined;
}

/** An order of somebody else shows a part of the reference. */
function isSeenAlike({ orders }: Facts, { reference }: ReferenceFacts): boolean {
  return orders.some(
    ({ askedAs, reference: shown }) =>
      askedAs !== undefined &&
      askedAs !== reference &&
      shown !== null &&
      shown.length > 7 &&
      reference.startsWith(shown.toLowerCase()),
  );
}

function isSpent(
  { settings, interruptions, restores, senders }: Facts,
  { payment }: PayoutFacts,
  { reference, attempts }: ReferenceFacts,
): boolean {
  // A run whose store has forgotten what became of an attempt has to doubt it.
  const inDoubt = attempts.filter(
    ({ outcome }) => restores.length > 0 || (outcome !== 'not-sent' && outcome !== 'refused'),
  );
  const exists = attempts.some(({ outcome }) => outcome === 'exists');
  const dropped = interruptions.filter(({ reference }) => reference === payment.reference);
  // What a dropped run was sending is in doubt for the next one, even if its sender learns more afterwards.
  const ofDropped = dropped.length > 0 && attempts.length > inDoubt.length;
  // Neither an older copy nor a run that begins anew knows of a sender without a record: it may have sent for all that anybody
  // knows.
  const forgotten = [...restores, ...dropped.map(({ at }) => at)];
  const begun = senders.filter((sender) => sender.reference === reference && forgotten.some((at) => sender.at <= at));
  const tries = inDoubt.length + (ofDropped || begun.length > attempts.length ? 1 : 0);

  // A sender without an answer may have left no record either.
  if (!settings.provesAbsence) return true;
  return exists || tries >= TRIES[settings.referenceDedupe] || dropped.some(({ whileParked }) => whileParked);
}

/** Requests a minute: a part for the watches and their reads of lists that keep changing, and one for every row. */
const REQUESTS = { fixed: 1_200, aRow: 60 };

function notFlooded({ traffic, accepted }: Facts): Violation[] {
  const bound = REQUESTS.fixed + REQUESTS.aRow * accepted.length;
  const worst = Math.max(0, ...traffic.map(({ requests }) => requests));
  return worst <= bound
    ? []
    : [{ invariant: 'I16', reference: null, message: `${worst} requests in one minute, ${bound} are the bound` }];
}
