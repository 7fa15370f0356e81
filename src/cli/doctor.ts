import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Connection } from '@temporalio/client';
import { advisoriesOf, isPatchedServer } from '../../scripts/pins.mjs';
import type { FoundCli } from '../../scripts/temporal-cli.mjs';
import { CURRENT_TEMPORAL } from '../../scripts/temporal-versions.mjs';
import type { Policy } from '../domain/authority.ts';
import { isOpen, scopeText, unguarded } from '../domain/authority.ts';
import { causeInWords } from '../domain/causes.ts';
import { counted, minuteOf } from '../domain/display.ts';
import type { Undecodable } from '../domain/failures.ts';
import { PAYLOAD_REFUSED } from '../domain/failures.ts';
import { groupedAmount } from '../domain/money.ts';
import { TASK_QUEUE } from '../domain/names.ts';
import { Problem } from '../domain/problem.ts';
import { type ResumptionReason, UNUSUAL } from '../domain/store-past.ts';
import { type SwitchedOff, switchText } from '../domain/switches.ts';
import { DAY_MS } from '../domain/time.ts';
import { otherHomeOf } from '../files/intake/plan.ts';
import { problemOf } from '../files/intake/problem-of.ts';
import { ifRestored, seenLog, whyShorter } from '../platform/audit/open-audit-log.ts';
import { bankIdentity } from '../platform/config/bank.ts';
import { notNeeded, PROCESSES, type Process, unneededBy } from '../platform/config/holdings.ts';
import type { Config } from '../platform/config.ts';
import { temporalCli } from '../platform/embedded/cli-path.ts';
import { type Replacement, recentReplacements } from '../platform/embedded/keep-server.ts';
import type { Stack } from '../platform/embedded/stack.ts';
import { bankAt, clockComplaint, payeeChecks } from '../platform/open-bank.ts';
import { BACK_CHANNEL_PATH, CALLBACK_PATH, OpenIdProvider, SIGN_IN_PATH } from '../platform/openid.ts';
import { acceptKey } from '../platform/store-binding.ts';
import { connectTemporal, type TemporalAddress } from '../platform/temporal/connection.ts';
import { whyNewOnesWait } from '../platform/temporal/current-build.ts';
import { areRefused, missingAttributes } from '../platform/temporal/namespace.ts';
import { thisProcess } from '../platform/this-sender.ts';
import { storeLocation } from '../store/engine/store-url.ts';
import type { SenderSeen, Store, StoreRole } from '../store/store.ts';
import { canBeWitnessed } from '../store/witness.ts';
import { ACCEPTABLE } from './command.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { judgeBank } from './judge-bank.ts';
import { table } from './output.ts';
import { assertTemporalFits, judgeWorkers, stackThatIsUp } from './running-stack.ts';
import type { Session } from './session.ts';
import { judgeShown, recentPayouts, shownReferences } from './shown-references.ts';
import { nameOf } from './signer.ts';

interface Check {
  name: string;
  verdict: 'ok' | 'warning' | 'failed';
  detail: string;
}

/** `payouts doctor`: what works and what does not, each with its fix. Exit 0 unless a check failed (1). */
export async function doctor(
  session: Session,
  { accept, by, as }: { accept?: keyof typeof ACCEPTABLE; by?: string; as?: Process } = {},
): Promise<ExitCode> {
  if (accept !== undefined) {
    const acceptance = { parts: ACCEPTABLE[accept], by: nameOf(by), at: Date.now() };
    const store = await session.store();
    if (accept !== 'temporal') await assertSameBank(session, store, accept);
    await store.forgetIdentity(acceptance);
    if (accept === 'accounts' || accept === 'key') await acceptKey(session.config, store);
  }
  const own: Check[] = [
    // bin/payouts.mjs has already refused a Node that is too old.
    { name: 'Node', verdict: 'ok', detail: process.versions.node },
    settingsCheck(session.config),
    { name: 'secrets', ...judgeHeld(session.config, as) },
    ...judgeProxy(session.config),
  ];
  const parts =
    session.config.process === 'person' ? [await check('gateway', () => whoAmI(session))] : await checkParts(session);
  const checks = [...own, ...parts];
  const rows = checks.map(({ name, verdict, detail }) => [name, verdict, detail]);
  session.output.result({ checks }, table(['check', 'verdict', 'detail'], rows));
  return checks.some(({ verdict }) => verdict === 'failed') ? EXIT.internal : EXIT.completed;
}

