import { expect, it } from 'vitest';
import type { PayoutInstruction } from '../../../src/domain/instruction.ts';
import { DAY_MS, HOUR_MS } from '../../../src/domain/time.ts';
import type { PayeeMails } from '../../../src/platform/config/events.ts';
import { deliverAdvice } from '../../../src/reports/advice/deliver-advice.ts';
import { mailTransport } from '../../../src/reports/events/deliver.ts';
import { claimRow, payoutClaim } from '../../store/samples.ts';
import { FakeMailServer, type Mail } from '../events/mail-server.ts';
import { Sending } from '../events/sending.ts';

const TO: PayeeMails = { kind: 'advice', payer: 'Example GmbH', language: 'en', payees: {}, templates: {} };

/** A store whose completed payouts are advised to an SMTP server. */
async function advising(more: Partial<PayeeMails> = {}) {
  const sending = await Sending.start();
  const server = await FakeMailServer.start();
  const transport = mailTransport({ url: server.url, from: 'payments@example.com', isRemote: false });
  const { store } = sending;
  const deliver = () =>
    deliverAdvice(
      sending.deps(),
      { name: 'remittance-advice', kinds: ['payout.ended', 'payout.returned'], to: { ...TO, ...more } },
      transport.send,
    );
  await deliver();
  const claimed = async (id: string, asked: Partial<PayoutInstruction>) => {
    const { instruction, payloadDigest } = claimRow(1, id, asked);
    return (await store.claimPayout(payoutClaim(id, { instruction, payloadDigest }))).record;
  };
  const end = async (
    { reference, term }: { reference: string; term: number },
    state: 'completed' | 'failed' = 'completed',
  ) => store.changePayout(reference, { term, state, reason: null, at: sending.now });
  const audited = async (reference: string) =>
    (await store.auditEntriesOf(reference)).filter(({ action }) => action.startsWith('advice'));
  return {
    ...{ sending, server, store, deliver, claimed, end, audited },
    async [Symbol.asyncDispose]() {
      transport.close();
      await server[Symbol.asyncDispose]();
      await sending[Symbol.asyncDispose]();
    },
  };
}

/** Head and text of a mail, decoded. */
function read({ text }: Mail): { subject: string; body: string } {
  const [head = '', body = ''] = text.split(/\n\n(.*)/s);
  const bytes = (it: string): string =>
    Buffer.from(
      it.replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
      'latin1',
    ).toString();
  const unfolded = head.replaceAll(/\n\s+/g, ' ').replaceAll('?= =?', '?==?');
  const subject = /^Subject: (.*)$/m.exec(unfolded)?.[1] ?? '';
  const words = subject.replaceAll(/=\?UTF-8\?Q\?(.*?)\?=/gi, (_, its) => bytes(its.replaceAll('_', ' ')));
  const plain = /base64/i.test(head) ? Buffer.from(body, 'base64').toString() : bytes(body.replaceAll('=\n', ''));
  return { subject: words, body: plain };
}

it('a payee is advised once, only when the payment is completed, and only if the row asks for it', async () => {
  await using advice = await advising();
  const { sending, server, deliver, claimed, end, audited } = advice;
  const row = await claimed('INV-1', { advice_to: 'ap@supplier.example', note: 'Invoice 4711' });
  const silent = await claimed('INV-2', {});
  const failed = await claimed('INV-3', { advice_to: 'ap@supplier.example' });
  await deliver();
  await advice.store.changePayout(row.reference, {
    term: row.term,
    state: 'processing',
    reason: null,
    at: sending.now,
  });
  await deliver();
  expect(server.mails).toEqual([]);
  await end(row);
  await end(silent);
  await end(failed, 'failed');
  server.verdict = '451 later';
  await deliver();
  server.verdict = '250 OK';
  sending.now += HOUR_MS;
  await deliver();
  await advice.store.replaySubscription({ name: 'remittance-advice', from: 1, by: 'test', at: sending.now });
  await deliver();
  const [mail = expect.fail('no mail'), ...others] = server.mails;
  expect(others).toEqual([]);
  expect(mail.to).toEqual(['ap@supplier.example']);
  expect(read(mail)).toEqual({
    subject: 'Payment advice from Example GmbH: 10.50 USD',
    body: expect.stringMatching(
      /Amount: +10\.50 USD\nDate: +March 2, 2026\nPayment number: +INV-1\nPurpose: +Invoice 4711\n/,
    ),
  });
  const entries = await audited(row.reference);
  expect(entries).toMatchObject([{ actor: 'product', action: 'advice sent', detail: { about: 'paid' } }]);
  expect(JSON.stringify([entries, await advice.store.outboxEvents({ after: 0, limit: 99 })])).not.toContain(
    'supplier.example',
  );
});

