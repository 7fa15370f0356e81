import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FILE_BYTES_MAX } from '../../../src/files/input.ts';
import { csvOf, jsonOf } from '../../e2e/payout-files.ts';
import { pain001 } from '../../files/pain001/sample-message.ts';
import { until } from '../../support/until.ts';
import { openGateway, type RunningGateway } from './running-gateway.ts';

const FILE = csvOf([{ id: '1' }, { id: '2', amount: '13.00' }]);
const BAD = csvOf([{ id: '1' }, { id: '2', amount: '1.234', note: 'CANARY-NOTE' }]);

/** A body is on disk only while its request is answered. */
function leavesNothing({ uploads }: RunningGateway): void {
  onTestFinished(() => until(async () => readdirSync(uploads).length === 0));
}

describe('a file handed over', () => {
  it('is claimed and answered with the document of the command; again it is under way, later taken', async () => {
    const gateway = await openGateway();
    leavesNothing(gateway);
    const taken = await gateway.post('?file=payroll.csv', FILE);
    expect(taken.status).toBe(202);
    expect(taken.document).toMatchObject({
      schemaVersion: 1,
      file: 'payroll.csv',
      state: 'open',
      counts: { total: 2 },
    });
    const { batchId, reports } = taken.document;
    expect((await gateway.send(reports.csv)).document).toContain('row,id,uid');
    expect(await gateway.post('', FILE)).toMatchObject({ status: 200, document: { batchId } });
    await gateway.proxy.end(batchId);
    const again = await gateway.post('', FILE);
    expect(again).toMatchObject({ status: 409, document: { error: { code: 'already-taken', batchId } } });
  });

  it.each([
    ['text/csv; charset=utf-8', '', FILE, /^upload-[0-9a-f]{12}\.csv$/],
    ['application/json', '', jsonOf([{ id: '1' }]), /^upload-[0-9a-f]{12}\.json$/],
    ['application/octet-stream', '', jsonOf([{ id: '1' }]), /^upload-[0-9a-f]{12}$/],
    ['text/csv', 'attachment; filename="june, 2nd.csv"', FILE, /^june, 2nd\.csv$/],
    ['text/csv', "attachment; filename*=UTF-8''L%C3%B6hne.csv", FILE, /^Löhne\.csv$/],
    ['text/csv', "attachment; filename=a.csv; filename*=UTF-8''L%C3%B6hne.csv", FILE, /^Löhne\.csv$/],
    ['text/csv', "attachment; filename*=UTF-8''%E4; filename=a.csv", FILE, /^a\.csv$/],
    ['text/csv', 'attachment; filename="a \\"b\\".csv"', FILE, /^a "b"\.csv$/],
    ['text/csv', 'attachment; name=', FILE, /^upload-[0-9a-f]{12}\.csv$/],
  ])('as %s %s has a name', async (type, disposition, body, name) => {
    const gateway = await openGateway();
    leavesNothing(gateway);
    const headers = { 'content-type': type, ...(disposition === '' ? {} : { 'content-disposition': disposition }) };
    const { status, document } = await gateway.post('', body, headers);
    expect([status, document.file]).toEqual([202, expect.stringMatching(name)]);
  });

  it('is planned only, on request', async () => {
    const { post, proxy } = await openGateway();
    const planned = await post('?dry_run=true', FILE);
    expect(planned).toMatchObject({ status: 200, document: { schemaVersion: 1, plan: { payouts: 2 }, findings: [] } });
    expect(await proxy.store.batches(1)).toEqual([]);
    expect(await post('?plan=0000000000000000', FILE)).toMatchObject({
      status: 422,
      document: { error: { code: 'other-plan' } },
    });
    expect((await post(`?plan=${planned.document.plan.hash}&by=alice&canary=1`, FILE)).status).toBe(202);
    expect(await proxy.store.batches(1)).toMatchObject([{ by: 'alice', canary: 1 }]);
  });

  it('is planned in words of HTTP, its warnings and findings too', async () => {
    const { post } = await openGateway();
    const saturday = new Date(Date.now() + 7 * 86_400_000);
    saturday.setUTCDate(saturday.getUTCDate() + 6 - saturday.getUTCDay());
    const rows: (Record<string, string> & { id: string })[] = [
      { id: 'a' },
      { id: 'b', execute_on: saturday.toISOString().slice(0, 10) },
    ];
    await post('', csvOf(rows.slice(0, 1)));
    const said = async (query: string, headers: Record<string, string> = {}): Promise<string> => {
      const { findings, warnings } = (await post(query, csvOf(rows), headers)).document;
      return [...findings, ...warnings].map(({ message }: { message: string }) => message).join('\n');
    };
    const PLANNED = '?dry_run=true&invalid=skip';
    expect(await said(PLANNED, { 'payouts-channel': 'command' })).toMatch(/--invalid skip.*\(PAYOUTS_HOLIDAYS\)/s);
    expect(await said(PLANNED)).toMatch(/invalid=skip.*no calendar is set: /s);
    expect(await said(PLANNED)).not.toMatch(/--invalid|PAYOUTS_/);
    expect(await said('?check=true')).toMatch(/no calendar is set: /);
  });

  it('with rows that break rules is refused with the findings, or paid without them', async () => {
    const gateway = await openGateway();
    leavesNothing(gateway);
    const refused = await gateway.post('?file=bad.csv', BAD);
    expect(refused).toMatchObject({
      status: 422,
      document: {
        error: { code: 'input-invalid' },
        findings: [{ file: 'bad.csv', row: 2, rule: 'too-many-decimals' }],
      },
    });
    expect(await gateway.post('?invalid=skip', BAD)).toMatchObject({ status: 202, document: { counts: { total: 1 } } });
    expect(gateway.log.join()).not.toMatch(/CANARY|bad\.csv/);
  });

  it('that is a pain.001 and is refused has its answer, as with the command', async () => {
    const gateway = await openGateway();
    // Cut off: nothing of ours is missing.
    const [content = ''] = pain001().split('<CdtTrfTxInf>');
    const tried = await gateway.post('?file=invoices.xml&dry_run=true', content);
    expect([tried.status, tried.document.error.code, tried.document.reports]).toEqual([
      422,
      'input-invalid',
      undefined,
    ]);
    const { status, document } = await gateway.post('?file=invoices.xml', content);
    expect([status, document.error.code]).toEqual([422, 'input-invalid']);
    const answer = document.pain002;
    expect(answer).toContain('<OrgnlMsgId>MSG-1</OrgnlMsgId>');
    expect(answer).toContain('<GrpSts>RJCT</GrpSts>');
  });

  it('is not claimed while Temporal does not answer', async () => {
    const { post, proxy } = await openGateway();
    proxy.temporal.down = true;
    const { status } = await post('', FILE, { 'idempotency-key': 'k' });
    expect(status).toBe(503);
    expect(await proxy.store.batches(1)).toEqual([]);
    proxy.temporal.down = false;
    expect((await post('', FILE, { 'idempotency-key': 'k' })).status).toBe(202);
  });
});

