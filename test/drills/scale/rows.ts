import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../../src/store/open.ts';
import { fileOf, LARGE, openGround, payouts } from './place.ts';

// What a file of many rows takes of memory: `node test/drills/scale/rows.ts [N]` has N of them, and a tenth, claimed by `payouts run`
// and reported by `payouts report`, and ends with 1 where memory grows with rows. No worker runs: nothing is paid.

const MEGABYTE = 1_000_000;
/** Beside a tenth of the rows. */
const GROWTH_MAX = 1.5;

/** Notes the most memory that a process had, when it ends. */
const METER = `data:text/javascript,${encodeURIComponent(`
  import { writeFileSync } from 'node:fs';
  process.on('exit', () => writeFileSync(process.env.SCALE_FILE, String(1024 * process.resourceUsage().maxRSS)));
`)}`;

/**
 * Heap of a process, as a small container has it: the old generation, beyond which it ends with an error, and the young one.
 * Where there is room V8 collects late, and what it has not yet collected would look like growth.
 */
const SMALL_HEAP = '--max-old-space-size=128 --max-semi-space-size=4';

interface Taken {
  seconds: number;
  /** Resident, the most; bytes. */
  peak: number;
}

const rows = Number(process.argv[2] ?? 100_000);
const [few, many] = [await measured(rows / 10), await measured(rows)];
for (const what of ['claim', 'report'] as const) {
  const growth = many[what].peak / few[what].peak;
  if (!(growth <= GROWTH_MAX)) process.exitCode = 1;
  const of = ({ seconds, peak }: Taken): string => `${seconds.toFixed(1)} s, ${(peak / MEGABYTE).toFixed(0)} MB`;
  console.log(
    `${what}: ${rows / 10} rows ${of(few[what])}; ${rows} rows ${of(many[what])}; memory × ${growth.toFixed(2)}`,
  );
}

async function measured(count: number): Promise<Record<'claim' | 'report', Taken>> {
  const place = await openGround(1);
  try {
    const note = (name: string): string => join(place.dir, `${name}.memory`);
    const run = async (name: string, args: readonly string[]): Promise<Taken> => {
      const began = performance.now();
      await payouts(place, args, {
        NODE_OPTIONS: `${SMALL_HEAP} --import ${METER}`,
        SCALE_FILE: note(name),
      });
      return { seconds: (performance.now() - began) / 1_000, peak: Number(readFileSync(note(name), 'utf8')) };
    };
    const claim = await run('claim', ['run', fileOf(place, LARGE, count), '--yes', '--detach']);
    const store = await openStore(place.productEnv('command').PAYOUTS_STORE_URL ?? '');
    const [batch] = await store.batches(1);
    await store.close();
    return { claim, report: await run('report', ['report', batch?.batchId ?? '']) };
  } finally {
    await place.end();
  }
}
