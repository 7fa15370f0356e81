import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { WORKFLOW_TYPES } from '../../src/domain/names.ts';
import type { PayoutState } from '../../src/domain/payout-state.ts';
import type { WorkerSettings } from '../../src/domain/settings.ts';
import { type App, appOf } from '../../src/platform/app.ts';
import { type Config, loadConfig } from '../../src/platform/config.ts';
import { createLog } from '../../src/platform/log.ts';
import { type ReportTarget, reportBatch } from '../../src/reports/report-batch.ts';
import { openBankAndStore } from './bank-and-store.ts';
import { type FakeTemporal, fakeTemporal } from './fake-temporal.ts';

/** A process on a sandbox bank and a store in memory; Temporal is what the test says. */
export interface FaultProxy extends App {
  app: App;
  temporal: FakeTemporal;
  /** A folder of the test. */
  dir: string;
  /** Lines of its log. */
  lines: string[];
  /** Batches whose workflow was started, each time. */
  readonly started: string[];
  report(batchId: string, target?: ReportTarget): ReturnType<typeof reportBatch>;
  /** Ends every row, and the batch. */
  end(batchId: string, state?: PayoutState): Promise<void>;
}

interface ProxyOptions {
  approvalRules?: WorkerSettings['approvalRules'];
  env?: Record<string, string>;
  /** Absent: those of the environment. */
  settings?: WorkerSettings;
  config?: Partial<Config>;
}

/** Everything of it is gone after the test. */
export async function openFaultProxy({
  approvalRules,
  env,
  settings,
  config: more,
}: ProxyOptions = {}): Promise<FaultProxy> {
  const dir = mkdtempSync(join(tmpdir(), 'payouts-door-'));
  // Callbacks run last first: the folder goes when all is closed.
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const loaded = loadConfig({ PAYOUTS_HOME: join(dir, 'home'), ...env });
  const config = {
    ...loaded,
    uiUrl: 'http://temporal-ui.example',
    settings: settings ?? { ...loaded.settings, approvalRules: approvalRules ?? [] },
    ...more,
  };
  const { bank, store } = await openBankAndStore();
  const temporal = fakeTemporal();
  const stack = { temporalAddress: 'in the test', namespace: 'payouts', uiUrl: null, apiUrl: 'http://bank.example' };
  const lines: string[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(line) });
  const app = appOf({ config, stack, store, bank, client: temporal.client, log });
  return {
    ...app,
    app,
    temporal,
    dir,
    lines,
    get started() {
      return temporal.started
        .filter(({ type }) => type === WORKFLOW_TYPES.payoutBatch)
        .map(({ input }) => (input as { batchId: string }).batchId);
    },
    report: (batchId, target) => reportBatch(app, batchId, target),
    async end(batchId, state = 'completed') {
      for await (const { reference, instruction } of store.rows(batchId)) {
        const { amount, currency, account_id: accountId } = instruction;
        const paid = { orderId: `order-${reference}`, amount, currency, accountId };
        await store.changePayout(reference, { state, ...(state === 'completed' && { paid }), at: 9_000 });
      }
      await store.endBatch(batchId, 9_000);
    },
  };
}
