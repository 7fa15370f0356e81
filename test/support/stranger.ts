import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import type { Product } from './product.ts';
import { temporalConnections } from './temporal-connections.ts';

/** Does something while a worker of somebody else serves the queue `rogue` in the product's namespace. */
export async function beingAStranger<Answer>({ namespace }: Product, work: () => Promise<Answer>): Promise<Answer> {
  const { native: connection } = await temporalConnections();
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue: 'rogue',
    workflowsPath: fileURLToPath(new URL('./rogue-workflow.ts', import.meta.url)),
  });
  return worker.runUntil(work);
}
