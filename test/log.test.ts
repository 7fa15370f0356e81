import { describe, expect, it } from 'vitest';
import { createLog, temporalLogger } from '../src/log.ts';

function capture(level: 'info' | 'warn' = 'info') {
  const lines: string[] = [];
  const log = createLog(level, { write: (line) => lines.push(line) });
  return { log, text: () => lines.join(''), records: () => lines.map((line) => JSON.parse(line)) };
}

describe('the log', () => {
  it('shows neither credentials nor payees, at the top or one level down', () => {
    const { log, text } = capture();
    log.info(
      { authorization: 'hidden-1', request: { api_secret: 'hidden-2', account_no: 'hidden-3' }, mobile: 'hidden-4' },
      'sent',
    );
    expect(text()).toContain('sent');
    expect(text()).not.toContain('hidden-');
  });

  it('takes lines of the Temporal SDK at their own level, with their fields', () => {
    const { log, records } = capture('warn');
    const logger = temporalLogger(log);
    logger.info('not shown');
    logger.warn('shown', { workflowId: 'payout/1', error: new Error('broken') });
    logger.log('ERROR', 'shown too', { size: 1n });
    expect(records()).toMatchObject([
      { level: 40, msg: 'shown', workflowId: 'payout/1', error: { message: 'broken' } },
      { level: 50, msg: 'shown too' },
    ]);
  });
});
