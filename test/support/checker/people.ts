import { unitsOf } from './decimals.ts';
import type { Facts, PayoutFacts, Violation } from './facts.ts';
import type { BankBeneficiary, ObservedApprovalRule, PeopleDecision, ReceivedPost } from './observation.ts';

/** I8, I17: no money moves without the people it needs, and what they did is written down. */
export function people(facts: Facts): Violation[] {
  return facts.payouts.flatMap((payout) => [
    ...payout.payment.posts.flatMap((post) => approvedBeforeSent(facts, payout, post)),
    ...payout.exchange.posts.flatMap((post) => approvedBeforeSent(facts, payout, post)),
    ...decidedBeforeDriven(facts, payout),
    ...rejectedAndSent(facts, payout),
    ...answeredBoth(facts, payout),
  ]);
}

/**
 * What was rejected in time, and nothing of it in doubt, is not sent. A person who resets or closes a run, or replaces the store, may
 * lose what was said to it, or have something else said to it again. */
function rejectedAndSent(
  { decisions, interruptions, restores, homes }: Facts,
  { instruction, payment: { reference, attempts } }: PayoutFacts,
): Violation[] {
  // What is said in one home is not received in the other.
  if (homes !== undefined) return [];
  const disturbed = interruptions.filter((interruption) => interruption.reference === reference);
  const rejected = decisions.find(
    ({ at, by, action, wasInTime = false, question, ...decision }) =>
      decision.reference === reference &&
      action === 'reject' &&
      wasInTime &&
      question?.kind !== 'bank' &&
      folded(by) !== folded(instruction.maker ?? '') &&
      !restores.some((restored) => restored >= at) &&
      !disturbed.some((interruption) => interruption.at >= at - SAID_AGAIN_MS) &&
      attempts.every((attempt) => attempt.recordedAt > at || UNSENT.has(attempt.outcome)),
  );
  if (rejected === undefined || !attempts.some(({ recordedAt }) => recordedAt > rejected.at)) return [];
  return [{ invariant: 'I8', reference, message: `sent although ${question(rejected)} was rejected before` }];
}

/** Of the people who answer one question nobody is answered that it is approved while another one is answered that it is rejected. */
function answeredBoth(
  { decisions, interruptions, restores, homes }: Facts,
  { payment: { reference } }: PayoutFacts,
): Violation[] {
  if (
    homes !== undefined ||
    restores.length > 0 ||
    interruptions.some((interruption) => interruption.reference === reference)
  )
    return [];
  const reported = decisions.filter(
    ({ question, ...decision }) => decision.reference === reference && question?.kind === 'payout',
  );
  const approved = reported.find((decision) => decision.reported === 'approved');
  const rejected = reported.find(
    (decision) => decision.reported === 'rejected' && decision.question?.askedAt === approved?.question?.askedAt,
  );
  if (approved === undefined || rejected === undefined) return [];
  const message = `${approved.by} was answered that it is approved, and ${rejected.by} that it is rejected`;
  return [{ invariant: 'I8', reference, message }];
}

/** So long after a reset what was said before may be said again. */
const SAID_AGAIN_MS = 60_000;

const UNSENT: ReadonlySet<string | null> = new Set(['not-sent', 'refused']);

const question = ({ question }: PeopleDecision): string => (question?.kind === 'hold' ? 'the hold' : 'the payout');

/** A payee younger than this counts as new; the bank's clock may be an hour or less beside ours. */
const NEW_PAYEE_MS = 7 * 24 * 3_600_000;
const CLOCKS_MS = 3_600_000;
/** What a question is based on was read a short while before it; what is sent, too. */
const READ_BEFORE_MS = 120_000;

const folded = (name: string): string => name.normalize('NFKC').trim().toLowerCase();

function approvedBeforeSent(facts: Facts, payout: PayoutFacts, post: ReceivedPost): Violation[] {
  const { instruction, payment } = payout;
  const payee = facts.beneficiaries.find(({ id }) => id === (post.body?.beneficiary_id ?? instruction.beneficiaryId));
  const needed = quorum(facts.settings.approvalRules, instruction, payee, post.receivedAt);
  if (needed === 0) return [];
  // An exchange has no payee, and its fee is not that of a payment.
  const shown = instruction.kind === 'exchange' ? { fees: [] } : facts;
  const states = statesBetween(shown, payee, instruction.currency, { from: givenAt(facts, post), to: post.receivedAt });
  const valid = facts.decisions.filter(
    ({ reference, action, at, by, question }) =>
      reference === payment.reference &&
      action === 'approve' &&
      at <= post.receivedAt &&
      question?.kind === 'payout' &&
      by.trim() !== '' &&
      folded(by) !== folded(instruction.maker ?? '') &&
      statesBetween(shown, payee, instruction.currency, { from: question.askedAt, to: question.askedAt }).some(
        (state) => states.includes(state),
      ),
  );
  const persons = new Set(valid.map(({ by }) => folded(by)));
  if (instruction.maker !== null && persons.size >= needed) return [];
  const message = `sent with ${persons.size} of ${needed} approvals of what was then paid`;
  return [{ invariant: 'I8', reference: payment.reference, message }];
}

