import { Command } from 'commander';
import { expect, it } from 'vitest';
import { addCommands, argument, command, option, storableText, wholeNumber } from '../../src/cli/command.ts';
import { EXIT } from '../../src/cli/exit.ts';
import { fakeSession } from '../support/fake-session.ts';

const ROWS = option('--first-row <n>', 'a row', { parse: wholeNumber });
const examples = [['payouts copy a', 'copies a']] as const;

it('hands the action what comes first, the arguments and the options, as they are typed', async () => {
  const given: unknown[] = [];
  const copy = command('copy <from>', 'copy a file', {
    examples,
    arguments: [argument('[to]', 'where to', { choices: ['b', 'c'], default: 'b' })],
    options: [ROWS, option('--no-check', 'copy unread'), option('--how <way>', 'how', { choices: ['fast', 'slow'] })],
    first: [7],
    action:
      async () =>
      (_session, seven, from, to, { firstRow, check, how }) => {
        given.push(seven satisfies number, from satisfies string, to satisfies 'b' | 'c');
        given.push(firstRow satisfies number | undefined, check satisfies boolean);
        given.push(how satisfies 'fast' | 'slow' | undefined);
      },
  });
  const program = new Command();
  addCommands(program, [copy], async (action) => {
    expect(await action(fakeSession({}))).toBe(EXIT.completed);
  });
  await program.parseAsync(['copy', 'a', '--first-row', '3'], { from: 'user' });
  expect(given).toEqual([7, 'a', 'b', 3, true, undefined]);
});

it('does not compile with an option that the action does not take, or without one that it needs', () => {
  const takes = async (_session: unknown, _rows: { firstRow: number | undefined }): Promise<void> => {};
  const mayTake = async (_session: unknown, _rows: { first?: number }): Promise<void> => {};
  command('copy', 'copy', { examples, options: [ROWS], action: async () => takes });
  // @ts-expect-error -- it is called firstRow
  command('copy', 'copy', { examples, options: [ROWS], action: async () => mayTake });
  // @ts-expect-error -- the row is missing
  command('copy', 'copy', { examples, action: async () => takes });
  // @ts-expect-error -- a text is no row
  command('copy', 'copy', { examples, options: [option('--first-row <n>', 'a row')], action: async () => takes });
  // @ts-expect-error -- a number is no choice
  option('--how <way>', 'how', { choices: ['fast', 'slow'], default: 3 });
  // @ts-expect-error -- none of the choices
  argument('[to]', 'where to', { choices: ['b', 'c'], default: 'd' });
});

it.each(['NAME', 'TEXT', 'ORDER', ' NAME '])(
  'takes no %j, as commands are printed, for what is to be filled in',
  (text) => {
    expect(() => storableText(text)).toThrow(expect.objectContaining({ code: 'placeholder' }));
    expect(storableText('name')).toBe('name');
  },
);
