import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { gatewayClient } from '../../src/channels/http/gateway-client.ts';
import { receiveErpFile, receiveReport } from '../../src/cli/report-files.ts';
import type { Session } from '../../src/cli/session.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { writeErpFile } from '../../src/reports/erp-file.ts';
import { ERP_FORMATS } from '../../src/reports/erp-formats.ts';
import { reportBatch } from '../../src/reports/report-batch.ts';
import { openGateway } from '../channels/http/running-gateway.ts';
import { batchClaim, documentIds } from '../store/samples.ts';
import { fakeSession } from '../support/fake-session.ts';
import { newFolder } from '../support/new-folder.ts';

const example = (name: string): string => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
const env = {
  PAYOUTS_MESSAGE_MAPPING: example('mapping.json'),
  PAYOUTS_PAYEE_DIRECTORY: example('payees.csv'),
  PAYOUTS_JOURNAL_ACCOUNTS: '{"bank":"1200-{account}"}',
};

const laptop = (home: string, url: string): Session =>
  fakeSession({ config: loadConfig({ PAYOUTS_HOME: home }), gateway: gatewayClient(url, () => undefined) });

/** Every file of a home, with its text; paths in it are relative to the home. */
const filesIn = (home: string): [string, string][] =>
  readdirSync(join(home, 'reports'))
    .sort()
    .map((name) => [name, readFileSync(join(home, 'reports', name), 'utf8').replaceAll(home, 'HOME')]);

/** The same batch, written by a command in place and by one on a laptop. */
async function twice() {
  const gateway = await openGateway([], { env });
  const { proxy, url } = gateway;
  const [here, there] = [newFolder(), newFolder()];
  const config = loadConfig({ ...env, PAYOUTS_HOME: here });
  const session = laptop(there, url);
  const { ui } = gateway.app;
  return {
    ...gateway,
    /** The files of both, after their summaries were compared. */
    async report(batchId: string, isMasked = false) {
      const place = { folder: join(here, 'reports'), isMasked };
      const summary = await reportBatch({ config, store: proxy.store, ui }, batchId, place);
      const received = await receiveReport(session, batchId, isMasked);
      expect(JSON.stringify(received.summary).replaceAll(there, here)).toBe(JSON.stringify(summary));
      return [filesIn(here), filesIn(there)] as const;
    },
    async erpFile(batchId: string, format: (typeof ERP_FORMATS)[number]) {
      const written = await writeErpFile({ config, store: proxy.store }, batchId, format);
      const received = await receiveErpFile(session, batchId, format);
      expect({ ...received, path: received.path.replace(there, here) }).toEqual(written);
      return [filesIn(here), filesIn(there)] as const;
    },
    session,
    there,
  };
}

it('writes what a command in place writes, byte for byte, at every stage of a bank message', async () => {
  const { proxy, send, report, erpFile, there } = await twice();
  const { batchId } = (
    await send('/v1/batches?file=suppliers.xml', {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: readFileSync(example('suppliers.pain.001.001.09.xml')),
    })
  ).document;
  const [received, receivedThere] = await report(batchId);
  expect(receivedThere).toEqual(received);
  await proxy.end(batchId);
  const [here, thereNow] = await report(batchId);
  expect(thereNow).toEqual(here);
  for (const format of ERP_FORMATS) {
    const [its, theirs] = await erpFile(batchId, format);
    expect(theirs, format).toEqual(its);
  }
  const [paid] = await Array.fromAsync(proxy.store.rows(batchId));
  const returned = { reference: paid?.reference ?? '', orderId: 'r-1', amount: '1.00', currency: 'USD' };
  await proxy.store.recordReturn({ ...returned, seenAt: 10_000 });
  const [masked, maskedThere] = await report(batchId, true);
  expect(maskedThere).toEqual(masked);
  const [last, lastThere] = await erpFile(batchId, 'pain002');
  expect(lastThere).toEqual(last);
  expect(lastThere.map(([name]) => name.replace(/^suppliers-\d{4}-\d\d-\d\d-[0-9a-f]{12}/, ''))).toEqual([
    ...['-camt054.xml', '-journal.csv', '-report-masked.csv', '-report-masked.html', '-report-masked.json'],
    ...['-report.csv', '-report.html', '-report.json', '.final.2.pain002.xml', '.final.pain002.xml'],
    ...['.received.pain002.xml', '.sent.pain002.xml', '.validated.pain002.xml'],
  ]);
  expect(lastThere.every(([, text]) => text.length > 100)).toBe(true);
  expect(readdirSync(there)).toEqual(['reports']);
  for (const [name] of lastThere) expect(statSync(join(there, 'reports', name)).mode & 0o777).toBe(0o600);
});

