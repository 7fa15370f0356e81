import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { CONFIG_KEYS, loadConfig } from '../../../src/platform/config.ts';

interface Probe {
  httpGet: { path: string };
}

interface Container {
  ports: { name: string; containerPort: number }[];
  env?: { name: string }[];
  envFrom?: { configMapRef: { name: string } }[];
  startupProbe?: Probe;
  readinessProbe?: Probe;
  livenessProbe?: Probe;
  securityContext: {
    readOnlyRootFilesystem: boolean;
    allowPrivilegeEscalation: boolean;
    capabilities: { drop: string[] };
  };
}

interface Manifest {
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  spec?: {
    template: {
      spec: {
        containers: Container[];
        initContainers?: Container[];
        securityContext: { runAsNonRoot: boolean };
        terminationGracePeriodSeconds: number;
      };
    };
  };
}

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const root = new URL('../../../', import.meta.url).pathname;
const manifests = globSync('ops/kubernetes/*.yaml', { cwd: root })
  .filter((path) => !path.endsWith('kustomization.yaml'))
  .flatMap((path) => parseAllDocuments(read(path)).map((document) => document.toJS() as Manifest));
const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
const units = globSync('ops/systemd/payouts-*.service', { cwd: root }).map(read);

const isSetting = (name: string): boolean =>
  name.startsWith('TEMPORAL_') || name === 'XDG_STATE_HOME' || name.replace(/_FILE$/, '') in CONFIG_KEYS;

it('sets what the product knows, and nothing else', () => {
  const config = Object.keys(manifests.find(({ kind }) => kind === 'ConfigMap')?.data ?? {});
  const env = deployments.flatMap(({ spec }) => spec?.template.spec.containers.flatMap((it) => it.env ?? []) ?? []);
  const ofUnits = units.flatMap((unit) => [...unit.matchAll(/\b(PAYOUTS_\w+)=/g)].map(([, name]) => name ?? ''));
  const names = [...config, ...env.map(({ name }) => name), ...ofUnits];
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !isSetting(name))).toEqual([]);
});

it('runs workers and gateway without rights, and gives a send the time to end', () => {
  expect(deployments.map(({ metadata }) => metadata.name)).toEqual(['gateway', 'workers']);
  for (const { spec } of deployments) {
    const pod = spec?.template.spec;
    expect(pod?.securityContext.runAsNonRoot).toBe(true);
    expect(pod?.terminationGracePeriodSeconds).toBe(45);
    for (const { securityContext } of [...(pod?.containers ?? []), ...(pod?.initContainers ?? [])]) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  }
  for (const unit of units.filter((it) => !it.includes('Type=oneshot'))) expect(unit).toContain('TimeoutStopSec=45');
});

it('restarts nothing because the bank, the store or Temporal does not answer', () => {
  for (const { spec } of deployments)
    for (const { startupProbe, readinessProbe, livenessProbe } of spec?.template.spec.containers ?? []) {
      const paths = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet.path);
      expect(paths).toEqual(['/healthz', '/healthz', '/readyz']);
    }
});

it('reads the secrets that ops/secrets.sh makes', () => {
  const script = read('ops/secrets.sh');
  const credentials = units.flatMap((unit) =>
    [...unit.matchAll(/^LoadCredential=([\w-]+):/gm)].map(([, name]) => name),
  );
  const mounted = [...read('docs/production.md').matchAll(/secrets\/([a-z][a-z-]+)/g)].map(([, name]) => name);
  for (const name of [...credentials, ...mounted]) expect(script).toMatch(new RegExp(`\\b${name}\\b`));
});

it('lets Prometheus reach the ports that the settings name', () => {
  const { data } = manifests.find(({ kind }) => kind === 'ConfigMap') ?? {};
  const portOf = (name: string): number => Number(data?.[name]?.split(':')[1]);
  const ports = [
    { name: 'metrics', containerPort: portOf('PAYOUTS_METRICS_ADDRESS') },
    { name: 'sdk-metrics', containerPort: portOf('PAYOUTS_TEMPORAL_METRICS_ADDRESS') },
  ];
  expect(portOf('PAYOUTS_GATEWAY_METRICS_ADDRESS')).toBe(portOf('PAYOUTS_METRICS_ADDRESS'));
  for (const { spec } of deployments)
    for (const container of spec?.template.spec.containers ?? [])
      expect(container.ports.filter(({ name }) => !/^(https|bank-reads)$/.test(name))).toEqual(ports);
  const [policy, monitor] = [read('ops/kubernetes/network-policy.yaml'), read('ops/kubernetes/pod-monitor.yaml')];
  for (const { name } of ports) {
    expect(policy).toContain(`port: ${name} }`);
    expect(monitor).toContain(`- port: ${name}\n`);
  }
});

it('lets gateways reach a provider of sign-ins, and nothing else that speaks TLS, only where one is used', () => {
  const [first] = parseAllDocuments(read('ops/kubernetes/sign-in.yaml')).map((document) => document.toJS());
  const policies = parseAllDocuments(read('ops/kubernetes/network-policy.yaml')).map((document) => document.toJS());
  const ofGateways = policies.find(({ metadata }) => metadata.name === 'gateway');
  expect(first.spec).toEqual({
    podSelector: ofGateways.spec.podSelector,
    policyTypes: ['Egress'],
    egress: [{ ports: [{ protocol: 'TCP', port: 443 }] }],
  });
  const [all] = policies.filter(({ metadata }) => metadata.name === 'payouts');
  expect(JSON.stringify([all.spec.egress, ofGateways.spec.egress])).not.toContain('443');
});

it('keeps a client with one gateway for as long as a session may last', () => {
  const service = manifests.find(({ kind }) => kind === 'Service');
  expect(service?.spec).toMatchObject({
    sessionAffinity: 'ClientIP',
    sessionAffinityConfig: { clientIP: { timeoutSeconds: loadConfig({}).signIn.longestMs / 1_000 } },
  });
});

it('applies every manifest, but for those that not every cluster needs', () => {
  const { resources } = parse(read('ops/kubernetes/kustomization.yaml')) as { resources: string[] };
  const files = globSync('ops/kubernetes/*.yaml', { cwd: root }).map((path) => basename(path));
  const beside = ['kustomization.yaml', 'pod-monitor.yaml', 'sign-in.yaml'];
  expect(resources.toSorted()).toEqual(files.filter((name) => !beside.includes(name)).sort());
});
