import { beforeEach, expect, it } from 'vitest';
import { move } from '../../../src/cli/move-actions.ts';
import { formatFindings } from '../../../src/cli/output.ts';
import type { Session } from '../../../src/cli/session.ts';
import { madeDigest, payloadDigest, referenceOf } from '../../../src/domain/identity.ts';
import type { PayoutInstruction } from '../../../src/domain/instruction.ts';
import type { Problem } from '../../../src/domain/problem.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import { fakeSession } from '../../support/fake-session.ts';
import { type FaultProxy, openFaultProxy } from '../../support/fault-proxy.ts';
import { policyOf, signingPerson } from '../../support/people.ts';
import { quickSettings } from '../../support/product.ts';

const alice = signingPerson('alice', ['maker']);
const settings = { ...quickSettings, policy: policyOf([alice]), transferAcrossUsers: true };
const TRANSFER = { id: 'T-1', uid: 'u-1001', from: 'acc-u1001-usd', to: 'acc-u1002-usd', amount: '12.50' };
const SIGNED = {
  id: 'T-1',
  uid: 'u-1001',
  account_id: 'acc-u1001-usd',
  to_account_id: 'acc-u1002-usd',
  amount: '12.50',
};

let proxy: FaultProxy;
/** What a gateway was given to start, and what was shown before. */
let started: { instruction?: object; signed?: object }[];
let shown: string[];

beforeEach(async () => {
  proxy = await openFaultProxy();
  [started, shown] = [[], []];
});

/** A command whose gateway says what `lie` makes of the truth, and starts nothing. */
// biome-ignore lint/suspicious/noExplicitAny: a gateway can answer anything
function sessionOf(lie: (planned: any) => void = () => {}): Session {
  const notify = (text: string) => void shown.push(text);
  const output = { notify, say: notify, result() {}, progress() {} };
  const config = {
    ...loadConfig({ PAYOUTS_HOME: proxy.dir }),
    settings,
    signingKey: { reveal: () => alice.privateKey },
  };
  const here = fakeSession({
    ...{ config, output, store: async () => proxy.store, stack: async () => ({ owner: false }) },
    bank: async () => proxy.bank,
  });
  const carryOut = async (it: { path: string }, input: object): Promise<unknown> => {
    if (it.path === '/v1/moves') {
      started.push(input);
      throw new Error('started');
    }
    const answer = JSON.parse(JSON.stringify(await here.ask(it as never, input as never)));
    if (it.path === '/v1/moves/plan') lie(answer);
    return answer;
  };
  return fakeSession({ config, output, gateway: { carryOut } });
}

const transferring = (session: Session) =>
  move(session, 'transfer', { ...TRANSFER, by: undefined, yes: true, detach: false, timeout: undefined });

it('signs exactly what it shows, and hands over what was typed', async () => {
  await expect(transferring(sessionOf())).rejects.toThrow('started');
  expect(shown[0]).toMatch(/^transfer 12\.50 USD, document T-1\n/);
  expect(started).toMatchObject([
    {
      instruction: SIGNED,
      signed: {
        question: 'make',
        subject: 'alice',
        reference: referenceOf('u-1001', 'T-1', 'transfer'),
        digest: payloadDigest({ ...SIGNED, currency: 'USD' }),
      },
    },
  ]);
});

it('shows and signs its own accounts, amount and document, despite the answers of a gateway about them', async () => {
  const session = sessionOf((planned) => {
    planned.outlook.from.account_id = 'acc-other';
    planned.outlook.to.account_id = 'acc-thief';
    Object.assign(planned, { instruction: { ...SIGNED, amount: '9999.00', to_account_id: 'acc-thief' } });
  });
  await expect(transferring(session)).rejects.toThrow('started');
  expect(shown.join()).not.toMatch(/acc-other|acc-thief|9,?999/);
  expect(started).toMatchObject([{ signed: { digest: payloadDigest({ ...SIGNED, currency: 'USD' }) } }]);
});

it('shows the currency that it signs', async () => {
  const session = sessionOf((planned) => Object.assign(planned.outlook.from, { currency: 'JPY' }));
  await expect(transferring(session)).rejects.toThrow('started');
  expect(shown[0]).toMatch(/^transfer 12\.50 JPY/);
  expect(started).toMatchObject([{ signed: { digest: payloadDigest({ ...SIGNED, currency: 'JPY' }) } }]);
});

it('shows and signs the most that an exchange sells, in the currency of the account', async () => {
  const [from, to] = ['acc-u1001-eur', 'acc-u1001-usd'];
  const typed = { id: 'X-1', uid: 'u-1001', sell: from, buy: to, amount: '100.00', currency: 'USD' };
  const options = { ...typed, by: undefined, yes: true, detach: false, timeout: undefined };
  await expect(move(sessionOf(), 'exchange', options)).rejects.toThrow('started');
  expect(shown[0]).toMatch(/^buy 100\.00 USD for 92\.\d\d EUR at .*\nsells at most 93\.\d\d EUR\n/);
  const instruction = {
    ...{ id: 'X-1', uid: 'u-1001', account_id: from, to_account_id: to, amount: '100.00', currency: 'USD' },
    ...{ sell_currency: 'EUR', max_rate: expect.stringMatching(/^0\.93/) },
  };
  expect(started).toMatchObject([{ instruction }]);
  const [{ instruction: given, signed }] = started as [{ instruction: PayoutInstruction; signed: object }];
  expect(signed).toMatchObject({ digest: madeDigest(given) });
});

it('names the option of a finding, no line, and the accounts of the real user', async () => {
  const typed = { ...TRANSFER, to: 'acc-nobody', by: undefined, yes: true, detach: false, timeout: undefined };
  const refused: unknown = await move(sessionOf(), 'transfer', typed).catch((error: unknown) => error);
  expect(formatFindings((refused as Problem).findings)).toBe(
    'command line --to "acc-nobody" account-not-found: the bank does not know this account; `payouts accounts u-1001` shows those of the user',
  );
});
