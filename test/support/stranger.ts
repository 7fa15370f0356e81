import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { inject } from 'vitest';
import type { Product } from './product.ts';

/** Does something while a worker of somebody else serves the queue `rogue` in the product's namespace. */
export async function beingAStranger<Answer>({ namespace }: Product, work: () => Promise<Answer>): Promise<Answer> {
  const connection = await NativeConnection.connect({ address: inject('temporalAddress') });
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue: 'rogue',
    workflowsPath: fileURLToPath(new URL('./rogue-workflow.ts', import.meta.url)),
  });
  try {
    return await worker.runUntil(work);
  } finally {
    await connection.close();
  }
}
