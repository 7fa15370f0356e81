import { expect, it } from 'vitest';
import { type Advice, camt054 } from '../../../src/reports/camt054/write-camt054.ts';
import { type MovedFacts, movedBy } from '../../../src/reports/movements.ts';
import { booked, exchangeAttempt, paidFacts, paidOrder, SEEN_AT } from '../moved.ts';
import { MESSAGE, original } from '../pain002/answers.ts';
import { BATCH, record } from '../records.ts';
import { readNotification } from './notification-grammar.ts';

async function write(facts: readonly MovedFacts[], values: Partial<Advice> = {}): Promise<string> {
  const advice = { idStart: 'start', message: null, moved: () => facts.map(movedBy), ...values };
  return (await Array.fromAsync((await camt054(advice)) ?? [])).join('');
}

const RETURN = { reference: 'ref', orderId: 'r-1', amount: '10.00', currency: 'EUR', seenAt: SEEN_AT + 60_000 };
const EVERYTHING = paidFacts(
  { exchangeAttempts: [exchangeAttempt()], exchange: booked(), returns: [RETURN] },
  { original: original({ instructionId: 'INS-1' }) },
);

it('has an entry for each posting that moved money, by account, in the form of the standard', async () => {
  const { problems, values } = await readNotification(await write([EVERYTHING], { message: MESSAGE }));
  expect(problems).toEqual([]);
  expect(values('Ntfctn/Acct/Id/Othr/Id')).toEqual(['acc-usd', 'acc-eur']);
  expect(values('Ntfctn/Acct/Ccy')).toEqual(['USD', 'EUR']);
  expect(values('Refs/TxId').map((id) => id.slice(33))).toEqual(['X', 'X', 'P', 'F', 'R']);
  expect(values('Ntry/Amt')).toEqual(['12.50', '11.50', '10.00', '1.50', '10.00']);
  expect(values('Ntry/CdtDbtInd')).toEqual(['DBIT', 'CRDT', 'DBIT', 'DBIT', 'CRDT']);
  expect(values('Fmly/SubFmlyCd')).toEqual(['OTHR', 'OTHR', 'OTHR', 'CHRG', 'RRTN']);
  expect(values('CntrValAmt/Amt')).toEqual(['11.50', '12.50']);
  expect(values('Ntry/BookgDt/DtTm').at(-1)).toBe('2026-03-31T10:01:00.000Z');
  expect(values('TtlNtries/NbOfNtries')).toEqual(['1', '4']);
  expect(values('TtlDbtNtries/NbOfNtries')).toEqual(['1', '2']);
  expect(values('TtlDbtNtries/Sum')).toEqual(['12.50', '11.50']);
  expect(values('TtlCdtNtries/Sum')).toEqual(['21.50']);
  expect(values('GrpHdr/AddtlInf')).toEqual([]);
});

const DEBTOR = 'DE12500105170648489890';
const NAMED = { ...MESSAGE, payments: MESSAGE.payments.map((payment) => ({ ...payment, account: DEBTOR })) };

it('names our account as the message does, by IBAN, in all movements of the account', async () => {
  const paidFrom = (facts: MovedFacts): MovedFacts => {
    const { payout } = facts;
    return { ...facts, payout: { ...payout, instruction: { ...payout.instruction, account_id: 'acc-usd' } } };
  };
  const retried = paidFacts({ paid: paidOrder({ accountId: 'acc-usd' }) }, { original: null, fee: null });
  const facts = [paidFrom(EVERYTHING), retried];
  const { problems, values } = await readNotification(await write(facts, { message: NAMED }));
  expect(problems).toEqual([]);
  expect(new Set(values('Ntfctn/Acct/Id/IBAN'))).toEqual(new Set([DEBTOR]));
  expect(values('Ntfctn/Acct/Id/Othr/Id')).toEqual(['acc-eur']);
  // Importers in Switzerland would take it for the account.
  expect(values('Ntry/NtryRef')).toEqual([]);
});

it('names our accounts by the numbers of the mapping where no message does', async () => {
  const numbers = new Map([
    ['acc-usd', '062-000 12345678'],
    ['acc-eur', 'DE12 5001 0517 0648 4898 90'],
  ]);
  const { problems, values } = await readNotification(await write([EVERYTHING], { numbers }));
  expect(problems).toEqual([]);
  expect(values('Ntfctn/Acct/Id/Othr/Id')).toEqual(['062-000 12345678']);
  expect(values('Ntfctn/Acct/Id/IBAN')).toEqual([DEBTOR]);
  const id = async (given: Partial<Advice>) =>
    (await readNotification(await write([EVERYTHING], given))).values('GrpHdr/MsgId');
  expect(await id({ numbers })).not.toEqual(await id({}));
});

