import { doubtInWords, type ReadDoubt } from './absence.ts';
import type { ExchangePlan, TransferPlan } from './agreed-cost.ts';
import { isSoldWithin, sellAtMost } from './agreed-cost.ts';
import { holdDigest } from './authority.ts';
import { compareDecimals, groupedAmount } from './money.ts';
import type { Flag, Shown } from './payee.ts';
import { objectionOf, type PayeeCheck } from './payee.ts';
import type { Reason } from './payout-state.ts';
import type { Caps, Terms } from './policy.ts';
import { because, isOfAccount, isSignalled } from './reasons.ts';
import type { SwitchScope } from './switch-scope.ts';
import { doublingPause } from './time.ts';

/** A payee at the bank; `digest` changes with any of its details. */
export interface Payee {
  id: string;
  digest: string;
}

/** Objections of our own store and the policy to sending, apart from the bank. An absent member objects to nothing. */
export interface Guards {
  /** Scope of a switch that is off and matches the payout. */
  switchedOff?: SwitchScope;
  /** The document may have been paid under another reference: by the store, or by these orders, for people. */
  earlierOpen?: true | string;
  /** Why a list of the bank that has to be read before anything is sent proves nothing. */
  listDoubt?: ReadDoubt;
  /** The policy limit that it would exceed now, in words. */
  limit?: string;
  /** The policy does not, or no longer, let its maker submit it. */
  makerNotAllowed?: true;
  /**
   * An earlier payout with the same payee, amount and currency; `daysBefore`: days between the two claims, null if unknown. Or the
   * id of an order of the same amount and account that was not sent from this store.
   */
  lookAlike?: { daysBefore: number | null; sameFile?: true } | { orderId: string };
  /** State of the card payment that the payout depends on; absent if it depends on none. */
  cardPayment?: 'succeeded' | 'open' | 'unpaid' | 'contradicted';
  /** What the card payment collected, once it has succeeded. */
  collected?: Collected;
  /** The exchange of its batch that buys for it, until that is completed. */
  batchExchange?: BatchExchange;
}

/** `open`: it may still buy; `unpaid`: it has ended and bought nothing, or does not buy for the payout. */
interface BatchExchange {
  is: 'open' | 'unpaid';
  reference: string;
  /** Its document, and the state in which it has ended, for people. */
  says: string;
}

/** Everything read about a payout before it is sent: what the bank shows, and our own objections. Read again after every wait. */
export interface Assessment extends Guards {
  /** Absent for an order without a payee: a transfer, a stand-alone exchange. */
  beneficiary?: ({ known: true } & Payee) | { known: false };
  /** The account that pays, in the payout currency. */
  payingAccountId?: string;
  /** Currency of the account that the row names, if it is sold for that of the payout. */
  soldCurrency?: string;
  /** Present if the payout currency must be bought first; for a stand-alone exchange, the exchange itself. */
  exchange?: ExchangePlan;
  /**
   * The most that the exchange may sell before people are asked: by what the plan has shown, else by the first quote. Absent for a
   * payout without a plan: its exchange is compared once it is booked.
   */
  mostSold?: string;
  /** The accounts of a transfer. */
  transfer?: TransferPlan;
  fee?: string;
  feeCurrency?: string;
  /** Digest that an approval is bound to: payee, account, amount, fee. */
  digest: string;
  /** Number of distinct people who must approve before the payout is sent. */
  approvalsNeeded: number;
  /** Number of distinct people who must approve if the bank audits the order; absent: one. */
  approvalsAtBank?: number;
  /** No rule asks for the approval: it is needed because the maker has not signed the row as it is. */
  notMade?: true;
  /** Hash of the policy in force when this was read; absent without a policy. */
  policyHash?: string;
  /** One signature for many payouts does not approve this one. */
  asksAlone?: true;
  /** What people should check before they decide. */
  flags?: readonly Flag[];
  /** What the first reading showed; later readings do not change it. */
  first?: Shown;
  /** Approvals needed by digest, as last asked: kept through readings with another digest or with none. */
  asked?: Readonly<Record<string, number>>;
  /** Nothing may be created at the bank before the approval, not even a payee. */
  approvedFirst?: true;
  /**
   * The account that must cover an amount, and whether its balance does; absent while unknown. `isStale`: a cache has answered, and
   * may do so for ever, so the balance decides nothing: the bank refuses what the account does not cover.
   */
  funds?: { accountId: string; needs: string; available: string; enough: boolean; isStale?: true };
  /** What the bank refused, and what follows from it. */
  obstacle?: Obstacle;
  /** What people must let through before anything is sent, in the order in which they are asked. */
  exceptions?: readonly ApprovalException[];
  /** Providers' verdicts on the payee; absent if none is asked. */
  checks?: readonly PayeeCheck[];
}

