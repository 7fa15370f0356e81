import { condition, sleep } from '@temporalio/workflow';
import { holdDigest } from '../../domain/authority.ts';
import {
  type Assessment,
  afterObstacle,
  afterRepeatedRefusal,
  type Gate,
  type GrantedApprovals,
  nextGate,
  type Obstacle,
  pauseOfHold,
  shownFunds,
} from '../../domain/gates.ts';
import type { Reason } from '../../domain/payout-state.ts';
import type { Terms, Waits } from '../../domain/policy.ts';
import { because, isSignalled, questionOfHold, type ReasonCode } from '../../domain/reasons.ts';
import type { ExchangeProgress } from '../../domain/submission.ts';
import { doublingPause } from '../../domain/time.ts';
import { assess, polls, sends } from '../proxies.ts';
import type { BackToGates, Unpaid } from './order-state.ts';
import type { PayoutView } from './view.ts';
import { awaitDecision, continueAsNewIfLong, type Decided, sendOrRenewClaim, untilCancelRequested } from './waits.ts';

const unpaid = (state: Unpaid['state'], code: ReasonCode): Unpaid => ({ kind: 'unpaid', state, reason: because(code) });

/** The ends that people bring about by their answer, or by giving none. */
const ENDED_BY: Partial<Record<Decided['kind'], Unpaid>> = {
  rejected: unpaid('rejected', 'approval-rejected'),
  expired: unpaid('rejected', 'approval-expired'),
};

/**
 * Leads a payout through everything that can precede its send: date, hold, payee, funds, approval. After every wait the bank is
 * read again, so that an approval always covers what is then sent.
 */
export class Gates {
  readonly progress: ExchangeProgress;
  /** The exchange was booked at a rate worse than the cap allows, and nobody has accepted that yet. */
  rateToAccept: Reason | undefined;
  readonly passes: GrantedApprovals;
  /** Workflow time until which to wait for funds; set at the first shortage. */
  private fundsUntil: number | undefined;
  /** Visits to a hold or a shortage, to space the checks. */
  private visits = 0;
  private readonly view: PayoutView;
  private readonly terms: Terms;

  constructor(view: PayoutView, terms: Terms, progress: ExchangeProgress, passes: GrantedApprovals = {}) {
    this.passes = { ...passes };
    this.view = view;
    this.terms = terms;
    this.progress = progress;
  }

  /** The exchange is booked: from now on a shortage is one of the account that pays, with its own waiting time. */
  booked(): void {
    this.progress.exchanged = true;
    this.fundsUntil = undefined;
  }

  /** What the bank shows now; nothing that was read before a wait counts after it. */
  assess(): Promise<Assessment> {
    const { view, progress, passes } = this;
    const input = { claim: view.claim, recorded: view.recorded, ...progress, approved: passes.approved };
    return assess(input, 'reads the bank again after a wait');
  }

  /** The assessment with which to return to the gates after an order was not sent. */
  async after({ because: why }: BackToGates, found: Assessment): Promise<Assessment> {
    if (why === 'changed') this.verifyAgain();
    if (why === undefined || why === 'changed') return this.assess();
    if ('switchedOff' in why) return { ...(await this.assess()), ...why };
    const { obstacle, repeatedly } = why;
    if (repeatedly === undefined) return { ...found, obstacle };
    return afterRepeatedRefusal(repeatedly, obstacle, await this.assess());
  }

  /** Forgets approvals: a signature may have expired, or its signer may have left the policy. */
  private verifyAgain(): void {
    if (!this.view.isSigned) return;
    this.passes.approved = undefined;
    this.passes.letThrough = undefined;
  }

