import { writeFileSync } from 'node:fs';
import { type BenchOptions, readOptions, USAGE } from './options.ts';
import { runRounds } from './rounds.ts';
import { summaries } from './summary.ts';
import { textTables } from './table.ts';
import { writeFigures } from './written.ts';

// `npm run bench`: what a payout costs in each way to make one, measured side by side in one run.

const say = (line: string): void => void process.stderr.write(`${line}\n`);

if (process.argv.includes('--help')) {
  process.stdout.write(USAGE);
  process.exit(0);
}

function optionsOrEnd(): BenchOptions {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    say(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    process.exit(2);
  }
}

const options = optionsOrEnd();
// Only a process that ends by itself takes its children along.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
const { measured, left } = await runRounds(options, say);
const all = summaries(measured);
process.stdout.write(`\n${textTables(all)}`);
for (const line of left) say(`skipped: ${line}`);
if (options.json !== undefined)
  writeFileSync(options.json, `${JSON.stringify({ summaries: all, measured }, null, 1)}\n`);
if (options.write) writeFigures(all, new Date().toISOString().slice(0, 10));
process.exit(0);
