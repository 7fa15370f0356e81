import { activityInfo, cancellationSignal, heartbeat, log, sleep } from '@temporalio/activity';
import type { Run } from './deps.ts';

/** An activity before it has its dependencies. Everything that decides is checked against them, never against the input. */
type Unbound<Deps> = (deps: Deps, run: Run, input: never) => Promise<unknown>;

/** The same functions as workflows call them. */
export type Bound<All> = {
  [Name in keyof All]: All[Name] extends (deps: never, run: never, ...input: infer Input) => infer Result
    ? (...input: Input) => Result
    : never;
};

/** Each of the functions as an activity over these dependencies. `long` ones heartbeat while they work. */
export function bound<Deps, All extends Readonly<Record<string, Unbound<Deps>>>>(
  deps: Deps,
  functions: All,
  long: ReadonlySet<keyof All>,
): Bound<All> {
  const activities = Object.entries(functions).map(([name, work]) => [
    name,
    (input: never) => (long.has(name) ? withHeartbeats(() => work(deps, run(), input)) : work(deps, run(), input)),
  ]);
  return Object.fromEntries(activities) as Bound<All>;
}

/** Well within the heartbeat timeout of `longRuns`, however long a read of the bank or a pause takes. */
const BEAT_EVERY_MS = 3_000;

/** Heartbeats throughout long work, so that another worker takes over soon after this one dies. */
export async function withHeartbeats<T>(work: () => Promise<T>): Promise<T> {
  const timer = setInterval(heartbeat, BEAT_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** The run that scheduled this activity, as Temporal reports it. */
function run(): Run {
  const { workflowExecution, activityId } = activityInfo();
  return {
    activityId,
    runId: workflowExecution?.runId ?? '',
    workflowId: workflowExecution?.workflowId ?? '',
    sleep,
    get signal() {
      return cancellationSignal();
    },
    warn: (message, fields) => log.warn(message, fields),
  };
}
