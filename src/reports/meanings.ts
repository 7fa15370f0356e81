import { needsAttention, type PayoutState } from '../domain/payout-state.ts';
import { isReasonCode, REASONS } from '../domain/reasons.ts';
import { INCIDENTS, type IncidentKind } from '../domain/reconciliation.ts';
import type { Actor, Remedy } from '../domain/remedy.ts';
import { COLUMNS, type Column, FINDINGS_OF_EVERY_COLUMN } from '../files/rules/input-columns.ts';
import { RULES } from '../files/rules/rules.ts';
import { STATES } from './state-texts.ts';

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
