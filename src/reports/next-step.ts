import { secondProofAt } from '../domain/absence.ts';
import { decidesAs, isSamePerson, type Policy, personAt, type Question, scopeFactsOf } from '../domain/authority.ts';
import { dueAt } from '../domain/business-days.ts';
import { anyOf, shortId } from '../domain/display.ts';
import type { Hindrance } from '../domain/liveness.ts';
import { addDecimals, groupedAmount } from '../domain/money.ts';
import { isEnd, NEEDS_PEOPLE_STATES, type Reason, type ShownState } from '../domain/payout-state.ts';
import type { Terms } from '../domain/policy.ts';
import { isOfAccount, isReasonCode, REASONS, type ReasonCode, SEARCHED_IN_VAIN } from '../domain/reasons.ts';
import { INCIDENTS, type IncidentKind } from '../domain/reconciliation.ts';
import { type Actor, commandsIn, type Deadline, forNobody, forOperator, type Remedy } from '../domain/remedy.ts';
import { isWhole, shownStateOf } from '../domain/returned.ts';
import { SWITCH_COLUMNS, SWITCH_SCOPES } from '../domain/switch-scope.ts';
import type { PayoutRecord, SwitchRecord } from '../store/store.ts';
import { arrivalText, type Foresight, isSlow, SLOWER } from './arrival-text.ts';
import { NOT_MADE } from './question-facts.ts';
import { STATES } from './state-texts.ts';

/**
 * About a row that waits or has ended: why, since when, until when, who may act, with which commands, and what happens without
 * that.
 */
export interface NextStep {
  /** Reason code or, without one, the state; `payouts explain` knows both. */
  kind: string;
  why: string;
  /** Nothing more is expected to happen. */
  hasEnded: boolean;
  /** The account that it is about; absent where accounts are masked. */
  accountId?: string;
  /** Epoch ms. */
  since: number;
  /** Epoch ms; null: no deadline. */
  until: number | null;
  /** When it is expected to be paid, or for which day it counts; absent: nothing is known of that. */
  arrives?: string;
  who: string;
  /** What to do, with the row's id in the commands. */
  todo: string;
  /** Ready to paste; words in capitals must be filled in. */
  commands: readonly string[];
  byItself: string;
}

/** What a step depends on besides the row. */
export interface StepContext extends Foresight {
  /** Absent: a trial, in which names are believed. */
  policy: Policy | undefined;
  terms: Terms;
  /** When the bank's audit of a payout's order ends: epoch ms by reference. */
  auditEnds?: ReadonlyMap<string, number>;
  /** By reference: who has approved what it now asks. */
  approvedBy?: ReadonlyMap<string, readonly string[]>;
  /**
   * References of payouts that ended unpaid after their exchange: a retry of the unchanged row would exchange again, and is
   * refused.
   */
  exchanged?: ReadonlySet<string>;
  /** What is switched off. */
  off?: readonly SwitchRecord[];
  /** For a report that masks accounts. */
  isMasked?: boolean;
  /** What is in the way of every payout that goes on without people. */
  hindrance?: Hindrance | undefined;
  /** References of payouts that ended unpaid, and about which there is an incident: a retry is refused. */
  contradicted?: ReadonlySet<string>;
  /** By reference: the payout that pays it again. */
  paidAgainBy?: ReadonlyMap<string, PayoutRecord>;
}

/**
 * What a row waits for, or how it has ended; rows of the same kind are decided alike. A row that awaits an approval has the kind
 * of that approval, for any reason.
 */
export function kindOf({ state, reason }: { state: ShownState; reason: Reason | null }): string {
  if (state === 'awaiting-approval') return 'approval-required';
  if (state === 'awaiting-bank-approval') return 'bank-approval-required';
  return reason?.code ?? state;
}

/** The next step of a row; undefined if it is completed, and none of the money came back. What stops all of them is shown for each that would go on. */
export function nextStep(row: PayoutRecord, context: StepContext): NextStep | undefined {
  const step = ownStep(row, context);
  const { hindrance } = context;
  if (step === undefined || hindrance === undefined || isEnd(row.state) || !movesAlone(row)) return step;
  const todo = [hindrance.todo, step.todo].filter((text) => text !== '' && text !== NOTHING).join(' ') || NOTHING;
  const who = hindrance.todo === NOTHING ? step.who : hindrance.who;
  return {
    ...step,
    why: `${step.why}; ${hindrance.says}`,
    who,
    todo,
    commands: commandsIn(todo),
    byItself: hindrance.byItself,
  };
}