/** What the card payment that a payout waits for collected. */
interface Collected {
  amount: string;
  currency: string;
  /** Whether the money was taken (DEBIT); an AUTH only reserves it, and somebody still has to capture it. */
  isTaken: boolean;
  /** Whether it is in the payout's currency and at least its amount. */
  covers: boolean;
}

/** A property of a payout that people must let through before it is sent. Each is decided on its own. */
interface ApprovalException {
  reason: Reason;
  /** Digest of what is decided. */
  digest: string;
}

export type Obstacle = { kind: 'fail' | 'hold'; reason: Reason } | { kind: 'await-funds' };

export interface ApprovedDigest {
  digest: string;
  by: readonly string[];
}

/** What people have let through so far: kept across visits to the gates, and handed over when a run continues as new. */
export interface GrantedApprovals {
  /** Complete approvals, one for each digest: a fee may change and change back. */
  approved?: readonly ApprovedDigest[];
  /** Digests of the exceptions that somebody let through. */
  letThrough?: readonly string[];
  /** Somebody accepted the rate at which the payout's exchange was booked. */
  bookedRateAccepted?: boolean;
}

export type Gate =
  | { gate: 'open' }
  | { gate: 'scheduled'; until: number }
  | { gate: 'beneficiary' }
  | { gate: 'fail'; reason: Reason }
  /** `digest` of what people are asked. */
  | { gate: 'hold'; reason: Reason; digest: string }
  | { gate: 'await-funds' }
  | { gate: 'await-exchange'; says: string }
  | { gate: 'approval'; needed: number; digest: string };

/** The first obstacle between a payout and its send, in the order of its life. */
export function nextGate(assessment: Assessment, terms: Terms, passes: GrantedApprovals, now: number): Gate {
  const { obstacle, exchange } = assessment;
  const hold = (reason: Reason): Gate => ({ gate: 'hold', reason, digest: holdDigest(assessment.digest, reason.code) });
  if (obstacle?.kind === 'fail') return { gate: 'fail', reason: obstacle.reason };
  if (terms.dueAt !== undefined && now < terms.dueAt) return { gate: 'scheduled', until: terms.dueAt };
  for (const stop of stopsOf(assessment)) {
    if ('fail' in stop) return { gate: 'fail', reason: stop.fail };
    if ('hold' in stop) return hold(stop.hold);
  }
  // Comes before anything is created at the bank, even a payee.
  const exception = assessment.exceptions?.find(({ digest }) => passes.letThrough?.includes(digest) !== true);
  if (exception !== undefined) return { gate: 'hold', ...exception };
  if (obstacle?.kind === 'hold') return hold(obstacle.reason);
  if (obstacle?.kind === 'await-funds') return { gate: 'await-funds' };
  const approval = approvalGate(assessment, passes);
  if (assessment.beneficiary?.known === false) {
    return assessment.approvedFirst === true && approval !== undefined ? approval : { gate: 'beneficiary' };
  }
  if (exchange?.buysWhatWasAsked === false) return hold(because('exchange-quote-unclear'));
  if (isShort(assessment)) return { gate: 'await-funds' };
  // People decide meanwhile: what they approve does not depend on the exchange of the batch.
  if (approval !== undefined) return approval;
  const { batchExchange } = assessment;
  return batchExchange?.is === 'open' ? { gate: 'await-exchange', says: batchExchange.says } : { gate: 'open' };
}

const isShort = ({ funds }: Assessment): boolean => funds?.enough === false && funds.isStale !== true;

