import { NEEDS_PEOPLE_STATES, needsAttention, type PayoutState } from '../../domain/payout-state.ts';
import type { Terms } from '../../domain/policy.ts';
import type { WorkerSettings } from '../../domain/settings.ts';
import { rowsFor } from '../../people/decisions/scope.ts';
import type { PayoutRecord, Store, WaitingFor } from '../../store/store.ts';
import { auditEnds } from '../report-source.ts';

/** The most payouts of a state that are looked at in one pass: later passes read on. */
const READ_MAX = 1_000;

interface RemindDeps {
  store: Store;
  terms: Terms;
  /** How long before the end of their time people are reminded, ms, at most half of that time; 0: never. */
  leadMs: number;
  /** Epoch ms. */
  now: number;
}

/** Writes an event for each payout whose time for people ends soon, once for each wait. Returns how many. */
export async function remindPeople(deps: RemindDeps): Promise<number> {
  const { store, leadMs, now } = deps;
  if (leadMs === 0) return 0;
  let reminded = 0;
  for (const state of Object.keys(ENDS) as Limited[]) {
    const since = now - (ENDS[state](deps.terms) ?? 0) + leadMs;
    const rows = await store.notReminded({ state, since: Math.min(now, since), limit: READ_MAX });
    const ends = await decisionEnds(store, deps.terms, rows);
    for (const { reference, stateSince } of rows) {
      const until = ends.get(reference);
      if (until === undefined || now < until - Math.min(leadMs, (until - stateSince) / 2)) continue;
      if (await store.recordReminder({ reference, stateSince, until }, now)) reminded += 1;
    }
  }
  return reminded;
}

type Limited = 'awaiting-approval' | 'awaiting-funds' | 'awaiting-bank-approval';

/** How long people have in a state, ms; undefined: each order has an end of its own. */
const ENDS: Readonly<Record<Limited, (terms: Terms) => number | undefined>> = {
  'awaiting-approval': ({ waits }) => waits.approvalTtlMs,
  'awaiting-funds': ({ waits }) => waits.fundsPatienceMs,
  'awaiting-bank-approval': () => undefined,
};

const isLimited = (state: PayoutState): state is Limited => Object.hasOwn(ENDS, state);

/** When the time of people to act on each of these ends, epoch ms by reference. */
async function decisionEnds(store: Store, terms: Terms, rows: readonly PayoutRecord[]): Promise<Map<string, number>> {
  const ends = await auditEnds(store, rows);
  for (const { reference, state, stateSince } of rows) {
    const length = isLimited(state) ? ENDS[state](terms) : undefined;
    if (length !== undefined) ends.set(reference, stateSince + length);
  }
  return ends;
}

/** Of whom, and of which users, something waits. */
interface Reader {
  /** A person of the policy: only what they can decide now. Absent: what waits for anybody. */
  person?: string;
  uids?: readonly string[];
}

interface WaitsDeps {
  store: Store;
  settings: WorkerSettings;
  now: () => number;
}

export interface WhatWaits {
  /** Those that have waited longest first. */
  rows: readonly PayoutRecord[];
  /** There may be more. */
  isCut: boolean;
  /** When their time to act ends, epoch ms by reference. */
  ends: ReadonlyMap<string, number>;
}

/** The payouts that wait for people now. */
export async function whatWaits(deps: WaitsDeps, { person, uids }: Reader): Promise<WhatWaits> {
  const { store, settings } = deps;
  const states = NEEDS_PEOPLE_STATES as WaitingFor['states'];
  const found = await store.waitingPayouts({ states, scope: { uids }, notBy: undefined, limit: READ_MAX });
  const all = await store.payoutsOf(found);
  const rows = await ofReader(deps, person, all);
  const ends = await decisionEnds(store, settings.terms, rows);
  return { rows: rows.toSorted((a, b) => a.stateSince - b.stateSince), isCut: found.length === READ_MAX, ends };
}

/** Those that wait for people, and for `person` if that is given. */
export async function ofReader(
  deps: WaitsDeps,
  person: string | undefined,
  rows: readonly PayoutRecord[],
): Promise<PayoutRecord[]> {
  const waiting = rows.filter(({ state, reason }) => needsAttention(state, reason));
  return person === undefined ? waiting : rowsFor(deps, waiting, person);
}
