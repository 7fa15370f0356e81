import {
  ApplicationFailure,
  allHandlersFinished,
  condition,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { BatchProgress } from '../activities/batch.ts';
import { FAILURES } from '../domain/failures.ts';
import { inMarkdown, noteProblem } from '../domain/text.ts';
import { assertNamed, assertSound } from './execution.ts';
import {
  approveBatchUpdate,
  type BatchRequest,
  cancelBatchUpdate,
  drainUpdate,
  pauseUpdate,
  progressQuery,
  resumeUpdate,
} from './messages.ts';
import { batchControl, longRuns } from './proxies.ts';

interface PayoutBatchInput {
  batchId: string;
}

/** About how often per batch the waiting activity returns: each report of progress in the UI costs six events. */
const REPORTS_PER_BATCH = 10;

const CONTROLS = [
  [pauseUpdate, 'paused', 'Send nothing more: no row is released, and those under way wait before their send.'],
  [drainUpdate, 'draining', 'Release no further rows; those under way go to their end.'],
  [resumeUpdate, 'running', 'Release and send rows again, all of them if a canary row has stopped the batch.'],
  [cancelBatchUpdate, 'cancelling', 'Cancel every row that can still be stopped.'],
] as const;

/**
 * A file of payouts. The rows are in the store and in their own workflows; this one holds the id and the counts, and waits in one
 * heartbeating activity that adds no events.
 */
export async function payoutBatch(given: PayoutBatchInput): Promise<BatchProgress> {
  // Anybody can start a workflow with any input: without a batch id it fails here, instead of in every workflow task.
  const { batchId } = given ?? {};
  if (typeof batchId !== 'string') {
    throw ApplicationFailure.nonRetryable('a batch is started with {"batchId":"..."}', FAILURES.invalidInput);
  }
  let progress: BatchProgress | null = null;
  const validator = (asked: BatchRequest): void => {
    assertNamed(asked);
    assertSound(noteProblem('note', asked.note));
  };
  setHandler(progressQuery, () => progress, { description: 'Counts by state, as last reported. No argument.' });
  for (const [update, control, does] of CONTROLS) {
    setHandler(update, async ({ by }) => ({ control: await batchControl.setBatchControl({ batchId, control, by }) }), {
      validator,
      description: `${does} \`{"by":"alice"}\``,
    });
  }
  setHandler(
    approveBatchUpdate,
    async ({ by, note }) => ({ asked: await longRuns.approveRows({ batchId, by, note }) }),
    {
      validator,
      description: 'Approve every row that waits for people. `{"by":"alice","note":"file 12 checked"}`',
    },
  );

  let untilSettled = 1;
  for (;;) {
    progress = await longRuns.runBatch.executeWithOptions({ summary: 'releases rows and waits for their ends' }, [
      { batchId, untilSettled },
    ]);
    setCurrentDetails(details(progress));
    if (progress.done) break;
    const { counts } = progress;
    untilSettled = counts.total - counts.open + Math.max(1, Math.ceil(counts.total / REPORTS_PER_BATCH));
  }
  await condition(allHandlersFinished);
  return progress;
}

function details({ counts, control, controlReason }: BatchProgress): string {
  const rows = Object.entries(counts).filter(([, count]) => count > 0);
  const why = controlReason == null ? [] : [inMarkdown(controlReason), ''];
  return [
    ...why,
    `| ${control} | rows |`,
    '|---|---|',
    ...rows.map(([name, count]) => `| ${inWords(name)} | ${count} |`),
  ].join('\n');
}

const inWords = (name: string): string => (name === 'needsOperator' ? 'needs-operator' : name);
