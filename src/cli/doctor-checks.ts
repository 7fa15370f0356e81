import type { Connection } from '@temporalio/client';
import { advisoriesOf, isPatchedServer } from '../../scripts/pins.mjs';
import { CURRENT_TEMPORAL } from '../../scripts/temporal-versions.mjs';
import type { Bank } from '../bank/bank.ts';
import type { Policy } from '../domain/authority.ts';
import { counted, minuteOf } from '../domain/display.ts';
import { DAY_MS } from '../domain/durations.ts';
import { TASK_QUEUE } from '../domain/names.ts';
import { PAYLOAD_REFUSED } from '../domain/payload-refused.ts';
import { Problem } from '../domain/problem.ts';
import { ByReference, type ReferenceForm, referenceForm } from '../domain/reference-form.ts';
import { type ReferenceSpelling, spellingText } from '../domain/reference-spelling.ts';
import { type SwitchedOff, switchText } from '../domain/switches.ts';
import type { Undecodable } from '../domain/undecodable.ts';
import { isOpen, unguarded } from '../domain/unguarded.ts';
import { bankAt } from '../platform/bank.ts';
import { notNeeded, PROCESSES, type Process, unneededBy } from '../platform/config/holdings.ts';
import type { Config } from '../platform/config.ts';
import type { Replacement } from '../platform/embedded/replacements.ts';
import type { Stack } from '../platform/embedded/stack.ts';
import { whyNewOnesWait } from '../platform/temporal/current-build.ts';
import { areRefused, missingAttributes } from '../platform/temporal/search-attributes.ts';
import type { Store, StoreRole } from '../store/store.ts';
import type { Session } from './session.ts';

const LOOKED_AT = 1_000;
const UNKNOWN_KEY: Undecodable = 'unknown-key';

/**
 * Whether payloads are encrypted, and whether workers have recently met payloads whose key they lack, according to the last
 * entries of the audit log. Throws a `Problem` if the home's keys are gone.
 */
export async function judgePayloads(
  { codecKeys }: Pick<Config, 'codecKeys'>,
  store: Pick<Store, 'auditTree' | 'auditLog'>,
  now: number,
): Promise<{ verdict: 'ok' | 'warning'; detail: string }> {
  const id = codecKeys()?.current.id;
  if (id === undefined) {
    return { verdict: 'warning', detail: 'not encrypted in Temporal: PAYOUTS_CODEC_KEYS is not set' };
  }
  const subject = await metWithoutKey(store, now);
  if (subject === undefined) return { verdict: 'ok', detail: `encrypted in Temporal with the key ${id}` };
  const detail = `encrypted with the key ${id}, but workers met payloads of ${subject} with a key that they lack: if it is one of yours, add it to PAYOUTS_CODEC_KEYS`;
  return { verdict: 'warning', detail };
}

async function metWithoutKey(store: Pick<Store, 'auditTree' | 'auditLog'>, now: number): Promise<string | undefined> {
  const { size } = await store.auditTree();
  for await (const page of store.auditLog({ from: Math.max(size - LOOKED_AT, 0), to: size })) {
    const met = page.findLast(
      ({ at, action, detail }) =>
        at > now - DAY_MS && action === PAYLOAD_REFUSED && JSON.parse(detail).why === UNKNOWN_KEY,
    );
    if (met !== undefined) return met.subject;
  }
  return undefined;
}

/** Whether a process of a cluster has secrets that it does not need; names of settings, never values. */
export function judgeHeld(
  { held, process, temporal }: Pick<Config, 'held' | 'process' | 'temporal'>,
  as: Process = process,
): { verdict: 'ok' | 'warning'; detail: string } {
  // All of an embedded stack is one process.
  const unneeded = temporal.kind === 'embedded' && as === 'worker' ? [] : unneededBy(as, held);
  if (unneeded.length === 0) return { verdict: 'ok', detail: `none that ${PROCESSES[as]} does not need` };
  return { verdict: 'warning', detail: notNeeded(as, unneeded) };
}

/** Whether the role of a store on PostgreSQL may do more than a worker needs. */
export function judgeStoreRole({ name, owns, rewritesAudit }: StoreRole): {
  verdict: 'ok' | 'warning';
  detail: string;
} {
  if (!owns && !rewritesAudit)
    return { verdict: 'ok', detail: `${name}: alters no table and no entry of the audit log` };
  const may = [owns ? 'alter tables' : [], rewritesAudit ? 'change the audit log' : []].flat().join(' and ');
  const detail = `${name} may ${may}: only payouts migrate needs that; use the role of workers (docs/production.md)`;
  return { verdict: 'warning', detail };
}

