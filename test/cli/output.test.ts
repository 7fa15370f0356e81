import { Writable } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createOutput } from '../../src/cli/output.ts';

class Recorder extends Writable {
  text = '';
  readonly isTTY: boolean;

  constructor(isTTY = false) {
    super();
    this.isTTY = isTTY;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

function recorded({ json = false, terminal = false, quiet = false } = {}) {
  const stdout = new Recorder(terminal);
  const stderr = new Recorder(terminal);
  const streams = { stdout, stderr } as unknown as { stdout: NodeJS.WriteStream; stderr: NodeJS.WriteStream };
  return { output: createOutput({ json, quiet, ...streams }), stdout, stderr };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('stdout', () => {
  it('holds the text of the result, ended by one newline, and nothing else', () => {
    const { output, stdout } = recorded();
    output.say('hello');
    output.progress('1/2');
    output.result({ a: 1 }, 'one\ntwo\n');
    expect(stdout.text).toBe('one\ntwo\n');
  });

  it('holds one document with its version on one line with --json', () => {
    const { output, stdout } = recorded({ json: true });
    output.say('hello');
    output.result({ a: 'x\ny' }, 'text');
    expect(stdout.text).toBe('{"schemaVersion":1,"a":"x\\ny"}\n');
  });

  it('holds the pieces of a large document on one line, and no text of it', async () => {
    const { output, stdout } = recorded({ json: true });
    async function* pieces() {
      yield '{"a":[\n"x\\ny"';
      yield ',\n2\n]}\n';
    }
    await output.stream(pieces(), async () => 'text');
    expect(stdout.text).toBe('{"a":["x\\ny",2]}\n');
    const people = recorded();
    await people.output.stream(pieces(), async () => 'text');
    expect(people.stdout.text).toBe('text\n');
  });
});

describe('what somebody else has written', () => {
  const HOSTILE = 'ord-1\u001b[2J\u001b[8m\r\u009b31mhidden\u0007 \u202etxt';

  it('steers no terminal, neither on stdout nor on stderr; our own colours and lines stay', () => {
    const { output, stdout, stderr } = recorded({ terminal: true });
    output.result({}, `\u001b[32mdone\u001b[39m\n${HOSTILE}`);
    output.say(HOSTILE);
    output.progress(HOSTILE);
    const shown = 'ord-1\\u001b[2J\\u001b[8m\\u000d\\u009b31mhidden\\u0007 \\u202etxt';
    expect(stdout.text).toBe(`\u001b[32mdone\u001b[39m\n${shown}\n`);
    expect(stderr.text).toContain(`${shown}\n`);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is searched for
    expect(stderr.text.replaceAll('\r\u001b[2K', '')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });

  it('is the same document with --json', async () => {
    const { output, stdout } = recorded({ json: true });
    output.result({ order: HOSTILE }, '');
    async function* pieces() {
      yield JSON.stringify({ schemaVersion: 1, order: HOSTILE });
    }
    await output.stream(pieces(), async () => '');
    const [result = '', streamed = ''] = stdout.text.split('\n');
    for (const line of [result, streamed]) {
      expect(line).not.toMatch(/[\u007f-\u009f]/);
      expect(JSON.parse(line)).toEqual({ schemaVersion: 1, order: HOSTILE });
    }
  });
});

describe('--quiet', () => {
  it.each([true, false])('leaves the result, and what a question is about (terminal: %s)', (terminal) => {
    const { output, stdout, stderr } = recorded({ quiet: true, terminal });
    output.say('hello');
    output.progress('1/2');
    output.notify('Pay 12 payouts of this plan');
    output.result({}, 'done');
    expect(stderr.text).toBe('Pay 12 payouts of this plan\n');
    expect(stdout.text).toBe('done\n');
  });
});

describe('progress', () => {
  it('replaces its line on a terminal and is gone before the result', () => {
    const { output, stderr } = recorded({ terminal: true });
    output.progress('1/2');
    output.progress('2/2');
    output.result({}, 'done');
    expect(stderr.text).toBe('1/2\r\u001b[2K2/2\r\u001b[2K');
  });

  it('writes nothing again when nothing has changed', () => {
    const { output, stderr } = recorded({ terminal: true });
    output.progress('1/2');
    output.progress('1/2');
    expect(stderr.text).toBe('1/2');
  });

  it('is a line now and then where there is no terminal', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    vi.advanceTimersByTime(1_000);
    const { output, stderr } = recorded();
    output.progress('1/9');
    output.progress('2/9');
    expect(stderr.text).toBe('1/9\n');
    vi.advanceTimersByTime(10_000);
    output.progress('3/9');
    expect(stderr.text).toBe('1/9\n3/9\n');
  });
});

it('a progress line never runs over the edge of the terminal, where the next one could not clear it', () => {
  const { output, stderr } = recorded({ terminal: true });
  Object.assign(stderr, { columns: 60 });
  output.progress(`0189  1/6  ${'2 awaiting-bank-approval, '.repeat(5)}`);
  expect(stderr.text).toHaveLength(59);
});
