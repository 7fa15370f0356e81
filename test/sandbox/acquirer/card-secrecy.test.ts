import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newFolder } from '../../support/new-folder.ts';
import { cardCalls, cardOf } from './card-calls.ts';
import { webhookReceiver } from './webhook-receiver.ts';

const CANARIES = {
  number: '4000000372913847',
  cvv: '9182',
  holder: 'Canary Holder Quillfeather',
  email: 'canary-quill@example.com',
  street: '77 Canary Quill Street',
  agent: 'canary-quill-agent',
};

const luhnDigit = (body: string): string => {
  const sum = [...body].reverse().reduce((total, digit, place) => {
    const weighted = Number(digit) * (place % 2 === 0 ? 2 : 1);
    return total + (weighted > 9 ? weighted - 9 : weighted);
  }, 0);
  return String((10 - (sum % 10)) % 10);
};
CANARIES.number = CANARIES.number.slice(0, 15) + luhnDigit(CANARIES.number.slice(0, 15));

/** Encodings in which a value could lie in a file. */
const formsOf = (value: string): Buffer[] => [
  Buffer.from(value, 'utf8'),
  Buffer.from(value, 'utf16le'),
  Buffer.from(Buffer.from(value).toString('hex')),
  Buffer.from(Buffer.from(value).toString('base64').replace(/=+$/, '').slice(0, -1)),
  Buffer.from(value.replace(/(.{4})(?=.)/g, '$1 ')),
];

/** Random ids hold any four digits now and then. */
const IDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32,}/g;
const withoutIds = (bytes: Buffer): Buffer => Buffer.from(bytes.toString('latin1').replace(IDS, ''), 'latin1');

const holds = (bytes: Buffer, value: string): boolean => formsOf(value).some((form) => bytes.includes(form));

test('no card, CVV, name, address or device is in the files, the log of POSTs or what the sandbox prints', async () => {
  const folder = newFolder();
  const printed: string[] = [];
  const print = (...what: unknown[]): void => void printed.push(what.map(String).join(' '));
  for (const kind of ['log', 'error', 'warn'] as const) vi.spyOn(console, kind).mockImplementation(print);
  onTestFinished(() => void vi.restoreAllMocks());

  const { url, count } = await webhookReceiver();
  const it = await cardCalls({ file: join(folder, 'bank.sqlite') });
  await it.proxy('PUT', '/webhooks', { url, secret: 'endpoint-secret' });
  await it.proxy('PUT', '/fault-plan', { seed: 1, rate: 0, operations: ['cards.create', 'cards.setUp'] });
  const card = cardOf('challenge', {
    number: CANARIES.number,
    cvv: CANARIES.cvv,
    holder_name: CANARIES.holder,
  });
  const changes = {
    card,
    billing: { email: CANARIES.email, address: { line1: CANARIES.street } },
    device_info: { user_agent: CANARIES.agent },
  };
  const { reference_id } = await it.setUp('challenge', { card });
  const payment = await it.create('challenge', { ...changes, merchant_request_id: 'CONTROL-kept' }, reference_id);
  await it.create('challenge', changes, reference_id);
  await it.create('challenge', { ...changes, card: { ...card, expiry_year: '2001' } });
  await it.create('challenge', { ...changes, amount: CANARIES.number });
  await it.post('payment', JSON.stringify({ ...changes, card }).slice(0, -1));
  await it.answerChallenge(payment, 'confirm');
  await it.resume(payment, reference_id);
  it.sandbox.clock.advance(1_000);
  await count(2);

  const files = readdirSync(folder);
  expect(files.sort()).toEqual(['bank.sqlite', 'bank.sqlite-shm', 'bank.sqlite-wal']);
  const proxies = ['/state', '/posts', '/card-payments', '/webhooks', '/faults'];
  const answers = await Promise.all(proxies.map(async (proxy) => JSON.stringify(await it.proxy('GET', proxy))));
  const stored = Buffer.concat(files.map((file) => readFileSync(join(folder, file))));
  // An amount that is no amount is refused, and is in the log as it came: it is the tester's own.
  const { posts } = await it.proxy('GET', '/posts');
  const shown = Buffer.from([...answers.filter((_, index) => index !== 1), ...printed].join('\n'));
  const logged = posts.filter(({ body }: { body: string }) => !body.includes(`"amount":"${CANARIES.number}"`));
  expect(logged).toHaveLength(posts.length - 1);

  expect(holds(stored, 'CONTROL-kept'), 'positive control').toBe(true);
  expect(holds(stored, CANARIES.number.slice(-4)), 'positive control').toBe(true);
  for (const [what, value] of Object.entries(CANARIES)) {
    for (const [place, bytes] of Object.entries({ stored, shown, logged: Buffer.from(JSON.stringify(logged)) })) {
      expect(holds(withoutIds(bytes), value), `${what} is ${place}`).toBe(false);
    }
  }
});

test('the log of POSTs shows of a card its first six digits and its last four', async () => {
  const it = await cardCalls();
  const { reference_id } = await it.setUp('success');
  const { payment_id } = await it.create('success', { merchant_request_id: 'order-1' }, reference_id);
  const { posts } = await it.proxy('GET', '/posts');
  expect(posts.map(({ body }: { body: string }) => JSON.parse(body))).toEqual([
    { amount: '25.00', currency: 'EUR', card: { bin: '400000', last_four: '0000' } },
    {
      merchant_request_id: 'order-1',
      payment_type: 'DEBIT',
      amount: '25.00',
      currency: 'EUR',
      three_ds_info: { reference_id },
      card: { bin: '400000', last_four: '0000' },
    },
  ]);
  expect(posts).toMatchObject([
    { operation: 'cards.setUp', madeId: reference_id },
    { operation: 'cards.create', madeId: payment_id },
  ]);
});
