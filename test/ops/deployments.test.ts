import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { openClusterHome } from '../../scripts/cluster/home.ts';
import { gateway, worker } from '../../scripts/cluster/product.ts';
import { accessOf } from '../../src/compose/gateway.ts';
import { gatewayTransport } from '../../src/compose/gateway-settings.ts';
import { assertPolicy, type Config, loadConfig } from '../../src/config.ts';
import { assertTokenIfReachable } from '../../src/gateway/server.ts';
import { assertEncrypted } from '../../src/gateway/transport.ts';
import { documentText } from '../docs/markdown.ts';

/** A worker or gateway as one of our deployments starts it. */
interface Deployed {
  name: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

const ROOT = new URL('../../', import.meta.url).pathname;
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const production = documentText('docs/production.md');
const folder = mkdtempSync(join(tmpdir(), 'payouts-deployments-'));
afterAll(() => rmSync(folder, { recursive: true }));

const POLICY = JSON.stringify({ version: 1, people: [{ name: 'alice', roles: ['maker'], scope: {} }] });

/** Files as the steps of a deployment make them, in a folder of their own. */
function filesOf(name: string, ...steps: string[]): string {
  const files = join(folder, name);
  mkdirSync(files);
  for (const step of steps) execFileSync('sh', ['-c', step], { cwd: ROOT, env: { ...process.env, files } });
  return files;
}

/** An environment in which files are where this machine has them; `mounted`: by the path at which the deployment has them. */
const onThisMachine = (env: object, mounted: ReadonlyMap<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, mounted.get(`${value}`) ?? `${value}`]));

function ofCompose(): Deployed[] {
  const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
    services: Record<string, { command?: string[]; environment?: object; secrets?: string[] }>;
  };
  const files = filesOf('compose', 'sh ops/secrets.sh "$files"', 'sh ops/trial-policy.sh "$files"');
  return Object.entries(services)
    .filter(([, { command = [] }]) => /^(worker|gateway)$/.test(command[0] ?? ''))
    .map(([name, { command: args = [], environment = {}, secrets = [] }]) => {
      const mounted = new Map(secrets.map((secret) => [`/run/secrets/${secret}`, join(files, secret)]));
      return { name: `compose ${name}`, args, env: onThisMachine(environment, mounted) };
    });
}

/** Secrets as the steps on the page make them, with the address of PostgreSQL that it gives; the policy is written by people. */
function productionFiles(name: string): string {
  const [address] = /^ *printf 'postgres:.*$/m.exec(production) ?? [''];
  const files = filesOf(
    name,
    'sh ops/secrets.sh "$files"',
    address.replaceAll('/etc/payouts/secrets', '"$files"'),
    'chmod 600 "$files"/*',
  );
  writeFileSync(join(files, 'policy.json'), POLICY, { mode: 0o600 });
  return files;
}

function ofSystemd(): Deployed[] {
  const files = productionFiles('systemd');
  const [, shared = ''] = /> \/etc\/payouts\/payouts\.env <<'END'\n([\s\S]*?)\n *END$/m.exec(production) ?? [];
  const settings = (text: string) => [...text.matchAll(/\b((?:PAYOUTS|TEMPORAL)_\w+)=(\S*)/g)].map(([, ...it]) => it);
  return globSync('ops/systemd/payouts-*.service', { cwd: ROOT }).flatMap((path) => {
    const unit = read(path);
    const credentials = [...unit.matchAll(/^LoadCredential=([\w-]+):\/etc\/payouts\/secrets\/([\w-]+)$/gm)];
    const mounted = new Map([
      ...credentials.map(([, id, file = '']) => [`%d/${id}`, join(files, file)] as const),
      ['/etc/payouts/policy.json', join(files, 'policy.json')],
    ]);
    const own = [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, line = '']) => settings(line));
    const [, command = ''] = /^ExecStart=\S+ \S+payouts\.mjs (.*)$/m.exec(unit) ?? [];
    const instances = path.includes('@') ? [...production.matchAll(/payouts-worker@(\d+)/g)] : [['', '']];
    return [...new Set(instances.map(([, instance = '']) => instance))].map((instance) => ({
      name: `systemd ${basename(path, '.service')}${instance}`,
      args: command.split(' '),
      env: onThisMachine(
        Object.fromEntries([...own.map(([key, value]) => [key, value?.replace('%i', instance)]), ...settings(shared)]),
        mounted,
      ),
    }));
  });
}

interface Deployment {
  kind: string;
  metadata: { name: string };
  data: Record<string, string>;
  spec: {
    template: {
      spec: {
        containers: {
          args: string[];
          env: { name: string; value: string }[];
          volumeMounts: { name: string; mountPath: string }[];
        }[];
        volumes: { name: string; secret?: { secretName: string } }[];
      };
    };
  };
}

const manifests = (): Deployment[] =>
  globSync('ops/kubernetes/*.yaml', { cwd: ROOT }).flatMap((path) =>
    parseAllDocuments(read(path)).map((document) => document.toJS() as Deployment),
  );

const KEY_OF_OPTION: Readonly<Record<string, string>> = { cert: 'tls.crt', key: 'tls.key' };