  async clear(first: Assessment): Promise<{ kind: 'clear'; found: Assessment } | Unpaid> {
    const { view, terms, passes } = this;
    let found = first;
    if (this.rateToAccept !== undefined) {
      const refused = await this.acceptRate(this.rateToAccept);
      if (refused !== undefined) return refused;
      found = await this.assess();
    }
    for (;;) {
      view.assessed(found);
      const gate = nextGate(found, terms, passes, Date.now());
      if (view.question.isLeftFor(askedAt(gate))) await this.receive();
      if (view.wantsCancel) return unpaid('cancelled', 'cancelled-by-request');
      if (view.question.rejectedBy !== undefined) return unpaid('rejected', 'approval-rejected');
      if (gate.gate !== 'hold' && view.state === 'held') this.leaveWait();
      // Not waiting for money any more: a later shortage gets its own waiting time.
      if (gate.gate === 'approval' || gate.gate === 'hold') this.fundsUntil = undefined;
      let ended: Unpaid | undefined;
      let obstacle: Obstacle | undefined;
      switch (gate.gate) {
        case 'open':
          view.question.discard();
          return { kind: 'clear', found };
        case 'fail':
          return { kind: 'unpaid', state: 'failed', reason: gate.reason };
        case 'scheduled':
          await view.enter('scheduled', because('not-yet-due'));
          await condition(() => view.wantsCancel, gate.until - Date.now());
          this.leaveWait();
          break;
        case 'beneficiary':
          obstacle = await this.beneficiaryAdded();
          break;
        case 'hold':
          ended = await this.hold(gate);
          break;
        case 'await-funds':
          ended = await this.awaitFunds(found);
          break;
        case 'await-exchange':
          await this.awaitExchange(gate);
          break;
        case 'approval':
          ended = await this.awaitApproval(gate);
          break;
        default:
          gate satisfies never;
      }
      if (ended !== undefined) return ended;
      found = obstacle === undefined ? afterObstacle(found.obstacle, await this.assess()) : { ...found, obstacle };
    }
  }

  private async beneficiaryAdded(): Promise<Obstacle | undefined> {
    const refused = await ensureBeneficiary(this.view, this.terms.waits);
    if (refused !== 'not-approved') return refused;
    this.verifyAgain();
    return undefined;
  }

  /** The exchange was booked at a rate worse than the cap allows: people decide whether the payout continues. */
  private async acceptRate(reason: Reason): Promise<Unpaid | undefined> {
    const { view, passes } = this;
    const decided = await awaitDecision(view, {
      ask: { kind: 'hold', digest: holdDigest(view.digest, reason.code), needed: 1 },
      state: 'held',
      reason,
    });
    if (decided.kind !== 'approved') return ENDED_BY[decided.kind] ?? unpaid('cancelled', 'cancelled-by-request');
    this.rateToAccept = undefined;
    passes.bookedRateAccepted = true;
    this.leaveWait();
    return undefined;
  }

  /** A hold ends by a decision; it also checks again in case its reason is gone. */
  private async hold({ digest, reason }: Extract<Gate, { gate: 'hold' }>): Promise<Unpaid | undefined> {
    const { view, passes } = this;
    const pause = pauseOfHold(reason, this.visits, this.terms.waits);
    this.visits += 1;
    view.inbox.takeNews();
    const decided = await awaitDecision(view, {
      ask: { kind: questionOfHold(reason), digest, needed: 1 },
      state: 'held',
      reason,
      pollMs: pause,
      continuesAsNew: true,
      interrupt: () => view.inbox.isReadRequested || (isSignalled(reason) && view.inbox.hasNews),
    });
    // Before the next read, so that a request during it is met by another one.
    view.inbox.take();
    if (decided.kind === 'approved') {
      passes.letThrough = [...(passes.letThrough ?? []), digest];
      this.leaveWait();
    }
    return ENDED_BY[decided.kind];
  }