/**
 * What follows from a refusal (`refused`) that the bank repeats (`said`), by a later reading. If that agrees with the order, waiting
 * changes nothing: a bank that repeats its first answer for a reference refuses it for ever.
 */
export function afterRepeatedRefusal(said: string, refused: Obstacle, found: Assessment): Assessment {
  const { funds, beneficiary, obstacle } = found;
  if (obstacle !== undefined || isShort(found) || beneficiary?.known === false) return found;
  // No reading shows whether an account is frozen.
  if (refused.kind === 'hold' && refused.reason.code === 'account-frozen') return held(refused, found);
  const isUnknown = refused.kind === 'await-funds' && funds?.isStale === true;
  const code = isUnknown ? 'balance-from-cache' : 'refusal-contradicted';
  const reason = because(code, funds === undefined ? said : `${said}; ${shownFunds(funds)}`);
  return held({ kind: 'hold', reason }, found);
}

/** The list is read again before the next send; its doubt would hide the reason. */
const held = (obstacle: Obstacle, found: Assessment): Assessment => ({
  ...found,
  listDoubt: undefined,
  obstacle,
});

/** What an account was refused for stays the reason until its order may be sent again: its other rows wait for that. */
export const afterObstacle = (obstacle: Obstacle | undefined, found: Assessment): Assessment =>
  obstacle?.kind === 'hold' && isOfAccount(obstacle.reason) && !found.obstacle && found.listDoubt === 'too-soon'
    ? held(obstacle, found)
    : found;

/** Often where a signal may be lost, and for two hours where other rows wait. */
export function pauseOfHold(reason: Reason, visits: number, { pollMs, pollMaxMs }: Terms['waits']): number {
  const isProbe = isSignalled(reason) || (isOfAccount(reason) && visits < 24);
  return doublingPause(visits, pollMs, isProbe ? pollMaxMs : pollMaxMs * 12);
}

/** What the account shows and what the payout needs, in words, in the account's currency. */
export const shownFunds = ({ available, needs, isStale }: NonNullable<Assessment['funds']>): string =>
  `the account holds ${groupedAmount(available)}${isStale === true ? ' by the answer of a cache' : ''}, and ${groupedAmount(needs)} are needed`;

/** Compares with the number needed now: the rules may have become stricter since the approval. */
const approvalGate = ({ approvalsNeeded: needed, digest }: Assessment, passes: GrantedApprovals): Gate | undefined =>
  needed === 0 || passes.approved?.some((approved) => approved.digest === digest && approved.by.length >= needed)
    ? undefined
    : { gate: 'approval', needed, digest };

/** What a guard demands: never send, do not send while it holds, or send only if people let it through. */
type Stop = { fail: Reason } | { hold: Reason } | { letThrough: readonly ToLetThrough[] };

/** `bound`: the value that people let through in addition to the instruction; another value must be let through again. */
interface ToLetThrough {
  reason: Reason;
  bound?: string;
}

type Found = { [Name in keyof Guards]-?: NonNullable<Guards[Name]> };

/** What each guard demands, checked in this order; `letThrough` comes after all others. */
const STOPS: { readonly [Name in keyof Found]: (found: Found[Name]) => Stop | undefined } = {
  switchedOff: (scope) => ({ hold: because('switched-off', scope) }),
  // Nobody can let this through: the document could be paid twice.
  earlierOpen: (orders) => ({ hold: because('earlier-generation-open', orders === true ? undefined : orders) }),
  listDoubt: (doubt) => ({
    hold: doubt === 'too-soon' ? because('list-too-soon') : because('list-proves-nothing', doubtInWords(doubt)),
  }),
  // Nor this: the card payment provides the money to pay with.
  cardPayment: (cardState) => BY_CARD_PAYMENT[cardState],
  limit: (passed) => ({ hold: because('limit-reached', passed) }),
  makerNotAllowed: () => ({ hold: because('maker-not-allowed') }),
  lookAlike: (earlier) => ({
    letThrough: [
      'orderId' in earlier
        ? { reason: because('look-alike-order', earlier.orderId), bound: earlier.orderId }
        : { reason: because('look-alike', daysText(earlier)) },
    ],
  }),
  collected: (money) => ({ letThrough: collectedOtherwise(money) }),
  batchExchange: ({ is, reference, says }) =>
    is === 'open' ? undefined : { letThrough: [{ reason: because('exchange-not-made', says), bound: reference }] },
};

