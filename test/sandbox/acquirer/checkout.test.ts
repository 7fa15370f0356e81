import { expect, test } from 'vitest';
import { SCENARIOS } from '../../../src/sandbox/acquirer/card.ts';
import { runningSandbox } from '../running-sandbox.ts';

async function checkout(): Promise<{ text: string; policy: string }> {
  const { sandbox } = await runningSandbox();
  const page = await fetch(`${sandbox.url}/checkout?card_payment=order-1`);
  expect(page.status).toBe(200);
  return { text: await page.text(), policy: page.headers.get('content-security-policy') ?? '' };
}

test('the checkout page runs its own script alone and speaks to gateways on this machine', async () => {
  const { text, policy } = await checkout();
  const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1];
  expect(policy).toContain(`default-src 'none'`);
  expect(policy).not.toContain('unsafe');
  expect(policy).toContain('connect-src http://127.0.0.1:* http://localhost:*;');
  expect([...text.matchAll(/<script([^>]*)>/g)].map(([, attributes]) => attributes)).toEqual([` nonce="${nonce}"`]);
  expect(text).not.toMatch(/\s(?:src|href)="(?!data:)/);
  expect(text).not.toMatch(/\son[a-z]+=/);
  expect((await checkout()).policy).not.toContain(nonce);
});

test('the checkout page has what programs and screen readers search for', async () => {
  const { text } = await checkout();
  expect(text).toMatch(/<p id="status" role="status" aria-live="polite" data-state="loading">/);
  for (const { number } of Object.values(SCENARIOS)) expect(text).toContain(`data-number="${number}"`);
  const inputs = [...text.matchAll(/<label[^>]*>[^<]+\n<input name="(\w+)"/g)].map(([, name]) => name);
  expect(inputs).toEqual(['number', 'expiry', 'cvv', 'name', 'email', 'postcode', 'country']);
});
