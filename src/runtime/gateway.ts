import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { GatewayParts } from '../gateway/gateway-parts.ts';
import { type ListenOn, startGateway } from '../gateway/server.ts';
import type { Log } from '../log.ts';
import type { Part, StackAddresses } from '../stack/stack.ts';
import { openStore } from '../store/open.ts';
import { connectTemporal } from '../temporal/connection.ts';
import { updateBatch } from '../temporal/executions.ts';
import { assertReachable } from '../temporal/reachable.ts';
import { bankAt, bankMark } from './bank.ts';
import { listBatches } from './batch-list.ts';
import { reportBatch } from './batch-report.ts';
import { type DoorPlace, openDoor, uiPlace } from './door.ts';

/** An update waits for a worker; whoever asked over HTTP does not wait for long. */
const UPDATE_MS = 15_000;

/**
 * Starts the gateway of a configuration with connections of its own. Throws a `StoreIdentityError` when the store belongs to
 * another bank or namespace.
 */
export async function openGateway(
  config: Config,
  place: StackAddresses,
  listenOn: ListenOn,
  log: Log,
): Promise<Part & { url: string }> {
  await using opened = new AsyncDisposableStack();
  const store = opened.adopt(await openStore(config.storeUrl.reveal()), (it) => it.close());
  await store.identify({ bank: bankMark(config), namespace: place.namespace });
  const bank = opened.adopt(bankAt(config, place.apiUrl), (it) => it.close());
  const { client } = opened.adopt(await connectTemporal(config, place), (it) => it.close());
  const at: DoorPlace = { config, store, client, temporal: place, bank, ui: uiPlace(config, place), log };
  const { url } = opened.adopt(await startGateway(partsOf(at), listenOn), (it) => it.close());
  const kept = opened.move();
  return { url, close: () => kept.disposeAsync() };
}

function partsOf(at: DoorPlace): GatewayParts {
  const { config, store, client, temporal, bank, ui, log } = at;
  return {
    store,
    door: () => openDoor(at),
    report: (batchId) => reportBatch(config, store, batchId, ui),
    list: () => listBatches(store),
    control: (batch, update, by) =>
      client.withDeadline(Date.now() + UPDATE_MS, () => updateBatch(client, batch, update, by)),
    ready: {
      store: () => store.identity(),
      temporal: () => assertReachable(client, temporal),
      bank: () => bank.authenticate(),
    },
    tokens: config.gatewayTokens.reveal(),
    uploads: join(config.home, 'uploads'),
    log,
  };
}
