import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';

/** A message to a workflow: an update or a signal. */
export interface Sent {
  workflowId: string;
  name: string;
  payload?: unknown;
  updateId?: string;
}

/** A Temporal client without a server; its workflows are what the test says. */
export interface FakeTemporal {
  client: Client;
  /** Makes Temporal unreachable, or reachable again. */
  down: boolean;
  /** Workflows that were started, each time. */
  started: { type: string; workflowId: string; input: unknown }[];
  /** Updates and signals, in their order. */
  sent: Sent[];
  /** Called when a workflow is started. */
  begun(workflowId: string, input: unknown): unknown;
  /** Called for an update or a signal. */
  noticed(sent: Sent): void;
  /** Answers an update; it may throw. */
  answer(sent: Sent): unknown;
  /** Answers a query for the state of a workflow; it may throw. */
  state(workflowId: string): unknown;
  /** Whether a workflow is there to be described and signalled. */
  isThere(workflowId: string): boolean;
}

export function fakeTemporal(): FakeTemporal {
  const reachable = (): void => {
    // As gRPC says UNAVAILABLE.
    if (fake.down) throw Object.assign(new Error('Temporal is down'), { code: 14, details: '', metadata: {} });
  };
  const there = (workflowId: string): void => {
    reachable();
    if (!fake.isThere(workflowId)) throw new WorkflowNotFoundError('workflow not found', workflowId, undefined);
  };
  const workflow = {
    async start(type: string, { workflowId, args: [input] }: { workflowId: string; args: unknown[] }) {
      reachable();
      fake.started.push({ type, workflowId, input });
      await fake.begun(workflowId, input);
    },
    getHandle: (workflowId: string) => ({
      async describe() {
        there(workflowId);
        return { status: { name: 'RUNNING' } };
      },
      async query() {
        reachable();
        return fake.state(workflowId);
      },
      async signal(name: string, payload: unknown) {
        there(workflowId);
        fake.noticed({ workflowId, name, ...(payload !== undefined && { payload }) });
      },
      async executeUpdate(name: string, { args: [payload], updateId }: { args: unknown[]; updateId?: string }) {
        reachable();
        const sent: Sent = {
          workflowId,
          name,
          ...(payload !== undefined && { payload }),
          ...(updateId !== undefined && { updateId }),
        };
        fake.noticed(sent);
        return fake.answer(sent);
      },
    }),
  };
  const client = {
    options: { namespace: 'payouts' },
    workflow,
    workflowService: { describeNamespace: async () => reachable() },
    withDeadline: (_at: number, call: () => Promise<unknown>) => call(),
  };
  const fake: FakeTemporal = {
    client: client as unknown as Client,
    down: false,
    started: [],
    sent: [],
    begun: () => {},
    noticed: (sent) => void fake.sent.push(sent),
    answer: () => undefined,
    state: () => undefined,
    isThere: () => true,
  };
  return fake;
}

/** What a client throws for an update that its workflow refuses. */
export const updateRefused = (why: string): Error =>
  new WorkflowUpdateFailedError('the update was refused', ApplicationFailure.create({ message: why }));