it('what came back is told to who was advised, once for each return, and a payment that came back first is not advised', async () => {
  await using advice = await advising({ everyMs: HOUR_MS });
  const { sending, server, deliver, claimed, end, store } = advice;
  const asked = { advice_to: 'pago@proveedor.example', advice_language: 'es' };
  const [row, early] = [await claimed('INV-1', asked), await claimed('INV-2', asked)];
  const back = (reference: string, orderId: string, amount: string) =>
    store.recordReturn({
      orderId,
      reference,
      amount,
      currency: 'USD',
      reasonCode: 'AC04',
      reasonText: 'Eve left',
      seenAt: sending.now,
    });
  await end(row);
  await end(early);
  await back(early.reference, 'o-1', '10.50');
  await deliver();
  expect(server.mails).toEqual([]);
  sending.now += HOUR_MS;
  await deliver();
  await back(row.reference, 'o-2', '4.00');
  await back(row.reference, 'o-3', '6.50');
  sending.now += HOUR_MS;
  await deliver();
  await deliver();
  expect(server.mails.map((mail) => read(mail).subject)).toEqual([
    'Aviso de pago de Example GmbH: 10,50 USD',
    'Pago de Example GmbH devuelto: 10,50 USD',
  ]);
  const { body } = read(server.mails[1] ?? expect.fail('no mail'));
  expect(body).toMatch(/4,00 USD[\s\S]+AC04[\s\S]+6,50 USD/);
  expect(body).not.toContain('Eve');
});

it('with an interval a payee gets one mail with the total, in the language of the country, and others their own', async () => {
  await using advice = await advising({
    everyMs: HOUR_MS,
    payees: { 'ben-1': { to: 'buchhaltung@lieferant.example', language: 'de' } },
    templates: { de: { closing: 'Grüße, {payer}' } },
  });
  const { sending, server, deliver, claimed, end } = advice;
  const french = {
    beneficiary_id: undefined,
    iban_no: 'FR1420041010050500013M02606',
    advice_to: 'compta@fournisseur.example',
  };
  for (const row of [
    await claimed('INV-1', { beneficiary_id: 'ben-1', amount: '1234.50', currency: 'EUR' }),
    await claimed('INV-2', { beneficiary_id: 'ben-1', amount: '0.50', currency: 'EUR' }),
    await claimed('INV-3', { ...french, amount: '1000.00', currency: 'EUR' }),
  ]) {
    await end(row);
  }
  sending.now += HOUR_MS;
  await deliver();
  expect(server.mails.map(({ to }) => to)).toEqual([['buchhaltung@lieferant.example'], ['compta@fournisseur.example']]);
  const [german, other] = server.mails.map(read);
  expect(german?.subject).toBe('Zahlungsavis von Example GmbH: 1.235,00 EUR');
  expect(german?.body).toMatch(
    /1\.234,50 EUR[\s\S]+2\. März 2026[\s\S]+0,50 EUR[\s\S]+Summe: +1\.235,00 EUR[\s\S]+Grüße, Example GmbH/,
  );
  expect(other?.subject).toMatch(/^Avis de paiement de Example GmbH : 1\s000,00 EUR$/u);
});

it('an address that the server does not take holds up no other, and is given up at once or after a day', async () => {
  await using advice = await advising();
  const { sending, server, deliver, claimed, end, audited } = advice;
  const [later, fine] = [
    await claimed('INV-1', { advice_to: 'later@supplier.example' }),
    await claimed('INV-2', { advice_to: 'fine@supplier.example' }),
  ];
  await end(later);
  await end(fine);
  server.refused.add('later@supplier.example');
  await deliver();
  expect(server.mails.map(({ to }) => to)).toEqual([['fine@supplier.example']]);
  expect(await audited(later.reference)).toEqual([]);
  sending.now += DAY_MS;
  await deliver();
  expect(await audited(later.reference)).toMatchObject([{ action: 'advice refused', detail: { why: 'smtp-451' } }]);
  const spam = await claimed('INV-3', { advice_to: 'fine@supplier.example' });
  await end(spam);
  server.verdict = '554 no';
  await deliver();
  expect(await audited(spam.reference)).toMatchObject([{ action: 'advice refused', detail: { why: 'smtp-554' } }]);
  expect((await advice.store.subscriptions()).find(({ name }) => name === 'remittance-advice')).toMatchObject({
    parkedAt: null,
  });
  expect(server.mails).toHaveLength(1);
});