function quorum(
  rules: readonly ObservedApprovalRule[],
  { kind, amount, currency }: PayoutFacts['instruction'],
  payee: BankBeneficiary | undefined,
  at: number,
): number {
  const isYoung = payee === undefined || at - payee.createdAt < NEW_PAYEE_MS - CLOCKS_MS;
  const certainlyNew = kind !== 'exchange' && isYoung;
  const matching = rules.filter(
    (rule) =>
      (rule.currency === undefined || rule.currency === currency) &&
      (rule.amountAtLeast === undefined || (unitsOf(amount) ?? 0n) >= (unitsOf(rule.amountAtLeast) ?? 0n)) &&
      (rule.newPayee !== true || certainlyNew),
  );
  return Math.max(0, ...matching.map(({ approvals }) => approvals));
}

/** What is sent was read before its sender was given the task, in which it may pause. */
function givenAt({ senders }: Facts, { body, receivedAt }: ReceivedPost): number {
  const began = senders.filter(
    (sender) => sender.reference === body?.reference && sender.begunAt !== null && sender.begunAt <= receivedAt,
  );
  const last = began.toSorted((a, b) => (a.begunAt ?? 0) - (b.begunAt ?? 0)).at(-1);
  return last?.at ?? receivedAt;
}

/** What could be read of payee and fee in this time and a while before it, each state as one text. */
function statesBetween(
  { fees }: Pick<Facts, 'fees'>,
  payee: BankBeneficiary | undefined,
  currency: string,
  { from, to }: { from: number; to: number },
): string[] {
  const inForce = <T extends { from: number }>(changes: readonly T[]): T[] =>
    changes.filter(
      (change, index) =>
        change.from <= to && (changes[index + 1]?.from ?? Number.POSITIVE_INFINITY) > from - READ_BEFORE_MS,
    );
  const payees = inForce(payee?.versions ?? []).map(({ items }) => JSON.stringify(items));
  const prices = inForce(fees.filter((fee) => fee.currency === currency)).map(
    ({ fee, feeCurrency }) => `${fee} ${feeCurrency}`,
  );
  return (payees.length === 0 ? [''] : payees).flatMap((items) =>
    (prices.length === 0 ? [''] : prices).map((price) => `${items} ${price}`),
  );
}

/** A decision driven at the bank has somebody who took it, and an entry in the audit log before it. */
function decidedBeforeDriven(
  { posts, decisions, audits }: Facts,
  { instruction, payment, exchange }: PayoutFacts,
): Violation[] {
  const orderIds = new Set([...payment.orders, ...exchange.orders].map(({ orderId }) => orderId));
  const driven = posts.filter(
    ({ route, orderId }) => (route === 'approve' || route === 'reject') && orderIds.has(orderId ?? ''),
  );
  const own = decisions.filter(({ reference }) => reference === payment.reference);
  return driven.flatMap(({ route, orderId, receivedAt }): Violation[] => {
    const takenBy = own.filter((decision) => decision.at <= receivedAt && supports(decision, route, instruction.maker));
    const noted = audits.some(
      (audit) =>
        audit.orderId === orderId &&
        audit.at <= receivedAt &&
        audit.action.startsWith(route) &&
        audit.actor.trim() !== '',
    );
    return [
      ...(takenBy.length === 0
        ? [
            {
              invariant: 'I8' as const,
              reference: payment.reference,
              message: `${route} of order ${orderId} at the bank without a person`,
            },
          ]
        : []),
      ...(noted
        ? []
        : [
            {
              invariant: 'I17' as const,
              reference: payment.reference,
              message: `${route} of order ${orderId} is not in the audit log`,
            },
          ]),
    ];
  });
}

function supports({ action, by, question }: PeopleDecision, route: string, maker: string | null): boolean {
  if (route === 'reject') return action === 'cancel' || action === 'reject';
  return action === 'approve' && question?.kind === 'bank' && folded(by) !== folded(maker ?? '') && by.trim() !== '';
}