const NOTHING = 'Nothing.';

/** Whether the next thing that happens to it is done by a worker. */
const movesAlone = ({ state }: PayoutRecord): boolean => !NEEDS_PEOPLE_STATES.includes(state) && state !== 'scheduled';

function ownStep(row: PayoutRecord, context: StepContext): NextStep | undefined {
  const shownEnd = shownStateOf(row);
  const { state, reason, since } = shownEnd;
  if (state === 'completed' && row.cameBack === null) return undefined;
  const again = context.paidAgainBy?.get(row.reference);
  const off = switchedOff(row, context.off);
  const isLate = isSlow(row, context);
  const kind = off !== undefined ? SWITCHED_OFF : isLate ? SLOWER : kindOf(shownEnd);
  const remedy = again === undefined ? remedyAt(kind, row, context) : paidAgain(again);
  const { todo = '', who = 'nobody', byItself = STATES[state].byItself, until } = remedy ?? {};
  const isExchanged = context.exchanged?.has(row.reference) === true;
  const asked = isExchanged ? todoExchanged(todo) : todo;
  const reported = off === undefined ? asked : asked.replace('SCOPE KEY', switchTyped(off, context));
  const shown = ready(reported, row);
  const accountId = context.isMasked === true ? undefined : accountOf(row);
  const meaning = isLate ? REASONS[SLOWER].says : STATES[state].meaning;
  const shownWhy = (accountId && withAccount(row, accountId)) ?? reason?.message ?? meaning;
  const arrives = arrivalText(row, context);
  const why = again === undefined ? shownWhy : `${shownWhy}; ${paidAgain(again).says}`;
  return {
    kind,
    ...(accountId !== undefined && { accountId }),
    why:
      off === undefined
        ? given(why, context.approvedBy?.get(row.reference)) + notMadeText(row)
        : `${NOT_STARTED_WHILE_OFF.says} (${off.scope})`,
    hasEnded: isEnd(state),
    ...(arrives !== undefined && { arrives }),
    since: Math.max(since, off?.at ?? 0),
    until: isEnd(state) || until === undefined ? null : deadline(until, row, context),
    who: actorText(who, row, context),
    todo: shown,
    commands: commandsIn(shown),
    byItself,
  };
}

/** What `switch on` takes. The key may be an account, which some reports mask, and goes into a command only if it is safe there. */
function switchTyped({ scope, key }: SwitchRecord, { isMasked }: StepContext): string {
  if (key === '') return scope;
  return isMasked === true || !/^[\w.-]+$/.test(key) ? `${scope} KEY` : `${scope} ${key}`;
}

/** Whose money or state it waits for. */
function accountOf({ state, reason, instruction, assessed }: PayoutRecord): string | undefined {
  if (state === 'awaiting-funds') return assessed?.funds?.accountId ?? instruction.account_id;
  return reason !== null && isOfAccount(reason) ? instruction.account_id : undefined;
}

/** Names the account, and the money that it lacks as last read. */
function withAccount({ state, reason, instruction, assessed }: PayoutRecord, accountId: string): string {
  const { funds, soldCurrency } = assessed ?? {};
  const currency = (accountId === instruction.account_id ? soldCurrency : undefined) ?? instruction.currency;
  if (state !== 'awaiting-funds' || funds === undefined || funds.enough)
    return `account ${accountId}: ${reason?.message ?? STATES[state].meaning}`;
  const [has, needs, lacks] = [funds.available, funds.needs, addDecimals(funds.needs, `-${funds.available}`)];
  return `account ${accountId} lacks ${groupedAmount(lacks)} ${currency}: it holds ${groupedAmount(has)}, and ${groupedAmount(needs)} are needed`;
}

const NEEDED = /\((\d+) needed\)$/;

/** `(2 needed)` once one is given: `(2 needed, 1 given)`. */
const given = (why: string, approved: readonly string[] = []): string =>
  approved.length === 0 ? why : why.replace(NEEDED, `($1 needed, ${approved.length} given)`);

