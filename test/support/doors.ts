import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { GatewayDeps } from '../../src/channels/http/gateway-deps.ts';
import { intakeDepsOf } from '../../src/channels/intake-deps.ts';
import type { PayoutState } from '../../src/domain/payout-state.ts';
import type { Problem } from '../../src/domain/problem.ts';
import type { IntakeDeps } from '../../src/files/intake/intake.ts';
import type { IntakeRefusal } from '../../src/files/intake/intake-refusal.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { answeredRefusal } from '../../src/reports/answered-refusal.ts';
import { writeErpFile } from '../../src/reports/erp-file.ts';
import { documentOf, type ReportTarget, reportBatch } from '../../src/reports/report-batch.ts';
import { openBankAndStore } from './bank-and-store.ts';

/** A door on a sandbox bank and a store in memory; Temporal is what the test says. */
export interface TestDoor extends IntakeDeps {
  /** A folder of the test. */
  dir: string;
  /** Batches whose workflow was started, each time. */
  started: string[];
  /** Makes Temporal unreachable, or reachable again. */
  temporal: { down: boolean };
  /** The refusal of a file, answered where it is owed one. */
  refused(refusal: IntakeRefusal): Promise<Problem>;
  document(batchId: string): AsyncIterable<string>;
  report(batchId: string, target?: ReportTarget): ReturnType<typeof reportBatch>;
  erpFile(...asked: Parameters<GatewayDeps['erpFile']>): ReturnType<GatewayDeps['erpFile']>;
  /** Ends every row, and the batch. */
  end(batchId: string, state?: PayoutState): Promise<void>;
}

/** Everything of it is gone after the test. */
export async function openTestDoor(
  more: { approvalRules?: IntakeDeps['approvalRules']; env?: Record<string, string> } = {},
): Promise<TestDoor> {
  const dir = mkdtempSync(join(tmpdir(), 'payouts-door-'));
  // Callbacks run last first: the folder goes when all is closed.
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const config = loadConfig({ PAYOUTS_HOME: join(dir, 'home'), ...more.env });
  const { bank, store } = await openBankAndStore();
  const started: string[] = [];
  const temporal = { down: false };
  const ui = { url: 'http://127.0.0.1:8233', namespace: 'default' };
  return {
    ...(await intakeDepsOf(config, {
      store,
      bank,
      async assertReady() {
        if (temporal.down) throw new Error('Temporal is down');
        await bank.authenticate();
      },
      async startBatch(batchId) {
        started.push(batchId);
      },
    })),
    approvalRules: more.approvalRules ?? [],
    dir,
    started,
    temporal,
    refused: (refusal) => answeredRefusal(config, refusal, 1),
    document: (batchId) => documentOf(config, store, batchId, ui),
    report: (batchId, target) => reportBatch(config, store, batchId, ui, target),
    erpFile: (batchId, format) => writeErpFile(config, store, batchId, format),
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