  /** Waits for money, in one activity that the server retries, until the waiting time is over. */
  private async awaitFunds({ funds }: Assessment): Promise<Unpaid | undefined> {
    const { view } = this;
    const { fundsPatienceMs, pollMs, pollMaxMs } = this.terms.waits;
    this.fundsUntil ??= Date.now() + fundsPatienceMs;
    const left = this.fundsUntil - Date.now();
    if (left <= 0) return unpaid('failed', 'funds-patience-over');
    const isAskedToRead = (): boolean => view.inbox.isReadRequested;
    await view.enter('awaiting-funds', because('insufficient-funds', funds && shownFunds(funds)), funds?.needs);
    if (funds === undefined || funds.enough || funds.isStale === true) {
      // The bank says "short", and the balance does not show that: only time can.
      const pause = Math.min(left, doublingPause(this.visits, pollMs, pollMaxMs));
      this.visits += 1;
      await condition(() => view.wantsCancel || isAskedToRead(), pause);
    } else {
      const { accountId, needs } = funds;
      const { reference } = view.claim;
      await untilCancelRequested(view, left, () => polls.awaitFunds({ accountId, needs, reference }), isAskedToRead);
    }
    // Before the next read, so that none asked for during it is lost.
    view.inbox.take();
    this.leaveWait();
    return undefined;
  }

  /** Its batch signals when the exchange has ended, and again to those that still wait; the timer is for a batch that is gone. */
  private async awaitExchange({ says }: Extract<Gate, { gate: 'await-exchange' }>): Promise<void> {
    const { view } = this;
    // The account is not short of what is still being bought.
    this.fundsUntil = undefined;
    continueAsNewIfLong(view);
    await view.enter('awaiting-funds', because('awaiting-exchange', says));
    await condition(() => view.wantsCancel || view.inbox.isReadRequested, this.terms.waits.pollMaxMs * 12);
    view.inbox.take();
    this.leaveWait();
  }

  private async awaitApproval({ needed, digest }: { needed: number; digest: string }): Promise<Unpaid | undefined> {
    const decided = await awaitDecision(this.view, {
      ask: { kind: 'payout', digest, needed },
      state: 'awaiting-approval',
      reason: because('approval-required', `${needed} needed`),
      ttlMs: this.terms.waits.approvalTtlMs,
    });
    const ended = ENDED_BY[decided.kind];
    if (ended !== undefined) return ended;
    if (decided.kind === 'approved') {
      this.passes.approved = [...(this.passes.approved ?? []), { digest, by: decided.by }];
    }
    this.leaveWait();
    return undefined;
  }

  /** Takes in decisions on a question that is about to be dropped or changed. */
  private async receive(): Promise<void> {
    const { view } = this;
    await view.receive();
    const { awaited } = view.question;
    if (view.isSigned && awaited !== undefined) await view.verify(awaited);
  }

  /** Leaves the waiting state first, so that list filters do not match a payout that is no longer waiting. */
  private leaveWait(): void {
    this.view.question.close();
    this.view.show('preparing');
  }
}

/** Digest of what a gate asks people; undefined if it asks nothing. */
const askedAt = (gate: Gate): string | undefined =>
  gate.gate === 'approval' || gate.gate === 'hold' ? gate.digest : undefined;

/**
 * Makes sure that a payee given by its details exists at the bank. The activity decides whether a POST may be made; after an
 * unknown outcome it searches, and never repeats blindly. Returns what the bank refused, `not-approved` if there is no (valid)
 * approval any more, or undefined if the payee exists or a cancel is requested.
 */
async function ensureBeneficiary(view: PayoutView, pauses: Waits): Promise<Obstacle | 'not-approved' | undefined> {
  for (let reads = 0; ; reads += 1) {
    view.show('preparing', because('beneficiary-pending'));
    const summary = reads === 0 ? 'adds the beneficiary' : `searches for the beneficiary, search ${reads + 1}`;
    const added = await sendOrRenewClaim(view, () =>
      sends.addBeneficiary.executeWithOptions({ summary }, [{ claim: view.claim }]),
    );
    if (added === undefined) {
      await untilCancelRequested(view, pauses.patienceMs, () => polls.awaitBank({ accountId: view.accountId }));
    }
    if (added?.kind === 'there') return undefined;
    if (added?.kind === 'refused') return added.obstacle;
    if (added?.kind === 'not-approved') return 'not-approved';
    if (view.wantsCancel) return undefined;
    await sleep(doublingPause(reads, Math.ceil(pauses.pollMs / 5), pauses.pollMaxMs * 12), {
      summary: 'an add may be under way; searches again before anything is sent',
    });
  }
}
