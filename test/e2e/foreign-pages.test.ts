import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { type CommandHome, openCommandHome, type Process } from '../support/command.ts';
import { listeningPorts } from '../support/listening-ports.ts';
import { until } from '../support/until.ts';
import { batchOf } from './documents.ts';
import { csvOf, IN_AUDIT } from './payout-files.ts';

/** A page of another site, open in a browser on the machine of a stack whose payout waits for an approval. */

const REFERENCE = referenceOf('u-1001', 'PAGE-1');
/** What an answer would give away. */
const OURS = [REFERENCE, 'PAGE-1', 'u-1001', 'acc-u1001'];
const SIGNAL_MS = 3_000;
/** Some ports answer nothing that a page sends; where an answer is expected, a busy machine has time for it. */
const [SILENT_MS, AMPLE_MS] = [2_000, 60_000];

let home: CommandHome;
let dev: Process;
let ports: number[];

beforeAll(async () => {
  home = openCommandHome();
  dev = home.start('dev');
  await dev.says(/Up until Ctrl-C/);
  const file = home.file('page.csv', csvOf([{ id: 'PAGE-1', ...IN_AUDIT }]));
  batchOf(await home.payouts('run', file, '--yes', '--detach', '--json'));
  await until(async () => (await stateOf()) === 'awaiting-bank-approval');
  ports = [dev.pid, home.stack()?.temporalPid ?? 0].flatMap(listeningPorts);
});

afterAll(() => home.close());

async function stateOf(): Promise<string> {
  const { stdout } = await home.payouts('status', 'PAGE-1', '--json');
  return (JSON.parse(stdout) as { payout?: { state: string } }).payout?.state ?? '';
}

async function batchOperations(): Promise<unknown[]> {
  const { stdout } = await home.temporal('batch', 'list', '--output', 'json');
  return JSON.parse(stdout || '[]') as unknown[];
}

interface Sent {
  status: number;
  body: string;
}

/** undefined: nothing that speaks HTTP answered. */
function send(
  port: number,
  path: string,
  headers: Record<string, string>,
  { body, timeout = SILENT_MS }: { body?: string; timeout?: number } = {},
): Promise<Sent | undefined> {
  return new Promise((resolve) => {
    const method = body === undefined ? 'GET' : 'POST';
    const outgoing = request({ host: '127.0.0.1', port, path, method, headers, timeout }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', () => resolve(undefined));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body: `${Buffer.concat(chunks)}` }));
    });
    outgoing.once('error', () => resolve(undefined)).once('timeout', () => outgoing.destroy());
    outgoing.end(body);
  });
}

/** Every payout that runs is signalled: what a page can send without asking first has the type text/plain. */
function approval(by: string): { path: string; body: string; type: Record<string, string> } {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const payload = { metadata: { encoding: base64('json/plain') }, data: base64(JSON.stringify({ by })) };
  const jobId = randomUUID();
  return {
    path: `/api/v1/namespaces/default/batch-operations/${jobId}`,
    type: { 'content-type': 'text/plain' },
    body: JSON.stringify({
      jobId,
      reason: 'a page',
      visibilityQuery: "WorkflowType='payout' AND ExecutionStatus='Running'",
      signalOperation: { signal: 'approve', input: { payloads: [payload] } },
    }),
  };
}

const READS = [
  '/api/v1/namespaces/default/workflows',
  '/namespaces/default/workflows',
  `/api/v1/namespaces/default/workflows/${encodeURIComponent(`payout/${REFERENCE}`)}/history`,
  '/%61pi/v1/namespaces/default/workflows',
  '//api/v1/namespaces/default/workflows',
  '/./api/v1/namespaces/default/workflows',
  '/api/api/v1/namespaces/default/workflows',
  '/apiapi%2Fv1%2Fnamespaces%2Fdefault%2Fworkflows/',
  // As a browser would ask a forward proxy.
  'http://page.invalid/api/v1/namespaces/default/workflows',
  '/v1/batches',
  '/v1/payouts',
  '/__sandbox/state',
  '/metrics',
  '/nexus/endpoints/none/services/s/o',
  '/namespaces/default/task-queues/payouts/nexus-services/s/o',
];

const pageOf = (name: string, port: number): Record<string, string> => ({
  host: `${name}:${port}`,
  origin: `http://${name}:${port}`,
});

/** A page that asks across origins, one whose name leads to this machine, and one without an origin. */
const pages = (port: number): Record<string, string>[] => [
  { host: `127.0.0.1:${port}`, origin: 'http://page.invalid' },
  { host: `127.0.0.1:${port}`, origin: 'null' },
  pageOf('page.invalid', port),
  pageOf('none.invalid', port),
  { host: `page.invalid:${port}` },
];

// Its own page moves what the others could not: afterwards.
describe('a page', { shuffle: false }, () => {
  describe('of another site', () => {
    it('reads nothing of ours on any port of the stack', async () => {
      expect(ports.length).toBeGreaterThanOrEqual(6);
      for (const port of ports)
        for (const headers of pages(port))
          for (const path of READS) {
            // An origin of another site is refused its answer by the browser, where the answer does not allow it.
            const answer = await send(port, path, headers);
            const shown = OURS.filter((ours) => answer?.body.includes(ours));
            expect({ port, path, headers, shown }).toEqual({ port, path, headers, shown: [] });
          }
    });

    it('moves nothing on any port of the stack', async () => {
      for (const port of ports)
        for (const headers of pages(port)) {
          const { path, body, type } = approval('mallory');
          const nexus = '/namespaces/default/task-queues/payouts/nexus-services/s/o';
          for (const at of [path, path.replace('/api/v1', ''), path.replace('/api', '/%61pi'), nexus]) {
            const answer = await send(port, at, { ...headers, ...type }, { body });
            expect({ port, at, headers, status: answer?.status ?? 0 }).not.toMatchObject({ status: 200 });
          }
        }
      await pause(SIGNAL_MS);
      expect(await stateOf()).toBe('awaiting-bank-approval');
      expect(await batchOperations()).toEqual([]);
    });
  });

  describe("of the Web UI's own", () => {
    const ui = () => {
      const { host, port, origin } = new URL(home.stack()?.uiUrl ?? '');
      return { port: Number(port), headers: { host, origin } };
    };
    const asked = (port: number, path: string, headers: Record<string, string>, body?: string) =>
      send(port, path, headers, { ...(body === undefined ? {} : { body }), timeout: AMPLE_MS });

    it('is shown with its files, its Markdown and what it reads', async () => {
      const { port, headers } = ui();
      const page = await asked(port, `/namespaces/default/workflows`, { host: headers.host });
      const [file = ''] = /\/_app\/immutable\/entry\/start[^"]*/.exec(page?.body ?? '') ?? [];
      expect(page?.body).toContain('base: ""');
      expect((await asked(port, file, headers))?.status).toBe(200);
      expect((await asked(port, '/render?content=**a%2Fb**', headers))?.body).toContain('<strong>a/b</strong>');
      expect(JSON.parse((await asked(port, '/api/v1/settings', headers))?.body ?? '')).toMatchObject({
        DefaultNamespace: 'default',
      });
      expect((await asked(port, READS[0] ?? '', headers))?.body).toContain(REFERENCE);
    });

    it('moves what the other pages could not, with the same request', async () => {
      const { port, headers } = ui();
      const { path, body, type } = approval('alice');
      expect((await asked(port, path, { ...headers, ...type }, body))?.status).toBe(200);
      await until(async () => (await batchOperations()).length === 1);
    });
  });
});