/** The workflow may not have taken the last approval yet. */
const areEnough = (approved: readonly string[], { reason }: PayoutRecord): boolean =>
  approved.length >= Number(NEEDED.exec(reason?.message ?? '')?.[1] ?? Number.POSITIVE_INFINITY);

const notMadeText = ({ state, assessed }: PayoutRecord): string =>
  state === 'awaiting-approval' && assessed?.notMade === true ? `; ${NOT_MADE}` : '';

/**
 * An unknown outcome is only a wait while searches continue; once they have proved nothing, people must act. A payout that was
 * not started can be neither approved nor rejected.
 */
export function remedyOf(kind: string, state: ShownState): Remedy | undefined {
  if (kind === 'outcome-unknown' && state === 'needs-operator') return SEARCHED_IN_VAIN;
  if (kind === SWITCHED_OFF && state === 'received') return NOT_STARTED_WHILE_OFF;
  return isReasonCode(kind) ? REASONS[kind] : undefined;
}

const remedyAt = (
  kind: string,
  { reference, state }: PayoutRecord,
  { contradicted }: StepContext,
): Remedy | undefined => (contradicted?.has(reference) === true ? CONTRADICTED : remedyOf(kind, state));

const paidAgain = ({ reference, state }: PayoutRecord): Remedy =>
  forNobody(`payout ${shortId(reference)} pays it again, and is ${state}`, NOTHING, 'Nothing: it has ended.');

const CONTRADICTED = forOperator(
  '',
  'Do not pay it again: the bank shows an order of it that may have taken the money. Its incident says what to do.',
  INCIDENTS['order-after-end'].byItself,
);

const PARTLY_RETURNED = forOperator(
  INCIDENTS.returned.says,
  'Find out why, and whether the rest arrived. `payouts acknowledge INCIDENT` agrees that what came back may be paid again: by a row with the reference of the payout in `retry_of` and that amount, or less.',
  INCIDENTS.returned.byItself,
);

/** What to do about one incident: its id is in the commands. */
export function incidentRemedy({ kind, id }: { kind: IncidentKind; id: string }, row?: PayoutRecord): Remedy {
  const isPart = kind === 'returned' && row?.cameBack != null && !isWhole(row.cameBack);
  const { todo, ...remedy } = isPart ? PARTLY_RETURNED : INCIDENTS[kind];
  const named = todo.replaceAll('INCIDENT', id);
  return { ...remedy, todo: row === undefined ? named : named.replace(/`payouts retry ID`/g, retryOf(row)) };
}

/** The money is now in another account than the row names. Not named here, since accounts are masked in some reports. */
const todoExchanged = (todo: string): string =>
  RETRY.test(todo)
    ? todo.replace(RETRY, `${FROM_ITS_ACCOUNT} if it still has to be paid`)
    : `${todo} ${STAYS_EXCHANGED}`;

const RETRY = /`payouts retry ID` if it still has to be paid/;
const FROM_ITS_ACCOUNT =
  'the money stays exchanged: run its row of the failed.csv, with the account that the report shows as exchange_bought_to for its account_id,';
const STAYS_EXCHANGED = 'The money stays exchanged, on the account that the report shows as exchange_bought_to.';

