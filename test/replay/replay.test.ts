import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { beforeAll, describe, expect, it } from 'vitest';
import { WORKFLOW_TYPES, workflowTypeOf } from '../../src/domain/names.ts';
import { createLog } from '../../src/platform/log.ts';
import { workflowBundle } from '../../src/platform/temporal/bundle.ts';
import { installRuntime } from '../../src/platform/temporal/worker-runtime.ts';
import { CARD_ROUTES } from '../support/card-routes.ts';
import { OWN_MOVE_ROUTES } from '../support/own-move-routes.ts';
import { PAYOUT_ROUTES } from '../support/payout-routes.ts';
import { HISTORIES } from '../support/record-history.ts';
import { runWorkflowsLightly } from '../support/workflows-in-this-thread.ts';

interface RecordedHistory {
  events: {
    workflowExecutionStartedEventAttributes?: { workflowType: { name: string } };
    activityTaskScheduledEventAttributes?: { activityType: { name: string } };
  }[];
}

const files = readdirSync(HISTORIES).filter((file) => file.endsWith('.json'));
const historyOf = (file: string): RecordedHistory => JSON.parse(readFileSync(join(HISTORIES, file), 'utf8'));
const typeOf = (file: string): string | undefined =>
  historyOf(file).events[0]?.workflowExecutionStartedEventAttributes?.workflowType.name;

const ANOTHER_COURSE = 'another course of events';

/** `payout-plain.json` with another activity than the one that was scheduled. */
function ofAnotherCourse(): RecordedHistory {
  const history = historyOf('payout-plain.json');
  for (const event of history.events) {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled?.activityType.name === 'submitPayment') scheduled.activityType.name = 'submitExchange';
  }
  return history;
}

function* histories() {
  for (const file of files) yield { workflowId: file, history: historyFromJSON(historyOf(file)) };
  yield { workflowId: ANOTHER_COURSE, history: historyFromJSON(ofAnotherCourse()) };
}

describe('recorded histories', () => {
  /** By file; undefined: it replays. */
  const errors = new Map<string, unknown>();
  beforeAll(async () => {
    installRuntime(createLog('error'));
    runWorkflowsLightly();
    // One worker for all of them: making one costs more than replaying a history.
    const replayed = Worker.runReplayHistories({ workflowBundle: await workflowBundle() }, histories());
    for await (const { workflowId, error } of replayed) errors.set(workflowId, error);
  });

  it.each(files)('%s replays with the code of today', (file) => {
    expect(errors.has(file)).toBe(true);
    expect(errors.get(file)).toBeUndefined();
  });

  it('cover every route of a payout, a transfer, an exchange and a card payment, and every workflow type', () => {
    const routes = [
      ...PAYOUT_ROUTES.map(({ name }) => `payout-${name}.json`),
      ...CARD_ROUTES.map(({ name }) => `cardPayment-${name}.json`),
      ...OWN_MOVE_ROUTES.map(({ kind, name }) => `${workflowTypeOf(kind)}-${name}.json`),
    ];
    expect(routes.filter((file) => !files.includes(file))).toEqual([]);
    expect(new Set(files.map(typeOf))).toEqual(new Set(Object.values(WORKFLOW_TYPES)));
  });

  it('of another course of events raise a determinism error: the check can fail', () => {
    expect(errors.get(ANOTHER_COURSE)).toBeInstanceOf(DeterminismViolationError);
  });
});
