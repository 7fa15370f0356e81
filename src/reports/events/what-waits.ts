import { NEEDS_PEOPLE_STATES, needsAttention } from '../../domain/payout-state.ts';
import type { WorkerSettings } from '../../domain/settings.ts';
import { rowsFor } from '../../people/decisions/rows-for.ts';
import type { PayoutRecord, Store, WaitingFor } from '../../store/store.ts';
import { decisionEnds } from './remind.ts';

/** Of whom, and of which users, something waits. */
interface Reader {
  /** Somebody of the policy: only what they can decide now. Absent: what waits for anybody. */
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

const READ_MAX = 1_000;

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
