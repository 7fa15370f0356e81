import type { Worker } from '@temporalio/worker';

/** Runs a worker; `failed` is told why it ended by itself. Disposing lets its running tasks finish. */
export function runWorker(worker: Worker, failed: (error: Error) => void): AsyncDisposable {
  const running = worker.run().catch(failed);
  return {
    async [Symbol.asyncDispose]() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await running;
    },
  };
}