/** What the gateway takes the person of a command for: all else is behind it. */
async function whoAmI(session: Session): Promise<string> {
  const { MYSELF } = await import('../channels/http/operations/people-operations.ts');
  const { name, person } = await session.ask(MYSELF, {});
  const who = name === null ? 'it believes the name that a command gives' : `it knows you as ${name}`;
  return `${session.config.gateway.url}: ${who}${person === null ? '' : ` (${person.roles.join(', ')}; scope: ${scopeText(person.scope)})`}`;
}

async function checkParts(session: Session): Promise<Check[]> {
  const { policy } = session.config.settings;
  const store = await check('store', async () => storeDetail(session));
  return [
    ...(policy === undefined ? [] : [await check('policy', async () => judgePolicy(policy))]),
    ...(await checkSignIn(session.config)),
    await check('home', () => judgeHome(session.config.home)),
    store,
    ...(store.verdict === 'failed' ? await checkWithoutStore(session) : await checkWithStore(session)),
  ];
}

async function checkWithStore(session: Session): Promise<Check[]> {
  return [
    ...(await checkStoreRole(session)),
    await check('store used', async () => judgePast(session.config, await session.store(), Date.now())),
    await check('switches', async () => judgeSwitches(await (await session.store()).switches())),
    ...(await checkEmbedded(session)),
    ...(await checkStack(session)),
    await check('audit log', async () => judgeAuditLog(session.config, await session.store())),
    await check('payloads', async () => judgePayloads(session.config, await session.store(), Date.now())),
  ];
}

/** Other systems fail for causes of their own: one run reports all of them, not the next one each time one is mended. */
async function checkWithoutStore(session: Session): Promise<Check[]> {
  const { config } = session;
  return [
    ...(await checkEmbedded(session)),
    ...(config.temporal.kind === 'cluster' ? await checkTemporal(session, addressesOf(config.temporal)) : []),
    ...(await checkRemote(session)),
  ];
}

const addressesOf = ({ address, namespace }: { address: string; namespace: string }) => ({
  temporalAddress: address,
  namespace,
});

/** A bank and a provider of checks on another machine, without store and stack. */
async function checkRemote({ config }: Session): Promise<Check[]> {
  const { bank, checks } = config;
  const provider = checks?.provider.kind === 'http' ? await checkProvider(config, '') : [];
  if (bank.kind === 'sandbox') return provider;
  const client = bankAt(config, bank.url);
  const seen = await check('bank', () => judgeBank(client, bank.url));
  await client.close();
  return [seen, ...provider];
}

async function checkEmbedded({ config }: Session): Promise<Check[]> {
  if (config.temporal.kind !== 'embedded') return [];
  return [
    await check('Temporal CLI', async () => cliDetail(temporalCli(config.cliSearch))),
    await check('Temporal server', async () => judgeReplacements(recentReplacements(config.home, Date.now()))),
  ];
}

async function check(name: string, probeAll: () => Promise<string | Omit<Check, 'name'>>): Promise<Check> {
  try {
    const seen = await probeAll();
    return { name, ...(typeof seen === 'string' ? { verdict: 'ok', detail: seen } : seen) };
  } catch (error) {
    const { message, hint } = problemOf(error);
    return { name, verdict: 'failed', detail: `${message.replace(/\.?$/, '.')} ${hint}`.trim() };
  }
}

function fail(message: string): never {
  throw new Error(message);
}

const cliDetail = ({ path, source, versions: { cli, server, ui } }: FoundCli): string =>
  `${path} (${source}): ${cli}, with server ${server} and Web UI ${ui}`;

const FREE_BYTES = 256 * 1024 * 1024;

/** Whether it can be written, tried with a file, and how much of its disk is left. */
async function judgeHome(folder: string): Promise<string | { verdict: 'warning'; detail: string }> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const tried = join(folder, `.doctor-${randomUUID()}`);
  await writeFile(tried, 'x', { mode: 0o600, flush: true }).finally(() => rm(tried, { force: true }));
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= FREE_BYTES) return folder;
  const left = Math.floor((bavail * bsize) / 1_048_576);
  return { verdict: 'warning', detail: `${folder}: only ${left} MB are free on its disk; free some` };
}

