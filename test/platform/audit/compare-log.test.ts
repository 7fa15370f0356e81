import { expect, it } from 'vitest';
import type { Bank } from '../../../src/bank/bank.ts';
import { compareWithLog } from '../../../src/platform/audit/read-log.ts';
import { closePeriod } from '../../../src/reports/statements/period-report.ts';
import type { Store } from '../../../src/store/store.ts';
import { batchClaim, claimRow, payoutClaim } from '../../store/samples.ts';
import { onEveryStore } from '../../store/stores.ts';
import { tamper } from '../../support/sql.ts';

const { reference } = claimRow(1, 'doc');

/** A bank whose list shows one order of the payout. */
const bankOf = (amount: string, account = 'acc-1'): Pick<Bank, 'orders'> => {
  const order = { order_id: 'o-1', status: 'COMPLETED', stage: 'paid', transaction_amount: amount };
  const shown = { ...order, transaction_currency: 'USD', transaction_account: account };
  return { orders: { listAll: async () => ({ orders: [shown] }) } } as unknown as Pick<Bank, 'orders'>;
};

/** Claims two rows of 10.50 USD, has the first one approved and paid; `meanwhile` comes after the approval. */
async function paid(store: Store, { amount = '10.50', meanwhile = async () => {} } = {}): Promise<void> {
  const { rows, ...batch } = batchClaim('b-1', ['doc', 'other']);
  // In another order than that of the file, as files are claimed.
  await store.claimBatch({ ...batch, rows: rows.toReversed() });
  const { record } = await store.claimPayout(payoutClaim('doc'));
  const beneficiary = { known: true, id: 'ben-1', digest: 'of-ben-1' } as const;
  await store.recordAssessment(record, { digest: 'd', approvalsNeeded: 1, beneficiary }, 3);
  await store.recordApprovals({ reference, digest: 'd', by: ['bob'], at: 4 });
  await meanwhile();
  const request = { accountId: 'acc-1', beneficiaryId: 'ben-1', payeeDigest: 'of-ben-1', amount, currency: 'USD' };
  const claim = { reference, term: record.term };
  const attempt = { reference, attempt: 1, runId: 'run-1', activityId: '1', sentAt: 5, claim };
  await store.recordAttempt({ ...attempt, request: { ...request, expiredAt: 9 } });
  const shown = { orderId: 'o-1', amount, currency: 'USD', accountId: 'acc-1' };
  const fee = { fee: '0.25', feeCurrency: 'USD' };
  await store.changePayout(reference, { state: 'completed', orderId: 'o-1', paid: shown, ...fee, at: 6 });
}

onEveryStore('Rows and orders compared with the audit log', (test) => {
  it('agree where nobody has changed anything, and a fee that the bank counts in changes nothing', async () => {
    const store = await test.open();
    await paid(store);
    expect(await compareWithLog(store, bankOf('10.50').orders)).toEqual({ payouts: 2, orders: 1, differences: [] });
    expect(await compareWithLog(store)).toEqual({ payouts: 2, orders: null, differences: [] });
  });

  it('show an instruction that was swapped after the last signature, with entry, place and both values', async () => {
    const store = await test.open();
    const swap = `update payouts set instruction = replace(instruction, '10.50', '4012.00') where reference = '${reference}'`;
    await paid(store, { amount: '4012.00', meanwhile: () => tamper(test.ownersUrl(), swap) });
    const { differences } = await compareWithLog(store, bankOf('4012.00').orders);
    const money = { subject: reference, field: 'amount', logged: '10.50 USD', found: '4012.00 USD' };
    expect(differences).toEqual([
      expect.objectContaining({ seq: 0, subject: 'b-1', field: 'root', where: 'row' }),
      { ...money, seq: 1, where: 'row' },
      { ...money, seq: 1, where: 'bank' },
    ]);
  });

  it.each([
    ['amount', "update payouts set instruction = replace(instruction, '10.50', '3.00')", 'amount'],
    [
      'rate',
      `update payouts set instruction = replace(instruction, '"currency"', '"max_rate":"9","currency"')`,
      'root',
    ],
    ['payee', "update payouts set instruction = replace(instruction, 'ben-1', 'ben-2')", 'root'],
    ['state', "update payouts set state = 'failed' where order_id = 'o-1'", 'state'],
    ['fee', "update payouts set fee = '99.00' where order_id = 'o-1'", 'fee'],
    ['order', "update payouts set order_id = 'o-2' where order_id = 'o-1'", 'orderId'],
    ['end', "update payouts set state = 'completed'", 'state'],
    ['rows', "delete from payouts where document_id = 'other'", 'rows'],
  ])('show an edit of the %s', async (_what, edit, field) => {
    const store = await test.open();
    await paid(store);
    await tamper(test.ownersUrl(), edit);
    const { differences } = await compareWithLog(store);
    expect(differences.map((it) => it.field)).toContain(field);
  });

  it('leave to the entry of the decision what people have adopted', async () => {
    const store = await test.open();
    await paid(store);
    const detail = { action: 'adopt-order', evidence: 'statement 12', outcome: 'adopted' };
    await store.audit({ at: 7, actor: 'olga', action: 'asked to resolve', subject: reference, detail });
    expect((await compareWithLog(store, bankOf('99.00').orders)).differences).toEqual([]);
  });

  it('show a paid payout that is gone, and another amount or account at the bank, the account masked', async () => {
    const store = await test.open();
    await paid(store);
    const { differences } = await compareWithLog(store, bankOf('99.00', 'account-of-ours-7').orders);
    expect(differences.map(({ seq, field, found, where }) => [seq, field, found, where])).toEqual([
      [1, 'amount', '99.00 USD', 'bank'],
      [2, 'amount', '99.00 USD', 'bank'],
      [2, 'account', '***rs-7', 'bank'],
      [3, 'amount', '99.00 USD', 'bank'],
      [3, 'account', '***rs-7', 'bank'],
    ]);
    await tamper(test.ownersUrl(), `delete from payouts where reference = '${reference}'`);
    const gone = await compareWithLog(store);
    expect(gone.differences).toContainEqual(expect.objectContaining({ subject: reference, field: 'row', found: '' }));
  });
});

onEveryStore('Documents of closed periods compared with the audit log', (test) => {
  it.each([
    ['was changed', "update period_documents set text = replace(text, '1', '2')", 1],
    ['is gone', 'delete from period_documents', 1],
    ['was reopened', 'update period_documents set reopened_at = 9', 0],
  ])('show one that %s', async (_what, sql, found) => {
    const store = await test.open();
    const period = { from: '2026-03-01', to: '2026-03-01' };
    await closePeriod(store, { period, timeZone: 'UTC', by: 'alice', now: Date.parse('2026-03-02') });
    expect((await compareWithLog(store)).differences).toEqual([]);
    await tamper(test.ownersUrl(), sql);
    const { differences } = await compareWithLog(store);
    expect(differences.map(({ subject, field }) => `${subject} ${field}`)).toEqual(
      Array(found).fill('period 2026-03-01..2026-03-01 digest'),
    );
  });
});
