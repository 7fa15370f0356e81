import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Client,
  Connection,
  ServiceError,
  Client as TemporalClient,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowHandle,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { referenceOf } from '../../../src/domain/identity.ts';
import { payoutWorkflowId } from '../../../src/domain/names.ts';
import { executionsOver } from '../../../src/platform/temporal/workflow-executions.ts';
import type { PayoutResult } from '../../../src/workflows/payout.ts';
import { command } from '../chaos/processes.ts';
import { type MeasuredProcess, metered, ownProgram } from './measured-process.ts';
import { type ArmName, BENCH_QUEUE, type BenchOptions } from './options.ts';
import { eachOf, type Payment, STATUS_READS } from './payments.ts';
import { PAYOUTS, type Place } from './place.ts';

/** One way to pay. */
export interface Arm {
  name: ArmName;
  /** Pays all of them, so many at once, to their end. Rejects when one is not paid. */
  pay(payments: readonly Payment[], atOnce: number): Promise<void>;
  /** The process that does the work. */
  worker: MeasuredProcess;
  /** Processes whose calls and commits count. */
  meters: readonly string[];
  /** Id of the workflow that pays this one; undefined: none does. */
  workflowId?(payment: Payment): string;
}

/** The arms that a place can run, with what they need started. `left` says why others are left out. */
export async function openArms(place: Place, { arms }: BenchOptions): Promise<{ arms: Arm[]; left: string[] }> {
  const opened: Arm[] = [];
  const left: string[] = [];
  const wanted = new Set(arms);
  if (wanted.has('raw')) opened.push(await rawArm(place));
  if (COMPARED.some((name) => wanted.has(name))) {
    opened.push(...(await comparedWorkflows(place)).filter(({ name }) => wanted.has(name)));
  }
  if (wanted.has('direct') || wanted.has('batch')) {
    opened.push(...product(place).filter(({ name }) => wanted.has(name)));
  }
  if (wanted.has('dbos') && place.dbosUrl === undefined) left.push('dbos: needs --postgres');
  else if (wanted.has('dbos')) opened.push(await dbosArm(place));
  return { arms: opened, left };
}

async function rawArm(place: Place): Promise<Arm> {
  return program(place, 'raw', 'raw-process.ts', []);
}

async function dbosArm(place: Place): Promise<Arm> {
  return program(place, 'dbos', 'dbos-process.ts', [place.dbosUrl ?? '']);
}

async function program(place: Place, name: ArmName, file: string, args: readonly string[]): Promise<Arm> {
  const { bankUrl, settleMs, dir } = place;
  const line = [process.execPath, ownProgram(file), bankUrl, `${settleMs}`, ...args];
  const worker = place.start(name, line, metered(dir, name, bankUrl));
  await worker.said();
  return { name, worker, meters: [name], pay: (payments, atOnce) => worker.does({ payments, atOnce }) };
}

const COMPARED = ['empty', 'single', 'textbook'] as const;

async function comparedWorkflows(place: Place): Promise<Arm[]> {
  const { bankUrl, dir, settleMs, temporal } = place;
  const name = 'workflows';
  const line = [process.execPath, ownProgram('worker-process.ts'), temporal.address, temporal.namespace, bankUrl];
  const worker = place.start(name, line, metered(dir, name, bankUrl));
  await worker.said();
  const connection = await Connection.connect({ address: temporal.address });
  const client = new TemporalClient({ connection, namespace: temporal.namespace });
  const arm = (type: (typeof COMPARED)[number], argsOf: (payment: Payment) => unknown[]): Arm => ({
    name: type,
    worker,
    meters: [name],
    workflowId: ({ id }) => id,
    pay: (payments, atOnce) =>
      eachOf(payments, atOnce, async (payment) => {
        const options = { workflowId: payment.id, taskQueue: BENCH_QUEUE, args: argsOf(payment) };
        await patiently(() => startedOnce(client, type, options));
        await patiently(() => client.workflow.getHandle(payment.id).result());
      }),
  });
  return [
    arm('empty', () => []),
    arm('single', (payment) => [payment]),
    arm('textbook', (payment) => [payment, settleMs / STATUS_READS, STATUS_READS]),
  ];
}

/** A caller that waits for a server that is busy asks again. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      const { code } = (error instanceof ServiceError ? error.cause : {}) as { code?: number };
      if (tries === TRIES || !BUSY.has(code)) throw error;
    }
  }
}

const TRIES = 20;
/** gRPC: DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE. */
const BUSY: ReadonlySet<number | undefined> = new Set([4, 8, 14]);

/** The answer to a start may be lost. */
async function startedOnce({ workflow }: TemporalClient, type: string, options: WorkflowStartOptions): Promise<void> {
  try {
    await workflow.start(type, options);
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** `payouts worker`, and the two ways to hand payouts over to it. */
function product(place: Place): Arm[] {
  const { client, productEnv } = place;
  const worker = place.start('worker', [process.execPath, PAYOUTS, 'worker'], productEnv('worker'), false);
  const workflowId = ({ uid, id }: Payment): string => payoutWorkflowId(referenceOf(uid, id));
  return [
    {
      name: 'direct',
      worker,
      meters: ['worker'],
      workflowId,
      pay: (payments, atOnce) => eachOf(payments, atOnce, (payment) => payDirectly(client, payment)),
    },
    {
      name: 'batch',
      worker,
      meters: ['worker', 'run'],
      workflowId,
      pay: (payments) => payByFile(place, payments),
    },
  ];
}

async function payDirectly(client: Client, payment: Payment): Promise<void> {
  const reference = referenceOf(payment.uid, payment.id);
  const workflowId = payoutWorkflowId(reference);
  const input = { ...payment };
  const asked = { kind: 'payout', workflowId, reference, input, summary: 'a payout' } as const;
  await patiently(() => executionsOver(client).startPayout(asked));
  const handle: WorkflowHandle<() => Promise<PayoutResult>> = client.workflow.getHandle(workflowId);
  const { state } = await patiently(() => handle.result());
  if (state !== 'completed') throw new Error(`${workflowId} ended as ${state}`);
}

/** `payouts run FILE`, from its first line to its last: the file checked, planned, paid, reported. */
async function payByFile({ dir, productEnv }: Place, payments: readonly Payment[]): Promise<void> {
  const file = join(dir, `${payments[0]?.id}.json`);
  writeFileSync(file, JSON.stringify({ payouts: payments }));
  const env = productEnv('run');
  const { code, stderr } = await command(process.execPath, [PAYOUTS, 'run', file, '--yes'], env).ended;
  if (code !== 0) throw new Error(`payouts run ended with ${code}: ${stderr.slice(-2_000)}`);
}