/** The text with the row's id in its commands. Who gives them is the user of the machine, or says so. */
function ready(todo: string, row: PayoutRecord): string {
  const id = shortId(row.reference);
  return (
    todo
      .replace(/`payouts retry ID`/g, retryOf(row))
      .replace(/(`payouts (?:resume|cancel) )BATCH/g, `$1${row.batchId === null ? 'BATCH' : shortId(row.batchId)}`)
      .replace(/(`payouts [^`]*?)\bID\b/g, `$1${id}`)
      // A text from a file goes into a command to paste only if it is safe in a shell.
      .replace(
        /(`payouts orders )UID CURRENCY/g,
        /^[\w.-]+$/.test(row.uid) ? `$1${row.uid} ${row.instruction.currency}` : '$1UID CURRENCY',
      )
      .replace(/(`payouts accounts )UID/g, /^[\w.-]+$/.test(row.uid) ? `$1${row.uid}` : '$1UID')
  );
}

/**
 * Only for this row: a retry of the batch would pay others too. A stand-alone transfer or exchange has no retry, since its id is
 * used up.
 */
function retryOf({ kind, batchId, row }: PayoutRecord): string {
  if (kind !== 'payout') return 'submit it again under a new id';
  return batchId === null || row === null ? 'submit it again' : `\`payouts retry ${shortId(batchId)} --rows ${row}\``;
}

function deadline(kind: Deadline, row: PayoutRecord, { terms, calendar, auditEnds }: StepContext): number | null {
  switch (kind) {
    case 'funds':
      return row.stateSince + terms.waits.fundsPatienceMs;
    case 'approval':
      return row.stateSince + terms.waits.approvalTtlMs;
    case 'bank-audit':
      return auditEnds?.get(row.reference) ?? null;
    case 'absence':
      return secondProofAt(row.stateSince, terms.waits);
    case 'date':
      return dueAt(row.instruction, calendar) ?? null;
  }
}

const isByOthers = (who: Actor): boolean => who === 'approver' || who === 'compliance';

const ROLES_OF: Readonly<Record<Exclude<Actor, 'nobody' | 'outside'>, { role: string; question: Question }>> = {
  approver: { role: 'an approver', question: 'payout' },
  compliance: { role: 'a compliance officer', question: 'screening' },
  operator: { role: 'an operator', question: 'resolve' },
  maker: { role: 'a maker', question: 'make' },
};

export const NOBODY = 'nobody has to';

function actorText(who: Actor, row: PayoutRecord, { policy, approvedBy, at }: StepContext): string {
  if (who === 'nobody') return NOBODY;
  if (who === 'outside') return 'the owner of the account, or the bank';
  if (policy === undefined) {
    if (!isByOthers(who)) return 'anybody, under their own name';
    if (row.by !== null) return `anybody but the maker, ${row.by}`;
    return row.state === 'awaiting-approval' ? 'nobody: the maker is not known; cancel it' : 'anybody';
  }
  const { role, question } = ROLES_OF[who];
  const have = approvedBy?.get(row.reference) ?? [];
  const maker = isByOthers(who) ? row.by : null;
  const names = whoMay({ policy, at }, row, question, { maker, approved: isByOthers(who) ? have : [] });
  const sofar = have.length === 0 ? '' : ` (${have.join(' and ')} ${have.length === 1 ? 'has' : 'have'} approved)`;
  if (areEnough(have, row)) return `${NOBODY} any more${sofar}`;
  return (names.length === 0 ? `nobody: under the policy nobody else is ${role}` : anyOf(names)) + sofar;
}

/** Who may decide a question about a row under the policy, besides its maker and those who have approved it. */
export function whoMay(
  { policy, at }: { policy: Policy; at: number },
  { kind, instruction, assessed }: PayoutRecord,
  question: Question,
  { maker, approved }: { maker: string | null; approved: readonly string[] },
): string[] {
  const { soldCurrency = assessed?.exchange?.sellCurrency, payingAccountId } = assessed ?? {};
  const touches = scopeFactsOf(kind, instruction, { soldCurrency, payingAccountId });
  const isOpen = (name: string): boolean => !approved.some((other) => isSamePerson(other, name));
  return policy.people
    .map(({ name }) => name)
    .filter((name) => isOpen(name))
    .filter((name) => decidesAs(personAt(policy, name, at), question, { maker, touches }).some(isOpen));
}

// A batch does not start rows under a switch that is off. They have no workflow yet that could be held and give a reason.

export const SWITCHED_OFF: ReasonCode = 'switched-off';

/** For `switched-off` before the row is started. */
const NOT_STARTED_WHILE_OFF: Remedy = forOperator(
  'an operator has switched this off; it is started when that is undone',
  '`payouts switch list` shows who switched what off and why. `payouts switch on SCOPE KEY` lets it continue; `payouts cancel BATCH` ends the rest of its batch unpaid.',
  'It is started when the switch is on again.',
);

/** The widest switch for which a row is not started. A payout that was started is held by a switch, and has a reason. */
export function switchedOff(row: PayoutRecord, off: readonly SwitchRecord[] = []): SwitchRecord | undefined {
  if (row.state !== 'received' || row.releasedAt !== null) return undefined;
  return SWITCH_SCOPES.flatMap((scope) => off.filter((it) => it.scope === scope && isUnder(row, it)))[0];
}

const isUnder = (row: PayoutRecord, { scope, key }: SwitchRecord): boolean =>
  scope === 'everything' || (scope === 'currency' ? row.instruction.currency : row[SWITCH_COLUMNS[scope]]) === key;
