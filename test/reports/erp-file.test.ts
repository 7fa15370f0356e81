import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { writeErpFile } from '../../src/reports/erp-file.ts';
import type { Store } from '../../src/store/store.ts';
import { claimRowsOf } from '../files/intake/rows.ts';
import { newStore } from '../support/empty-store.ts';
import { newFolder } from '../support/new-folder.ts';
import { readNotification } from './camt054/notification-grammar.ts';

const AT = Date.UTC(2026, 2, 31, 10);

/** A batch of two payouts out of one account: one in its currency, one whose currency is bought first. */
async function world(): Promise<{ store: Store; config: ReturnType<typeof loadConfig> }> {
  const home = newFolder();
  const store = await newStore();
  const rows = claimRowsOf({ id: 'a' }, { id: 'b', currency: 'EUR' });
  await store.claimBatch({ batchId: 'batch-1', file: 'm.csv', sha256: 'x', by: null, rows, at: AT });
  const config = loadConfig({ PAYOUTS_HOME: home, PAYOUTS_JOURNAL_ACCOUNTS: '{"fee":"6850","bank":"12-{account}"}' });
  return { store, config };
}

async function pay(store: Store): Promise<void> {
  const [reference, exchange] = [referenceOf('u-1001', 'b'), referenceOf('u-1001', 'b', 'exchange')];
  await store.recordAttempt({
    reference: exchange,
    attempt: 1,
    runId: 'run-1',
    activityId: '1',
    sentAt: AT,
    request: {
      amount: '12.50',
      currency: 'EUR',
      expiredAt: AT,
      sellAccountId: 'acc-u1001-usd',
      buyAccountId: 'acc-u1001-eur',
      sellCurrency: 'USD',
      quotedSellAmount: '13.50',
    },
  });
  await store.resolveAttempts(exchange, { upTo: 1, as: 'paid' });
  await store.recordBookedExchange({
    reference,
    orderId: 'fx-1',
    soldAmount: '13.60',
    soldCurrency: 'USD',
    boughtAmount: '12.50',
    boughtCurrency: 'EUR',
    rate: null,
    fee: null,
    feeCurrency: null,
    seenAt: AT + 1_000,
  });
  const end = { state: 'completed', orderId: 'o-1', fee: '0.50', at: AT + 2_000 } as const;
  const shown = (currency: string) => ({ paid: { orderId: 'o', amount: '12.50', currency }, feeCurrency: currency });
  await store.changePayout(referenceOf('u-1001', 'a'), { ...end, ...shown('USD') });
  await store.changePayout(reference, { ...end, orderId: 'o-2', ...shown('EUR') });
}

it('writes a journal of what the store holds, with the account codes that are set', async () => {
  const { store, config } = await world();
  await pay(store);
  const { path, unclear } = await writeErpFile({ config, store }, 'batch-1', 'journal');
  const text = await readFile(path, 'utf8');
  const lines = parse<Record<string, string>>(text, { columns: true });
  expect(lines.map((line) => [line.document, line.kind, line.account, line.debit, line.credit, line.currency])).toEqual(
    [
      ['a', 'payment', 'payouts', '12.50', '', 'USD'],
      ['a', 'payment', '12-acc-u1001-usd', '', '12.50', 'USD'],
      ['a', 'fee', '6850', '0.50', '', 'USD'],
      ['a', 'fee', '12-acc-u1001-usd', '', '0.50', 'USD'],
      ['b', 'exchange', 'exchange:USD', '13.60', '', 'USD'],
      ['b', 'exchange', '12-acc-u1001-usd', '', '13.60', 'USD'],
      ['b', 'exchange', 'exchange:EUR', '', '12.50', 'EUR'],
      ['b', 'exchange', '12-acc-u1001-eur', '12.50', '', 'EUR'],
      ['b', 'payment', 'payouts', '12.50', '', 'EUR'],
      ['b', 'payment', '12-acc-u1001-eur', '', '12.50', 'EUR'],
      ['b', 'fee', '6850', '0.50', '', 'EUR'],
      ['b', 'fee', '12-acc-u1001-eur', '', '0.50', 'EUR'],
    ],
  );
  expect(unclear).toEqual([]);
  await writeErpFile({ config, store }, 'batch-1', 'journal');
  expect(await readFile(path, 'utf8')).toBe(text);
});

it('writes an advice of the same movements, under the same ids', async () => {
  const { store, config } = await world();
  await expect(writeErpFile({ config, store }, 'batch-1', 'camt054')).rejects.toMatchObject({ code: 'nothing-moved' });
  await pay(store);
  const { path } = await writeErpFile({ config, store }, 'batch-1', 'camt054');
  const { problems, values } = await readNotification(await readFile(path, 'utf8'));
  expect(problems).toEqual([]);
  const journal = await readFile((await writeErpFile({ config, store }, 'batch-1', 'journal')).path, 'utf8');
  const entries = parse<{ entry: string }>(journal, { columns: true }).map(({ entry }) => entry);
  expect(new Set(values('Refs/TxId'))).toEqual(new Set(entries));
  expect(values('Acct/Id/Othr/Id')).toEqual(['acc-u1001-usd', 'acc-u1001-eur']);

  const messageMapping = join(config.home, 'mapping.json');
  const ours = (account_id: string) => ({ uid: 'u-1001', account_id });
  const accounts = {
    '1': ours('acc-u1001-usd'),
    '2': ours('acc-u1001-usd'),
    DE12500105170648489890: ours('acc-u1001-eur'),
  };
  await writeFile(messageMapping, JSON.stringify({ accounts }));
  const named = await writeErpFile({ config: { ...config, messageMapping }, store }, 'batch-1', 'camt054');
  const again = await readNotification(await readFile(named.path, 'utf8'));
  expect(again.values('Acct/Id/IBAN')).toEqual(['DE12500105170648489890']);
  expect(again.values('Acct/Id/Othr/Id')).toEqual(['acc-u1001-usd']);
});
