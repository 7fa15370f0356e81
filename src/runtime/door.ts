import type { Client } from '@temporalio/client';
import type { Bank } from '../api/bank.ts';
import type { Config } from '../config.ts';
import type { FolderParts } from '../folder/drop-folder.ts';
import type { Door } from '../intake/take-file.ts';
import type { Log } from '../log.ts';
import { lastUiUrl } from '../stack/stack-file.ts';
import type { Store } from '../store/store.ts';
import type { TemporalAddress } from '../temporal/connection.ts';
import { startBatch } from '../temporal/executions.ts';
import { assertReachable } from '../temporal/reachable.ts';
import { type ReportPlace, reportBatch, type UiPlace } from './batch-report.ts';
import { intakePartsOf } from './intake-parts.ts';

/** What the doors without a person are made of. */
export interface DoorPlace {
  config: Config;
  store: Store;
  client: Client;
  temporal: TemporalAddress;
  bank: Bank;
  ui: UiPlace;
  log: Log;
}

/** Where a Temporal server's own UI usually is, when this home never had one. */
const USUAL_UI = 'http://127.0.0.1:8233';

/** Where links point: the UI given, the stack's, or the one this home used last. */
export function uiPlace(config: Config, { namespace, uiUrl }: { namespace: string; uiUrl?: string | null }): UiPlace {
  const url = config.uiUrl ?? uiUrl ?? lastUiUrl(config.home) ?? USUAL_UI;
  return { url: url.replace(/\/+$/, ''), namespace };
}

/** Made for each file: what completes bank messages may have changed since the last one. */
export async function openDoor({ config, store, client, temporal, bank, log }: DoorPlace): Promise<Door> {
  return {
    parts: await intakePartsOf(config, store),
    bank,
    assertTemporal: () => assertReachable(client, temporal),
    // What is claimed is taken: a worker starts it when Temporal is there again.
    startBatch: (batchId, file) =>
      startBatch(client, batchId, file).catch((error: unknown) => log.warn({ error, batchId }, 'batch not started')),
    makerNeeded: config.approvalRules.length > 0,
  };
}

export function folderParts(place: DoorPlace): FolderParts {
  const { config, store, ui, log } = place;
  return {
    store,
    door: () => openDoor(place),
    report: (batchId: string, at: ReportPlace) => reportBatch(config, store, batchId, ui, at),
    failed: (error, { batchId }) => log.warn({ error, batchId }, 'file not taken yet'),
  };
}
