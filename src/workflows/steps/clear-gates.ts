import { condition } from '@temporalio/workflow';
import type { Assessment, Obstacle, Passes } from '../../domain/gates.ts';
import { nextGate } from '../../domain/gates.ts';
import type { PayoutInstruction } from '../../domain/instruction.ts';
import type { Reason } from '../../domain/payout-state.ts';
import { doublingPause, type Terms } from '../../domain/policy.ts';
import { ACCOUNT_HOLDS, because, type ReasonCode } from '../../domain/reasons.ts';
import type { PayoutLife } from '../life.ts';
import { read, waits } from '../proxies.ts';
import { awaitDecision } from './await-decision.ts';
import { ensureBeneficiary } from './ensure-beneficiary.ts';
import { untilCancelRequested } from './until-cancel-requested.ts';

export type Unpaid = { end: 'failed' | 'rejected' | 'cancelled'; reason: Reason };
export type Cleared = { clear: Assessment } | Unpaid;

export interface GateContext {
  instruction: PayoutInstruction;
  generation: number;
  terms: Terms;
  /** What people have let through so far; kept between visits. */
  passes: Passes;
  /** Until when (workflow time) short funds are waited for; set at the first shortage. */
  fundsUntil: number | undefined;
  /** Visits to a hold or a shortage, to space the looks. */
  visits: number;
  exchanged: boolean;
  /** The exchange may be booked: the account sold is short by it. */
  exchangeSent: boolean;
}

/**
 * Leads a payout through everything that can stand before its submit: date, hold, funds, approval. After every wait the
 * bank is read again, so that an approval always stands for what is then sent.
 */
export async function clearGates(life: PayoutLife, context: GateContext, first: Assessment): Promise<Cleared> {
  let assessment = first;
  for (;;) {
    if (life.wantsCancel) return { end: 'cancelled', reason: because('cancelled-by-request') };
    const gate = nextGate(assessment, context.terms, context.passes, Date.now());
    if (life.state === 'held' && life.verdict?.verdict === 'rejected') {
      // Given while the bank was looked at again: it counts, whatever the look has shown.
      return { end: 'rejected', reason: because('approval-rejected') };
    }
    if (gate.gate !== 'hold' && life.state === 'held') leaveWait(life);
    // Money came: a later shortage has a patience of its own.
    if (gate.gate === 'approval' || gate.gate === 'hold') context.fundsUntil = undefined;
    let obstacle: Obstacle | undefined;
    switch (gate.gate) {
      case 'open':
        return { clear: assessment };
      case 'fail':
        return { end: 'failed', reason: gate.reason };
      case 'scheduled':
        await life.enter('scheduled', because('not-yet-due'));
        await condition(() => life.wantsCancel, gate.until - Date.now());
        leaveWait(life);
        break;
      case 'beneficiary':
        obstacle = await ensureBeneficiary(life, context.instruction, context.terms.waits);
        break;
      case 'hold': {
        const ended = await hold(life, context, assessment, gate.reason);
        if (ended !== undefined) return ended;
        break;
      }
      case 'await-funds': {
        const ended = await awaitFunds(life, context, assessment);
        if (ended !== undefined) return ended;
        leaveWait(life);
        break;
      }
      case 'approval': {
        const ended = await awaitApproval(life, context, gate);
        if (ended !== undefined) return ended;
        leaveWait(life);
        break;
      }
    }
    assessment = obstacle === undefined ? await reassess(context) : { ...assessment, obstacle };
  }
}

/** What the bank shows now: after a wait, nothing read before it counts. */
export function reassess({ instruction, generation, exchanged, exchangeSent }: GateContext): Promise<Assessment> {
  return read('assess', { instruction, generation, exchanged, exchangeSent }, 'reads the bank again after a wait');
}

