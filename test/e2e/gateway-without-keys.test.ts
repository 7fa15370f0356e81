import { randomBytes } from 'node:crypto';
import { Connection } from '@temporalio/client';
import { expect, inject, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { openCommandHome, QUICK } from '../support/command.ts';
import { ownPort } from '../support/own-port.ts';
import { registerNamespace } from '../support/product.ts';
import { until } from '../support/until.ts';
import { csvOf } from './payout-files.ts';

const ACCESS = { PAYOUTS_API_KEY: 'own-key', PAYOUTS_API_SECRET: 'own-secret' };

async function namespaceOfItsOwn(): Promise<string> {
  const namespace = `keyless-${process.pid}-${Date.now()}`;
  const connection = await Connection.connect({ address: inject('temporalAddress') });
  onTestFinished(() => connection.close());
  await registerNamespace(connection, namespace);
  return namespace;
}

/** A worker with the key of the bank, and a gateway that has only that of the reads. */
async function clusterOfTwo() {
  const address = inject('temporalAddress');
  const namespace = await namespaceOfItsOwn();
  const bank = await startSandbox({
    file: ':memory:',
    apiKey: ACCESS.PAYOUTS_API_KEY,
    apiSecret: ACCESS.PAYOUTS_API_SECRET,
  });
  onTestFinished(() => bank.close());
  const port = await ownPort();
  const shared = {
    ...QUICK,
    ...{ TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace, PAYOUTS_ONE_MACHINE: 'true' },
    PAYOUTS_API_URL: bank.url,
    PAYOUTS_BANK_READS_KEY: randomBytes(32).toString('base64'),
  };
  const workers = openCommandHome({ ...shared, ...ACCESS, PAYOUTS_BANK_READS_ADDRESS: `${port}` });
  onTestFinished(() => workers.close());
  const worker = workers.start('worker');
  await worker.says(/Worker on/);
  const gateways = openCommandHome({
    ...shared,
    PAYOUTS_STORE_URL: workers.storeUrl,
    PAYOUTS_BANK_READS_FROM: `127.0.0.1:${port}`,
  });
  onTestFinished(() => gateways.close());
  const gateway = gateways.start('gateway', '--json');
  await gateway.says(/gatewayUrl/);
  const { gatewayUrl } = JSON.parse(gateway.printed()) as { gatewayUrl: string };
  const ask = async (path: string, body?: string, type = 'text/csv') => {
    const sent = body === undefined ? {} : { method: 'POST', body, headers: { 'content-type': type } };
    const answer = await fetch(`${gatewayUrl}${path}`, sent);
    // biome-ignore lint/suspicious/noExplicitAny: documents are compared by what the test expects of them
    return { status: answer.status, document: (await answer.json()) as any };
  };
  return { worker, gateway, ask };
}

it('a gateway without a key of the bank checks and takes files, which workers pay, and takes no cards', async () => {
  const { worker, ask } = await clusterOfTwo();
  expect((await ask('/readyz')).document).toMatchObject({ ready: true, parts: { bank: 'up' } });

  const unknown = await ask('/v1/batches', csvOf([{ id: 'K-1', account_id: 'acc-none' }]));
  expect(unknown).toMatchObject({ status: 422, document: { findings: [{ rule: 'account-not-found' }] } });

  const taken = await ask('/v1/batches', csvOf([{ id: 'K-2' }]));
  expect(taken.status).toBe(202);
  const batch = `/v1/batches/${taken.document.batchId}`;
  await until(async () => (await ask(batch)).document.counts.completed === 1);

  const card = {
    merchant_request_id: 'intent-1',
    amount: '10.00',
    currency: 'EUR',
    payment_type: 'DEBIT',
    return_url: 'http://127.0.0.1/back',
  };
  const refused = await ask('/v1/card-payments', JSON.stringify(card), 'application/json');
  expect(refused).toMatchObject({ status: 503, document: { error: { code: 'no-cards-here' } } });

  worker.kill('SIGTERM');
  await worker.ended;
  await until(async () => (await ask('/readyz')).document.parts.bank === 'down');
});

it('a worker that has no key of the bank does not start', async () => {
  const home = openCommandHome({
    ...QUICK,
    ...{ TEMPORAL_ADDRESS: inject('temporalAddress'), TEMPORAL_NAMESPACE: await namespaceOfItsOwn() },
    PAYOUTS_ONE_MACHINE: 'true',
    PAYOUTS_API_URL: 'http://127.0.0.1:1',
    PAYOUTS_BANK_READS_KEY: randomBytes(32).toString('base64'),
    PAYOUTS_BANK_READS_FROM: '127.0.0.1:2',
  });
  onTestFinished(() => home.close());
  const { code, stderr } = await home.payouts('worker');
  expect(code).toBe(2);
  expect(stderr).toContain('PAYOUTS_BANK_READS_FROM: is set, but a worker sends to the bank');
});
