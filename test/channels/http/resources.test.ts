import { expect, it } from 'vitest';
import { because } from '../../../src/domain/reasons.ts';
import { listedPayout } from '../../../src/reports/payout-document.ts';
import { batchClaim, documentIds, payoutClaim } from '../../store/samples.ts';
import { openGateway, type RunningGateway } from './running-gateway.ts';

/** All pages of a list; `between` runs after each of them. */
async function pagesOf(gateway: RunningGateway, path: string, between: () => Promise<unknown> = async () => undefined) {
  const found: Record<string, string>[] = [];
  for (let next: string | null = ''; next !== null; await between()) {
    const { status, document } = await gateway.send(next === '' ? path : `${path}&after=${encodeURIComponent(next)}`);
    expect(status).toBe(200);
    found.push(...(document.payouts ?? document.batches));
    next = document.next;
  }
  return found;
}

it('pages payouts while they change: none twice, none missed', async () => {
  const gateway = await openGateway();
  const { store } = gateway.proxy;
  const ids = documentIds(1_000);
  await store.claimBatch(batchClaim('b-1', ids));
  const rows = await store.searchPayouts({}, { limit: 1_000 });
  let page = 0;
  const found = await pagesOf(gateway, '/v1/payouts?limit=90', async () => {
    page += 1;
    for (const { reference } of rows.filter((_, index) => index % 13 === page)) {
      await store.changePayout(reference, { state: 'completed', at: 5_000 + page });
    }
    await store.claimPayout(payoutClaim(`new-${page}`, { at: 9_000 + page, runId: `run-${page}` }));
  });
  expect(found.map(({ id }) => id)).toEqual(ids);
  for (const payout of found) listedPayout.strict().parse(payout);
});

it('finds a payout by its own number, and by what else is asked', async () => {
  const gateway = await openGateway();
  const { store } = gateway.proxy;
  await store.claimBatch(batchClaim('b-1', ['INV-1', 'INV-2', 'INV-3']));
  await store.claimBatch(batchClaim('b-2', ['INV-4'], 2_000));
  const [row] = await store.searchPayouts({ documentId: 'INV-2' }, { limit: 1 });
  const { reference = '', uid = '' } = row ?? {};
  await store.changePayout(reference, { state: 'held', reason: because('look-alike'), at: 3_000 });
  const ids = async (query: string) => (await pagesOf(gateway, `/v1/payouts?${query}`)).map(({ id }) => id);
  expect(await ids(`uid=${uid}&id=INV-2`)).toEqual(['INV-2']);
  expect(await ids('states=held,failed')).toEqual(['INV-2']);
  expect(await ids('reason=look-alike')).toEqual(['INV-2']);
  expect(await ids('kinds=transfer')).toEqual([]);
  expect(await ids('from=1970-01-01T00:00:02Z')).toEqual(['INV-4']);
  expect(await ids('before=2000&order=oldest&limit=1')).toEqual(['INV-1', 'INV-2', 'INV-3']);
  expect((await pagesOf(gateway, '/v1/batches/b-1/payouts?states=received')).map(({ id }) => id)).toEqual([
    'INV-1',
    'INV-3',
  ]);
  expect((await pagesOf(gateway, '/v1/batches?limit=1')).map(({ batchId }) => batchId)).toEqual(['b-2', 'b-1']);
  expect((await gateway.send('/v1/payout-totals?states=held')).document.totals).toMatchObject({
    payouts: 1,
    isCut: false,
  });
});

it('shows a payout with why, who acts, what is next and what has happened', async () => {
  const gateway = await openGateway();
  const { store } = gateway.proxy;
  await store.claimBatch(batchClaim('b-1', ['INV-1']));
  const [row] = await store.searchPayouts({}, { limit: 1 });
  const { reference = '' } = row ?? {};
  await store.changePayout(reference, { state: 'held', reason: because('look-alike'), at: 3_000 });
  const { status, document } = await gateway.send(`/v1/payouts/${reference}`);
  expect(status).toBe(200);
  expect(document).toMatchObject({
    payout: { reference, id: 'INV-1', state: 'held', reason: { code: 'look-alike' } },
    next: {
      kind: 'look-alike',
      requests: expect.arrayContaining([expect.stringMatching(/^POST \/v1\/payouts\/\S+\/decisions \(approve\)$/)]),
    },
    orders: [],
    timeline: [{ who: 'maker', what: 'submitted it', detail: null }],
  });
  expect(JSON.stringify(document)).not.toMatch(/payouts (?:approve|reject)|--by|--remark/);
});

it.each([
  'after=x',
  'after=W10',
  `after=${Buffer.from('["oldest",1,1,"r"]').toString('base64url')}`,
  'limit=0',
  'limit=1001',
  'order=odd',
])('refuses %s', async (query) => {
  const { send } = await openGateway();
  expect((await send(`/v1/payouts?${query}`)).status).toBe(400);
});