/** Whether the policy leaves something to one maker alone, without an approval or a limit. */
export function judgePolicy(policy: Policy): { verdict: 'ok' | 'warning'; detail: string } {
  if (!unguarded(policy).some(isOpen)) return { verdict: 'ok', detail: 'everything needs an approval or has a limit' };
  const detail = 'a maker alone can pay any sum of something; payouts policy check shows what';
  return { verdict: 'warning', detail };
}

const SWITCHES_NAMED = 3;

/** What is switched off: payouts under it wait, though all else works. */
export function judgeSwitches(off: readonly SwitchedOff[]): { verdict: 'ok' | 'warning'; detail: string } {
  if (off.length === 0) return { verdict: 'ok', detail: 'nothing is off' };
  const further = off.length - SWITCHES_NAMED;
  const named = off.slice(0, SWITCHES_NAMED).map(switchText).join(', ');
  const what = further > 0 ? `${named} and ${further} more` : named;
  return { verdict: 'warning', detail: `off: ${what}; nothing under them is sent; payouts switch list shows why` };
}

/** How often the embedded Temporal server was replaced in the last 24 hours, and why the last time. */
export function judgeReplacements(replacements: readonly Replacement[]): { verdict: 'ok' | 'warning'; detail: string } {
  const last = replacements.at(-1);
  if (last === undefined) return { verdict: 'ok', detail: 'not replaced in the last 24 hours' };
  const times = counted(replacements.length, 'time');
  const detail = `replaced ${times} in the last 24 hours, last at ${minuteOf(last.at)}: ${last.why}`;
  return { verdict: 'warning', detail };
}

const ADVISORIES_NAMED = 3;

/**
 * Which Temporal server it is, and whether it has published vulnerabilities: of the server of a CLI, those count to which a newer
 * CLI has an answer.
 */
export function judgeServerVersion(
  version: string,
  { isDevelopmentServer }: { isDevelopmentServer: boolean },
): { verdict: 'ok' | 'warning'; detail: string } {
  if (isPatchedServer(version, { isDevelopmentServer })) return { verdict: 'ok', detail: `server ${version}` };
  const ids = advisoriesOf('Temporal server', version);
  const further = ids.length - ADVISORIES_NAMED;
  const named = `${ids.slice(0, ADVISORIES_NAMED).join(', ')}${further > 0 ? ` and ${further} more` : ''}`;
  const remedy = isDevelopmentServer
    ? `install the Temporal CLI ${CURRENT_TEMPORAL.cli} or newer`
    : `upgrade it to ${CURRENT_TEMPORAL.server} or newer (docs/production.md)`;
  return { verdict: 'warning', detail: `server ${version} has published vulnerabilities (${named}): ${remedy}` };
}

/**
 * Whether the namespace is ready for payouts, that is, has their search attributes and workers that take new ones. Names the
 * server version and the number of polling workers.
 */
export async function judgeTemporal(
  connection: Connection,
  { namespace, temporalAddress }: Pick<Stack, 'namespace' | 'temporalAddress'>,
): Promise<string | { verdict: 'warning' | 'failed'; detail: string }> {
  const { serverVersion } = await connection.workflowService.getSystemInfo({});
  const queue = await connection.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: TASK_QUEUE },
    taskQueueType: 1,
  });
  const waiting = whyNewOnesWait(queue);
  const seen = `${temporalAddress}, server ${serverVersion}, ${counted(queue.pollers?.length ?? 0, 'worker')} polling`;
  try {
    const missing = Object.keys(await missingAttributes(connection, namespace));
    if (missing.length === 0) return waiting ? { verdict: 'warning', detail: `${seen}; ${waiting}` } : seen;
    const detail = `${seen}; search attributes are missing: ${missing.join(', ')}; a worker registers them at start`;
    return { verdict: 'failed', detail };
  } catch (error) {
    if (!areRefused(error)) throw error;
    const detail = `${seen}; it does not show its search attributes: compare them with docs/production.md`;
    return { verdict: 'warning', detail };
  }
}

/** Number of orders of ours by the form in which they show their reference; `absent`: without any. */
type ShownReferences = ReadonlyMap<ReferenceForm | 'absent', number>;

/** The payouts of as many days as reconciliation covers; `clockSkewMs`: how far the bank's clock may be off. */
export const recentPayouts = ({ settings: { pageSize, reconcileDays, clockSkewMs } }: Config) => ({
  changedSince: Date.now() - reconcileDays * DAY_MS,
  clockSkewMs,
  pageSize,
});

/** This many pairs of user and currency are enough to see what a bank does with references. */
const KEYS_MAX = 5;

/**
 * Compares the references in order lists with those that the store records as sent. Reads only one page for each user and
 * currency, and sends nothing. An order is ours by its id or by a form of its reference.
 */