const BY_CARD_PAYMENT: Readonly<Record<NonNullable<Guards['cardPayment']>, Stop | undefined>> = {
  succeeded: undefined,
  unpaid: { fail: because('card-payment-unpaid') },
  open: { hold: because('card-payment-open') },
  contradicted: { hold: because('card-payment-contradicted') },
};

function stopsOf(guards: Partial<Found>): Stop[] {
  const stopOf = <Name extends keyof Found>(name: Name): Stop | undefined => {
    const found: Found[Name] | undefined = guards[name];
    return found === undefined ? undefined : STOPS[name](found);
  };
  return (Object.keys(STOPS) as (keyof Guards)[]).map(stopOf).filter((stop) => stop !== undefined);
}

type Read = Guards & Pick<Assessment, 'digest' | 'fee' | 'feeCurrency' | 'exchange' | 'mostSold' | 'checks'>;

/**
 * What people must let through according to a reading. `payload` is the digest of the instruction. What each decision is bound
 * to: a look-alike to `payload` alone; a card payment also to what it collected; a check to the payee's details and the verdict;
 * a cost to what was read and to its amount.
 */
export function approvalExceptionsOf(read: Read, payload: string, caps: Caps): ApprovalException[] {
  const guarded = stopsOf(read).flatMap((stop) => ('letThrough' in stop ? stop.letThrough : []));
  return [
    ...[...objections(read), ...guarded].map(boundTo(payload)),
    ...[...feeAboveCap(read, caps), ...quoteAboveCap(read, caps)].map(boundTo(read.digest)),
  ];
}

const boundTo =
  (digest: string) =>
  ({ reason, bound }: ToLetThrough): ApprovalException => ({ reason, digest: holdDigest(digest, reason.code, bound) });

/** Each check is decided on its own: clearing a screening says nothing about the name. */
function objections({ checks = [] }: Read): ToLetThrough[] {
  return checks.flatMap((check) => {
    const code = objectionOf(check);
    return code === undefined ? [] : [{ reason: because(code), bound: check.digest }];
  });
}

function daysText({ daysBefore, sameFile }: { daysBefore: number | null; sameFile?: true }): string | undefined {
  if (sameFile) return 'in the same file';
  if (daysBefore === null) return undefined;
  return daysBefore === 0 ? 'earlier the same day' : `${daysBefore} ${daysBefore === 1 ? 'day' : 'days'} before`;
}

/** Each of the two is decided on its own. */
function collectedOtherwise({ amount, currency, isTaken, covers }: Collected): ToLetThrough[] {
  const bound = `${amount} ${currency}`;
  const codes = [
    ...(isTaken ? [] : ['card-payment-not-captured' as const]),
    ...(covers ? [] : ['card-payment-too-small' as const]),
  ];
  return codes.map((code) => ({ reason: because(code, bound), bound }));
}

function feeAboveCap({ fee, feeCurrency }: Read, { feeCap }: Caps): ToLetThrough[] {
  if (feeCap === undefined || fee === undefined || compareDecimals(fee, feeCap) !== 1) return [];
  const bound = `${fee} ${feeCurrency}`;
  return [{ reason: because('fee-above-cap', `fee ${bound}, cap ${feeCap}`), bound }];
}

function quoteAboveCap({ exchange, mostSold }: Read, { maxSlippage }: Caps): ToLetThrough[] {
  if (exchange === undefined || mostSold === undefined || !exchange.buysWhatWasAsked) return [];
  const { quotedSellAmount: quoted, sellCurrency } = exchange;
  if (isSoldWithin(mostSold, quoted)) return [];
  const bound = `${sellAtMost(mostSold, quoted, maxSlippage)} ${sellCurrency}`;
  const detail = `${quoted} ${sellCurrency} now, at most ${mostSold} agreed`;
  return [{ reason: because('slippage-above-cap', detail), bound }];
}
