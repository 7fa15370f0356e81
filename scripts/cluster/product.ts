import { fileURLToPath } from 'node:url';
import type { ClusterHome } from './home.ts';
import type { Part } from './part.ts';
import { job, type ProcessSpec, ServerProcess } from './server-process.ts';
import { NAMESPACE, temporalAddress, uiUrl } from './temporal.ts';

const PAYOUTS = fileURLToPath(new URL('../../bin/payouts.mjs', import.meta.url));
const HOST = '127.0.0.1';
const ANSWER_MS = 5_000;

export interface ProductOptions {
  home: ClusterHome;
  /** Of the machine, without settings of the product. */
  env: Readonly<Record<string, string>>;
  /** Settings of the product that the caller has: they hold in the place of the cluster's own, for another bank, say. */
  own: Readonly<Record<string, string>>;
  say(line: string): void;
}

const sandboxUrl = ({ ports }: ClusterHome): string => `http://${HOST}:${ports.sandbox}`;
/** By the only name of this machine that the origin of a policy may have, so that keys and passkeys sign in there. */
export const gatewayUrl = ({ ports }: ClusterHome): string => `http://localhost:${ports.gateway}`;

/** What a worker needs to belong to this cluster, and a command in its place. Secrets are named by their files. */
export const clusterEnv = (home: ClusterHome, own: Readonly<Record<string, string>>): Record<string, string> =>
  overlaid({ ...shared(home), ...bankKeys(home), ...checkpoints(home) }, own);

/** The same of a gateway, which reads from the bank through the workers. */
const gatewayEnv = (home: ClusterHome, own: Readonly<Record<string, string>>): Record<string, string> =>
  overlaid(
    {
      ...shared(home),
      PAYOUTS_HOME: home.file('data', 'gateway'),
      PAYOUTS_BANK_READS_FROM: [1, 2].map((n) => readsAddress(home, n)).join(','),
      ...readsKey(home),
    },
    without(own, ['PAYOUTS_API_KEY', 'PAYOUTS_API_SECRET']),
  );

/** What a person's command needs: the gateway does the rest. */
export const personEnv = (home: ClusterHome): Record<string, string> => ({ PAYOUTS_GATEWAY_URL: gatewayUrl(home) });

/** Whether the bank is the sandbox of this cluster, not one that the caller names. */
export const isOfSandbox = (home: ClusterHome, env: Readonly<Record<string, string>>): boolean =>
  env.PAYOUTS_API_URL === sandboxUrl(home);

const shared = (home: ClusterHome): Record<string, string> => ({
  // No process gets more than it is given here.
  PAYOUTS_CONFIG: '/dev/null',
  TEMPORAL_ADDRESS: temporalAddress(home),
  TEMPORAL_NAMESPACE: NAMESPACE,
  PAYOUTS_HOME: home.file('data', 'home'),
  PAYOUTS_STORE_URL_FILE: home.secrets.path('store-url'),
  PAYOUTS_CODEC_KEYS_FILE: home.secrets.path('codec-keys'),
  PAYOUTS_API_URL: sandboxUrl(home),
  PAYOUTS_UI_URL: uiUrl(home),
});

const bankKeys = ({ secrets }: ClusterHome): Record<string, string> => ({
  PAYOUTS_API_KEY_FILE: secrets.path('bank-key'),
  PAYOUTS_API_SECRET_FILE: secrets.path('bank-secret'),
});

/** Beside the store and the keys, so that it can be put on another machine. */
const checkpoints = (home: ClusterHome): Record<string, string> => ({
  PAYOUTS_AUDIT_CHECKPOINTS: home.file('data', 'audit-checkpoints'),
});

const readsKey = ({ secrets }: ClusterHome): Record<string, string> => ({
  PAYOUTS_BANK_READS_KEY_FILE: secrets.path('bank-reads-key'),
});

const readsAddress = ({ ports }: ClusterHome, worker: number): string => `${HOST}:${ports[`worker-${worker}-reads`]}`;

