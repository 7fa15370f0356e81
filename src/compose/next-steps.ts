import type { Config } from '../config.ts';
import { isUnpaid } from '../domain/payout-state.ts';
import type { StepContext } from '../reports/next-step.ts';
import { approvedBy } from '../services/decisions/approved-by.ts';
import { openQuestion } from '../services/decisions/open-question.ts';
import type { VerdictDeps } from '../services/decisions/verdict.ts';
import { legReferences } from '../services/sending/claimed-row.ts';
import type { PayoutRecord, Store } from '../store/store.ts';

/** What the next steps of rows depend on, from store and configuration. `now`: for the expiry of signatures. */
export async function stepContext(
  { settings }: Pick<Config, 'settings'>,
  store: Store,
  rows: readonly PayoutRecord[],
  now: () => number = Date.now,
): Promise<StepContext> {
  const { policy, terms, calendar } = settings;
  const unpaid = rows
    .filter(({ kind, state }) => kind === 'payout' && isUnpaid(state))
    .map(({ reference }) => reference);
  return {
    policy,
    terms,
    calendar,
    auditEnds: await auditEnds(store, rows),
    approvedBy: await approvers({ settings, store, now }, rows),
    exchanged: referencesIn(await store.bookedExchangesOf(unpaid)),
    contradicted: referencesIn(await store.incidentsOf(unpaid)),
  };
}

/** When the bank's audit of each order ends, as sent with the order: the bank keeps to that. */
async function auditEnds(store: Store, rows: readonly PayoutRecord[]): Promise<Map<string, number>> {
  const owners = new Map(
    rows
      .filter(({ state }) => state === 'awaiting-bank-approval')
      .flatMap((row) => Object.values(legReferences(row)).map((leg) => [leg, row.reference] as const)),
  );
  const ends = new Map<string, number>();
  for (const { reference, request, settled } of await store.attemptsOf([...owners.keys()])) {
    const owner = owners.get(reference);
    if (owner !== undefined && settled === null && request !== null && 'expiredAt' in request)
      ends.set(owner, request.expiredAt);
  }
  return ends;
}

const referencesIn = (found: readonly { reference: string }[]): Set<string> =>
  new Set(found.map(({ reference }) => reference));

async function approvers(
  authority: VerdictDeps,
  rows: readonly PayoutRecord[],
): Promise<Map<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const row of rows) {
    const asked = await openQuestion(authority.store, row);
    if (asked === undefined || asked.needed < 2) continue;
    found.set(row.reference, await approvedBy(authority, row, asked));
  }
  return found;
}
