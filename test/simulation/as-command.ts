import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { COMPILE_CACHE } from '../support/compile-cache.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const run = promisify(execFile);

/** Runs the simulation in a process of its own: its clocks and its Temporal are not those of a test. */
export async function simulate(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  try {
    const env = { ...process.env, ...COMPILE_CACHE };
    const { stdout, stderr } = await run(process.execPath, [MAIN, ...args], { env, maxBuffer: 64 * 1024 * 1024 });
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, err: stderr };
  }
}

/** A bug that is planted, the rule that it breaks, and a seed from which on it does so soon. */
export type PlantedBug = readonly [mutant: string, invariant: string, from: number];

/** One process ends with the first seed that breaks a rule; two would each go on to one of their own. */
export const hunt = ([mutant, , from]: PlantedBug) =>
  simulate('--seeds', '100', '--from', `${from}`, '--jobs', '1', '--mutant', mutant);