const plain = (key: string): string => key.replace(/_FILE$/, '');

const without = (env: Readonly<Record<string, string>>, settings: readonly string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter(([key]) => !settings.includes(plain(key))));

/** A setting is given by itself or by a file, never both. */
function overlaid(
  base: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  return { ...without(base, Object.keys(own).map(plain)), ...own };
}

/** The tables of the store, made by its owner, whom nothing else uses. */
export const storeTables = (home: ClusterHome, env: Readonly<Record<string, string>>): Part =>
  job({
    name: 'store-tables',
    command: process.execPath,
    args: [PAYOUTS, 'migrate'],
    env: {
      ...env,
      PAYOUTS_HOME: home.file('data', 'home'),
      PAYOUTS_STORE_URL_FILE: home.secrets.path('store-owner-url'),
    },
    logFile: home.log('store-tables'),
  });

/** In the order of their start; of a bank that the caller names there is nothing to start. */
export function productParts(options: ProductOptions): ServerProcess[] {
  const { home, own } = options;
  const bank = isOfSandbox(home, clusterEnv(home, own)) ? [sandbox(options)] : [];
  return [...bank, worker(1, options), worker(2, options), gateway(options)];
}

/** The bank of a trial, in the place of a real one. */
const sandbox = ({ home, env, own, say }: ProductOptions): ServerProcess =>
  payouts(home, say, {
    name: 'sandbox',
    args: ['sandbox', '--port', `${home.ports.sandbox}`, '--file', home.file('data', 'sandbox.sqlite')],
    env: { ...env, ...overlaid({ PAYOUTS_HOME: home.file('data', 'home'), ...bankKeys(home) }, own) },
    // Any answer shows that it is up.
    isHealthy: async () => (await ask(`${sandboxUrl(home)}/v1/auth`)).status > 0,
  });

export function worker(number: 1 | 2, options: ProductOptions): ServerProcess {
  const { home, say } = options;
  const metrics = `${HOST}:${home.ports[`worker-${number}-metrics`]}`;
  return payouts(home, say, {
    name: `worker-${number}`,
    args: ['worker'],
    env: {
      ...options.env,
      ...clusterEnv(home, options.own),
      ...readsKey(home),
      ...sdkMetrics(home, `worker-${number}`),
      PAYOUTS_BANK_READS_ADDRESS: readsAddress(home, number),
      PAYOUTS_METRICS_ADDRESS: metrics,
    },
    isHealthy: async () => (await ask(`http://${metrics}/readyz`)).ok,
  });
}

export const gateway = (options: ProductOptions): ServerProcess =>
  payouts(options.home, options.say, {
    name: 'gateway',
    args: ['gateway', '--port', `${options.home.ports.gateway}`],
    env: {
      ...options.env,
      ...gatewayEnv(options.home, options.own),
      ...sdkMetrics(options.home, 'gateway'),
      PAYOUTS_GATEWAY_METRICS_ADDRESS: `${HOST}:${options.home.ports['gateway-metrics']}`,
    },
    isHealthy: async () => (await ask(`${gatewayUrl(options.home)}/readyz`)).ok,
  });

const sdkMetrics = ({ ports }: ClusterHome, name: string): Record<string, string> => ({
  PAYOUTS_TEMPORAL_METRICS_ADDRESS: `${HOST}:${ports[`${name}-sdk-metrics`]}`,
});

const ask = (url: string): Promise<Response> => fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });

function payouts(
  home: ClusterHome,
  say: ProductOptions['say'],
  spec: Pick<ProcessSpec, 'name' | 'args' | 'env' | 'isHealthy'>,
): ServerProcess {
  const command = { command: process.execPath, args: [PAYOUTS, ...spec.args], logFile: home.log(spec.name) };
  return new ServerProcess({ ...spec, ...command, startLimitMs: 120_000 }, say);
}
