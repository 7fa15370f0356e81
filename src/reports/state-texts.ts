import { needsAttention, type PayoutState, type ShownState } from '../domain/payout-state.ts';
import { isReasonCode, REASONS } from '../domain/reasons.ts';
import { INCIDENTS, type IncidentKind } from '../domain/reconciliation.ts';
import type { Actor, Remedy } from '../domain/remedy.ts';
import { COLUMNS, type Column, FINDINGS_OF_EVERY_COLUMN } from '../files/rules/input-columns.ts';
import { RULES } from '../files/rules/rules.ts';

/** The meaning of each state, and what happens in it without people. */
export const STATES: Readonly<Record<ShownState, { meaning: string; byItself: string }>> = {
  received: { meaning: 'taken, not yet processed', byItself: 'It is processed when its turn comes.' },
  preparing: {
    meaning: "reading the bank's data, adding the payee",
    byItself: 'It continues while a worker runs and the bank answers.',
  },
  scheduled: { meaning: 'waiting for its date (midnight UTC)', byItself: 'It is sent on its date.' },
  held: {
    meaning: 'something must be corrected or accepted',
    byItself: 'It checks again, and continues when the reason is gone.',
  },
  'awaiting-funds': {
    meaning: 'the account does not hold enough money',
    byItself: 'It continues when the money is there, and fails when the waiting time is over.',
  },
  'awaiting-approval': {
    meaning: 'the approval policy requires approval by somebody other than the maker',
    byItself: 'It ends unpaid if nobody approves it in time.',
  },
  converting: {
    meaning: 'buying the payout currency and following that order',
    byItself: 'It continues while a worker runs and the bank answers.',
  },
  submitting: { meaning: 'sending the order', byItself: 'It continues while a worker runs and the bank answers.' },
  resolving: {
    meaning: 'an answer was lost; searching for the order before anything else is sent',
    byItself: "It continues when the bank's data proves what happened.",
  },
  'awaiting-bank-approval': {
    meaning: "the order waits for the bank's audit; people decide here or at the bank",
    byItself: 'The bank ends the order when its audit expires.',
  },
  processing: { meaning: 'the bank has the order', byItself: 'The order is followed to its end.' },
  'needs-operator': {
    meaning: 'the outcome cannot be determined through the API',
    byItself: 'It keeps querying the bank, at growing intervals.',
  },
  completed: { meaning: 'the bank confirms the payment', byItself: 'Nothing: it has ended.' },
  returned: {
    meaning: 'completed, and all of the money came back',
    byItself: 'Nothing: it is not paid again.',
  },
  failed: { meaning: 'ended without payment', byItself: 'Nothing: it has ended.' },
  rejected: { meaning: 'rejected by people, or the approval expired', byItself: 'Nothing: it has ended.' },
  cancelled: { meaning: 'cancelled on request, or by the bank', byItself: 'Nothing: it has ended.' },
};

/** A state after "3 payouts". */
export const STATE_WORDS: Readonly<Record<ShownState, string>> = {
  received: 'not started yet',
  preparing: 'being prepared',
  scheduled: 'scheduled for a later date',
  held: 'held',
  'awaiting-funds': 'waiting for money',
  'awaiting-approval': 'waiting for approval',
  converting: 'being exchanged',
  submitting: 'being sent',
  resolving: 'being searched for at the bank',
  'awaiting-bank-approval': "waiting for the bank's audit",
  processing: 'at the bank',
  'needs-operator': 'waiting for an operator',
  completed: 'paid',
  returned: 'paid, and the money came back',
  failed: 'failed',
  rejected: 'rejected',
  cancelled: 'cancelled',
};

/** What a name of ours means: a column, a finding, a state, a reason code, an incident. Some names are several of them. */
export interface Meaning {
  column?: Pick<(typeof COLUMNS)[Column], 'needed' | 'meaning' | 'rule' | 'example'> & { findings: string[] };
  rule?: string;
  state?: { meaning: string; needsAttention: boolean; byItself: string };
  reason?: RemedyMeaning;
  incident?: RemedyMeaning;
}

export interface RemedyMeaning {
  meaning: string;
  who: Actor;
  remedy: string;
  byItself: string;
}

/** Empty for a name that is none of ours. */
export function meaningOf(name: string): Meaning {
  return {
    ...(Object.hasOwn(COLUMNS, name) && { column: columnMeaning(name as Column) }),
    ...(Object.hasOwn(RULES, name) && { rule: RULES[name] }),
    ...(Object.hasOwn(STATES, name) && { state: stateMeaning(name as PayoutState) }),
    ...(isReasonCode(name) && { reason: remedyMeaning(REASONS[name]) }),
    ...(Object.hasOwn(INCIDENTS, name) && { incident: remedyMeaning(INCIDENTS[name as IncidentKind]) }),
  };
}

function columnMeaning(name: Column): NonNullable<Meaning['column']> {
  const { needed, meaning, rule, example, findings } = COLUMNS[name];
  return { needed, meaning, rule, example, findings: [...findings, ...FINDINGS_OF_EVERY_COLUMN].sort() };
}

function stateMeaning(state: PayoutState): NonNullable<Meaning['state']> {
  const { meaning, byItself } = STATES[state];
  return { meaning, needsAttention: needsAttention(state), byItself };
}

const remedyMeaning = ({ says: meaning, who, todo: remedy, byItself }: Remedy): RemedyMeaning => ({
  meaning,
  who,
  remedy,
  byItself,
});
