import { expect, it } from 'vitest';
import { html } from '../../../src/reports/html.ts';
import { batchClaim, claimRow } from '../../store/samples.ts';
import { openGateway } from '../http/running-gateway.ts';
import { Visit } from './visiting.ts';

it('escapes every text, in markup and in attributes, and lets markup of its own through', () => {
  const hostile = `<script>alert("1")</script> & 'x'`;
  expect(html`<a title="${hostile}">${hostile}</a>`.markup).toBe(
    '<a title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;">' +
      '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;</a>',
  );
  expect(html`${[html`<b>${1}</b>`, 'a<b', false, null, undefined]}`.markup).toBe('<b>1</b>a&lt;b');
});

it('shows what cannot be seen, or turns the text around, by its code', () => {
  expect(html`${'ab\u202ecd\u200bef\u0000'}`.markup).toBe('ab\\u202ecd\\u200bef\\u0000');
});

const HOSTILE = [
  '<script>document.title="owned"</script>',
  '"><img src=x onerror=alert(1)>',
  '[click](javascript:alert(1)) **bold**',
  'inv\u202e1-txt.exe',
  "'; drop table payouts; --",
];

it('no name that came from outside becomes markup on any page', async () => {
  const gateway = await openGateway();
  const { store } = gateway.proxy;
  const rows = HOSTILE.map((id, n) =>
    claimRow(n + 1, id, { account_id: id, beneficiary_id: undefined, account_name: id }),
  );
  await store.claimBatch({
    batchId: 'b-1',
    file: HOSTILE[0] ?? '',
    sha256: 'x',
    by: HOSTILE[1] ?? '',
    rows,
    at: 1_000,
  });
  for (const { reference } of rows) {
    const reason = { code: 'account-frozen', message: HOSTILE[0] ?? '' };
    await store.changePayout(reference, { state: 'held', reason, orderId: HOSTILE[1], at: 2_000 });
    await store.recordIncident({ reference, orderId: HOSTILE[1] ?? '', kind: 'second-order', seenAt: 3_000 });
    await store.audit({
      at: 1,
      actor: HOSTILE[0] ?? '',
      action: HOSTILE[1] ?? '',
      subject: reference,
      detail: { why: HOSTILE[2] ?? '' },
    });
  }
  await store.switchOff({
    scope: 'account',
    key: HOSTILE[1] ?? '',
    reason: HOSTILE[0] ?? '',
    by: HOSTILE[3] ?? '',
    at: 1,
  });
  const visit = new Visit(gateway.url);
  const paths = [
    '/',
    '/batches',
    '/batches/b-1',
    '/incidents',
    '/switches',
    '/audit',
    ...rows.map((row) => `/payouts/${row.reference}`),
  ];
  for (const path of [
    ...paths,
    `/payouts/${encodeURIComponent(HOSTILE[1] ?? '')}`,
    '/batches/b-1?state=%3Cscript%3E',
    ...HOSTILE.map((text) => `/payouts?text=${encodeURIComponent(text)}`),
  ]) {
    const { text, status } = await visit.send(path);
    expect([200, 400, 404], path).toContain(status);
    expect(text, path).not.toMatch(/<script(?! src="\/assets\/)|<img|\u202e|href="javascript|<b>|<strong>bold/);
  }
});

it('a name written from right to left does not turn the account number beside it around', async () => {
  const gateway = await openGateway();
  const payee = { beneficiary_id: undefined, account_name: 'محمد', account_no: '00020005' };
  await gateway.proxy.store.claimBatch({ ...batchClaim('b-1', []), rows: [claimRow(1, 'inv-1', payee)] });
  const { text } = await new Visit(gateway.url).send('/batches/b-1');
  expect(text).toContain('<bdi>محمد</bdi> <bdi>00020005</bdi>');
});

it('a browser gets a page for an address that is none, and a program the document of the API', async () => {
  const gateway = await openGateway();
  const visit = new Visit(gateway.url);
  for (const path of ['/batchs', '/batches/1/2/3', '/sign-in', '/v1/nothing', '/assets/../x', '/%00']) {
    const page = await visit.send(path, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
    expect([path, page.status, page.headers['content-type']]).toEqual([path, 404, 'text/html; charset=utf-8']);
    expect(page.text).toContain('There is no such page.');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    const { status, text } = await visit.send(path);
    expect([path, status, JSON.parse(text).error.code]).toEqual([path, 404, 'no-such-route']);
  }
  const answers = ['/healthz', '/openapi.json', '/v1/batches'].map((path) =>
    visit.send(path, { headers: { accept: 'text/html' } }),
  );
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200]);
});
