import type { Session } from '../../../src/cli/session.ts';
import type { Policy } from '../../../src/domain/authority.ts';
import { Problem } from '../../../src/domain/problem.ts';
import type { Store } from '../../../src/store/store.ts';
import { fakeSession } from '../../support/fake-session.ts';
import { type Reported, refusedOr } from './attack.ts';
import type { ForgeryWorld } from './world.ts';

/** A command of somebody who has come as far as this machine. `policy`: the one that it is shown; `store`: what it works on. */
export function sessionOf(
  { config, opened, product }: ForgeryWorld,
  { policy = config.settings.policy, store = product.store }: { policy?: Policy; store?: Store } = {},
): Session {
  const silent = { result: () => {}, notify: () => {}, say: () => {} };
  const bank = { ...config.bank, kind: 'remote', url: product.sandbox.url };
  return fakeSession({
    config: { ...config, bank, settings: { ...config.settings, policy } },
    output: silent,
    store: async () => store,
    stack: async () => ({ ...opened.stack, owner: false }),
    client: async () => product.client,
    bank: async () => product.bank,
    assertStoreFits: async () => {},
    ui: async () => ({ url: '', namespace: '' }),
  });
}

/** What a command says: a code other than 0, or a problem, is its refusal; one that says no code has done what it was asked. */
export async function commanded(run: () => Promise<unknown>): Promise<Reported> {
  let code: unknown;
  const reported = await refusedOr(
    async () => {
      code = await run();
    },
    (error) => error instanceof Problem,
  );
  return code === undefined || code === 0 ? reported : { refused: `exit ${code}` };
}
