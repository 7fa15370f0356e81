import { DBOS } from '@dbos-inc/dbos-sdk';
import { takesWork } from './measured-process.ts';
import { bankOf, callsOver, eachOf, type Payment, type ProgramWork, untilSettled } from './payments.ts';

// The same payout as a DBOS program that writes as little as it can: three steps, and no guard of ours.

const [bankUrl = '', settleMs = '', systemDatabaseUrl = ''] = process.argv.slice(2);
const calls = callsOver(bankOf(bankUrl));

async function pay(payment: Payment): Promise<void> {
  await DBOS.runStep(
    async () => {
      await calls.readPayee(payment);
      await calls.readAccount(payment);
      await calls.readFee(payment);
    },
    { name: 'read' },
  );
  const orderId = await DBOS.runStep(() => calls.submit(payment), { name: 'submit' });
  await DBOS.runStep(() => untilSettled(calls, orderId, Number(settleMs)), { name: 'follow' });
}

const payout = DBOS.registerWorkflow(pay, { name: 'payout' });
DBOS.setConfig({ name: 'bench', systemDatabaseUrl, logLevel: 'error' });
await DBOS.launch();

takesWork<ProgramWork>(({ payments, atOnce }) =>
  eachOf(payments, atOnce, async (payment) => {
    const handle = await DBOS.startWorkflow(payout, { workflowID: payment.id })(payment);
    await handle.getResult();
  }),
);
process.send?.({});
