import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { STAGES, type Stage } from './pain002/status-report.ts';

/**
 * Paths of existing answers to a bank message, by the beginning of their names, the latest last; empty if there is no such
 * folder.
 */
export async function writtenAnswers(dir: string, stem: string): Promise<string[]> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names
    .flatMap((name) => {
      if (!name.startsWith(`${stem}.`)) return [];
      const [, named, version = '1'] = /^(\w+)(?:\.(\d+))?\.pain002\.xml$/.exec(name.slice(stem.length + 1)) ?? [];
      const stage = STAGES.indexOf(named as Stage);
      return stage < 0 ? [] : [{ name, stage, version: Number(version) }];
    })
    .sort((a, b) => a.stage - b.stage || a.version - b.version)
    .map(({ name }) => resolve(dir, name));
}
