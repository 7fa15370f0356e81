import type { EventQueue } from '../../bank/webhooks/event-queue.ts';
import type { TakeWebhook } from '../../bank/webhooks/receiver.ts';
import type { DecideUpdate } from '../../domain/approval.ts';
import type { SignedDecision } from '../../domain/authority.ts';
import type { Log } from '../../domain/log.ts';
import type { BatchControl } from '../../domain/payout-state.ts';
import type { Problem } from '../../domain/problem.ts';
import type { ResolveRequest } from '../../domain/resolve-action.ts';
import type { WorkerSettings } from '../../domain/settings.ts';
import type { IntakeDeps } from '../../files/intake/intake.ts';
import type { IntakeRefusal } from '../../files/intake/intake-refusal.ts';
import type { PlanDeps } from '../../people/decisions/plan.ts';
import type { CodecSpace } from '../../platform/codec/codec-server.ts';
import type { ReadinessProbes } from '../../platform/telemetry/readiness.ts';
import type { Comparison } from '../../reports/comparison.ts';
import type { ErpFormat } from '../../reports/erp-formats.ts';
import type { StepContext } from '../../reports/next-step.ts';
import type { ReportPaths } from '../../reports/report-document.ts';
import type { NewestAnswer } from '../../reports/status-report-files.ts';
import type { BatchRecord, PayoutRecord, Store } from '../../store/store.ts';
import type { Access, Caller } from './callers.ts';
import type { Operation } from './operation.ts';
import type { CardExecutions } from './take-payment.ts';

export interface GatewayDeps {
  store: Store;
  /** Called for each file: the files that complete bank messages may have changed. */
  intake(maker: string | undefined): Promise<IntakeDeps>;
  /** A file's refusal as a problem, after writing its answer if it needs one. */
  refused(refusal: IntakeRefusal): Promise<Problem>;
  /** The JSON of a batch as it stands, in pieces, without writing files. Throws for an unknown id. */
  document(batchId: string): AsyncIterable<string>;
  /** Writes the report files of a batch and returns their paths. Throws for an unknown id. */
  report(batchId: string, isMasked?: boolean): Promise<ReportPaths>;
  /** Writes a file for other software. Throws for an unknown id, and a `Problem` if there is nothing to answer or to report. */
  erpFile(batchId: string, format: ErpFormat): Promise<ErpFile>;
  /** In the Temporal UI. */
  workflowUrl(workflowId: string): string;
  /** Sends an update to the workflow of a batch, by its name (`src/domain/names.ts`). Throws if no worker answers soon. */
  control(batch: BatchRecord, update: string, by: string): Promise<{ control: BatchControl }>;
  /** Each rejects while its part is unusable. */
  ready: ReadinessProbes<'store' | 'temporal' | 'bank'>;
  /** About parts that are usable nevertheless. */
  warnings(): Promise<string[]>;
  cards: CardDeps;
  /** Events are stored before the answer and delivered after it. */
  webhooks: { take: TakeWebhook; queue: EventQueue };
  /** As configured now. */
  access(): Access;
  pages: PageDeps;
  /** Each is a route under `/v1`, carried out for its caller. */
  operations: readonly Operation<Caller>[];
  /** Undefined: payloads in Temporal are in clear text. `origins`: of the Temporal Web UI. */
  codec: (CodecSpace & { origins: readonly string[] }) | undefined;
  /** Most requests of one caller in a minute. */
  perMinute: number;
  /** Most concurrent requests of one caller. */
  atOnce: number;
  now(): number;
  /** Called for every answer, for metrics; the route is a template. */
  answered?(answer: { method: string; route: string; status: number; ms: number }): void;
  /** Folder for uploaded bodies. */
  uploads: string;
  log: Log;
}

/** `unclear`: payouts whose movements may differ from the file. `answer`: which answer it is. */
interface ErpFile {
  path: string;
  unclear: readonly unknown[];
  answer: Pick<NewestAnswer, 'messageId' | 'version' | 'supersedes'> | null;
}

/** Dependencies of the card routes. `id`: the merchant_request_id. */
export interface CardDeps extends CardExecutions {
  /** Hosts in return URLs, with the port if one is meant; undefined: only this machine. */
  returnHosts: readonly string[] | undefined;
  /** Further origins in return URLs: the sandbox's own checkout page. */
  returnOrigins: readonly string[];
  /** Card payments that a page may make for one purchase, the first one included. */
  tries: number;
  /** Address of the sandbox's own checkout page, to which cardholders return unless another one is named. */
  checkoutUrl?: string;
  /** Origins whose pages may use a client secret. */
  origins: readonly string[];
  /** False if no such workflow is open. */
  signal(id: string, name: string): Promise<boolean>;
}

/** What the pages need beyond the other parts of the gateway. */
export interface PageDeps {
  settings: Pick<WorkerSettings, 'policy' | 'terms'>;
  /** Sends a decision to a payout's workflow and returns its answer. Throws if no worker answers soon. */
  decide(payout: PayoutRecord, update: DecideUpdate): Promise<string | { refused: string }>;
  /** Sends an operator's decision to a payout's workflow, which checks with the bank first, and returns its answer. */
  resolve(payout: PayoutRecord, request: ResolveRequest): Promise<string | { refused: string }>;
  /** Asks a payout's workflow to cancel it if that is still possible, and returns its answer. */
  cancel(payout: PayoutRecord, request: { by: string; reason: string }): Promise<string | { refused: string }>;
  /** What the next steps of these rows depend on. */
  stepContext(payouts: readonly PayoutRecord[]): Promise<StepContext>;
  /** The comparisons of a row; undefined if the bank does not answer. */
  bothSides(payout: PayoutRecord): Promise<Comparison[] | undefined>;
  /** For reading accounts and payees of rows not read yet, and what a question is about. */
  bank: PlanDeps['bank'];
  /** Makes the waiting rows of a plan look at the signed decision. */
  signalPlan(signed: SignedDecision): Promise<unknown>;
}
