import { afterEach, describe, expect, it } from 'vitest';
import type { Role, Scope } from '../../../src/domain/authority.ts';
import { policyWithTokens } from './policy-with-tokens.ts';
import { openGateway, type RunningGateway } from './running-gateway.ts';

let gateway: RunningGateway | undefined;
afterEach(async () => {
  await gateway?.close();
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const CLEAR = { payloads: [{ metadata: { encoding: base64('json/plain') }, data: base64('{"by":"bob"}') }] };
const UI = 'http://temporal-ui.example';
const FOR = { 'x-namespace': 'payouts', 'x-workflow-id': 'payout/1' };

async function ask(path: string, { headers = {}, body = CLEAR as unknown, method = 'POST' } = {}) {
  const response = await fetch(`${gateway?.url}${path}`, {
    method,
    headers,
    ...(method === 'POST' && {
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, document: text === '' ? undefined : JSON.parse(text) };
}

it('encodes for the workflow that is named, and decodes under either path', async () => {
  gateway = await openGateway();
  const { status, document } = await ask('/codec/encode', { headers: FOR });
  expect(status).toBe(200);
  expect(JSON.stringify(document)).not.toContain(CLEAR.payloads[0]?.data);
  expect((await ask('/codec/decode', { body: document })).document).toEqual(CLEAR);
  expect((await ask('/codec/payouts/decode', { body: document })).document).toEqual(CLEAR);
});

it('encodes for the namespace of the path, and for none where the header names another', async () => {
  gateway = await openGateway();
  const headers = { 'x-workflow-id': 'payout/1' };
  expect((await ask('/codec/payouts/encode', { headers })).status).toBe(200);
  expect((await ask('/codec/encode', { headers })).document).toMatchObject({ error: { code: 'codec-namespace' } });
  const differs = await ask('/codec/payouts/encode', { headers: { ...headers, 'x-namespace': 'other' } });
  expect(differs).toMatchObject({ status: 400, document: { error: { code: 'codec-namespace' } } });
});

it('refuses to encode for no workflow, and what holds no payloads', async () => {
  gateway = await openGateway();
  const nowhere = { 'x-namespace': 'payouts' };
  expect(await ask('/codec/encode', { headers: nowhere })).toMatchObject({
    status: 400,
    document: { error: { code: 'codec-place' } },
  });
  expect(await ask('/codec/decode', { body: { payloads: [{ metadata: 1 }] } })).toMatchObject({ status: 400 });
});

it('answers pages of the Temporal Web UI, and of nobody else', async () => {
  gateway = await openGateway();
  const decoded = await ask('/codec/decode', { headers: { origin: UI } });
  expect(decoded.status).toBe(200);
  expect(decoded.headers.get('access-control-allow-origin')).toBe(UI);
  const asked = await ask('/codec/decode', { method: 'OPTIONS', headers: { origin: UI } });
  expect(asked.status).toBe(204);
  expect(asked.headers.get('access-control-allow-headers')).toContain('x-workflow-id');
  for (const origin of ['http://page.invalid', 'null', `${UI}.invalid`, 'https://temporal-ui.example']) {
    expect((await ask('/codec/decode', { headers: { origin } })).status).toBe(403);
    const refused = await ask('/codec/decode', { method: 'OPTIONS', headers: { origin } });
    expect(refused.status).toBe(403);
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
  }
});

it('asks for a token where the gateway has some', async () => {
  const token = 'a'.repeat(32);
  gateway = await openGateway([{ name: 'erp', token }]);
  for (const origin of [undefined, UI]) {
    const headers = origin === undefined ? {} : { origin };
    expect((await ask('/codec/decode', { headers })).status).toBe(401);
    expect((await ask('/codec/decode', { headers: { ...headers, authorization: `Bearer ${token}` } })).status).toBe(
      200,
    );
  }
});

it('counts what a caller asks, like every other route', async () => {
  const body = { payloads: [] };
  gateway = await openGateway([], { perMinute: 2 });
  const statuses = [];
  for (const path of ['/codec/decode', '/codec/payouts/decode', '/codec/decode']) {
    statuses.push((await ask(path, { body })).status);
  }
  expect(statuses).toEqual([200, 200, 429]);
  expect((await ask('/codec/decode', { method: 'OPTIONS', headers: { origin: UI } })).status).toBe(204);
});

describe('With a policy', () => {
  const everybody: [name: string, roles: Role[], scope?: Scope][] = [
    ['alice', ['maker']],
    ['bob', ['approver']],
    ['carol', ['operator']],
    ['dan', ['operator'], { uids: ['u-9999'] }],
    ['erin', ['auditor']],
  ];

  it('only who may see everything decodes, and only an operator encodes', async () => {
    gateway = await openGateway([], { policy: policyWithTokens(everybody) });
    const statuses = async (name: string): Promise<number[]> => {
      const headers = { ...FOR, authorization: `Bearer ${name}` };
      return [(await ask('/codec/decode', { headers })).status, (await ask('/codec/encode', { headers })).status];
    };
    const answers: Record<string, number[]> = {};
    for (const [name] of everybody) answers[name] = await statuses(name);
    const refused = [403, 403];
    expect(answers).toEqual({ alice: refused, bob: refused, carol: [200, 200], dan: refused, erin: [200, 403] });
  });

  it('what is encoded, or was refused, is in the audit', async () => {
    gateway = await openGateway([], { policy: policyWithTokens(everybody) });
    const as = (name: string) => ({ headers: { ...FOR, authorization: `Bearer ${name}` } });
    await ask('/codec/encode', as('carol'));
    await ask('/codec/encode', as('erin'));
    const { store } = gateway.app;
    expect(await store.auditEntriesOf('1')).toMatchObject([
      { actor: 'carol', action: 'payloads encoded', detail: { workflow: 'payout/1', payloads: '1' } },
    ]);
    expect(await store.auditEntriesOf('gateway')).toMatchObject([{ actor: 'erin', action: 'refused' }]);
  });
});
