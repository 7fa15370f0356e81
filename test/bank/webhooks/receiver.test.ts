import { expect, it } from 'vitest';
import { createVerifier } from '../../../src/bank/webhooks/verifier.ts';
import { onEveryStore } from '../../store/stores.ts';
import { testBank } from '../support/test-bank.ts';
import { noticeBody, openReceiver } from './receiving.ts';
import { NOW, settings, standardHeaders } from './signing.ts';

const SUCCEEDED = { payment_id: 'p-1', payment_status: 'SUCCEEDED', merchant_request_id: 'r-1' };

onEveryStore('A webhook', (test) => {
  it('is stored with its owner, and everybody sees it as soon as it was taken', async () => {
    const [{ cards }, other] = [await test.open(), await test.open()];
    await cards.addRequest('r-1', 'm-1');
    const { take } = openReceiver({ cards });
    const event = { kind: 'status', paymentId: 'p-1', status: 'SUCCEEDED', trust: 'verified', receivedAt: NOW };
    expect(await take(noticeBody(SUCCEEDED))).toEqual({ taken: 'new', event: { ...event, merchantRequestId: 'm-1' } });
    expect(await other.cards.eventsOf('m-1')).toMatchObject([event]);
  });

  it('is stored with the sum that it says, as far as that can be kept', async () => {
    const { cards } = await test.open();
    await cards.addRequest('r-1', 'm-1');
    const { take } = openReceiver({ cards });
    const said = { amount: '49.90', currency: 'EUR' };
    expect(await take(noticeBody({ ...SUCCEEDED, ...said }))).toMatchObject({ event: said });
    await take(noticeBody({ ...SUCCEEDED, payment_status: 'FAILED', amount: '1 234,50', currency: 'US Dollar' }));
    await take(noticeBody({ ...SUCCEEDED, payment_status: 'PROCESSING', amount: '4111111111111111' }));
    expect((await cards.eventsOf('m-1')).map(({ status, amount, currency }) => [status, amount, currency])).toEqual(
      expect.arrayContaining([
        ['SUCCEEDED', '49.90', 'EUR'],
        ['FAILED', '?', '?'],
        ['PROCESSING', '?', null],
      ]),
    );
    expect(await cards.linkPayment('p-1', 'm-1', NOW)).toContainEqual(expect.objectContaining(said));
  });

  it('is stored without the card number that its status says', async () => {
    const { cards } = await test.open();
    const { take } = openReceiver({ cards });
    await cards.addRequest('r-1', 'm-1');
    const number = '4111111111111111';
    await take(noticeBody({ ...SUCCEEDED, payment_status: `OK-${number}` }));
    const events = await cards.eventsOf('m-1');
    expect(events).toMatchObject([{ status: '?' }]);
    expect(JSON.stringify(events)).not.toContain(number);
  });

  it('is taken once, whether it comes again as it is or written and signed anew', async () => {
    const { cards } = await test.open();
    const { take, clock } = openReceiver({ cards });
    expect(await take(noticeBody(SUCCEEDED))).toMatchObject({ taken: 'new' });
    expect(await take(noticeBody(SUCCEEDED))).toEqual({ taken: 'known' });
    clock.now += 60_000;
    const anew = noticeBody({ ...SUCCEEDED, again: true });
    expect(await take(anew, standardHeaders({ body: anew, id: 'msg_2' }))).toEqual({ taken: 'known' });
    expect(await cards.undelivered(false, 10)).toHaveLength(1);
  });

  it('is kept when it fits nobody, and finds its owner by the id of its 3-D Secure session', async () => {
    const { cards } = await test.open();
    const { take } = openReceiver({ cards });
    await cards.addSession('session-1', 'm-1');
    expect(await take(noticeBody(SUCCEEDED))).toMatchObject({ taken: 'new', event: { merchantRequestId: null } });
    expect(await take(noticeBody({ reference_id: 'session-1' }, 'three_ds.completed'))).toMatchObject({
      taken: 'new',
      event: {
        kind: 'completion',
        paymentId: '',
        status: expect.stringMatching(/^session-1#./),
        merchantRequestId: 'm-1',
      },
    });
    expect(await cards.undelivered(false, 10)).toMatchObject([{ paymentId: 'p-1', merchantRequestId: null }]);
  });

  it('is of the payment that it names, though a session of another one has the same id', async () => {
    const { cards } = await test.open();
    const { take } = openReceiver({ cards });
    await cards.addSession('10001', 'm-1');
    await cards.addRequest('10001', '10001');
    expect(await take(noticeBody({ ...SUCCEEDED, merchant_request_id: '10001' }))).toMatchObject({
      event: { merchantRequestId: '10001' },
    });
  });

  it('about a completed challenge is one for each notice: a payment may have several challenges', async () => {
    const { cards } = await test.open();
    await cards.addRequest('r-1', 'm-1');
    const { take } = openReceiver({ cards });
    const completed = { payment_id: 'p-1', merchant_request_id: 'r-1', reference_id: 'session-1' };
    const body = noticeBody(completed, 'three_ds.completed');
    const noticed = (id: string) => take(body, standardHeaders({ body, id }));
    expect(await noticed('msg_1')).toMatchObject({ taken: 'new' });
    expect(await noticed('msg_1')).toEqual({ taken: 'known' });
    expect(await noticed('msg_2')).toMatchObject({ taken: 'new' });
    expect(await cards.eventsOf('m-1')).toHaveLength(2);
  });

  it('is a hint where only the address of its sender speaks for it', async () => {
    const { cards } = await test.open();
    const verifier = createVerifier(settings({ scheme: 'ip', ips: ['192.0.2.0/24'] }));
    const { take } = openReceiver({ cards, verifier });
    expect(await take(noticeBody(SUCCEEDED), {})).toMatchObject({ taken: 'new', event: { trust: 'hint' } });
  });

  it('leaves nothing behind when it is forged', async () => {
    const { cards } = await test.open();
    const { take, lines } = openReceiver({ cards });
    const body = noticeBody(SUCCEEDED);
    expect(await take(body, standardHeaders({ body, secret: Buffer.from('guessed') }))).toEqual({
      refused: 'signature-wrong',
    });
    expect(await cards.undelivered(false, 10)).toEqual([]);
    expect(JSON.stringify(lines)).not.toContain('p-1');
  });

  it.each([
    ['no JSON', Buffer.from('payment_id=p-1')],
    ['no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['a member named twice', Buffer.from('{"data":{"payment_id":"p-1"},"data":{"payment_id":"p-2"}}')],
    ['nested too deeply', Buffer.from('['.repeat(40) + ']'.repeat(40))],
    ['an empty body', Buffer.alloc(0)],
    ['no payment', noticeBody({ merchant_request_id: 'r-1' })],
    ['a status of a session alone', noticeBody({ reference_id: 's-1', payment_status: 'SUCCEEDED' })],
    ['a completion without a name', noticeBody({ payment_id: '' }, 'three_ds.completed')],
    ['an id with a line break', noticeBody({ ...SUCCEEDED, payment_id: 'p-1\nx' })],
    ['an id without end', noticeBody({ ...SUCCEEDED, payment_id: 'x'.repeat(129) })],
  ])('is acknowledged and not stored when it means nothing: %s', async (_name, body) => {
    const { cards } = await test.open();
    const { take, lines } = openReceiver({ cards });
    expect(await take(body)).toEqual({ taken: 'meaningless' });
    expect(await cards.undelivered(false, 10)).toEqual([]);
    expect(lines).toMatchObject([{ msg: 'webhook without a payment' }]);
  });

  it('is stored and warned of when its amount cannot be read', async () => {
    const { cards } = await test.open();
    const { take, lines } = openReceiver({ cards, noticeOf: testBank('http://127.0.0.1:1').cards.noticeOf });
    const amount = { total: '49.90' };
    expect(await take(noticeBody({ ...SUCCEEDED, amount }))).toMatchObject({ taken: 'new' });
    expect(lines).toMatchObject([{ level: 40, msg: expect.stringContaining('was not compared') }]);
  });

  it('asks the store for no owner by what no id is', async () => {
    const { cards } = await test.open();
    const asked: string[] = [];
    const ownerOf = async (id: string) => {
      asked.push(id);
      return undefined;
    };
    const { take } = openReceiver({ cards: { ...cards, ownerOfRequest: ownerOf, ownerOfSession: ownerOf } });
    const ids = { merchant_request_id: 'r-1\u0000', reference_id: 'x'.repeat(129) };
    expect(await take(noticeBody({ ...SUCCEEDED, ...ids }))).toMatchObject({
      taken: 'new',
      event: { paymentId: 'p-1', merchantRequestId: null },
    });
    expect(asked).toEqual([]);
  });

  it('that means nothing can be found at its sender by what the log says', async () => {
    const { cards } = await test.open();
    const { take, lines } = openReceiver({ cards });
    await take(Buffer.from('no JSON'));
    expect(lines).toMatchObject([{ receiptId: expect.stringMatching(/^standard-webhooks\/msg_1\/[0-9a-f]{10,}$/) }]);
    expect(String(lines[0]?.receiptId).length).toBeLessThanOrEqual(80);
  });

  it('is refused once a minute in the log, with what to set', async () => {
    const { cards } = await test.open();
    const { take, lines, clock } = openReceiver({ cards, verifier: createVerifier(settings({ secrets: [] })) });
    for (let sent = 0; sent < 100; sent += 1) await take(noticeBody(SUCCEEDED));
    clock.now += 60_000;
    expect(await take(noticeBody(SUCCEEDED))).toEqual({ refused: 'unconfigured' });
    expect(lines).toMatchObject([
      { reason: 'unconfigured', unsaidBefore: 0, msg: expect.stringContaining('PAYOUTS_WEBHOOK_SECRET') },
      { reason: 'unconfigured', unsaidBefore: 99 },
    ]);
  });

  it('is not taken when the store fails', async () => {
    const store = await test.open();
    const { take } = openReceiver({ cards: { ...store.cards, receive: () => Promise.reject(new Error('disk full')) } });
    await expect(take(noticeBody(SUCCEEDED))).rejects.toThrow('disk full');
  });
});