it('is tried again under its key after another run was in its way, and then finds the batch of that one', async () => {
  const { post, proxy, app } = await openGateway();
  const other = await post('?file=other.csv', FILE);
  let compared = 0;
  const { knownClaims } = proxy.store;
  app.store.knownClaims = async (rows) => {
    compared += 1;
    const claims = await knownClaims.call(proxy.store, rows);
    return compared > 1 ? claims : claims.slice(1);
  };
  const key = { 'idempotency-key': 'k' };
  expect(await post('', FILE, key)).toMatchObject({ status: 422, document: { error: { code: 'other-plan' } } });
  expect(await post('', FILE, key)).toMatchObject({ status: 200, document: { batchId: other.document.batchId } });
});

describe('a request that cannot be taken', () => {
  it.each([
    ['?dryrun=true', {}, 400, 'usage'],
    ['?canary=0', {}, 400, 'usage'],
    ['?file=..', {}, 400, 'file-name-refused'],
    ['?file=a%2Fb', {}, 400, 'file-name-refused'],
    ['?file=a%00b', {}, 400, 'file-name-refused'],
    ['', { 'content-type': 'text/plain' }, 415, 'media-type-unsupported'],
    ['', { 'content-encoding': 'gzip' }, 415, 'media-type-unsupported'],
    ['', { 'idempotency-key': 'two words' }, 400, 'idempotency-key-refused'],
    ['', { 'idempotency-key': 'k'.repeat(256) }, 400, 'idempotency-key-refused'],
  ])('%s %j is answered with %i', async (query, headers, status, code) => {
    const gateway = await openGateway();
    leavesNothing(gateway);
    expect(await gateway.post(query, FILE, headers as Record<string, string>)).toMatchObject({
      status,
      document: { schemaVersion: 1, error: { code }, findings: [] },
    });
    expect(await gateway.proxy.store.batches(1)).toEqual([]);
  });

  it('is one that says to be past the limit: nothing of it is read', async () => {
    const gateway = await openGateway();
    leavesNothing(gateway);
    const headers = { 'content-type': 'text/csv', 'content-length': FILE_BYTES_MAX + 1 };
    const asked = request(`${gateway.url}/v1/batches`, { method: 'POST', headers });
    asked.flushHeaders();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    expect([answer.statusCode, await json(answer)]).toMatchObject([413, { error: { code: 'too-large' } }]);
    asked.destroy();
  });

  it('is one that grows past the limit without saying so', async () => {
    const gateway = await openGateway();
    leavesNothing(gateway);
    const chunk = new Uint8Array(1024 * 1024);
    let left = FILE_BYTES_MAX / chunk.length + 1;
    const body = new ReadableStream({
      pull(controller) {
        left -= 1;
        if (left < 0) controller.close();
        else controller.enqueue(chunk);
      },
    });
    const endless = { method: 'POST', body, duplex: 'half', headers: { 'content-type': 'text/csv' } };
    expect((await gateway.send('/v1/batches', endless as RequestInit)).status).toBe(413);
  });
});