it('writes a batch of several pages', async () => {
  const { proxy, report } = await twice();
  await proxy.store.claimBatch(batchClaim('batch-1', documentIds(600)));
  const [here, there] = await report('batch-1');
  expect(there).toEqual(here);
});

it('writes the rows to submit again, and removes those of a batch that has none any more', async () => {
  const { proxy, report, there } = await twice();
  const failedOf = (id: string): string => join(there, 'reports', `${id}-1970-01-01-${id}-failed.csv`);
  for (const [id, state] of [
    ['batch-1', 'failed'],
    ['batch-2', 'completed'],
  ] as const) {
    await proxy.store.claimBatch(batchClaim(id, [`doc-of-${id}`]));
    await proxy.end(id, state);
    mkdirSync(join(there, 'reports'), { recursive: true });
    writeFileSync(failedOf(id), 'earlier');
    const [its, theirs] = await report(id);
    expect(theirs).toEqual(its);
  }
  expect(readFileSync(failedOf('batch-1'), 'utf8')).toContain('doc-of-batch-1');
  expect(existsSync(failedOf('batch-2'))).toBe(false);
});

it.each(['camt054', 'pain002'] as const)('refuses %s of what has none, and writes nothing', async (format) => {
  const { proxy, session, there } = await twice();
  await proxy.store.claimBatch(batchClaim('batch-1', ['one']));
  await expect(receiveErpFile(session, 'batch-1', format)).rejects.toMatchObject({
    kind: 'not-found',
    code: format === 'camt054' ? 'nothing-moved' : 'nothing-to-answer',
  });
  expect(readdirSync(join(there, 'reports'))).toEqual([]);
});

/** A laptop whose gateway answers so. */
async function answered(answer: (response: ServerResponse) => void): Promise<{ session: Session; home: string }> {
  const server = createServer((_request, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const home = join(newFolder(), 'home');
  return { session: laptop(home, `http://127.0.0.1:${(server.address() as AddressInfo).port}`), home };
}

const lines = (...those: unknown[]): string => those.map((it) => `${JSON.stringify(it)}\n`).join('');
const BATCH = { batch: { file: 'payroll.csv', createdAt: 0 } };

it.each<[string, string]>([
  ['another folder', lines({ file: '../other.csv', text: 'x' })],
  ['another folder of an answer', lines({ file: '../x.final.pain002.xml', text: 'x' })],
  ['a hidden file', lines({ file: '.profile', text: 'x' })],
  ['a program', lines({ file: 'payouts.sh', text: 'x' })],
  ['the report itself', lines({ file: 'batch-1.html', text: 'x' })],
  ['no time', lines({ batch: { file: 'payroll.csv', createdAt: 'x' } })],
  ['no end', lines(BATCH, { rows: [] })],
  ['no rows', lines(BATCH, { file: 'payroll-1970-01-01-batch-1-failed.csv', text: 'x' })],
  ['half a line', lines(BATCH).slice(0, -5)],
  ['no JSON', '<!doctype html>\n'],
  ['null', 'null\n'],
  ['nothing', ''],
])('takes nothing from a gateway that sends %s', async (_what, body) => {
  const { session, home } = await answered((response) => response.end(body));
  await expect(receiveReport(session, 'batch-1', false)).rejects.toMatchObject({ kind: 'usage', code: 'no-gateway' });
  expect(readdirSync(join(home, '..'))).toEqual(['home']);
  expect(readdirSync(join(home, 'reports'))).toEqual([]);
});

it('keeps the earlier files where an answer breaks off', async () => {
  const { session, home } = await answered((response) => {
    response.write(lines(BATCH, { rows: [] }), () => response.destroy());
  });
  mkdirSync(join(home, 'reports'), { recursive: true });
  writeFileSync(join(home, 'reports', 'payroll-1970-01-01-batch-1-report.csv'), 'earlier');
  await expect(receiveReport(session, 'batch-1', true)).rejects.toMatchObject({ code: 'gateway-unreachable' });
  expect(filesIn(home)).toEqual([['payroll-1970-01-01-batch-1-report.csv', 'earlier']]);
});