it("has the amount and account of the bank's order, not those of the row", async () => {
  const paid = paidOrder({ amount: '9999.00', accountId: 'acc-other' });
  const { values } = await readNotification(await write([paidFacts({ paid }, { amount: '14.00', fee: null })]));
  expect(values('Ntry/Amt')).toEqual(['9999.00']);
  expect(values('Ntfctn/Acct/Id/Othr/Id')).toEqual(['acc-other']);
});

it('leaves a payment to people if neither the bank nor the store says what was paid', async () => {
  expect(await write([paidFacts({ attempts: [] })])).toBe('');
  const [unclear] = movedBy(paidFacts({ attempts: [] })).unclear;
  expect(unclear?.why).toContain('the bank does not show what was paid');
});

it('names the ids of the message that the batch came as, and the payee of a payment alone', async () => {
  const xml = await write([EVERYTHING], { message: MESSAGE });
  const { values } = await readNotification(xml);
  expect(new Set(values('Refs/MsgId'))).toEqual(new Set(['MSG-1']));
  expect(new Set(values('Refs/PmtInfId'))).toEqual(new Set(['PMT-1']));
  expect(new Set(values('Refs/InstrId'))).toEqual(new Set(['INS-1']));
  expect(new Set(values('Refs/EndToEndId'))).toEqual(new Set(['E2E-1']));
  expect(values('Cdtr/Pty/Nm')).toEqual(['Ramirez']);
  expect(values('CdtrAcct/Id/Othr/Id')).toEqual(['99887766']);
});

it('names the document where there was no message', async () => {
  const { problems, values } = await readNotification(await write([paidFacts()]));
  expect(problems).toEqual([]);
  expect(new Set(values('Refs/EndToEndId'))).toEqual(new Set(['INV-1']));
  expect(values('Refs/MsgId')).toEqual([]);
});

it('writes an order id that is too long for its element in words', async () => {
  const orderId = `ord-${'0'.repeat(36)}`;
  const { problems, values } = await readNotification(await write([paidFacts({}, { orderId, fee: null })]));
  expect(problems).toEqual([]);
  expect(values('Ntry/AcctSvcrRef')).toEqual([]);
  expect(values('TxDtls/AddtlTxInf')).toEqual([`payment of INV-1, order ${orderId}`]);
});

it('is the same bytes under the same id, and another id once something more has moved', async () => {
  const xml = await write([paidFacts()]);
  expect(await write([paidFacts()])).toBe(xml);
  const id = async (text: string) => (await readNotification(text)).values('GrpHdr/MsgId')[0];
  expect(await id(await write([paidFacts({ returns: [RETURN] })]))).not.toBe(await id(xml));
});

it('says how much is not in it, and leaves to the next one what moves on meanwhile', async () => {
  const unclear = paidFacts({}, { fee: '0.005' });
  expect((await readNotification(await write([unclear]))).values('GrpHdr/AddtlInf')).toEqual([
    'To be checked manually, because what moved is not known or is contradicted: 1.',
  ]);
  let passes = 0;
  const moved = () => {
    passes += 1;
    return [movedBy(paidFacts(passes === 1 ? {} : { returns: [RETURN] }))];
  };
  expect((await readNotification(await write([], { moved }))).values('Refs/TxId')).toHaveLength(2);
});

it('is none where nothing has moved', async () => {
  expect(await write([paidFacts({ payout: record(1, 'failed') })])).toBe('');
});

it('takes ids and names that no schema would, and stays whole over many rows', async () => {
  const long = 'acc-'.padEnd(60, 'x');
  const rows = Array.from({ length: 600 }, (_, index) => {
    const payout = record(index + 1, 'completed', { endedAt: SEEN_AT, documentId: 'D'.repeat(index === 0 ? 90 : 8) });
    payout.instruction = { ...payout.instruction, account_id: long, account_name: 'A\u0000<&>\ud800'.padEnd(200, 'n') };
    return paidFacts({ payout, attempts: [], paid: paidOrder({ accountId: null }) });
  });
  const xml = await write(rows, { idStart: BATCH.batchId });
  const { problems, values } = await readNotification(xml);
  expect(problems).toEqual([]);
  expect(values('Refs/TxId')).toHaveLength(1_200);
  expect(values('Ntfctn/Acct/Nm')).toEqual(Array(values('Ntfctn/Id').length).fill(long));
  expect(new Set(values('Ntfctn/Id')).size).toBe(values('Ntfctn/Id').length);
  expect(new Set(values('Ntfctn/Acct/Id/Othr/Id')).size).toBe(1);
});
