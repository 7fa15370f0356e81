import { fileURLToPath } from 'node:url';

/** Environment of a process on our sources: half of a command's CPU time is Node compiling them once more. */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/durable-payouts/compiled', import.meta.url)),
};
