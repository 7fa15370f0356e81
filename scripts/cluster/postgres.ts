import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onPath } from '../temporal-cli.mjs';
import type { ClusterHome } from './home.ts';
import { ClusterError, type Part } from './part.ts';
import { job, type ProcessSpec, ServerProcess } from './server-process.ts';

const HOST = '127.0.0.1';
const ROLES = fileURLToPath(new URL('../../ops/postgres/roles.sh', import.meta.url));
/** Where Debian, and after it Ubuntu, put the programs of each version. */
const DEBIAN = '/usr/lib/postgresql';
const OLDEST = 13;

/** The folder of PostgreSQL's programs, the newest there is. Throws a `ClusterError` where there is none. */
export function findPostgres(env: NodeJS.ProcessEnv): string {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const debian = versions.filter((it) => Number(it) >= OLDEST).map((version) => join(DEBIAN, version, 'bin'));
  const found = debian.find((folder) => existsSync(join(folder, 'initdb')));
  const initdb = found === undefined ? onPath('initdb', env) : join(found, 'initdb');
  if (initdb !== undefined) return dirname(initdb);
  throw new ClusterError(
    `PostgreSQL ${OLDEST} or later was not found: no initdb in ${DEBIAN}/*/bin or on PATH`,
    'Install it: apt-get install postgresql (Debian, Ubuntu), dnf install postgresql-server (Fedora), brew install postgresql (macOS)',
  );
}

/** PostgreSQL refuses to run as root: then it is the user that Debian's package made for it. */
function databaseUser(): ProcessSpec['user'] {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number => {
    const { status, stdout } = spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' });
    if (status === 0) return Number(stdout);
    throw new ClusterError(
      'PostgreSQL cannot run as root, and there is no user postgres',
      'Start the cluster as another user.',
    );
  };
  return { uid: id('-u'), gid: id('-g') };
}

export interface PostgresOptions {
  programs: string;
  home: ClusterHome;
  env: Readonly<Record<string, string>>;
  /** Settings beyond the defaults, `name=value`. */
  settings?: readonly string[];
  say(line: string): void;
}

/** The database server on the folder `data/postgres`, made where it is missing. */
export function postgres({ programs, home, env, settings = [], say }: PostgresOptions): ServerProcess {
  const user = databaseUser();
  const data = home.file('data', 'postgres');
  const port = home.ports.postgres;
  const configured = [
    ...[`port=${port}`, `listen_addresses=${HOST}`, 'unix_socket_directories=', 'max_connections=200'],
    ...settings,
  ];
  return new ServerProcess(
    {
      name: 'postgres',
      command: join(programs, 'postgres'),
      args: ['-D', data, ...configured.flatMap((setting) => ['-c', setting])],
      env,
      user,
      logFile: home.log('postgres'),
      isHealthy: async () => {
        const asked = spawnSync(join(programs, 'pg_isready'), ['-q', '-h', HOST, '-p', `${port}`], { timeout: 3_000 });
        return asked.status === 0;
      },
      // Fast shutdown: closes connections; committed data is safe.
      stopSignal: 'SIGINT',
    },
    say,
  );
}

/** The files of a fresh server in `data/postgres`; does nothing where they are. */
export const databaseFiles = (options: Omit<PostgresOptions, 'say'>): Part => ({
  name: 'postgres-files',
  async start() {
    const data = options.home.file('data', 'postgres');
    if (!existsSync(join(data, 'PG_VERSION'))) initialise(data, options);
  },
});

function initialise(data: string, { programs, home, env }: Omit<PostgresOptions, 'say'>): void {
  const user = databaseUser();
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const passwordFile = `${data}.password`;
  writeFileSync(passwordFile, home.secrets.read('postgres-password'), { mode: 0o600 });
  if (user !== undefined) for (const path of [data, passwordFile]) chownSync(path, user.uid, user.gid);
  const args = [
    ...['-D', data, '--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--data-checksums'],
    ...['--encoding=UTF8', '--locale=C.UTF-8'],
  ];
  try {
    assertReachable(data, user);
    execFileSync(join(programs, 'initdb'), args, { env, ...user, stdio: 'pipe' });
  } catch (error) {
    // Half a database is useless; one that was there before is never touched.
    rmSync(data, { recursive: true, force: true });
    if (error instanceof ClusterError) throw error;
    throw new ClusterError(`initdb failed: ${(error as Error).message}`);
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

/** Every folder above has to let the user of the database through; a clone in root's own folder does not. */
function assertReachable(data: string, user: ProcessSpec['user']): void {
  if (user === undefined || spawnSync('test', ['-w', data], { ...user }).status === 0) return;
  throw new ClusterError(
    `the user postgres cannot access ${data}`,
    'Choose a folder whose parents every user may enter: npm run cluster -- --home /var/lib/payouts-cluster',
  );
}

export function databaseRoles({ programs, home, env }: Omit<PostgresOptions, 'say'>): Part {
  return job({
    name: 'postgres-roles',
    command: 'sh',
    args: [ROLES],
    env: {
      ...env,
      PATH: `${programs}:${env.PATH}`,
      SECRETS: home.secrets.folder,
      PGHOST: HOST,
      PGPORT: `${home.ports.postgres}`,
      PGUSER: 'postgres',
      PGPASSWORD: home.secrets.read('postgres-password'),
    },
    logFile: home.log('postgres-roles'),
  });
}
