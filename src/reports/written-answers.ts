import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Stage } from './pain002/status-report.ts';

const ORDER: Readonly<Record<Stage, number>> = { received: 0, validated: 1, sent: 2, final: 3 };

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
      const [, stage, version = '1'] = /^(\w+)(?:\.(\d+))?\.pain002\.xml$/.exec(name.slice(stem.length + 1)) ?? [];
      return stage !== undefined && isStage(stage) ? [{ name, stage, version: Number(version) }] : [];
    })
    .sort((a, b) => ORDER[a.stage] - ORDER[b.stage] || a.version - b.version)
    .map(({ name }) => resolve(dir, name));
}

const isStage = (text: string): text is Stage => Object.hasOwn(ORDER, text);
