import { z } from 'zod';
import type { BatchSummary } from '../../../reports/batch-report.ts';
import { batchUrl } from '../../../reports/links.ts';
import { summaryOfBatch } from '../../../reports/report-batch.ts';
import { ANY_ROLE } from '../route-access.ts';
import { pathId } from './inputs.ts';
import { operation } from './place.ts';
import { visibleBatch } from './visible.ts';

const TAG = 'batches';

export const SUMMARY = operation({
  method: 'GET',
  path: '/v1/batches/:id/summary',
  tag: TAG,
  summary: 'How a batch stands, who has to act, and the first rows that were not paid',
  access: ANY_ROLE,
  input: z.strictObject({ id: pathId }),
  answer: z.looseObject({ summary: z.looseObject({}), liveUrl: z.string().nullable() }),
  async run(place, { id }): Promise<{ summary: BatchSummary; liveUrl: string | null }> {
    const { batchId } = await visibleBatch(place, id);
    const summary = await summaryOfBatch({ ...place, ui: await place.ui() }, batchId);
    const live = await place.liveUi();
    return { summary, liveUrl: live === undefined ? null : batchUrl(live, batchId) };
  },
});
