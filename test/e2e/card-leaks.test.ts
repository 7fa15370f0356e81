import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { ScenarioName } from '../../src/sandbox/acquirer/card.ts';
import { type Canary, canaryOf, filesIn, formsOf, type Haystack, leaksOf, processFiles } from '../support/canaries.ts';
import { openCommandHome } from '../support/command.ts';
import { until } from '../support/until.ts';

/** Cards of every kind of ending go through the real command; then everything it has written is searched for them. */

const SEED = 1_000_000 + (process.pid % 1_000_000) * 8;

interface Document {
  card_payment: { state: string; next_action: { verify_url: string } | null };
}

const json = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

function askFor(id: string, { number, cvv, holder, email, street }: Canary, card: Record<string, string> = {}) {
  return {
    merchant_request_id: id,
    amount: '49.90',
    currency: 'EUR',
    return_url: `http://127.0.0.1/back?mail=${encodeURIComponent(email)}`,
    card: { number, cvv, holder_name: holder, expiry_month: '12', expiry_year: '2039', ...card },
    billing: { email, line1: street, country: 'DE' },
    device_info: { language: 'de', ip: '127.0.0.1' },
  };
}

/** Refused by the gateway, each in another way; none may be echoed or logged. */
async function refusedByGateway(gateway: string, canary: Canary): Promise<string> {
  const url = `${gateway}/v1/card-payments`;
  const wrongSum = canary.number.replace(/.$/, (digit) => String((Number(digit) + 1) % 10));
  const answers = await Promise.all([
    fetch(url, json(askFor('refused-sum', canary, { number: wrongSum }))),
    fetch(url, json(askFor('refused-expiry', canary, { expiry_year: '2001' }))),
    fetch(url, json(askFor('refused-member', canary, { pan: canary.number }))),
    fetch(url, json(askFor(canary.number, canary))),
    fetch(url, { ...json({}), body: `{"card":{"number":"${canary.number}"` }),
    fetch(url, { method: 'POST', headers: { 'content-type': 'text/csv' }, body: canary.number }),
    fetch(`${url}/${canary.number}`),
    fetch(`${gateway}/v1/webhooks/cards`, json({ payment_id: canary.number, note: canary.holder })),
  ]);
  for (const { status } of answers) {
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  }
  return (await Promise.all(answers.map((answer) => answer.text()))).join('\n');
}

async function payWith(gateway: string, id: string, canary: Canary): Promise<void> {
  const response = await fetch(`${gateway}/v1/card-payments`, json(askFor(id, canary)));
  expect(response.status).toBe(202);
  const shown = async (): Promise<Document['card_payment']> =>
    ((await (await fetch(`${gateway}/v1/card-payments/${id}`)).json()) as Document).card_payment;
  let confirmed = false;
  await until(async () => {
    const { state, next_action: action } = await shown();
    if (action !== null && !confirmed) {
      confirmed = true;
      await fetch(action.verify_url, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ outcome: 'confirm' }),
      });
    }
    return ['succeeded', 'failed', 'needs-operator'].includes(state);
  });
}

it('no card datum is in any file, history, log, output or process that the product leaves', async () => {
  const home = openCommandHome({
    PAYOUTS_TIME_SCALE: '0.02',
    PAYOUTS_LOG_LEVEL: 'debug',
  });
  onTestFinished(() => home.close());
  const dev = home.start('dev');
  await until(async () => home.stack()?.gatewayUrl != null);
  const stack = home.stack();
  const gateway = stack?.gatewayUrl ?? '';
  const test = (path: string, body: unknown) => fetch(`${stack?.apiUrl}/__sandbox/${path}`, json(body));

  const ways: [string, ScenarioName, Record<string, unknown>?][] = [
    ['order-plain', 'success'],
    ['order-declined', 'decline'],
    ['order-challenge', 'challenge'],
    ['order-lost', 'no-webhook', { kind: 'drop-after' }],
    ['order-garbage', 'success', { kind: 'garbage-after' }],
    ['order-error', 'success', { kind: 'http', status: 500, commit: false }],
  ];
  const canaries = ways.map(([, scenario], index) => canaryOf(scenario, SEED + index));
  const refused = canaryOf('success', SEED + ways.length);
  for (const [id, , fault] of ways) {
    if (fault !== undefined)
      await test('faults', { operation: 'cards.create', match: { reference: id }, times: 1, ...fault });
  }
  const echoed = await refusedByGateway(gateway, refused);
  await Promise.all(ways.map(([id], index) => payWith(gateway, id, canaries[index] as Canary)));
  const shown = [await home.payouts('card', 'list'), await home.payouts('card', 'show', 'order-challenge')];
  expect(shown).toMatchObject([{ code: 0 }, { code: 0 }]);
  const file = home.file(
    'after.csv',
    `id,uid,account_id,amount,currency,beneficiary_id,after_card_payment\nD-1,u-1001,acc-u1001-usd,1.00,USD,ben-u1001-usd-local,${refused.number}\n`,
  );
  const validated = await home.payouts('validate', file, '--json');
  expect(validated.code).toBe(3);

  const running = [...processFiles(dev.pid), ...processFiles(stack?.temporalPid ?? 0)];
  dev.kill('SIGINT');
  const { stdout, stderr } = await dev.ended;
  const haystack: Haystack = new Map([
    ...filesIn(home.path),
    ...running,
    ['output of dev', Buffer.from(stdout + stderr)],
    ['output of the other commands', Buffer.from(JSON.stringify([...shown, validated]))],
    ['answers of the gateway', Buffer.from(echoed)],
  ]);
  // The search sees what is there: ids of the payments are in the files of Temporal, the store and the sandbox.
  for (const name of ['temporal.sqlite', 'store.sqlite', 'sandbox.sqlite']) {
    const own = [...haystack].filter(([place]) => place.includes(name));
    expect(own.some(([, bytes]) => bytes.includes('order-challenge'))).toBe(true);
  }
  expect([...canaries, refused].flatMap((canary) => leaksOf(canary, haystack))).toEqual([]);

  // And it finds every form of a canary, and its CVV.
  const [control] = canaries as [Canary];
  for (const [form, bytes] of formsOf(control.number)) {
    writeFileSync(join(home.path, `control-${form}`), Buffer.concat([Buffer.from('x'.repeat(7)), bytes]));
  }
  writeFileSync(join(home.path, 'control-cvv'), JSON.stringify({ cvv: control.cvv }));
  const places = new Set(leaksOf(control, filesIn(home.path)).map((leak) => leak.split(': ')[0]));
  expect(places.size).toBe(formsOf(control.number).size + 1);
});
