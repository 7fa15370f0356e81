import type { Command } from 'commander';

/** What `--help` of a command prints, its added texts included. */
export function helpOf(command: Command): string {
  let text = '';
  const write = (chunk: string): void => {
    text += chunk;
  };
  command.configureOutput({ writeOut: write, writeErr: write }).outputHelp();
  return text;
}
