import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { signalPlan } from '../../../src/activities/batch.ts';
import { EventQueue } from '../../../src/bank/webhooks/receiver.ts';
import { startGateway } from '../../../src/channels/http/gateway-server.ts';
import type { Policy, Statement } from '../../../src/domain/authority.ts';
import type { PayoutInstruction } from '../../../src/domain/instruction.ts';
import type { PayoutState } from '../../../src/domain/payout-state.ts';
import { type PlanDeps, planReader, planToSign, takePlan } from '../../../src/people/decisions/batch-plan.ts';
import { openQuestion } from '../../../src/people/decisions/shown-question.ts';
import type { SignedQuestion } from '../../../src/people/decisions/verdict.ts';
import { type App, appOf } from '../../../src/platform/app.ts';
import { type Config, loadConfig } from '../../../src/platform/config.ts';
import { executionsOver, startBatch } from '../../../src/platform/temporal/workflow-executions.ts';
import type { PayoutRecord } from '../../../src/store/store.ts';
import { fakeCards } from '../../channels/http/fake-cards.ts';
import { rowsOf } from '../../support/claimed-batch.ts';
import { fakeTemporal } from '../../support/fake-temporal.ts';
import { ownPort } from '../../support/own-port.ts';
import { signedBy } from '../../support/people.ts';
import { type Product, quickSettings, startProduct } from '../../support/product.ts';
import { until } from '../../support/until.ts';
import { type Cast, type Name, openCast, policyFor } from './cast.ts';
import type { About } from './statements.ts';

/** A payout with its open question; bob has approved it, and one more has to. */
export interface Target extends About {
  /** No more than what a decision names. */
  about: About;
  batchId: string;
  documentId: string;
  workflowId: string;
  row: PayoutRecord;
  asked: SignedQuestion;
}

/** One product behind each of its channels, over one Temporal, one store and one bank. */
export interface ForgeryWorld {
  product: Product;
  cast: Cast;
  policy: Policy;
  config: Config;
  opened: App;
  /** Address of the gateway and of its pages. */
  origin: string;
  /** A folder of the test. */
  dir: string;
  /** Claims rows as alice's, starts them, and waits until they are where they are to be. */
  handOver(batchId: string, fields: readonly Partial<PayoutInstruction>[], at: PayoutState): Promise<PayoutRecord[]>;
  /** Has somebody sign for a whole batch, and its rows read it. */
  sign(name: Name, batchId: string, decision?: 'approve' | 'reject'): Promise<void>;
  /** Has somebody sign about one payout. */
  signOne(name: Name, target: Target, more?: Partial<Statement>): Promise<void>;
  target(reference: string): Promise<Target>;
}

const HOUR = 3_600_000;

/** Waits that nothing of a long run comes near, and pauses that leave the machine to what is tried. */
const PATIENT = {
  patienceMs: HOUR,
  approvalTtlMs: HOUR,
  statusAgeLimitMs: HOUR,
  fundsPatienceMs: HOUR,
  pollMs: 2_000,
  pollMaxMs: 60_000,
};

export async function openForgeryWorld(): Promise<ForgeryWorld> {
  const cast = openCast();
  const port = await ownPort();
  const origin = `http://localhost:${port}`;
  const policy = policyFor(cast, origin);
  const dir = mkdtempSync(join(tmpdir(), 'payouts-forged-'));
  const paces = { listPollMs: 500, listPollMaxMs: 5_000, batchPulseMs: 500, quietCheckMs: 5_000, quietRowMs: HOUR };
  const product = await startProduct({
    settings: { policy, ...paces },
    terms: { referenceDedupe: 'none', waits: PATIENT },
  });
  onTestFinished(async () => {
    await product[Symbol.asyncDispose]();
    rmSync(dir, { recursive: true });
  });
  const { store, bank, client, namespace, sandbox } = product;
  const loaded = loadConfig({ PAYOUTS_HOME: join(dir, 'home'), PAYOUTS_LOOK_ALIKE_DAYS: '0' });
  const terms = { ...quickSettings.terms, referenceDedupe: 'none' } as const;
  const config: Config = {
    ...loaded,
    gateway: { ...loaded.gateway, perMinute: 10_000_000, atOnce: 1_000 },
    settings: { ...quickSettings, terms, policy },
  };
  const log = pino({ level: 'silent' });
  const stack = { temporalAddress: 'in the test', namespace, uiUrl: null, apiUrl: sandbox.url };
  const opened = appOf({ config, stack, store, client, bank, log });
  await openGatewayOf(opened, port);
  return { product, cast, policy, config, opened, origin, dir, ...handling(opened, cast) };
}

async function openGatewayOf(app: App, port: number): Promise<void> {
  const gateway = await startGateway(
    {
      ...app,
      vault: fakeCards(fakeTemporal()).vault,
      notices: async () => [],
      webhooks: {
        take: async () => ({ refused: 'unconfigured' }),
        queue: new EventQueue(async () => undefined, app.log),
      },
    },
    { host: '127.0.0.1', port },
  );
  onTestFinished(() => gateway.close());
}

function handling(opened: App, cast: Cast): Pick<ForgeryWorld, 'handOver' | 'sign' | 'signOne' | 'target'> {
  const { store, client, bank, config } = opened;
  const deps: PlanDeps = { store, bank, settings: config.settings, now: Date.now };
  const rowsIn = (batchId: string): Promise<PayoutRecord[]> => Array.fromAsync(store.rows(batchId));
  return {
    async handOver(batchId, fields, at) {
      const rows = rowsOf(fields.map((given, n) => ({ id: `${batchId}-${n + 1}`, ...given })));
      await store.claimBatch({ batchId, file: `${batchId}.csv`, sha256: batchId, by: 'alice', rows, at: Date.now() });
      await startBatch(client, batchId, `${batchId}.csv`);
      await until(async () => (await rowsIn(batchId)).every(({ state }) => state === at));
      return rowsIn(batchId);
    },
    async sign(name, batchId, decision = 'approve') {
      const plan = await planToSign(planReader(deps, { batchId, subject: name }), { batchId, decision });
      const { question, digest } = plan;
      const about = { storeId: store.id, question, reference: batchId, digest, decision, remark: 'checked' };
      const taken = await takePlan(deps, plan, signedBy(cast[name], about));
      if ('refused' in taken) throw new Error(`the plan of ${name} for ${batchId} is refused: ${taken.refused}`);
      await signalPlan({ store, executions: executionsOver(client) }, signedBy(cast[name], about));
    },
    async signOne(name, { workflowId, about }, more = {}) {
      const signed = signedBy(cast[name], { ...about, ...more });
      const { id: decisionId, decision, subject: by, remark } = signed;
      const args: [object] = [{ decisionId, decision, by, remark, signed }];
      await client.workflow.getHandle(workflowId).executeUpdate<unknown, [object]>('decide', { args });
    },
    async target(reference) {
      const row = await store.payout(reference);
      const asked =
        row === undefined ? undefined : await openQuestion({ store, settings: opened.config.settings }, row);
      if (row?.batchId == null || asked === undefined) throw new Error(`${reference} asks nothing`);
      const { batchId, documentId, workflowId } = row;
      const { question, digest } = asked;
      const about = { storeId: store.id, question, reference, digest };
      return { ...about, about, batchId, documentId, workflowId, row, asked };
    },
  };
}
