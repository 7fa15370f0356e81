import { startSandbox } from '../../../src/sandbox/start-sandbox.ts';

// The bank of a bench, in memory: an order is settled so long after it was accepted.

const settleMs = Number(process.argv[2]);
const [accepted, submitting] = [Math.round(settleMs / 5), Math.round(settleMs / 5)];
const settle = { ACCEPTED: accepted, SUBMITTING: submitting, SUBMITTED: settleMs - accepted - submitting };

const { url } = await startSandbox({ file: ':memory:', settle });
// No amount comes twice, so that they grow with the payouts: more than a user of the sandbox has.
const body = JSON.stringify({ amount: '1000000000.00' });
const headers = { 'content-type': 'application/json' };
const paid = await fetch(`${url}/__sandbox/accounts/acc-u1001-usd/deposit`, { method: 'POST', headers, body });
if (!paid.ok) throw new Error(`the sandbox answered ${paid.status} to a deposit`);
process.send?.({ url });
process.on('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
