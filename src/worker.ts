import './tls-minimum.ts';
import { endSoon } from './cli/end-soon.ts';
import { runProgram } from './cli/program.ts';

// Entry point of a worker process, `payouts worker`; imported by nothing.
process.exitCode = await runProgram(['worker', ...process.argv.slice(2)]);
endSoon();
