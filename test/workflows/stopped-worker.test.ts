import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { expect, it } from 'vitest';
import { runWorker, SHUTDOWN } from '../../src/platform/temporal/worker-runtime.ts';
import { temporalConnections } from '../support/temporal-connections.ts';

it('a worker that an error of the SDK stops says so, to be started again', async () => {
  const { connection, native } = await temporalConnections();
  const taskQueue = 'stopped-worker';
  const worker = await Worker.create({
    connection: native,
    taskQueue,
    workflowsPath: fileURLToPath(new URL('../support/odd-activity-id.ts', import.meta.url)),
    ...SHUTDOWN,
    shutdownForceTime: '1s',
  });
  const failure = Promise.withResolvers<Error>();
  runWorker(worker, failure.resolve);
  await new Client({ connection }).workflow.start('oddActivityId', { workflowId: taskQueue, taskQueue });
  // Of a class of its own in another realm.
  expect(await failure.promise).toHaveProperty('message');
});
