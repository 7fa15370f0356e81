import { expect, it } from 'vitest';
import { registerWebhooks, webhookSettings } from '../../../src/channels/http/gateway.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import { runningSandbox } from '../../sandbox/running-sandbox.ts';

it('webhooks of an embedded sandbox go to the gateway of its stack, and no second gateway takes them away', async () => {
  const { sandbox, proxy } = await runningSandbox();
  const config = loadConfig({});
  const reported = { bank: config.bank, webhook: webhookSettings(config) };
  const receiving = async (): Promise<string> => (await proxy('GET', '/webhooks')).endpoint.url;
  const own = 'http://127.0.0.1:4001';
  await registerWebhooks(reported, { apiUrl: sandbox.url }, own);
  await registerWebhooks(reported, { apiUrl: sandbox.url, gatewayUrl: own }, 'http://127.0.0.1:4002');
  expect(await receiving()).toBe(`${own}/v1/webhooks/cards`);
  await registerWebhooks(reported, { apiUrl: sandbox.url, gatewayUrl: null }, 'http://127.0.0.1:4003');
  expect(await receiving()).toBe('http://127.0.0.1:4003/v1/webhooks/cards');
});