export async function shownReferences(
  { bank, store }: { bank: Bank; store: Store },
  { changedSince, clockSkewMs, pageSize }: ReturnType<typeof recentPayouts>,
): Promise<ShownReferences> {
  const shown = new Map<ReferenceForm | 'absent', number>();
  for (const { uid, currency, since } of await store.reconciliationKeys(changedSince, {
    after: null,
    limit: KEYS_MAX,
  })) {
    const query = { uid, currency, from: Math.max(0, since - clockSkewMs), type: 'PAYMENT' };
    const { orders } = await bank.orders.listAll(query, { pageSize, calls: 1 });
    const owners = await store.payoutsOfOrders(orders.map(({ order_id }) => order_id));
    const byId = new Map(owners.map(({ orderId, reference }) => [orderId, reference]));
    const documents = await store.documentsOf(uid, changedSince);
    const sent = new ByReference(documents.map(({ reference }): [string, string] => [reference, reference]));
    for (const { order_id, client_order_id: given } of orders) {
      const reference = byId.get(order_id) ?? (given === undefined ? undefined : sent.find(given));
      if (reference === undefined) continue;
      const form = given === undefined ? 'absent' : referenceForm(given, reference);
      shown.set(form, (shown.get(form) ?? 0) + 1);
    }
  }
  return shown;
}

/**
 * What this means for the operator; `warning` if a lost answer would cost more than a wait. `spellings`: learned from orders that
 * were read by their id.
 */
export function judgeShown(
  shown: ShownReferences,
  spellings?: readonly ReferenceSpelling[],
): { verdict: 'ok' | 'warning'; detail: string } {
  const total = [...shown.values()].reduce((sum, count) => sum + count, 0);
  const altered = [...shown].filter(([form]) => form !== 'as-sent');
  if (total === 0) return { verdict: 'ok', detail: 'no order of ours to compare yet' };
  if (altered.length === 0) return { verdict: 'ok', detail: `come back as sent, in ${total} orders` };
  const counts = altered.map(([form, count]) => `${count} ${form}`).join(', ');
  const seen = `of ${total} orders the bank shows ${counts}: orders are known by their order id`;
  const learned = spellingText(spellings);
  if (learned !== undefined && altered.every(([form]) => form === 'respelled' || form === 'cut')) {
    return { verdict: 'ok', detail: `${seen}, and one whose answer was lost by its reference ${learned}` };
  }
  const lost =
    shown.has('other') || shown.has('absent')
      ? 'one whose answer was lost cannot be found: set PAYOUTS_REFERENCE_DEDUPE=none'
      : 'one whose answer was lost goes to needs-operator, reference-conflict';
  const mixed = spellings?.length === 0 ? ' (it shows them in more than one form)' : '';
  return { verdict: 'warning', detail: `${seen}, but ${lost}${mixed}` };
}

/** How late orders came into lists at most (ms; undefined: none did), and whether proofs of absence allow for it. */
export function judgeListLag(
  seenMs: number | undefined,
  allowedMs: number,
): { verdict: 'ok' | 'warning'; detail: string } {
  if (seenMs === undefined) return { verdict: 'ok', detail: 'no order was seen to come late into a list' };
  const [seen, allowed] = [seenMs, allowedMs].map((ms) => `${Math.ceil(ms / 1_000)} s`);
  const detail = `an order came into a list ${seen} after it was sent, PAYOUTS_LIST_LAG allows ${allowed}`;
  if (seenMs <= allowedMs) return { verdict: 'ok', detail };
  return { verdict: 'warning', detail: `${detail}: set it higher, or an order may be taken for absent` };
}

/**
 * While payouts are open, another URL, or a key that sees other accounts, is accepted only if the bank there shows an order of
 * ours under its reference. At another bank or customer, the absence of an order would prove nothing, and a payout could be paid
 * twice.
 */
export async function assertSameBank(session: Session, store: Store, accept: string): Promise<void> {
  const open = await store.openUnder({ scope: 'everything', key: '' });
  if (open === 0 || (await showsAnOrder(session, store))) return;
  const orders = session.config.bank.kind === 'sandbox' ? 'a sandbox cannot show them' : 'this one shows none of them';
  throw new Problem(
    'usage',
    'payouts-open',
    `${counted(open, 'payout has', 'payouts have')} not ended, and only the bank on record knows what was sent for them: ${orders}.`,
    { hint: `Let them end at the bank they were sent to. Then run payouts doctor --accept ${accept} again.` },
  );
}

async function showsAnOrder({ config }: Session, store: Store): Promise<boolean> {
  if (config.bank.kind === 'sandbox') return false;
  const bank = bankAt(config, config.bank.url);
  try {
    const shown = await shownReferences({ bank, store }, recentPayouts(config));
    // Order ids of two banks may coincide: an order counts only with our reference.
    return [...shown.keys()].some((form) => form !== 'absent' && form !== 'other');
  } finally {
    await bank.close();
  }
}
