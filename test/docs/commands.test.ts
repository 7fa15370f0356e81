import { afterEach, describe, expect, it, vi } from 'vitest';
import { EXIT } from '../../src/cli/exit.ts';
import { runProgram } from '../../src/cli/program.ts';
import { INSTRUCTION_FIELDS } from '../../src/domain/instruction.ts';
import { cellsOf, code, documentText, tableRows } from './markdown.ts';

const commands = documentText('docs/commands.md');

afterEach(() => {
  vi.restoreAllMocks();
});

async function commandsOfHelp(): Promise<string[]> {
  let help = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    help += String(chunk);
    return true;
  });
  expect(await runProgram(['--help'])).toBe(EXIT.completed);
  const list = help.slice(help.indexOf('Commands:'));
  return [...list.matchAll(/^ {2}([a-z]+)\b/gm)].map(([, name]) => name ?? '').filter((name) => name !== 'help');
}

describe('docs/commands.md', () => {
  it('has every command and no other', async () => {
    const helped = await commandsOfHelp();
    expect(helped.length).toBeGreaterThan(10);
    const named = tableRows(commands, 'Commands').map((row) => /^`(\w+)/.exec(cellsOf(row)[0] ?? '')?.[1]);
    expect(named).toEqual(helped);
  });

  it('has every exit code', () => {
    expect(tableRows(commands, 'Exit codes').map((row) => cellsOf(row)[0])).toEqual(Object.values(EXIT).map(String));
  });
});

describe('docs/input.md', () => {
  it('has every column of our own, in the order of the code', () => {
    const named = tableRows(documentText('docs/input.md'), 'Columns').map((row) => cellsOf(row)[0]);
    expect(named).toEqual(INSTRUCTION_FIELDS.map(code));
  });
});
