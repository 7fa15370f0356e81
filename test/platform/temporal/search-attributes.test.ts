import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { judgeTemporal } from '../../../src/cli/doctor.ts';
import { SEARCH_ATTRIBUTES } from '../../../src/domain/names.ts';
import { temporalCli } from '../../../src/platform/embedded/cli-path.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../../../src/platform/embedded/server.ts';
import {
  areRefused,
  ensureSearchAttributes,
  SearchAttributeConflictError,
} from '../../../src/platform/temporal/namespace.ts';
import { codecKeys } from '../../support/codec-keys.ts';
import { makeNamespace } from '../../support/namespace.ts';
import { withoutOperatorService } from '../../support/no-operator-service.ts';
import { ownPort } from '../../support/own-port.ts';

let home: string;
let server: EmbeddedServer;
let connection: Connection;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'payouts-attributes-'));
  const [temporal, ui] = [await ownPort(), await ownPort()];
  server = await startEmbeddedServer({
    cliPath: temporalCli(process.env).path,
    dbFile: join(home, 'temporal.sqlite'),
    logFile: join(home, 'temporal.log'),
    port: temporal,
    uiPort: ui,
    uiFolder: join(home, 'ui'),
    codecKeys: codecKeys(),
  });
  connection = await Connection.connect({ address: server.address });
});

afterAll(async () => {
  await connection.close();
  await server.stop();
  rmSync(home, { recursive: true });
});

const attributesOf = async (namespace: string) =>
  (await connection.operatorService.listSearchAttributes({ namespace })).customAttributes ?? {};

/** A namespace without any attribute of ours, once the server sees it. */
async function newNamespace(namespace: string): Promise<void> {
  await makeNamespace(connection, namespace);
  await expect.poll(() => attributesOf(namespace)).toBeDefined();
}

it('are registered where they are missing, by two processes at once without harm', async () => {
  await newNamespace('fresh');
  expect(Object.keys(await attributesOf('fresh'))).not.toContain('PayoutState');
  await Promise.all([ensureSearchAttributes(connection, 'fresh'), ensureSearchAttributes(connection, 'fresh')]);
  expect(Object.keys(await attributesOf('fresh'))).toEqual(expect.arrayContaining(Object.keys(SEARCH_ATTRIBUTES)));
});

it.each(['by us', 'before'])(
  'that were registered %s are waited for while the server lists them and refuses what uses them',
  async (when) => {
    const namespace = `slow-${when.replace(' ', '-')}`;
    await newNamespace(namespace);
    if (when === 'before') await ensureSearchAttributes(connection, namespace);
    // As the client reports an INVALID_ARGUMENT.
    const refusal = { code: 3, details: 'no mapping defined for search attribute', metadata: {} };
    let asked = 0;
    const countWorkflowExecutions = async (request: object) => {
      asked += 1;
      if (asked < 3) throw Object.assign(new Error(refusal.details), refusal);
      return connection.workflowService.countWorkflowExecutions(request);
    };
    const { operatorService } = connection;
    const slow = { operatorService, workflowService: { countWorkflowExecutions } } as unknown as Connection;
    await ensureSearchAttributes(slow, namespace);
    expect(asked).toBeGreaterThanOrEqual(3);
  },
);

it('are reported when one exists with another type', async () => {
  await newNamespace('foreign');
  const text = 1;
  await connection.operatorService.addSearchAttributes({
    namespace: 'foreign',
    searchAttributes: { PayoutState: text },
  });
  await expect.poll(() => attributesOf('foreign')).toHaveProperty('PayoutState');
  await expect(ensureSearchAttributes(connection, 'foreign')).rejects.toThrow(SearchAttributeConflictError);
});

it('are reported by doctor where they are missing', async () => {
  await newNamespace('bare');
  const place = { namespace: 'bare', temporalAddress: server.address };
  const { verdict, detail } = (await judgeTemporal(connection, place)) as { verdict: string; detail: string };
  expect([verdict, detail]).toEqual([
    'failed',
    expect.stringMatching(/0 workers polling; .* missing: PayoutBatchId, .*/),
  ]);
  await ensureSearchAttributes(connection, 'bare');
  expect(await judgeTemporal(connection, place)).toMatch(/, server [\d.]+, 0 workers polling$/);
});

it('are nothing that a worker or doctor ends for where the server does not show them, as Temporal Cloud', async () => {
  const cloud = await withoutOperatorService(server.address);
  onTestFinished(() => cloud.close());
  const remote = await Connection.connect({ address: cloud.address });
  onTestFinished(() => remote.close());
  const refusal = await ensureSearchAttributes(remote, 'default').catch((error: unknown) => error);
  expect([refusal, areRefused(refusal)]).toEqual([expect.any(Error), true]);
  expect(areRefused(new SearchAttributeConflictError('another type'))).toBe(false);
  const place = { namespace: 'default', temporalAddress: cloud.address };
  expect(await judgeTemporal(remote, place)).toMatchObject({
    verdict: 'warning',
    detail: expect.stringContaining('0 workers polling; it does not show its search attributes'),
  });
});
