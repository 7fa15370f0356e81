import { expect, it } from 'vitest';
import { commandTree } from '../../../src/cli/completion/command-tree.ts';
import { smallProgram } from './small-program.ts';

const tree = commandTree(smallProgram());

it('has every command by its words, the program first', () => {
  expect(tree.map(({ path }) => path)).toEqual([
    '',
    'run',
    'template',
    'status',
    'switch',
    'switch off',
    'switch list',
    'switch help',
    'help',
  ]);
});

it('knows what stands for a value', () => {
  const values = tree.find(({ path }) => path === 'run')?.options.map(({ flags, value }) => [flags.at(-1), value]);
  expect(values).toEqual([
    ['--yes', undefined],
    ['--timeout', { kind: 'free' }],
    ['--books', { kind: 'file' }],
    ['--invalid', { kind: 'choices', choices: ['stop', 'skip'] }],
    ['--help', undefined],
  ]);
  expect(tree.find(({ path }) => path === 'switch off')?.values).toEqual([{ kind: 'free' }, { kind: 'free' }]);
  expect(tree.find(({ path }) => path === 'template')?.values).toEqual([{ kind: 'choices', choices: ['csv', 'json'] }]);
});
