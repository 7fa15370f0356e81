import { afterEach, describe, expect, it, vi } from 'vitest';
import { EXIT } from '../../src/cli/exit.ts';
import { runProgram } from '../../src/cli/program.ts';
import { PAN } from '../bank/cards/cards.ts';

// Each run of the program listens once.
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0);

afterEach(() => {
  vi.restoreAllMocks();
});

async function printed(...argv: string[]): Promise<{ exit: number; stdout: string; stderr: string }> {
  const streams = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      streams[name] += String(chunk);
      return true;
    });
  }
  return { exit: await runProgram(argv), ...streams };
}

describe('a mistyped', () => {
  it.each([
    ['command', ['validat', 'payroll.csv'], 'Did you mean validate?'],
    ['option', ['run', 'payroll.csv', '--dry-rnu'], 'Did you mean --dry-run?'],
    ['choice', ['run', 'payroll.csv', '--invalid', 'skp'], 'Allowed choices are stop, skip.'],
    ['column', ['explain', 'curency'], 'Did you mean currency?'],
    ['rule', ['explain', 'duplicate_ids'], 'Did you mean duplicate-id?'],
    ['field of the bank', ['explain', 'swift_cod', '--currency', 'EUR'], 'Did you mean swift_code?'],
    ['currency', ['template', '--currency', 'eur'], 'Write EUR.'],
  ])('%s ends with the usage exit code and a suggestion', async (_what, argv, suggestion) => {
    const { exit, stdout, stderr } = await printed(...argv);
    expect(exit).toBe(EXIT.usage);
    expect(stderr).toContain(suggestion);
    expect(stdout).toBe('');
  });

  it('choice is explained in lines that fit the terminal', async () => {
    const { columns } = process.stderr;
    process.stderr.columns = 60;
    const { stderr } = await printed('list', '--state', 'frob');
    process.stderr.columns = columns;
    expect(stderr).toContain('cancelled');
    expect(Math.max(...stderr.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(60);
  });

  it('command is one document on one line with --json', async () => {
    const { exit, stdout } = await printed('validat', 'payroll.csv', '--json');
    expect(exit).toBe(EXIT.usage);
    expect(JSON.parse(stdout)).toMatchObject({ schemaVersion: 1, error: { code: 'usage' } });
    expect(stdout).toContain('Did you mean validate?');
  });
});

it.each([
  ['match', 'payouts match --help shows its arguments and options.'],
  ['audit shw ID', 'payouts audit --help shows all commands.'],
  ['frobnicate', 'payouts --help shows all commands.'],
])('payouts %s names the help of the command, on the terminal and in the document', async (words, hint) => {
  const { stderr } = await printed(...words.split(' '));
  expect(stderr.trimEnd().split('\n').at(-1)).toBe(hint);
  const { stdout } = await printed(...words.split(' '), '--json');
  expect(JSON.parse(stdout).error.hint).toBe(hint);
});

it.each(['-v', '--version'])('%s prints one line of versions', async (flag) => {
  const { exit, stdout } = await printed(flag);
  expect(exit).toBe(EXIT.completed);
  expect(stdout).toMatch(/^payouts \S+, Temporal SDK \S+, Node \S+\n$/);
});

it.each([
  ['card', 'create', '--amount', '1', '--currency', 'EUR', '--by', PAN],
  ['card', 'cancel', 'order-1', '--remark', 'card 4012 8888 8888 1881'],
  ['card', 'resolve', 'order-1', '--action', 'keep-looking', '--evidence', PAN],
  ['card', 'resolve', 'order-1', '--action', 'keep-looking', '--evidence', 'statement\u001b[2J'],
  ['approve', 'ID', '--remark', PAN],
  ['run', 'payroll.csv', '--by', PAN],
  ['intake', 'drop', '--by', PAN],
  ['switch', 'off', 'everything', '--reason', PAN],
])('payouts %s %s refuses a text that would be kept and may not, and does not show it', async (...argv) => {
  const { exit, stdout, stderr } = await printed(...argv);
  expect([exit, stderr]).toEqual([EXIT.usage, expect.stringContaining('must not contain a card number')]);
  expect(stdout + stderr).not.toMatch(/4012|statement/);
});