async function storeDetail(session: Session): Promise<string> {
  await session.assertStoreFits();
  const store = await session.store();
  const { bank = 'none yet', namespace = 'none yet', cluster, accounts = [] } = await store.identity();
  const temporal = cluster === undefined ? '' : ` of Temporal cluster ${cluster}`;
  return `${store.id}: bank ${bank} with ${accounts.length} master accounts, namespace ${namespace}${temporal}`;
}

/** What the store's role may do; nothing for a file. */
async function checkStoreRole(session: Session): Promise<Check[]> {
  if (storeLocation(session.config.storeUrl.reveal()).kind === 'file') return [];
  return [await check('store role', async () => judgeStoreRole(await (await session.store()).storeRole()))];
}

/** Temporal and bank, if they can be asked without starting anything. */
async function checkStack(session: Session): Promise<Check[]> {
  const { config } = session;
  const workers = await check('workers', async () => judgeWorkers(config, await session.store(), Date.now()));
  const cluster = config.temporal.kind === 'cluster' ? await checkTemporal(session, addressesOf(config.temporal)) : [];
  // The stack would only say the same once more.
  if (cluster.some(({ verdict }) => verdict === 'failed'))
    return [workers, ...cluster, ...(await checkRemote(session))];
  let stack: Stack | undefined;
  const up = await check('stack', async () => {
    stack = await stackThatIsUp(config);
    if (stack === undefined) return `none is up; payouts dev starts one`;
    await assertTemporalFits(session, stack);
    return 'up';
  });
  if (stack === undefined || up.verdict === 'failed') return [workers, up, ...cluster, ...(await checkRemote(session))];
  const temporal = config.temporal.kind === 'cluster' ? cluster : await checkTemporal(session, stack);
  const rest = [...temporal, ...(await checkBank(session, stack)), ...(await checkProvider(config, stack.apiUrl))];
  await stack.close();
  return [workers, up, ...rest];
}

async function checkTemporal(session: Session, at: TemporalAddress): Promise<Check[]> {
  const temporal = await check('Temporal', () => asked(session, at, (it) => judgeTemporal(it, at)));
  if (temporal.verdict === 'failed') return [temporal];
  return [temporal, await check('Temporal version', () => asked(session, at, serverVersion(session.config)))];
}

async function asked<T>(
  { config }: Session,
  at: TemporalAddress,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const { connection, close } = await connectTemporal(config, at);
  try {
    return await use(connection);
  } finally {
    await close();
  }
}

const serverVersion =
  ({ temporal }: Config) =>
  async (connection: Connection) => {
    const { serverVersion: version } = await connection.workflowService.getSystemInfo({});
    return judgeServerVersion(version, { isDevelopmentServer: temporal.kind === 'embedded' });
  };

async function checkBank(session: Session, stack: Stack): Promise<Check[]> {
  const asked = session.bank(stack);
  const where = bankIdentity(session.config) === 'sandbox' ? `sandbox at ${stack.apiUrl}` : stack.apiUrl;
  const bank = await check('bank', async () => judgeBank(await asked, where));
  if (bank.verdict === 'failed') return [bank];
  const references = await check('references', async () => {
    const parts = { bank: await asked, store: await session.store() };
    const shown = await shownReferences(parts, recentPayouts(session.config));
    return judgeShown(shown, await parts.store.referenceSpellings());
  });
  const lag = await check('order lists', async () =>
    judgeListLag(await (await session.store()).longestListLag(), session.config.settings.terms.waits.listLagMs),
  );
  return [bank, clockCheck((await asked).clock.offset(), session), references, lag];
}

/** Whether the configured check provider answers, for a name on no list; nothing if none is configured. */
async function checkProvider(config: Config, apiUrl: string): Promise<Check[]> {
  if (config.checks === undefined) return [];
  const seen = await check('payee checks', async () => {
    const { provider } = payeeChecks(config, apiUrl) ?? fail('no provider is set');
    try {
      const { verdict } = await provider.screen({ name: NOBODY });
      return `${provider.name} answers: ${verdict}`;
    } catch (error) {
      const { message, hint } = causeInWords(error, 'checks', provider.name) ?? problemOf(error);
      return fail(`${message} ${hint}`);
    } finally {
      await provider.close();
    }
  });
  return [seen];
}

