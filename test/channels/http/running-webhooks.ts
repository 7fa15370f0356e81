import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { Bank } from '../../../src/bank/bank.ts';
import { EventQueue, type ReceivedEvent, webhookReceiver } from '../../../src/bank/webhooks/receiver.ts';
import type { WebhookSettings } from '../../../src/bank/webhooks/verifier.ts';
import { createVerifier } from '../../../src/bank/webhooks/verifier.ts';
import type { Gateway } from '../../../src/channels/http/gateway-app.ts';
import { startGateway } from '../../../src/channels/http/gateway-server.ts';
import { appOf } from '../../../src/platform/app.ts';
import { Secret } from '../../../src/platform/config/key.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import type { CardStore } from '../../../src/store/card-store.ts';
import { openStore } from '../../../src/store/open.ts';
import { noticeOf } from '../../bank/webhooks/receiving.ts';
import { settings, standardHeaders } from '../../bank/webhooks/signing.ts';
import { fakeTemporal } from '../../support/fake-temporal.ts';
import { fakeCards } from './fake-cards.ts';

/** The gateway with a store in a file and nothing else behind its webhooks; gone after the test. */
export async function openWebhooks(
  change: Partial<WebhookSettings> = {},
  cardsOver: (cards: CardStore) => Pick<CardStore, 'receive' | 'ownerOfRequest' | 'ownerOfSession'> = (cards) => cards,
) {
  const dir = mkdtempSync(join(tmpdir(), 'payouts-webhooks-'));
  const storeUrl = `file:${join(dir, 'store.sqlite')}`;
  const store = await openStore(storeUrl);
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
  const delivered: ReceivedEvent[] = [];
  const webhooks: Gateway['webhooks'] = {
    take: webhookReceiver({
      verifier: createVerifier(settings(change)),
      cards: cardsOver(store.cards),
      noticeOf,
      now: Date.now,
      log,
    }),
    queue: new EventQueue(async (event) => delivered.push(event), log),
  };
  const loaded = loadConfig({ PAYOUTS_HOME: dir });
  const tokens = new Secret([{ name: 'shop', token: 'token' }]);
  const config = { ...loaded, gateway: { ...loaded.gateway, tokens, perMinute: 1_000, atOnce: 1_000 } };
  const stack = { temporalAddress: '', namespace: 'payouts', uiUrl: null, apiUrl: 'http://127.0.0.1' };
  // Nothing asks the bank or Temporal.
  const [bank, client] = [{}, {}] as unknown as [Bank, Client];
  const app = { ...appOf({ config, stack, store, bank, client, log }), notices: async () => [] };
  const { vault } = fakeCards(fakeTemporal());
  const gateway = await startGateway({ ...app, vault, webhooks }, { host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    await gateway.close();
    await store.close();
    rmSync(dir, { recursive: true });
  });
  const url = `${gateway.url}/v1/webhooks/cards`;
  return {
    url,
    storeUrl,
    lines,
    delivered,
    store,
    /** Signed as it should be unless headers are given. */
    async post(body: Buffer, headers: Record<string, string> = signedNow(body)) {
      const response = await fetch(url, {
        method: 'POST',
        body: new Uint8Array(body),
        headers: { 'content-type': 'application/json', ...headers },
      });
      return { status: response.status, document: JSON.parse(await response.text()) };
    },
    /** Sends header lines as they are, and only this much of a body whose length is announced. */
    raw(headers: string[], body: Buffer): Promise<{ status: number | undefined }> {
      const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined }>();
      const sent = request(url, { method: 'POST', headers }, (response) => {
        resolve({ status: response.statusCode });
        response.resume();
        sent.destroy();
      });
      sent.on('error', reject);
      sent.write(body);
      return promise;
    },
  };
}

export const signedNow = (body: Buffer): Record<string, string> =>
  standardHeaders({ body, at: Math.floor(Date.now() / 1_000) });
