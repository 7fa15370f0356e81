import './platform/tls-minimum.ts';
import { endSoon, exitOnSignals } from './cli/exit.ts';
import { runProgram } from './cli/program.ts';

// Entry point of the `payouts` command; imported by nothing.
exitOnSignals();
process.exitCode = await runProgram(process.argv.slice(2));
endSoon();
