import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { loadConfig } from '../../../src/platform/config.ts';
import { processMark } from '../../../src/platform/embedded/home.ts';
import { keepServer, recentReplacements } from '../../../src/platform/embedded/keep-server.ts';
import { openStack } from '../../../src/platform/embedded/open-stack.ts';
import type { KeepLimits } from '../../../src/platform/embedded/server.ts';
import type { Stack } from '../../../src/platform/embedded/stack.ts';
import { readStackFile } from '../../../src/platform/embedded/stack-file.ts';
import { createLog } from '../../../src/platform/log.ts';
import { OpenedParts } from '../../../src/platform/opened-parts.ts';
import { newFolder } from '../../support/new-folder.ts';
import { refusingServer } from '../../support/refusing-server.ts';
import { until } from '../../support/until.ts';
import { fakeParts } from './stack-process.ts';

/** Long enough for a server of a busy machine to answer one call. */
const SOON: Partial<KeepLimits> = { everyMs: 500, unansweredMax: 10 };

let home: string;
/** What a test has opened, closed before the home is removed. */
let opened: OpenedParts;

beforeEach(() => {
  home = newFolder();
  opened = new OpenedParts();
});

afterEach(() => opened[Symbol.asyncDispose]());

async function open(keepLimits: Partial<KeepLimits> = {}): Promise<Stack> {
  const config = loadConfig({ TEMPORAL_CLI_PATH: inject('temporalCli'), PAYOUTS_HOME: home });
  const stack = await openStack(config, { ...fakeParts, mode: 'serve', keepLimits });
  return opened.adopt(stack, (it) => it.close({ abandonFollowers: true }));
}

const dbFile = () => join(home, 'temporal.sqlite');
const serverPid = (): number => readStackFile(home)?.temporalPid ?? 0;

/** Waits until the stack has said that another process than `before` serves it; throws why if there will be none. */
async function untilReplaced(stack: Stack, before: number): Promise<number> {
  const failed = stack.failure.then((error) => {
    throw error;
  });
  await Promise.race([failed, until(async () => ![0, before].includes(serverPid()))]);
  return serverPid();
}

describe('a server that ended by itself', () => {
  it('is started again, with its workflows, on the same addresses, and recorded', async () => {
    const stack = await open();
    const connection = await Connection.connect({ address: stack.temporalAddress });
    opened.defer(() => connection.close());
    const { workflow } = new Client({ connection });
    await workflow.start('anything', { workflowId: 'kept/1', taskQueue: 'nobody' });
    const killed = serverPid();
    process.kill(killed, 'SIGKILL');

    const pid = await untilReplaced(stack, killed);
    expect(JSON.parse(readFileSync(join(home, 'temporal.pid'), 'utf8'))).toMatchObject({ pid, mark: processMark(pid) });
    expect(readStackFile(home)).toMatchObject({ temporalAddress: stack.temporalAddress, uiUrl: stack.uiUrl });
    // Over the connection from before.
    await until(async () => (await workflow.getHandle('kept/1').describe()).status.name === 'RUNNING');
    expect((await fetch(stack.uiUrl ?? '')).status).toBe(200);
    expect(recentReplacements(home, Date.now())).toEqual([{ at: expect.any(Number), why: 'ended by SIGKILL' }]);
  });

  it('is started again only so often', async () => {
    const stack = await open({ replacedMax: 1 });
    const first = serverPid();
    process.kill(first, 'SIGKILL');
    process.kill(await untilReplaced(stack, first), 'SIGKILL');
    expect(await stack.failure).toMatchObject({
      kind: 'unreachable',
      code: 'stack-temporal-lost',
      message: expect.stringMatching(/started again 1 times? within .* and failed again: ended by SIGKILL/),
    });
  });

  it('is given up with the words of the one that does not start', async () => {
    const stack = await open();
    // In place: the server that runs does not notice.
    writeFileSync(dbFile(), 'not a database '.repeat(10_000));
    rmSync(`${dbFile()}-wal`);
    process.kill(serverPid(), 'SIGKILL');
    expect(await stack.failure).toMatchObject({
      code: 'stack-temporal-lost',
      message: expect.stringMatching(/started again 3 times .* failed again: .* did not start: .*not a database/),
      hint: expect.stringContaining(dbFile()),
    });
  });
});

describe('a server that runs', () => {
  it('is replaced when it is stopped, although it ignores SIGTERM', async () => {
    const stack = await open(SOON);
    const stuck = serverPid();
    process.kill(stuck, 'SIGSTOP');
    await untilReplaced(stack, stuck);
    expect(processMark(stuck)).toBeUndefined();
    expect(recentReplacements(home, Date.now())[0]?.why).toBe('10 calls in a row failed: no answer');
  });

  it.each([
    ['was replaced', () => mkdirSync(dbFile())],
    ['is gone', () => {}],
  ])('is given up when its database %s: it writes to a file that nobody will find', async (what, replace) => {
    const stack = await open({ ...SOON, everyMs: 200 });
    const { temporalPid } = readStackFile(home) ?? {};
    renameSync(dbFile(), `${dbFile()}.away`);
    replace();
    expect(await stack.failure).toMatchObject({
      kind: 'unreachable',
      code: 'stack-temporal-lost',
      message: expect.stringContaining(`${dbFile()} ${what}`),
      hint: expect.stringContaining('Put the file back'),
    });
    await stack.close();
    expect(processMark(temporalPid ?? 0)).toBeUndefined();
  });

  it('is replaced when it answers everything with UNAVAILABLE', async () => {
    const refusing = await refusingServer('interrupted (9)');
    opened.defer(() => refusing.close());
    writeFileSync(dbFile(), '');
    const server = {
      address: refusing.address,
      pid: 0,
      exited: new Promise<string>(() => {}),
      async replace() {
        server.address = inject('temporalAddress');
      },
    };
    const replaced = Promise.withResolvers<void>();
    const keeping = { home, dbFile: dbFile(), namespace: 'default', log: createLog('silent') };
    const limits = { ...SOON, everyMs: 100 };
    opened.adopt(keepServer(server, { ...keeping, limits, replaced: replaced.resolve }), (it) => it.close());
    await replaced.promise;
    expect(recentReplacements(home, Date.now())[0]?.why).toBe('10 calls in a row failed: interrupted (9)');
  });
});
