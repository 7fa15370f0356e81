import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newFolder } from '../../support/new-folder.ts';
import { openGateway } from '../http/running-gateway.ts';
import { claimed } from './asking.ts';
import { Visit } from './visiting.ts';

function adviceFile(): string {
  const folder = newFolder();
  const path = join(folder, 'advice.json');
  writeFileSync(path, JSON.stringify({ payer: 'Example GmbH <Köln>' }));
  return path;
}

it('a completed payout has an advice to print, in each language, and one that is under way has none', async () => {
  const env = { PAYOUTS_ADVICE: adviceFile(), PAYOUTS_SMTP_URL: 'smtp://127.0.0.1:2525' };
  const gateway = await openGateway([], { env });
  const { store } = gateway.proxy;
  const [row] = await claimed(gateway, [{ id: 'inv-1', amount: '2450.00' }], 'alice');
  const { reference } = row;
  const path = `/payouts/${reference}/advice`;
  const visit = new Visit(gateway.url);
  expect((await visit.send(path)).status).toBe(404);
  expect((await visit.send(`/payouts/${reference}`)).text).not.toContain(path);
  await store.changePayout(reference, { state: 'completed', reason: null, at: Date.parse('2026-03-02T08:00:00Z') });
  expect((await visit.send(`/payouts/${reference}`)).text).toContain(`href="${path}"`);
  const [english, german] = [await visit.send(path), await visit.send(`${path}?language=de`)];
  expect(english.text).toContain('<h1>Payment advice from Example GmbH &lt;Köln&gt;: 2,450.00 USD</h1>');
  expect(german.text).toContain('<article lang="de"><h1>Zahlungsavis von Example GmbH &lt;Köln&gt;: 2.450,00 USD</h1>');
  expect(german.text.replaceAll(/<[^>]+>/g, ' ')).toMatch(/Datum\s+2\. März 2026\s+Zahlungsnummer\s+inv-1/);
  // The page is printed: it is no mail.
  expect(english.text).not.toContain('mail was sent');
  expect((await visit.send(`${path}?language=xx`)).status).toBe(400);
});

it('without PAYOUTS_ADVICE there is none', async () => {
  const gateway = await openGateway();
  const [row] = await claimed(gateway, [{ id: 'inv-1', amount: '2450.00' }], 'alice');
  const reference = row?.reference ?? '';
  await gateway.proxy.store.changePayout(reference, { state: 'completed', reason: null, at: 1 });
  expect((await new Visit(gateway.url).send(`/payouts/${reference}/advice`)).status).toBe(404);
});