describe('an Idempotency-Key', () => {
  const KEY = { 'idempotency-key': 'key-1' };

  it('gives the same request the same answer, also when the batch has moved on', async () => {
    const gateway = await openGateway();
    leavesNothing(gateway);
    const first = await gateway.post('', FILE, KEY);
    await gateway.proxy.end(first.document.batchId);
    const again = await gateway.post('', FILE, KEY);
    expect([again.status, again.document]).toEqual([202, first.document]);
  });

  it('gives several at once one answer', async () => {
    const { post, proxy } = await openGateway();
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => post('', FILE, KEY)));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
    expect(new Set(answers.map(({ document }) => JSON.stringify(document))).size).toBe(1);
    expect(proxy.started).toHaveLength(1);
  });

  it.each([
    ['bytes', '', csvOf([{ id: '3' }])],
    ['options', '?invalid=skip', FILE],
  ])('refuses a request with other %s', async (_what, query, body) => {
    const { post, proxy } = await openGateway();
    await post('', FILE, KEY);
    const reused = { status: 422, document: { error: { code: 'idempotency-key-reused' } } };
    expect(await post(query, body, KEY)).toMatchObject(reused);
    expect(await proxy.store.batches(9)).toHaveLength(1);
  });

  it('keeps a refusal as well', async () => {
    const { post, app } = await openGateway();
    const first = await post('', BAD, KEY);
    const hold = { caller: '', key: 'key-1', owner: 'o', requestSha256: 'x', batchId: 'b', at: 1, heldUntil: 2 };
    expect(await app.store.takeKey(hold)).toEqual({ outcome: 'other-request' });
    expect(await post('', BAD, KEY)).toMatchObject({ status: 422, document: first.document });
  });

  it('finds the batch of a gateway that was killed before it answered', async () => {
    const { post, proxy } = await openGateway();
    const taken = await post('', FILE, KEY);
    const { store } = proxy;
    // As it is when the process dies behind the claim: no answer is stored, and the hold is over.
    const claim = { ...KEY, batchId: taken.document.batchId };
    const killed = { outcome: 'taken', batchId: claim.batchId } as const;
    const takeKey = store.takeKey.bind(store);
    store.takeKey = async (hold) => {
      store.takeKey = takeKey;
      return { ...killed, owner: hold.owner };
    };
    const again = await post('', FILE, { 'idempotency-key': 'key-1' });
    expect(again).toMatchObject({ status: 202, document: { batchId: claim.batchId, counts: { total: 2 } } });
    expect(await store.batches(9)).toHaveLength(1);
  });
});
