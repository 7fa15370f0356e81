import { expect, it } from 'vitest';
import { createLog } from '../../../src/platform/log.ts';
import { temporalLogger } from '../../../src/platform/temporal/worker-runtime.ts';

it('takes lines of the Temporal SDK at their own level, with their fields', () => {
  const lines: string[] = [];
  const logger = temporalLogger(createLog('warn', { write: (line) => lines.push(line) }));
  logger.info('not shown');
  logger.warn('shown', { workflowId: 'payout/1', error: new Error('broken') });
  logger.log('ERROR', 'shown too', { size: 1n });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 40, msg: 'shown', workflowId: 'payout/1', error: { message: 'broken' } },
    { level: 50, msg: 'shown too' },
  ]);
});
