import { join } from 'node:path';
import { ServiceError } from '@temporalio/client';
import { expect, it } from 'vitest';
import { pull, replay } from '../../../src/cli/replay-histories.ts';
import type { Session } from '../../../src/cli/session.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import { newFolder } from '../../support/new-folder.ts';

/** A session over a Temporal that lists these executions, and what it has printed. */
function sessionOver(list: () => AsyncIterable<object>) {
  const printed: string[] = [];
  const fetchHistory = async () => ({ events: [] });
  const session = {
    config: loadConfig({}),
    output: { progress: () => undefined, result: (_: unknown, text: string) => printed.push(text) },
    stack: async () => undefined,
    client: async () => ({ workflow: { list, getHandle: () => ({ fetchHistory }) } }),
  } as unknown as Session;
  return { session, printed };
}

const folderNamed = (name: string): string => join(newFolder(), name);

it('a folder whose name a shell would split is quoted in the next command', async () => {
  const to = folderNamed("today's histories");
  const { session, printed } = sessionOver(async function* () {
    yield { workflowId: 'payout/1', runId: 'run-1' };
  });
  await pull(session, { to, query: undefined, limit: 10 });
  expect(printed.join()).toContain(`payouts replay '${to.replace("'", "'\\''")}'`);

  const hint = `payouts histories pull --to '${`${to} 2`.replace("'", "'\\''")}' writes the open ones of a namespace to it.`;
  await expect(replay(session, `${to} 2`)).rejects.toMatchObject({ code: 'no-histories', hint });
});

it('where nothing is open, nothing is said to replay', async () => {
  const { session, printed } = sessionOver(async function* () {});
  await pull(session, { to: folderNamed('open'), query: undefined, limit: 10 });
  expect(printed).toEqual([expect.stringMatching(/^0 open workflows in .*\.$/)]);
});

it('a query that Temporal refuses is no Temporal that does not answer', async () => {
  const refusal = Object.assign(new Error('3 INVALID_ARGUMENT'), { code: 3, details: 'invalid query', metadata: {} });
  const next = () => Promise.reject(new ServiceError('Failed to list workflows', { cause: refusal }));
  const { session } = sessionOver(() => ({ [Symbol.asyncIterator]: () => ({ next }) }));
  await expect(pull(session, { to: folderNamed('open'), query: 'Foo = 1', limit: 10 })).rejects.toMatchObject({
    kind: 'usage',
    code: 'query-refused',
  });
});
