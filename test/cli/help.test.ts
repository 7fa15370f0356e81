import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tokenAccess } from '../../src/channels/http/gateway-app.ts';
import { assertEncrypted, assertTokenIfReachable } from '../../src/channels/http/gateway-server.ts';
import { commandsOf, type Example } from '../../src/cli/command.ts';
import { EXIT } from '../../src/cli/exit.ts';
import { buildProgram, COMMANDS, FIRST_EXAMPLES } from '../../src/cli/program.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { newFolder } from '../support/new-folder.ts';
import { helpOf } from './help-of.ts';

const commands = commandsOf(buildProgram(async () => {})).filter(([, command]) => command.name() !== 'help');
/** Commands that only hold others have no action of their own. */
const paths = commands.map(([path]) => path);

/** By the words of the command, '' the program. */
const EXAMPLES: Readonly<Record<string, readonly Example[]>> = Object.fromEntries([
  ['', FIRST_EXAMPLES],
  ...COMMANDS.flatMap((it) =>
    'commands' in it
      ? [[it.usage, it.examples], ...it.commands.map((below) => [`${it.usage} ${nameOf(below)}`, below.examples])]
      : [[nameOf(it), it.examples]],
  ),
]);

function nameOf({ usage }: { usage: string }): string {
  return usage.split(' ')[0] ?? '';
}

/** The words of an example behind `payouts`, as a shell hands them over; redirections are the shell's. */
function argvOf(line: string): string[] {
  const words = [...line.matchAll(/'([^']*)'|[^\s']+/g)].map(([word, inQuotes]) => inQuotes ?? word);
  const start = words.findIndex((word) => word === 'payouts' || word === '<(payouts');
  const argv = words.slice(start + 1).map((word) => word.replace(/\)$/, ''));
  const end = argv.indexOf('>');
  return end < 0 ? argv : argv.slice(0, end);
}

describe.each(commands)('payouts %s --help', (path, command) => {
  it('has its examples first, then usage and options', () => {
    const help = helpOf(command);
    expect(EXAMPLES[path]?.length, `add examples of "${path}" to its definition`).toBeGreaterThan(0);
    expect(help.startsWith('Examples:\n')).toBe(true);
    for (const [line] of EXAMPLES[path] ?? []) expect(help).toContain(line);
    expect(help.indexOf('Usage: ')).toBeGreaterThan(help.indexOf('Examples:'));
    expect(help.indexOf('Options:')).toBeGreaterThan(help.indexOf('Usage: '));
    expect(help).not.toContain('(default: false)');
  });

  it.each(EXAMPLES[path] ?? [])('%s', async (line) => {
    let performed = 0;
    const program = buildProgram(async () => {
      performed += 1;
    });
    expect(argvOf(line).join(' ').startsWith(path)).toBe(true);
    await program.parseAsync(argvOf(line), { from: 'user' });
    expect(performed).toBe(1);
  });
});

it.each(['run', 'watch'])('%s says its exit codes at the end', (name) => {
  const [, command] = commands.find(([path]) => path === name) ?? [];
  const help = command === undefined ? '' : helpOf(command);
  const codes = [...help.slice(help.indexOf('Exit codes:')).matchAll(/^ {2}(\d+) /gm)].map(([, code]) => Number(code));
  expect(codes).toEqual(Object.values(EXIT));
});

it.each([60, 120])('breaks no word at %i columns, and no line that is to be pasted', (columns) => {
  const stdout = process.stdout as { columns: number | undefined };
  const { columns: before } = stdout;
  stdout.columns = columns;
  onTestFinished(() => {
    stdout.columns = before;
  });
  const program = buildProgram(async () => {});
  const toPaste = Object.values(EXAMPLES).flatMap((examples) => examples.map(([line]) => `  ${line}`));
  for (const name of ['', 'run', 'watch', 'restore']) {
    const command = commandsOf(program).find(([path]) => path === name)?.[1] ?? program;
    command.configureOutput({ getOutHelpWidth: () => columns });
    const lines = helpOf(command).split('\n');
    for (const [line] of EXAMPLES[name] ?? []) expect(lines.join('\n')).toContain(`  ${line}`);
    expect(lines.filter((line) => line.length > columns && !toPaste.includes(line))).toEqual([]);
  }
});

it('has examples of commands that exist, and nothing else', () => {
  expect(Object.keys(EXAMPLES).filter((path) => !paths.includes(path))).toEqual([]);
});

it.each(EXAMPLES.gateway ?? [])('%s is let start', (line) => {
  const folder = newFolder();
  writeFileSync(join(folder, 'tokens'), `alice:${randomBytes(32).toString('hex')}`);
  const settings = [...line.matchAll(/\b(PAYOUTS_\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]);
  const inFolder = settings.map(([name, value = '']) => [name, name?.endsWith('_FILE') ? join(folder, value) : value]);
  const config = loadConfig({ PAYOUTS_HOME: folder, ...Object.fromEntries(inFolder) });
  const [, host = '127.0.0.1'] = /--host (\S+)/.exec(line) ?? [];
  expect(() => assertTokenIfReachable(tokenAccess(config), host)).not.toThrow();
  expect(() => assertEncrypted(config.gateway, host)).not.toThrow();
});
