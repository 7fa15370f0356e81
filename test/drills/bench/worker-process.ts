import { NativeConnection, Worker } from '@temporalio/worker';
import { BENCH_QUEUE } from './options.ts';
import { bankOf, callsOver } from './payments.ts';

// A worker as the SDK makes it, with the workflows that ours are compared with.

const [address = '', namespace = '', bankUrl = ''] = process.argv.slice(2);

const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  namespace,
  taskQueue: BENCH_QUEUE,
  workflowsPath: new URL('./workflows.ts', import.meta.url).pathname,
  activities: callsOver(bankOf(bankUrl)),
});
process.on('disconnect', () => process.exit(0));
process.send?.({});
await worker.run();
