import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLog, lineForPeople } from '../../src/platform/log.ts';

function capture(level: 'info' | 'warn' = 'info') {
  const lines: string[] = [];
  const log = createLog(level, { write: (line) => lines.push(line) });
  return { log, text: () => lines.join(''), records: () => lines.map((line) => JSON.parse(line)) };
}

describe('the log', () => {
  it('shows the fields that are named, and of others only how many there were', () => {
    const { log, text, records } = capture();
    const hidden = { account_no: 'canary-1', deep: { api_secret: 'canary-2' }, reason: { name: 'canary-3' } };
    log.info({ batchId: 'b-1', ms: 12, ...hidden, made_up_tomorrow: 'canary-4', list: ['canary-5'] }, 'sent');
    expect(records()).toMatchObject([{ msg: 'sent', batchId: 'b-1', ms: 12, hidden: 5 }]);
    expect(text()).not.toContain('canary-');
  });

  it('shows no field that it does not know, with any name and content', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (given) => {
        const { log, records } = capture();
        const named = Object.fromEntries(Object.entries(given).map(([name, value]) => [`x_${name}`, value]));
        log.info({ ...named, batchId: 'b-1' }, 'sent');
        const [{ hidden = 0, ...line }] = records();
        expect(Object.keys(line).toSorted()).toEqual(['batchId', 'level', 'msg', 'pid', 'time']);
        expect(hidden).toBe(Object.keys(named).length);
      }),
    );
  });

  it('shows class, code, words and places of an error and of its causes, and nothing that hangs on them', () => {
    const { log, text, records } = capture();
    const cause = Object.assign(new TypeError('broken pipe'), { code: 'EPIPE', detail: 'Key (iban)=(canary-1)' });
    const error = Object.assign(new Error('not sent', { cause }), {
      request: { body: 'canary-2' },
      code: { x: 'canary-3' },
    });
    log.warn({ error }, 'failed');
    log.warn(error);
    log.warn({ error: { message: 'canary-4' } }, 'no error');
    const shown = {
      type: 'Error',
      message: 'not sent',
      stack: expect.stringMatching(/^ +at /),
      cause: { type: 'TypeError', code: 'EPIPE', message: 'broken pipe', stack: expect.any(String) },
    };
    expect(records()).toMatchObject([{ error: shown }, { err: shown }, { error: { type: 'object' } }]);
    expect(text()).not.toContain('canary-');
  });

  it('is one line of printable characters an entry, for any text', () => {
    const hostile = fc.string({
      unit: fc.constantFrom('\r', '\n', '\0', '\x1b', '\x7f', '\x85', '\x9b', '\u2028', '\u202e', '\u200b', '"', 'x'),
    });
    fc.assert(
      fc.property(hostile, hostile, (why, message) => {
        const { log, text, records } = capture();
        log.warn({ why, error: new Error(why) }, message);
        expect(text()).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}\p{Cf}]*\n$/u);
        expect(records()).toMatchObject([{ why, msg: message, error: { message: why } }]);
      }),
    );
  });

  it('cuts a text that is long', () => {
    const { log, text } = capture();
    log.warn({ why: 'x'.repeat(100_000) }, 'said');
    expect(text().length).toBeLessThan(1_000);
  });
});

describe('a line for people', () => {
  const shownOf = (write: (log: ReturnType<typeof createLog>) => void, width = 200): string => {
    let line = '';
    write(createLog('info', { write: (given) => (line = given) }));
    return lineForPeople(line, width).replace(/^\d\d:\d\d:\d\d /, '');
  };

  it('says when, how serious, what, and of which', () => {
    expect(shownOf((log) => log.warn({ count: 2, batchId: 'b-1' }, 'the bank shows orders'))).toBe(
      'warning: the bank shows orders (count 2, batchId b-1)',
    );
    expect(shownOf((log) => log.info('taken'))).toBe('taken');
  });

  it('has the words of errors once, and not where in the code they are from', () => {
    const error = new Error('not sent', { cause: new Error('connection refused') });
    expect(shownOf((log) => log.error({ error }, 'failed'))).toBe('error: failed: not sent: connection refused');
    expect(shownOf((log) => log.error(error))).toBe('error: not sent: connection refused');
  });

  it('cannot steer a terminal, and fits it', () => {
    const steering = shownOf((log) => log.warn({ why: '\u001b[2J\u202e\n' }, `\u001b[1A ${'word '.repeat(40)}`), 60);
    for (const char of ['\u001b', '\u202e']) expect(steering).not.toContain(char);
    expect(Math.max(...steering.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(60);
  });
});
