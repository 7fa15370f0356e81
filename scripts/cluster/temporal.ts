import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Connection } from '@temporalio/client';
import type { ClusterHome } from './home.ts';
import type { Part } from './part.ts';
import { job, ServerProcess } from './server-process.ts';

const OPS = fileURLToPath(new URL('../../ops/temporal/', import.meta.url));
const HOST = '127.0.0.1';
const SERVICE = 'temporal.api.workflowservice.v1.WorkflowService';
const SERVING = 1;
const ANSWER_MS = 3_000;

export const NAMESPACE = 'payouts';

export interface TemporalOptions {
  home: ClusterHome;
  /** Folder of Temporal's own programs. */
  programs: string;
  /** With their folder, and that of the Temporal CLI, in PATH. */
  env: Readonly<Record<string, string>>;
  /** File of dynamic settings of the server; undefined: as it is deployed. */
  dynamicConfig?: string | undefined;
  say(line: string): void;
}

export const temporalAddress = ({ ports }: ClusterHome): string => `${HOST}:${ports.temporal}`;
export const uiUrl = ({ ports }: ClusterHome): string => `http://${HOST}:${ports['temporal-ui']}`;

const databaseOf = ({ ports, secrets }: ClusterHome): Record<string, string> => ({
  SQL_HOST: HOST,
  SQL_PORT: `${ports.postgres}`,
  SECRETS: secrets.folder,
});

export const temporalSchema = ({ home, env }: TemporalOptions): Part =>
  job({
    name: 'temporal-schema',
    command: 'sh',
    args: [join(OPS, 'schema.sh')],
    env: { ...env, ...databaseOf(home) },
    logFile: home.log('temporal-schema'),
  });

export function temporalServer({ home, programs, env, dynamicConfig, say }: TemporalOptions): ServerProcess {
  const { ports } = home;
  const portOf = (name: string): string => `${ports[name]}`;
  return new ServerProcess(
    {
      name: 'temporal-server',
      command: join(programs, 'temporal-server'),
      args: ['--root', OPS, '--config', 'server', '--env', 'cluster', '--allow-no-auth', 'start'],
      env: {
        ...env,
        ...databaseOf(home),
        SQL_PASSWORD: home.secrets.read('temporal-password'),
        FRONTEND_PORT: portOf('temporal'),
        FRONTEND_MEMBERSHIP_PORT: portOf('frontend-membership'),
        HISTORY_PORT: portOf('history'),
        HISTORY_MEMBERSHIP_PORT: portOf('history-membership'),
        MATCHING_PORT: portOf('matching'),
        MATCHING_MEMBERSHIP_PORT: portOf('matching-membership'),
        SYSTEM_WORKER_PORT: portOf('system-worker'),
        SYSTEM_WORKER_MEMBERSHIP_PORT: portOf('system-worker-membership'),
        DYNAMIC_CONFIG: dynamicConfig ?? join(OPS, 'server', 'dynamic.yaml'),
      },
      logFile: home.log('temporal-server'),
      isHealthy: () => isServing(temporalAddress(home)),
      startLimitMs: 120_000,
    },
    say,
  );
}

/** As Kubernetes and the CLI ask: the health service of the frontend. */
async function isServing(address: string): Promise<boolean> {
  const connection = await Connection.connect({ address, connectTimeout: ANSWER_MS });
  try {
    const check = connection.healthService.check({ service: SERVICE });
    return (await connection.withDeadline(Date.now() + ANSWER_MS, () => check)).status === SERVING;
  } finally {
    await connection.close();
  }
}

export const temporalNamespace = ({ home, env }: Pick<TemporalOptions, 'home' | 'env'>, namespace = NAMESPACE): Part =>
  job({
    name: 'temporal-namespace',
    command: 'sh',
    args: [join(OPS, 'namespace.sh')],
    env: { ...env, TEMPORAL_ADDRESS: temporalAddress(home), TEMPORAL_NAMESPACE: namespace },
    logFile: home.log('temporal-namespace'),
  });

export function temporalUi({ home, programs, env, say }: TemporalOptions): ServerProcess {
  const url = uiUrl(home);
  return new ServerProcess(
    {
      name: 'temporal-ui',
      command: join(programs, 'temporal-ui-server'),
      args: ['--root', OPS, '--config', 'ui', '--env', 'cluster', 'start'],
      env: {
        ...env,
        TEMPORAL_ADDRESS: temporalAddress(home),
        TEMPORAL_NAMESPACE: NAMESPACE,
        UI_PORT: `${home.ports['temporal-ui']}`,
        UI_URL: url,
        CODEC_URL: `http://${HOST}:${home.ports.gateway}/codec`,
      },
      logFile: home.log('temporal-ui'),
      isHealthy: async () => (await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(ANSWER_MS) })).ok,
      stopLimitMs: 10_000,
    },
    say,
  );
}
