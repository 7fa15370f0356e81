import { expect, it } from 'vitest';
import { registerWebhooks, webhookSettings } from '../../../src/channels/http/gateway.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import { runningSandbox } from '../../sandbox/running-sandbox.ts';

it('webhooks of an embedded sandbox go to the gateway of its stack, and no second gateway takes them away', async () => {
  const { sandbox, door } = await runningSandbox();
  const config = loadConfig({});
  const told = { bank: config.bank, webhook: webhookSettings(config) };
  const receiving = async (): Promise<string> => (await door('GET', '/webhooks')).endpoint.url;
  const own = 'http://127.0.0.1:4001';
  await registerWebhooks(told, { apiUrl: sandbox.url }, own);
  await registerWebhooks(told, { apiUrl: sandbox.url, gatewayUrl: own }, 'http://127.0.0.1:4002');
  expect(await receiving()).toBe(`${own}/v1/webhooks/cards`);
  await registerWebhooks(told, { apiUrl: sandbox.url, gatewayUrl: null }, 'http://127.0.0.1:4003');
  expect(await receiving()).toBe('http://127.0.0.1:4003/v1/webhooks/cards');
});