/** Keys of the secrets that the page has people create, and the files that they are made of. */
function kubernetesSecrets(): Map<string, [key: string, file: string][]> {
  const commands = [...production.matchAll(/create secret (?:generic|tls) ([\w-]+)((?: .*\\\n)* .*)$/gm)];
  return new Map(
    commands.map(([, name = '', options = '']) => [
      name,
      [...options.matchAll(/--(from-file|cert|key)=(?:[\w-]+\/)?([\w.-]+)/g)].map(([, option = '', file = '']) => [
        KEY_OF_OPTION[option] ?? file,
        file,
      ]),
    ]),
  );
}

function ofKubernetes(): Deployed[] {
  const files = productionFiles('kubernetes');
  const secrets = kubernetesSecrets();
  const shared = manifests().find(({ kind }) => kind === 'ConfigMap')?.data;
  return manifests()
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ metadata, spec: { template } }) => {
      const { containers, volumes } = template.spec;
      const [container] = containers;
      const mounted = new Map(
        (container?.volumeMounts ?? []).flatMap(({ name, mountPath }) =>
          (secrets.get(volumes.find((it) => it.name === name)?.secret?.secretName ?? '') ?? []).map(
            ([key, file]) => [join(mountPath, key), join(files, file)] as const,
          ),
        ),
      );
      const own = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]));
      const env = onThisMachine({ ...shared, ...own }, mounted);
      return { name: `kubernetes ${metadata.name}`, args: container?.args ?? [], env };
    });
}

/** The parts of `npm run cluster`, which are processes of this machine. */
async function ofCluster(): Promise<Deployed[]> {
  const home = await openClusterHome(join(folder, 'cluster'));
  const options = { home, env: {}, own: {}, say() {} };
  return [worker(1, options), worker(2, options), gateway(options)].map(({ name, spec: { args, env } }) => ({
    name: `cluster ${name}`,
    args: args.slice(1),
    env,
  }));
}

/** As `payouts gateway` takes them. */
const LISTEN = { host: { type: 'string', default: '127.0.0.1' }, port: { type: 'string' } } as const;

/** What a worker or gateway asks of its settings before it connects to anything. */
function assertStarts({ args, env }: Deployed): Config {
  const config = loadConfig(env);
  assertPolicy(config);
  if (args[0] === 'worker') return config;
  const { host } = parseArgs({ args: args.slice(1), options: LISTEN }).values;
  assertTokenIfReachable(accessOf(config), host);
  assertEncrypted(config.gateway, host);
  gatewayTransport(config);
  return config;
}

const ofMachine = ofSystemd();
const deployed = [...ofCompose(), ...ofMachine, ...ofKubernetes(), ...(await ofCluster())];

describe('a worker or gateway with the settings as shipped', () => {
  it('is there in each deployment', () => {
    expect(deployed.map(({ name, args }) => `${name}: ${args[0]}`)).toEqual([
      'compose worker: worker',
      'compose workers: worker',
      'compose gateway: gateway',
      'systemd payouts-gateway: gateway',
      'systemd payouts-worker@9464: worker',
      'systemd payouts-worker@9465: worker',
      'kubernetes gateway: gateway',
      'kubernetes workers: worker',
      'cluster worker-1: worker',
      'cluster worker-2: worker',
      'cluster gateway: gateway',
    ]);
  });

  it.each(deployed)('starts: $name', (process) => {
    expect(() => assertStarts(process)).not.toThrow();
  });

  it.each(deployed)('serves all figures of the alarms where Prometheus can get them: $name', ({ name, args, env }) => {
    const { worker, gateway, temporal } = loadConfig(env).metrics;
    const own = args[0] === 'worker' ? worker : gateway;
    const host = /^(systemd|cluster)/.test(name) ? '127.0.0.1' : '0.0.0.0';
    expect([own?.host, temporal?.host]).toEqual([host, host]);
  });

  it('has ports of its own beside the others on its machine', () => {
    const ports = ofMachine.flatMap(({ args, env }) => {
      const { worker, gateway, temporal } = loadConfig(env).metrics;
      return [args[0] === 'worker' ? worker?.port : gateway?.port, temporal?.port];
    });
    expect(new Set(ports).size).toBe(6);
    for (const port of ports) expect(documentText('docs/observability.md')).toContain(`127.0.0.1:${port}`);
  });
});

it('asks PostgreSQL on another machine for its certificate, as the product does', () => {
  const places = [...production.matchAll(/SQL_HOST=\S+( |\\n)SQL_PORT=5432( |\\n)(\S*?)( |\\n)/g)];
  expect(places.map(([, , , next]) => next)).toEqual(['SQL_TLS=true', 'SQL_TLS=true']);
  const server = read('ops/temporal/server/cluster.yaml');
  const sealed = /tls:\n +enabled: \{\{ env "SQL_TLS" \| default "false" \}\}\n +enableHostVerification: true\n/g;
  expect(server.match(sealed)?.length).toBe(server.match(/pluginName: postgres12/g)?.length);
});

it('lets no server stand in for Temporal before its Web UI once that has a certificate', () => {
  expect(parse(read('ops/temporal/ui/cluster.yaml').replaceAll(/\{\{.*?\}\}/g, 'x')).tls).toEqual({
    enableHostVerification: true,
  });
});
