import './tls-minimum.ts';
import { endSoon } from './cli/end-soon.ts';
import { runProgram } from './cli/program.ts';

// Composition root of a worker process: `payouts worker`. Imported by nothing.
process.exitCode = await runProgram(['worker', ...process.argv.slice(2)]);
endSoon();