/** A hold ends by a decision, or is looked at again in case its reason is gone. */
async function hold(
  life: PayoutLife,
  context: GateContext,
  assessment: Assessment,
  reason: Reason,
): Promise<Unpaid | undefined> {
  const { lookAgainMs, lookAgainMaxMs } = context.terms.waits;
  // The rest of the account's rows wait for this one to find it usable again, and nobody tells it of a switch.
  const isProbe = holdsAccount(reason) || isTold(reason);
  const pause = doublingPause(context.visits, lookAgainMs, isProbe ? lookAgainMaxMs : lookAgainMaxMs * 12);
  context.visits += 1;
  const { heard } = life;
  const decided = await awaitDecision(life, {
    ask: { kind: 'hold', digest: assessment.digest, about: OWN_HOLDS.find((code) => code === reason.code), needed: 1 },
    state: 'held',
    reason,
    lookAgainMs: pause,
    interrupt: () => isTold(reason) && life.heard > heard,
  });
  if (decided.kind === 'rejected') return { end: 'rejected', reason: because('approval-rejected') };
  if (decided.kind === 'approved') {
    if (reason.code === FEE_ABOVE_CAP) context.passes.feeAcceptedDigest = assessment.digest;
    if (reason.code === LOOK_ALIKE) context.passes.lookAlikeMeant = true;
    leaveWait(life);
  }
  return undefined;
}

const SWITCHED_OFF: ReasonCode = 'switched-off';
const CARD_PAYMENT_OPEN: ReasonCode = 'card-payment-open';
const CARD_PAYMENT_CONTRADICTED: ReasonCode = 'card-payment-contradicted';
const LOOK_ALIKE: ReasonCode = 'look-alike';
const FEE_ABOVE_CAP: ReasonCode = 'fee-above-cap';
/** Holds of our own making: they can follow each other and others under one digest. */
const OWN_HOLDS: readonly string[] = [SWITCHED_OFF, LOOK_ALIKE, CARD_PAYMENT_OPEN, CARD_PAYMENT_CONTRADICTED];

/** Somebody may say that the reason is gone; who was killed before saying it does not. */
const isTold = ({ code }: Reason): boolean =>
  code === SWITCHED_OFF || code === CARD_PAYMENT_OPEN || code === CARD_PAYMENT_CONTRADICTED;

function holdsAccount({ code }: Reason): boolean {
  return (ACCOUNT_HOLDS as readonly string[]).includes(code);
}

/** A list filter never hits a payout that has been decided: what was waited for is over before anything else is done. */
function leaveWait(life: PayoutLife): void {
  life.closeQuestion();
  life.show('preparing');
}

/** Waits for money, in one activity that the server retries, for as long as the patience lasts. */
async function awaitFunds(life: PayoutLife, context: GateContext, assessment: Assessment): Promise<Unpaid | undefined> {
  const { fundsPatienceMs, lookAgainMs, lookAgainMaxMs } = context.terms.waits;
  context.fundsUntil ??= Date.now() + fundsPatienceMs;
  const left = context.fundsUntil - Date.now();
  if (left <= 0) return { end: 'failed', reason: because('funds-patience-over') };
  const { funds } = assessment;
  life.fundsNeeded = funds?.needs;
  await life.enter('awaiting-funds', because('insufficient-funds'));
  if (funds === undefined || funds.enough) {
    // The bank says "short" although its balance looks sufficient: only time can tell.
    const pause = Math.min(left, doublingPause(context.visits, lookAgainMs, lookAgainMaxMs));
    context.visits += 1;
    await condition(() => life.wantsCancel, pause);
    return undefined;
  }
  const { accountId, needs } = funds;
  await untilCancelRequested(life, left, () => waits.awaitFunds({ accountId, needs, reference: life.reference }));
  return undefined;
}

async function awaitApproval(
  life: PayoutLife,
  context: GateContext,
  gate: { needed: number; digest: string },
): Promise<Unpaid | undefined> {
  const decided = await awaitDecision(life, {
    ask: { kind: 'payout', digest: gate.digest, needed: gate.needed },
    state: 'awaiting-approval',
    reason: because('approval-required', `${gate.needed} needed`),
    ttlMs: context.terms.waits.approvalTtlMs,
  });
  switch (decided.kind) {
    case 'approved':
      context.passes.approvedDigest = gate.digest;
      return undefined;
    case 'rejected':
      return { end: 'rejected', reason: because('approval-rejected') };
    case 'expired':
      return { end: 'rejected', reason: because('approval-expired') };
    case 'cancel':
    case 'interrupted':
      return undefined;
  }
}
