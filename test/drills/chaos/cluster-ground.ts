import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { layGround } from '../../../scripts/cluster/cluster.ts';
import type { ServerProcess } from '../../../scripts/cluster/server-process.ts';
import { NAMESPACE, temporalAddress } from '../../../scripts/cluster/temporal.ts';
import { type Ground, untilUp } from './ground.ts';
import { Supervised } from './processes.ts';
import { ofDatabase, StoredTables } from './stored-tables.ts';

export interface ClusterGround extends Ground {
  database: Supervised;
  /** Folder of PostgreSQL's programs, and of the cluster's data. */
  postgresPrograms: string;
  dataFolder: string;
  /** Of the store by the roles of a worker and of its owner, and of the whole server as its superuser. */
  storeUrl: string;
  ownerUrl: string;
  adminUrl: string;
}

/** PostgreSQL with Temporal's server over it and the store in it, a cluster of this run's own: its parts are killed. */
export async function clusterGround(dir: string, settings: readonly string[] = []): Promise<ClusterGround> {
  // PostgreSQL does not run as root: where we do, another user has to get through.
  chmodSync(dir, 0o711);
  const ground = await layGround({
    home: join(dir, 'cluster'),
    env: process.env,
    postgresSettings: settings,
    say: () => undefined,
  });
  const { home, postgresPrograms } = ground;
  const storeUrl = readFileSync(home.secrets.path('store-url'), 'utf8');
  const [database, temporal] = [supervised(ground.database), supervised(ground.temporal)];
  const address = temporalAddress(home);
  return {
    temporalAddress: address,
    namespace: NAMESPACE,
    temporal,
    database,
    store: new StoredTables(ofDatabase(join(postgresPrograms, 'psql'), storeUrl)),
    env: { PAYOUTS_STORE_URL: storeUrl, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: NAMESPACE },
    postgresPrograms,
    dataFolder: home.file('data'),
    storeUrl,
    ownerUrl: readFileSync(home.secrets.path('store-owner-url'), 'utf8'),
    adminUrl: `postgres://postgres:${home.secrets.read('postgres-password')}@127.0.0.1:${home.ports.postgres}/postgres`,
    async start() {
      for (const part of ground.parts) {
        if (part === ground.database) await database.start();
        else if (part === ground.temporal) await temporal.start();
        else if (part.name !== 'temporal-ui') await part.start();
      }
    },
  };
}

/** The same process, in the hands of a run that kills it. */
function supervised({ spec }: ServerProcess): Supervised {
  const { name, command, args, env, logFile, user } = spec;
  const isUp = (): Promise<boolean> => spec.isHealthy().catch(() => false);
  return new Supervised({ name, command, args, env, logFile, user, onStart: () => untilUp(name, isUp) });
}
