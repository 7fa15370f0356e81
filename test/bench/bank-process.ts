import { startSandbox } from '../../src/sandbox/server.ts';

// The bank of a bench, in memory: an order is settled so long after it was accepted.

const settleMs = Number(process.argv[2]);
const [accepted, submitting] = [Math.round(settleMs / 5), Math.round(settleMs / 5)];
const settle = { ACCEPTED: accepted, SUBMITTING: submitting, SUBMITTED: settleMs - accepted - submitting };

const { url } = await startSandbox({ file: ':memory:', settle });
process.send?.({ url });
process.on('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
