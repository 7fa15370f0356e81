import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { type Ended, stackOfFile } from '../support/command.ts';
import { paymentsIn } from './books.ts';
import { batchOf, errorOf } from './documents.ts';
import { csvOf } from './payout-files.ts';

const home = stackOfFile();

const documentOf = ({ stdout }: Ended): Record<string, unknown> => JSON.parse(stdout);

async function setStatus(orderId: string, status: string): Promise<void> {
  const response = await fetch(`${home.stack()?.apiUrl}/__sandbox/orders/${orderId}/status`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ status, stay: true }),
  });
  expect(response.status).toBe(200);
}

it('`reconcile` says what contradicts stored ends, and every report and exit code says it from then on', async () => {
  const paid = await home.payouts('run', home.file('one.csv', csvOf([{ id: 'REC-1' }])), '--yes', '--json');
  expect(paid.code).toBe(0);
  const { batchId, incidents: none } = batchOf(paid);
  expect(none).toEqual([]);

  const clean = await home.payouts('reconcile', '--json');
  expect(documentOf(clean)).toEqual({
    schemaVersion: 1,
    keys: 1,
    unreadKeys: 0,
    orders: 1,
    returns: 0,
    unaskedOrders: 0,
    recorded: 0,
    incidentCount: 0,
    incidents: [],
  });
  expect(clean.code).toBe(0);

  const orderId = paymentsIn(home.path)[0]?.order_id ?? '';
  await setStatus(orderId, 'FAILED');
  const found = await home.payouts('reconcile', '--days', '2', '--json');
  expect(found.code).toBe(5);
  const incident = {
    reference: referenceOf('u-1001', 'REC-1'),
    orderId,
    kind: 'end-contradicted',
    message:
      'the bank now shows a different outcome for the order of this payout than when it ended (status: stored completed, shown FAILED)',
  };
  expect(documentOf(found)).toMatchObject({ incidentCount: 1, recorded: 1, incidents: [incident] });
  const said = await home.payouts('reconcile');
  expect(said.code).toBe(5);
  expect(said.stdout).toContain(
    `end-contradicted: ${incident.message} (payout ${incident.reference}, order ${orderId})`,
  );

  const watched = await home.payouts('watch', batchId, '--json');
  expect(watched.code).toBe(5);
  expect(batchOf(watched)).toMatchObject({ state: 'completed', incidents: [{ row: 1, ...incident }] });
  const reported = await home.payouts('report', batchId, '--json');
  expect(reported.code).toBe(0);
  expect(readFileSync(batchOf(reported).reports.csv, 'utf8')).toContain(`end-contradicted ${orderId}`);
  const status = await home.payouts('status', 'REC-1', '--json');
  const [says] = incident.message.split(' (');
  const sides = /: 12\.50 USD to ben-u1001-usd-local, document REC-1: we recorded paid .* as FAILED/;
  const shown = { ...incident, message: expect.stringMatching(new RegExp(`^${says}${sides.source}`)) };
  expect(documentOf(status)).toMatchObject({ incidents: [shown] });

  const [open] = batchOf(watched).incidents;
  const listed = await home.payouts('incidents', '--open', '--json');
  expect(documentOf(listed)).toMatchObject({ incidents: [{ id: open?.id, ...incident, acknowledged: null }] });
  const why = ['--by', 'alice', '--reason', 'the bank has booked it back'];
  expect((await home.payouts('acknowledge', open?.id ?? '', ...why, '--yes')).code).toBe(0);
  expect(await home.payouts('watch', batchId)).toMatchObject({ code: 0, stdout: expect.stringContaining('by alice') });
  expect((await home.payouts('reconcile', '--json')).code).toBe(0);

  const refused = await home.payouts('reconcile', '--days', '0', '--json');
  expect(refused.code).toBe(2);
  expect(errorOf(refused).error.code).toBe('usage');
});

it('the reconciliation of the stack is up beside it', async () => {
  const described = await home.temporal('workflow', 'describe', '--workflow-id', 'reconciliation', '--output', 'json');
  expect(described.code).toBe(0);
  expect(described.stdout).toContain('RUNNING');
});
