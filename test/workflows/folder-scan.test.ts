import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { folderActivities } from '../../src/activities/folder-scan.ts';
import { TASK_QUEUE, WORKFLOW_TYPES } from '../../src/domain/names.ts';
import type { FolderScan, FolderScanOptions } from '../../src/domain/scanned-folder.ts';
import { createLog } from '../../src/platform/log.ts';
import { installRuntime } from '../../src/platform/temporal/worker-runtime.ts';
import {
  createFolderSchedule,
  type FolderSchedule,
  folderSchedule,
  folderSchedules,
} from '../../src/platform/temporal/workflow-executions.ts';
import { type DevServer, startDevServer } from '../support/dev-server.ts';
import { assertBudget } from '../support/history-budget.ts';
import { recordHistory } from '../support/record-history.ts';
import { until } from '../support/until.ts';

const OPTIONS: FolderScanOptions = { dir: '/drop', invalid: 'stop', by: 'erp' };
const FOUND: FolderScan = { taken: 1, refused: 0, ended: 2, open: 3 };

/** A server of its own: the one of the other tests starts no schedules. */
let server: DevServer;
let connection: Connection;
let native: NativeConnection;
let client: Client;
let worker: Worker;
let running: Promise<void>;
/** What the scans were asked for, and what each does before it has found anything. */
const asked: FolderScanOptions[] = [];
let work: () => Promise<void> = async () => {};

beforeAll(async () => {
  installRuntime(createLog('silent'));
  server = await startDevServer(inject('temporalCli'));
  const { address } = server;
  connection = await Connection.connect({ address });
  native = await NativeConnection.connect({ address });
  client = new Client({ connection });
  worker = await Worker.create({
    connection: native,
    taskQueue: TASK_QUEUE,
    workflowBundle: { codePath: inject('workflowBundlePath') },
    activities: folderActivities([OPTIONS.dir], async (options) => {
      asked.push(options);
      await work();
      return FOUND;
    }),
  });
  running = worker.run();
});

afterAll(async () => {
  worker.shutdown();
  await running;
  await native.close();
  await connection.close();
  await server.stop();
});

beforeEach(() => {
  asked.length = 0;
});

const find = async (name: string): Promise<FolderSchedule | undefined> =>
  (await folderSchedules(client)).find((schedule) => schedule.name === name);

it('is one activity and a short history', async () => {
  const handle = await client.workflow.start<(options: FolderScanOptions) => Promise<FolderScan>>(
    WORKFLOW_TYPES.folderScan,
    {
      workflowId: 'folder-sweep/by-hand',
      taskQueue: TASK_QUEUE,
      args: [OPTIONS],
    },
  );
  expect(await handle.result()).toEqual(FOUND);
  expect(asked).toEqual([OPTIONS]);
  await assertBudget(handle, 11);
  await recordHistory(handle, WORKFLOW_TYPES.folderScan, 'one-pass');
});

it('fails after a few tries, so that the schedule goes on with the next', async () => {
  work = async () => {
    throw new Error('no such folder');
  };
  const failed = client.workflow.execute<(options: FolderScanOptions) => Promise<FolderScan>>(
    WORKFLOW_TYPES.folderScan,
    {
      workflowId: 'folder-sweep/failing',
      taskQueue: TASK_QUEUE,
      args: [OPTIONS],
    },
  );
  await expect(failed).rejects.toMatchObject({ cause: { cause: { message: 'no such folder' } } });
  work = async () => {};
});

it.each(['/etc', '/drop/', '/drop/../drop', '/drop/in', 'drop', ''])(
  'reads no folder that its worker does not list: %j',
  async (dir) => {
    const refused = client.workflow.execute<(options: FolderScanOptions) => Promise<FolderScan>>(
      WORKFLOW_TYPES.folderScan,
      {
        workflowId: 'folder-sweep/not-listed',
        taskQueue: TASK_QUEUE,
        args: [{ ...OPTIONS, dir }],
      },
    );
    await expect(refused).rejects.toMatchObject({
      cause: { cause: { type: 'FolderNotListed', message: expect.stringContaining('PAYOUTS_FOLDERS') } },
    });
    expect(asked).toEqual([]);
  },
);

it('is started by a schedule, never twice at once, until that is paused or deleted', async () => {
  let atWork = 0;
  let most = 0;
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  work = async () => {
    atWork += 1;
    most = Math.max(most, atWork);
    await released;
    atWork -= 1;
  };
  await createFolderSchedule(client, 'by-test', { ...OPTIONS, everyMs: 1_000 });
  await expect(createFolderSchedule(client, 'by-test', { ...OPTIONS, everyMs: 1_000 })).rejects.toMatchObject({
    name: 'ScheduleAlreadyRunning',
  });
  await until(async () => asked.length > 0);
  // Two more are due meanwhile.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  const [mostAtOnce, asks] = [most, asked.length];
  release();
  expect([mostAtOnce, asks, asked[0]]).toEqual([1, 1, OPTIONS]);
  await until(async () => asked.length > 1);
  await folderSchedule(client, 'by-test').pause();
  await until(async () => (await find('by-test'))?.paused === true);
  expect(await find('by-test')).toMatchObject({ folder: '/drop', everyMs: 1_000, next: null });
  await folderSchedule(client, 'by-test').delete();
  await until(async () => (await find('by-test')) === undefined);
  await expect(folderSchedule(client, 'by-test').pause()).rejects.toMatchObject({ name: 'ScheduleNotFoundError' });
});
