import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { type RunningSandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { COMPILE_CACHE } from '../../support/compile-cache.ts';
import { devServer, HOST } from '../chaos/ground.ts';
import { command, type Ended, freePorts, Supervised } from '../chaos/processes.ts';
import { AFTER, BEFORE, makeBuild } from './builds.ts';

export type Build = 'before' | 'after';

/** Two builds of the product over one Temporal, one store and one bank, every worker a process of its own. */
export interface Deployment extends AsyncDisposable {
  /** Folder of everything that is written. */
  dir: string;
  client: Client;
  bank: RunningSandbox;
  storeUrl: string;
  workers: Record<Build, Supervised>;
  logs: Record<Build, string>;
  startWorker(build: Build): Promise<void>;
  /** New payouts begin under this one, and what never ends goes over to it. */
  makeCurrent(build: Build): Promise<void>;
  payouts(build: Build, ...args: string[]): Promise<Ended>;
  /** Writes a file beside the home. */
  file(name: string, text: string): string;
}

const NAME = 'payouts';
const READY_EVERY_MS = 500;

export async function startDeployment(): Promise<Deployment> {
  const dir = mkdtempSync(join(tmpdir(), 'payouts-upgrade-'));
  const home = join(dir, 'home');
  mkdirSync(home);
  const commands = { before: makeBuild(join(dir, 'before'), BEFORE), after: makeBuild(join(dir, 'after'), AFTER) };
  const [port = 0] = await freePorts(1);
  const temporal = devServer(dir, port);
  const bank = await startSandbox({ file: join(dir, 'bank.sqlite') });
  const storeUrl = `file:${join(home, 'store.sqlite')}`;
  const env = (build: Build): Record<string, string> => ({
    PATH: process.env.PATH ?? '',
    HOME: dir,
    PAYOUTS_HOME: home,
    PAYOUTS_STORE_URL: storeUrl,
    PAYOUTS_API_URL: bank.url,
    PAYOUTS_TIME_SCALE: '0.05',
    PAYOUTS_LOOK_ALIKE_DAYS: '0',
    PAYOUTS_ONE_MACHINE: 'true',
    TEMPORAL_ADDRESS: `${HOST}:${port}`,
    PAYOUTS_DEPLOYMENT: NAME,
    PAYOUTS_BUILD_ID: build,
    ...COMPILE_CACHE,
  });
  const logs = { before: join(dir, 'before.log'), after: join(dir, 'after.log') };
  const worker = (build: Build): Supervised =>
    new Supervised({
      name: build,
      command: process.execPath,
      args: [commands[build], 'worker'],
      env: env(build),
      logFile: logs[build],
    });
  const workers = { before: worker('before'), after: worker('after') };
  await temporal.start();
  const connection = await Connection.connect({ address: `${HOST}:${port}` });
  const client = new Client({ connection });
  return {
    ...{ dir, client, bank, storeUrl, workers, logs },
    startWorker: (build) => workers[build].start(),
    async makeCurrent(buildId) {
      // It can be once a worker of it has asked for a task.
      for (;;) {
        const made = await connection.workflowService
          .setWorkerDeploymentCurrentVersion({ namespace: 'default', deploymentName: NAME, buildId, identity: 'alice' })
          .then(
            () => true,
            () => false,
          );
        if (made) return;
        const [ownEnd] = workers[buildId].ownEnds;
        if (ownEnd !== undefined)
          throw new Error(`the worker of the build ${buildId} ends by itself (${ownEnd}): ${logs[buildId]}`);
        await pause(READY_EVERY_MS);
      }
    },
    payouts: (build, ...args) => command(process.execPath, [commands[build], ...args], env(build)).ended,
    file(name, text) {
      const path = join(dir, name);
      writeFileSync(path, text);
      return path;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(Object.values(workers).map((it) => it.end()));
      await connection.close();
      await temporal.end();
      await bank.close();
    },
  };
}
