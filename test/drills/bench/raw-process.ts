import { takesWork } from './measured-process.ts';
import { bankOf, callsOver, eachOf, type ProgramWork, untilSettled } from './payments.ts';

// The calls of a payout and nothing that survives the process.

const [bankUrl = '', settleMs = ''] = process.argv.slice(2);
const calls = callsOver(bankOf(bankUrl));

takesWork<ProgramWork>(({ payments, atOnce }) =>
  eachOf(payments, atOnce, async (payment) => {
    await calls.readPayee(payment);
    await calls.readAccount(payment);
    await calls.readFee(payment);
    await untilSettled(calls, await calls.submit(payment), Number(settleMs));
  }),
);
process.send?.({});
