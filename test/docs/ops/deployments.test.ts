import { parseArgs } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { gatewayTransport } from '../../../src/channels/http/gateway.ts';
import { tokenAccess } from '../../../src/channels/http/gateway-app.ts';
import { assertEncrypted, assertTokenIfReachable } from '../../../src/channels/http/gateway-server.ts';
import { assertSends } from '../../../src/platform/config/bank.ts';
import { assertPolicy, type Config, loadConfig } from '../../../src/platform/config.ts';
import { documentText } from '../markdown.ts';
import { type Deployed, deployed, isService, ofMachine, production, read, services } from './deployed.ts';

/** As `payouts gateway` takes them. */
const LISTEN = { host: { type: 'string', default: '127.0.0.1' }, port: { type: 'string' } } as const;

/** What a worker or gateway asks of its settings before it connects to anything. */
function assertStarts({ args, env }: Deployed): Config {
  const config = loadConfig(env);
  assertPolicy(config);
  if (args[0] === 'worker') assertSends(config);
  if (args[0] !== 'gateway') return config;
  const { host } = parseArgs({ args: args.slice(1), options: LISTEN }).values;
  assertTokenIfReachable(tokenAccess(config), host);
  assertEncrypted(config.gateway, host);
  gatewayTransport(config);
  return config;
}

describe('a worker or gateway with the settings as shipped', () => {
  it('is there in each deployment', () => {
    expect(deployed.map(({ name, args }) => `${name}: ${args[0]}`)).toEqual([
      'compose worker: worker',
      'compose store-tables: migrate',
      'compose workers: worker',
      'compose gateway: gateway',
      'compose alice: person',
      'compose bob: person',
      'systemd payouts-gateway: gateway',
      'systemd payouts-store-tables: migrate',
      'systemd payouts-worker@9464: worker',
      'systemd payouts-worker@9465: worker',
      'kubernetes gateway: gateway',
      'kubernetes store-tables: migrate',
      'kubernetes worker: worker',
      'cluster worker-1: worker',
      'cluster worker-2: worker',
      'cluster gateway: gateway',
    ]);
  });

  it.each(deployed)('starts: $name', (process) => {
    expect(() => assertStarts(process)).not.toThrow();
  });

  it.each(services)('serves all figures of the alarms where Prometheus can get them: $name', ({ name, args, env }) => {
    const { worker, gateway, temporal } = loadConfig(env).metrics;
    const own = args[0] === 'worker' ? worker : gateway;
    const host = /^(systemd|cluster)/.test(name) ? '127.0.0.1' : '0.0.0.0';
    expect([own?.host, temporal?.host]).toEqual([host, host]);
  });

  it('has ports of its own beside the others on its machine', () => {
    const ports = ofMachine.filter(isService).flatMap(({ args, env }) => {
      const { worker, gateway, temporal } = loadConfig(env).metrics;
      return [args[0] === 'worker' ? worker?.port : gateway?.port, temporal?.port];
    });
    expect(new Set(ports).size).toBe(6);
    for (const port of ports) expect(documentText('docs/operations.md')).toContain(`127.0.0.1:${port}`);
  });
});

it('asks PostgreSQL on another machine for its certificate, as the product does', () => {
  const places = [...production.matchAll(/SQL_HOST=\S+( |\\n)SQL_PORT=5432( |\\n)(\S*?)( |\\n)/g)];
  expect(places.map(([, , , next]) => next)).toEqual(['SQL_TLS=true', 'SQL_TLS=true']);
  const server = read('ops/temporal/server/cluster.yaml');
  const sealed = /tls:\n +enabled: \{\{ env "SQL_TLS" \| default "false" \}\}\n +enableHostVerification: true\n/g;
  expect(server.match(sealed)?.length).toBe(server.match(/pluginName: postgres12/g)?.length);
});

it('lets no server pose as Temporal before its Web UI once that has a certificate', () => {
  expect(parse(read('ops/temporal/ui/cluster.yaml').replaceAll(/\{\{.*?\}\}/g, 'x')).tls).toEqual({
    enableHostVerification: true,
  });
});
