import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { openClusterHome } from '../../../scripts/cluster/home.ts';
import { gateway, worker } from '../../../scripts/cluster/product.ts';
import type { Process } from '../../../src/platform/config/holdings.ts';
import { documentText } from '../markdown.ts';

/** A process of the product as one of our deployments starts it. */
export interface Deployed {
  name: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Files that it can read besides, whether a setting names them or not. */
  mounted: Iterable<string>;
}

const ROOT = new URL('../../../', import.meta.url).pathname;
export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
export const production = documentText('docs/production.md');
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

/** The bank, and commands beside a store of one machine, without a gateway. */
const OF_A_TRIAL = ['sandbox', 'person'];

function ofCompose(): Deployed[] {
  const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
    services: Record<string, { image?: string; command?: string[]; environment?: object; secrets?: string[] }>;
  };
  const files = filesOf('compose', 'sh ops/secrets.sh "$files"', 'sh ops/trial-policy.sh "$files"');
  return Object.entries(services)
    .filter(([name, { image }]) => image?.startsWith('durable-payouts:') && !OF_A_TRIAL.includes(name))
    .map(([name, { command: args = ['person'], environment = {}, secrets = [] }]) => {
      const mounted = new Map(secrets.map((secret) => [`/run/secrets/${secret}`, join(files, secret)]));
      return { name: `compose ${name}`, args, env: onThisMachine(environment, mounted), mounted: mounted.values() };
    });
}

/** Secrets as the steps on the page make them, with the address of PostgreSQL that it gives; the policy is written by people. */
function productionFiles(name: string): string {
  const addresses = [...production.matchAll(/^ *printf 'postgres:.*$/gm)];
  const steps = addresses.map(([line]) => line.replaceAll('/etc/payouts/secrets', '"$files"'));
  const files = filesOf(name, 'sh ops/secrets.sh "$files"', ...steps, 'chmod 600 "$files"/*');
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
    const loaded = new Map(credentials.map(([, id, file = '']) => [`%d/${id}`, join(files, file)] as const));
    const mounted = new Map([...loaded, ['/etc/payouts/policy.json', join(files, 'policy.json')]]);
    const own = [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, line = '']) => settings(line));
    const [, command = ''] = /^ExecStart=\S+ \S+payouts\.mjs (.*)$/m.exec(unit) ?? [];
    const instances = path.includes('@') ? [...production.matchAll(/payouts-worker@(\d+)/g)] : [['', '']];
    return [...new Set(instances.map(([, instance = '']) => instance))].map((instance) => ({
      name: `systemd ${basename(path, '.service')}${instance}`,
      args: command.split(' '),
      env: onThisMachine(
        Object.fromEntries([
          ...own.map(([key, value]) => [key, value?.replace('%i', instance)]),
          ...(unit.includes('EnvironmentFile=') ? settings(shared) : []),
        ]),
        mounted,
      ),
      mounted: loaded.values(),
    }));
  });
}

interface Container {
  name: string;
  args: string[];
  envFrom?: object[];
  env: { name: string; value: string }[];
  volumeMounts: { name: string; mountPath: string }[];
}

interface Deployment {
  kind: string;
  metadata: { name: string };
  data: Record<string, string>;
  spec: {
    template: {
      spec: {
        containers: Container[];
        initContainers?: Container[];
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
    .flatMap(({ spec: { template } }) => {
      const { containers, initContainers = [], volumes } = template.spec;
      return [...initContainers, ...containers].map(({ name, args, envFrom, env = [], volumeMounts }) => {
        const mounted = new Map(
          volumeMounts.flatMap(({ name: volume, mountPath }) =>
            (secrets.get(volumes.find((it) => it.name === volume)?.secret?.secretName ?? '') ?? []).map(
              ([key, file]) => [join(mountPath, key), join(files, file)] as const,
            ),
          ),
        );
        const own = Object.fromEntries(env.map((it) => [it.name, it.value]));
        return {
          name: `kubernetes ${name}`,
          args,
          env: onThisMachine({ ...(envFrom && shared), ...own }, mounted),
          mounted: mounted.values(),
        };
      });
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
    mounted: [],
  }));
}

export const ofMachine = ofSystemd();
export const deployed = [...ofCompose(), ...ofMachine, ...ofKubernetes(), ...(await ofCluster())];

export const isService = ({ args }: Deployed): boolean => args[0] === 'worker' || args[0] === 'gateway';
export const services = deployed.filter(isService);

/** What a process is, by its command. */
export function processOf({ args: [command = ''], env }: Deployed): Process {
  if (command !== 'gateway') return command as Process;
  return env.PAYOUTS_BANK_READS_FROM === undefined ? 'card-gateway' : 'gateway';
}
