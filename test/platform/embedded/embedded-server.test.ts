import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SEARCH_ATTRIBUTES } from '../../../src/domain/names.ts';
import { temporalCli } from '../../../src/platform/embedded/cli-path.ts';
import {
  type EmbeddedServer,
  EmbeddedServerError,
  startEmbeddedServer,
} from '../../../src/platform/embedded/server.ts';
import { codecKeys } from '../../support/codec-keys.ts';
import { newFolder } from '../../support/new-folder.ts';
import { ownPort } from '../../support/own-port.ts';

let home: string;
const servers: EmbeddedServer[] = [];

beforeEach(() => {
  home = newFolder();
});

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

async function start(
  dbFile = join(home, 'temporal.sqlite'),
  cliPath = temporalCli(process.env).path,
): Promise<EmbeddedServer> {
  const [temporal, ui] = [await ownPort(), await ownPort()];
  const server = await startEmbeddedServer({
    cliPath,
    dbFile,
    logFile: join(home, 'temporal.log'),
    port: temporal,
    uiPort: ui,
    uiFolder: join(home, 'ui'),
    codecKeys: codecKeys(),
  });
  servers.push(server);
  return server;
}

async function withConnection<T>({ address }: EmbeddedServer, use: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address });
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}

const startWorkflow = (connection: Connection, workflowId: string) =>
  connection.workflowService.startWorkflowExecution({
    namespace: 'default',
    workflowId,
    requestId: workflowId,
    workflowType: { name: 'anything' },
    taskQueue: { name: 'nobody' },
  });

describe('the embedded server', () => {
  it('serves our search attributes, 90 days of retention and a Web UI, and keeps its workflows over a restart', async () => {
    const first = await start();
    await withConnection(first, async (connection) => {
      const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: 'default' });
      expect(Object.keys(customAttributes ?? {})).toEqual(expect.arrayContaining(Object.keys(SEARCH_ATTRIBUTES)));
      const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' });
      expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(90 * 24 * 3_600);
      await startWorkflow(connection, 'kept/1');
    });
    expect((await fetch(first.uiUrl)).status).toBe(200);

    await first.stop();
    await first.exited;
    await withConnection(await start(), async (connection) => {
      const found = await connection.workflowService.describeWorkflowExecution({
        namespace: 'default',
        execution: { workflowId: 'kept/1' },
      });
      expect(found.workflowExecutionInfo?.type?.name).toBe('anything');
    });
  });

  it('starts again if somebody takes a port of its HTTP at the same moment', async () => {
    const cli = join(home, 'temporal');
    const failed = 'could not build arguments for function: '.repeat(30);
    const taken = `${failed}listen tcp 127.0.0.1:6697: bind: address already in use`;
    const text = `#!/bin/sh
echo start >>"${home}/starts"
[ "$(wc -l <"${home}/starts")" -gt 2 ] || { echo "${taken}" >&2; exit 1; }
exec "${temporalCli(process.env).path}" "$@"
`;
    writeFileSync(cli, text, { mode: 0o700 });
    const server = await start(undefined, cli);
    await withConnection(server, (connection) => connection.workflowService.getSystemInfo({}));
    // Or more, where its neighbours on this machine really take one.
    expect(readFileSync(join(home, 'starts'), 'utf8')).toMatch(/^(start\n){3,}$/);
  });

  it('says what the server said when it does not come up', async () => {
    const failure = start(join(home, 'no-such-folder', 'temporal.sqlite'));
    await expect(failure).rejects.toThrow(EmbeddedServerError);
    await expect(failure).rejects.toMatchObject({
      endedAtOnce: true,
      message: expect.stringContaining('no-such-folder'),
    });
  });
});
