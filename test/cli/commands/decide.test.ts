import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ResolveOptions, resolve } from '../../../src/cli/commands/decide.ts';
import type { Session } from '../../../src/cli/session.ts';
import { because } from '../../../src/domain/reasons.ts';
import type { Store } from '../../../src/store/store.ts';
import { claimRow, payoutClaim } from '../../store/samples.ts';
import { openEmptyStore } from '../../support/empty-store.ts';

const { reference } = claimRow(1, 'doc');

let store: Store;
let text: string;
let asked: unknown[];
let answer: { accepted: boolean; message: string };
let session: Session;

beforeEach(async () => {
  store = await openEmptyStore();
  await store.claimPayout(payoutClaim('doc'));
  await store.changePayout(reference, { state: 'needs-operator', reason: because('order-not-found'), at: 3_000 });
  asked = [];
  // Only what is asked of it: an open workflow that answers one update.
  const handle = {
    describe: async () => ({ status: { name: 'RUNNING' } }),
    executeUpdate: async (_name: string, { args }: { args: unknown[] }) => {
      asked.push(...args);
      return answer;
    },
  };
  session = {
    config: { settings: {} },
    store: async () => store,
    stack: async () => ({ owner: false }),
    client: async () => ({ workflow: { getHandle: () => handle } }),
    output: {
      result(_document: object, shown: string) {
        text = shown;
      },
    },
  } as unknown as Session;
});

afterEach(() => store.close());

const CLOSE: ResolveOptions = {
  action: 'close-as-not-paid',
  evidence: 'letter of 12 May',
  order: undefined,
  yes: true,
  by: 'bob',
};

it('`resolve` hands on who decides and on what evidence, and tells the answer', async () => {
  answer = { accepted: true, message: 'asked; another person confirms' };
  expect(await resolve(session, 'doc', CLOSE)).toBe(0);
  expect(asked).toMatchObject([{ action: 'close-as-not-paid', by: 'bob', evidence: 'letter of 12 May' }]);
  expect(text).toContain('asked; another person confirms');
  await resolve(session, 'doc', { ...CLOSE, by: 'carol' });
  expect(asked).toMatchObject([{ by: 'bob' }, { by: 'carol' }]);
  const entries = await store.auditOf(reference);
  expect(entries).toMatchObject([
    { actor: 'bob', action: 'asked to resolve', detail: { outcome: answer.message } },
    { actor: 'carol', action: 'asked to resolve' },
  ]);
});

it('`resolve` that is refused ends 5, like every decision that is', async () => {
  answer = { accepted: false, message: 'absence is not proven' };
  expect(await resolve(session, 'doc', CLOSE)).toBe(5);
  expect(text).toContain('refused: absence is not proven');
  const detail = { action: 'close-as-not-paid', evidence: 'letter of 12 May', outcome: 'refused', why: answer.message };
  expect((await store.auditOf(reference)).at(-1)).toMatchObject({ actor: 'bob', action: 'asked to resolve', detail });
});
