import { access, constants, mkdir } from 'node:fs/promises';
import type { Connection } from '@temporalio/client';
import type { FoundCli } from '../../../scripts/temporal-cli.mjs';
import { scopeText } from '../../domain/scope-text.ts';
import { problemOf } from '../../files/intake/problem-of.ts';
import { clockComplaint } from '../../platform/bank-warnings.ts';
import { payeeChecks } from '../../platform/checks.ts';
import { bankIdentity } from '../../platform/config/bank.ts';
import type { Process } from '../../platform/config/holdings.ts';
import type { Config } from '../../platform/config.ts';
import { temporalCli } from '../../platform/embedded/cli-path.ts';
import { recentReplacements } from '../../platform/embedded/replacements.ts';
import type { Stack } from '../../platform/embedded/stack.ts';
import { acceptKey, recordAccounts } from '../../platform/store-binding.ts';
import { connectTemporal } from '../../platform/temporal/connection.ts';
import { storeLocation } from '../../store/engine/store-url.ts';
import { ACCEPTABLE } from '../choices.ts';
import {
  assertSameBank,
  judgeHeld,
  judgeListLag,
  judgePayloads,
  judgePolicy,
  judgeReplacements,
  judgeServerVersion,
  judgeShown,
  judgeStoreRole,
  judgeSwitches,
  judgeTemporal,
  recentPayouts,
  shownReferences,
} from '../doctor-checks.ts';
import { judgeAuditLog, judgePast } from '../doctor-past.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import { nameOf } from '../signer.ts';
import { table } from '../table.ts';

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
  const { MYSELF } = await import('../../channels/http/operations/people.ts');
  const { name, person } = await session.ask(MYSELF, {});
  const who = name === null ? 'it believes the name that a command gives' : `it knows you as ${name}`;
  return `${session.config.gateway.url}: ${who}${person === null ? '' : ` (${person.roles.join(', ')}; scope: ${scopeText(person.scope)})`}`;
}

async function checkParts(session: Session): Promise<Check[]> {
  const { policy } = session.config.settings;
  return [
    ...(policy === undefined ? [] : [await check('policy', async () => judgePolicy(policy))]),
    await check('home', () => writable(session.config.home)),
    await check('store', async () => storeDetail(session)),
    ...(await checkStoreRole(session)),
    await check('store used', async () => judgePast(session.config, await session.store(), Date.now())),
    await check('switches', async () => judgeSwitches(await (await session.store()).switches())),
    ...(session.config.temporal.kind === 'embedded'
      ? [
          await check('Temporal CLI', async () => cliDetail(temporalCli(session.config.cliSearch))),
          await check('Temporal server', async () =>
            judgeReplacements(recentReplacements(session.config.home, Date.now())),
          ),
        ]
      : []),
    ...(await checkStack(session)),
    await check('audit log', async () => judgeAuditLog(session.config, await session.store())),
    await check('payloads', async () => judgePayloads(session.config, await session.store(), Date.now())),
  ];
}

async function check(name: string, look: () => Promise<string | Omit<Check, 'name'>>): Promise<Check> {
  try {
    const seen = await look();
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

async function writable(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await access(folder, constants.W_OK);
  return folder;
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

/** Temporal and bank, on the stack that is up or one booted for the check. */
async function checkStack(session: Session): Promise<Check[]> {
  const booted = await check('stack', async () => {
    const stack = await session.stack();
    return stack.owner ? 'started for this check' : 'up';
  });
  if (booted.verdict === 'failed') return [booted];
  const stack = await session.stack();
  const temporal = await check('Temporal', () => asked(session, stack, (it) => judgeTemporal(it, stack)));
  const version = await check('Temporal version', () => asked(session, stack, serverVersion(session.config)));
  return [booted, temporal, version, ...(await checkBank(session, stack)), ...(await checkProvider(session, stack))];
}

async function asked<T>({ config }: Session, stack: Stack, use: (connection: Connection) => Promise<T>): Promise<T> {
  const { connection, close } = await connectTemporal(config, stack);
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
  const asked = session.bank();
  const bank = await check('bank', async () => {
    const client = await asked;
    await client.authenticate();
    await recordAccounts(session.config, await session.store(), client);
    return bankIdentity(session.config) === 'sandbox' ? `sandbox at ${stack.apiUrl}` : stack.apiUrl;
  });
  if (bank.verdict === 'failed') return [bank];
  const references = await check('references', async () => {
    const parts = { bank: await session.bank(), store: await session.store() };
    const shown = await shownReferences(parts, recentPayouts(session.config));
    return judgeShown(shown, await parts.store.referenceSpellings());
  });
  const lag = await check('order lists', async () =>
    judgeListLag(await (await session.store()).longestListLag(), session.config.settings.terms.waits.listLagMs),
  );
  return [bank, clockCheck((await asked).clock.offset(), session), references, lag];
}

/** Whether the configured check provider answers, for a name on no list; nothing if none is configured. */
async function checkProvider({ config }: Session, { apiUrl }: Stack): Promise<Check[]> {
  if (config.checks === undefined) return [];
  const seen = await check('payee checks', async () => {
    const { provider } = payeeChecks(config, apiUrl) ?? fail('no provider is set');
    try {
      const { verdict } = await provider.screen({ name: NOBODY });
      return `${provider.name} answers: ${verdict}`;
    } catch (error) {
      return fail(`${provider.name} gives no usable answer: ${error instanceof Error ? error.message : error}`);
    } finally {
      await provider.close();
    }
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
