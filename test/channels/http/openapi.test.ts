import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import core from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { expect, it } from 'vitest';
import { OPERATIONS } from '../../../src/channels/http/operations/all.ts';
import { ROOT } from '../../docs/architecture/sources.ts';
import { documentText } from '../../docs/markdown.ts';
import { openGateway } from './running-gateway.ts';

const FILE = 'docs/openapi.json';
const written = documentText(FILE);

it(`is what ${FILE} has; -u writes it`, async () => {
  const { send } = await openGateway();
  const document = `${JSON.stringify((await send('/openapi.json')).document, null, 1)}\n`;
  await expect(document).toMatchFileSnapshot(join(ROOT, FILE));
});

it('is small: under 80 kB as it is sent, which is in the bytes of its body before any compression', async () => {
  const { url } = await openGateway();
  const answer = await fetch(`${url}/openapi.json`, { headers: { 'accept-encoding': 'identity' } });
  expect(answer.headers.get('content-encoding')).toBeNull();
  expect((await answer.arrayBuffer()).byteLength).toBeLessThan(80_000);
});

it('spectral has nothing to say about it', async () => {
  const spectral = new core.Spectral();
  spectral.setRuleset({ extends: [rulesets.oas] } as never);
  const found = await spectral.run(written);
  expect(found.map(({ code, path, message }) => `${code} ${path.join('.')}: ${message}`)).toEqual([]);
});

it('redocly has nothing to say about it', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: written, absoluteRef: 'openapi.json', config });
  expect(problems.map(({ ruleId, message, location: [at] }) => `${ruleId} ${at?.pointer}: ${message}`)).toEqual([]);
});

it('names every operation once, and has every route that a client may call', async () => {
  const { paths } = JSON.parse(written) as { paths: Record<string, Record<string, { operationId: string }>> };
  const ids = Object.values(paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
  expect(new Set(ids).size).toBe(ids.length);
  const described = new Set(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    ),
  );
  const { routes } = await openGateway();
  const ofClients = routes.filter(({ method, url }) => url.startsWith('/v1/') && !['HEAD', 'OPTIONS'].includes(method));
  const missing = ofClients.map(({ method, url }) => `${method} ${url}`).filter((route) => !described.has(route));
  // What only the command reads, which shows by them what other operations answer.
  expect(missing.sort()).toEqual([
    'GET /v1/batches/:id/erp-files/:format',
    'GET /v1/batches/:id/report',
    'GET /v1/batches/:id/summary',
    'GET /v1/payouts/:reference/view',
    'GET /v1/switches/named',
  ]);
  expect(OPERATIONS.filter(({ hide }) => hide === true)).toHaveLength(missing.length);
});