/** Whether the provider through which people sign in to the pages answers, and what it has to know; nothing without one. */
export async function checkSignIn({ signIn: { openId }, settings, proxyFor }: Config): Promise<Check[]> {
  if (openId === undefined) return [];
  const origin = settings.policy?.origin;
  const seen = await check('sign-in', async () => {
    if (origin === undefined) return fail('PAYOUTS_OIDC_ISSUER needs a policy with origin, the address of the pages.');
    const provider = new OpenIdProvider(openId, origin, proxyFor(openId.issuer));
    const { keys, signsOut, notifies } = await provider.check().catch((error: unknown) => {
      const { message, hint } = causeInWords(error, 'sign-in', openId.issuer) ?? problemOf(error);
      return fail(`${message} ${hint}`);
    });
    if (keys === 0) return fail(`${openId.issuer} shows no key, so that no sign-in can be verified.`);
    const left = signsOut
      ? ` and, after signing out, ${origin}${SIGN_IN_PATH}`
      : '; signing out here does not sign out there';
    const posted = notifies ? `, and to post logout tokens to ${origin}${BACK_CHANNEL_PATH}` : '';
    return `${openId.issuer} answers with ${counted(keys, 'key')}; it has to lead back to ${origin}${CALLBACK_PATH}${left}${posted}`;
  });
  return [seen];
}

/** A name on no list of parties. */
const NOBODY = 'Payouts Doctor';

function clockCheck(offset: number | undefined, { config }: Session): Check {
  const complaint = clockComplaint(offset, config.settings.clockSkewMs);
  const seen = offset === undefined ? 'not shown in its answers' : `${(offset / 1_000).toFixed(1)} s from ours`;
  return { name: 'bank clock', verdict: complaint === undefined ? 'ok' : 'warning', detail: complaint ?? seen };
}
function settingsCheck({ unknownSettings, tooOpen }: Config): Check {
  const odd = [...unknownSettings, ...tooOpen];
  const [verdict, detail] = odd.length === 0 ? (['ok', 'all known'] as const) : (['warning', odd.join(' ')] as const);
  return { name: 'settings', verdict, detail };
}

/** Through which proxy the bank is reached, or that the one of the environment is not used; nothing where there is none. */
export function judgeProxy({ bank, proxyFor, ignoresProxy }: Config): Check[] {
  if (bank.kind === 'sandbox' || bank.relay !== undefined) return [];
  if (ignoresProxy) {
    const detail =
      'HTTPS_PROXY is set and not used: PAYOUTS_PROXY=environment has bank, payee checks and events go through it';
    return [{ name: 'proxy', verdict: 'warning', detail }];
  }
  const proxy = proxyFor(bank.url);
  return proxy === undefined
    ? []
    : [{ name: 'proxy', verdict: 'ok', detail: `the bank is reached through ${proxy.origin}` }];
}

const READ_MAX = 1_000;
const UNKNOWN_KEY: Undecodable = 'unknown-key';

/**
 * Whether payloads are encrypted, and whether workers have recently met payloads whose key they lack, according to the last
 * entries of the audit log. Throws a `Problem` if the home's keys are gone.
 */
