import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { expect, it } from 'vitest';
import { runWorker, SHUTDOWN } from '../../src/temporal/worker.ts';
import { temporalConnections } from '../support/temporal-connections.ts';

/** More than a worker gives itself to end. */
const IN_TIME_MS = 75_000;

it('a worker that an error of the SDK stops says so in time, to be started again', { timeout: 90_000 }, async () => {
  const { connection, native } = await temporalConnections();
  const taskQueue = 'stopped-worker';
  const worker = await Worker.create({
    connection: native,
    taskQueue,
    workflowsPath: fileURLToPath(new URL('../support/odd-activity-id.ts', import.meta.url)),
    ...SHUTDOWN,
  });
  const failure = Promise.withResolvers<Error>();
  runWorker(worker, failure.resolve);
  await new Client({ connection }).workflow.start('oddActivityId', { workflowId: taskQueue, taskQueue });
  const late = new Promise((resolve) => setTimeout(resolve, IN_TIME_MS, 'not in time').unref());
  // Of a class of its own in another realm.
  expect(await Promise.race([failure.promise, late])).toHaveProperty('message');
});
