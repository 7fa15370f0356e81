import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Mutant } from './mutants/mutant.ts';

/** What replaces Temporal's packages while the product is simulated. */
const STAND_INS: Readonly<Record<string, string>> = {
  '@temporalio/workflow': new URL('./temporal/workflow-module.ts', import.meta.url).href,
  '@temporalio/activity': new URL('./temporal/activity-module.ts', import.meta.url).href,
};

/**
 * Lets the product be loaded into this process: Temporal's packages are the simulation's, and the lines of a planted bug
 * are exchanged on the way. Call before the product is imported.
 */
export function installHooks(mutant: Mutant | undefined): void {
  const planted = mutant === undefined ? new Map<string, string>() : plant(mutant);
  registerHooks({
    resolve(specifier, context, next) {
      const standIn = STAND_INS[specifier];
      return standIn === undefined ? next(specifier, context) : { url: standIn, shortCircuit: true };
    },
    load(url, context, next) {
      const source = planted.get(url);
      return source === undefined ? next(url, context) : { format: 'module-typescript', source, shortCircuit: true };
    },
  });
}

/** The sources with the bug in them, by URL. Throws when a text it replaces is not there exactly once. */
export function plant({ name, edits }: Mutant): Map<string, string> {
  const sources = new Map<string, string>();
  for (const { file, find, replace } of edits) {
    const url = new URL(`../../${file}`, import.meta.url);
    const pieces = (sources.get(url.href) ?? readFileSync(fileURLToPath(url), 'utf8')).split(find);
    if (pieces.length !== 2) {
      throw new Error(
        `the planted bug no longer applies: ${name} finds its text ${pieces.length - 1} times in ${file}`,
      );
    }
    sources.set(url.href, pieces.join(replace));
  }
  return sources;
}