export async function judgePayloads(
  { codecKeys }: Config,
  store: Store,
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

async function metWithoutKey(store: Store, now: number): Promise<string | undefined> {
  const { size } = await store.auditTree();
  for await (const page of store.auditLog({ from: Math.max(size - READ_MAX, 0), to: size })) {
    const met = page.findLast(
      ({ at, action, detail }) =>
        at > now - DAY_MS && action === PAYLOAD_REFUSED && JSON.parse(detail).why === UNKNOWN_KEY,
    );
    if (met !== undefined) return met.subject;
  }
  return undefined;
}

/** Whether a process of a cluster has secrets that it does not need; names of settings, never values. */
function judgeHeld(
  { held, process, temporal }: Config,
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
function judgePolicy(policy: Policy): { verdict: 'ok' | 'warning'; detail: string } {
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
  { namespace, temporalAddress }: TemporalAddress,
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

/** The longest time after which an order appeared in a list (ms; undefined: none was late), and whether proofs of absence allow for it. */
export function judgeListLag(
  seenMs: number | undefined,
  allowedMs: number,
): { verdict: 'ok' | 'warning'; detail: string } {
  if (seenMs === undefined) return { verdict: 'ok', detail: 'no order has appeared late in a list' };
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
async function assertSameBank(session: Session, store: Store, accept: string): Promise<void> {
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

const BECAUSE: Readonly<Record<ResumptionReason, string>> = {
  new: 'it was new',
  restart: 'the process before had ended',
  gap: 'the process was suspended',
  'other-user': 'another machine had used it',
  copied: 'it was moved or copied',
  'rolled-back': 'it had gone back in time',
  restored: 'it was restored',
};

/**
 * Who used the store last, and why sending last began anew; a warning if in the last week the store may have known less than was
 * sent, where it was unclear, or where another home may be meant.
 */
async function judgePast(
  config: Config,
  store: Store,
  now: number,
): Promise<{ verdict: 'ok' | 'warning'; detail: string }> {
  const [last] = await store.senders();
  const resumptions = await store.resumptionsSince(0);
  const reported = resumptions.findLast(({ at, why }) => UNUSUAL.has(why) && at > now - 7 * DAY_MS);
  const shown = reported ?? resumptions.at(-1);
  const other = await otherHomeOf(config);
  const warnings = [
    ...(reported === undefined ? [] : ['orders that it did not know of are searched for at the bank']),
    ...(canBeWitnessed(config.witnessFolder)
      ? []
      : [`${config.witnessFolder} cannot be written: that the store was put back in time may go unnoticed`]),
    ...(other === undefined ? [] : [`${other} holds another store of this bank: PAYOUTS_HOME names the one to use`]),
  ];
  const used = last === undefined ? 'nothing was sent from it yet' : usedText(last);
  const resumed = shown === undefined ? [] : [`resumed ${minuteOf(shown.at)} because ${BECAUSE[shown.why]}`];
  const detail = [used, ...resumed, ...warnings].join('; ');
  return { verdict: warnings.length === 0 ? 'ok' : 'warning', detail };
}

function usedText({ machine, pid, aliveAt, endedAt }: SenderSeen): string {
  const where = machine === thisProcess().machine ? 'this machine' : `machine ${machine}`;
  const ended = endedAt === null ? '' : ', which has ended';
  return `last used ${minuteOf(aliveAt)} by process ${pid} on ${where}${ended}`;
}

/** False if one of them is not there yet. */
function isOnSameDisk(file: string | undefined, home: string): boolean {
  const [there, own] = [file && dirname(file), home].map(
    (path) => path && statSync(path, { throwIfNoEntry: false })?.dev,
  );
  return there !== undefined && there === own;
}

/**
 * Whether the audit log reaches as far as this machine has seen it, and, with a bank or a cluster, whether its checkpoints leave
 * the machine: without copies elsewhere, anyone who can write to the store can cut the log back on a new machine.
 */
export async function judgeAuditLog(
  { audit, bank, home, temporal, witnessFolder }: Config,
  store: Store,
): Promise<{ verdict: 'ok' | 'warning' | 'failed'; detail: string }> {
  const seen = seenLog(witnessFolder, store);
  const { size } = await store.auditTree();
  const shorter = whyShorter(seen, size);
  if (shorter !== undefined) return { verdict: 'failed', detail: `${shorter}. ${ifRestored(witnessFolder, store)}` };
  const known = `${counted(size, 'entry', 'entries')}, ${groupedAmount(seen?.size ?? 0)} seen by this machine`;
  const { checkpoints, spool } = audit;
  const isTrial = bank.kind !== 'remote' && temporal.kind === 'embedded';
  if (checkpoints !== undefined || spool !== undefined) {
    const places = [checkpoints, spool?.folder].filter((place) => place !== undefined);
    const went = `${known}; checkpoints go to ${places.join(' and ')}`;
    if (isTrial || spool !== undefined || !isOnSameDisk(checkpoints, home)) return { verdict: 'ok', detail: went };
    return { verdict: 'warning', detail: `${went}, on the disk of the home: use a share of another machine` };
  }
  if (isTrial) return { verdict: 'ok', detail: known };
  const missing = 'its checkpoints are kept nowhere else: set PAYOUTS_AUDIT_CHECKPOINTS or PAYOUTS_AUDIT_MAIL_SPOOL';
  return { verdict: 'warning', detail: `${known}; ${missing}` };
}
