import type { Client } from '@temporalio/client';
import { expect, it } from 'vitest';
import { cardDeps } from '../../src/compose/gateway-deps.ts';
import { loadConfig } from '../../src/config.ts';
import { GRPC } from '../../src/temporal/grpc-status.ts';
import { CardVault } from '../../src/vault/card-vault.ts';

it.each([
  ['TERMINATED', 'not-started'],
  ['RUNNING', 'silent'],
] as const)(
  'a %s card payment that no worker answers for is %s: a closed one can be started again',
  async (name, is) => {
    const handle = {
      describe: async () => ({ status: { name } }),
      query: async () => {
        throw Object.assign(new Error('no worker has polled'), {
          code: GRPC.FAILED_PRECONDITION,
          details: '',
          metadata: {},
        });
      },
    };
    const client = { withDeadline: (_at: number, ask: () => unknown) => ask(), workflow: { getHandle: () => handle } };
    const vault = new CardVault({ taskQueue: 'payouts-vault/1', lifeMs: 1 });
    const cards = cardDeps(loadConfig({}), client as unknown as Client, vault, []);
    expect(await cards.state('order-1')).toBe(is);
  },
);
