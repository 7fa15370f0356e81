import { type RangeAsked, runRange } from './run-range.ts';

/** One process of several: runs the range it is given and reports every seed to its parent. */
const asked = JSON.parse(process.argv[2] ?? '') as RangeAsked;
await runRange(asked, (outcome) => process.send?.(outcome));
process.disconnect();
