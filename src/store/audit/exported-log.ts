import { createReadStream } from 'node:fs';
import { type LogVerifier, parseVerifier, type SignedCheckpoint } from './checkpoint.ts';
import { KEY_ROTATED, type Rotation, rotationIn } from './log-keys.ts';
import { type Leaf, type LogVerdict, readLine, verifyLog } from './verify-log.ts';

/** A longer line cannot be an entry and is not read whole. */
const LONGEST_LINE = 1_000_000;

interface ExportVerdict extends LogVerdict {
  /** The key that the checkpoints were checked with. Undefined: none was given, and the file names none. */
  verifier: LogVerifier | undefined;
}

/**
 * Checks a file that `audit export` wrote, without the store: its checkpoints in a first pass, its entries in a second one. The
 * last checkpoint is both its first and its last line, so that a file whose end was cut off is recognized.
 *
 * @param trusted key of the log; absent: the one that the file names
 */
export async function verifyExport(
  file: string,
  { trusted, copied }: { trusted?: LogVerifier; copied: readonly (SignedCheckpoint | { note: string })[] },
): Promise<ExportVerdict> {
  const { inside, rotations, named, isFramed } = await checkpointsIn(file);
  const verifier = trusted ?? parseVerifier(named);
  const checkpoints = [...inside, ...copied];
  const verdict = await verifyLog({ leaves: leavesOf(file), verifier, rotations, checkpoints });
  const { size, signedSize } = verdict;
  const isWhole = verdict.problem !== undefined || (isFramed && signedSize === size);
  const message = 'the checkpoint at the beginning or at the end of the export is missing';
  return { ...verdict, verifier, problem: isWhole ? verdict.problem : { fault: 'cut', from: signedSize, message } };
}

async function checkpointsIn(file: string) {
  const inside: (SignedCheckpoint | { note: string })[] = [];
  const rotations: Rotation[] = [];
  let [named, first, last] = ['', undefined as string | undefined, ''];
  for await (const lines of linesOf(file)) {
    first ??= lines[0];
    last = lines.at(-1) ?? last;
    for (const line of lines.filter((it) => isCheckpoint(it) || it.includes(KEY_ROTATED))) {
      const read = readLine(line);
      if (!('checkpoint' in read)) {
        rotations.push(...[rotationIn(read) ?? []].flat());
        continue;
      }
      inside.push(read.checkpoint);
      named = read.verifier;
    }
  }
  return { inside, rotations, named, isFramed: first !== undefined && first === last && isCheckpoint(first) };
}

const isCheckpoint = (line: string): boolean => line.startsWith('{"checkpoint"');

async function* leavesOf(file: string): AsyncGenerator<Leaf[]> {
  for await (const lines of linesOf(file)) {
    yield lines.flatMap((line) => {
      const read = readLine(line);
      return 'checkpoint' in read ? [] : read;
    });
  }
}

/** The lines of a file, in batches. */
async function* linesOf(file: string): AsyncGenerator<string[]> {
  let rest = '';
  for await (const chunk of createReadStream(file, { encoding: 'utf8', highWaterMark: 1 << 20 })) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = (lines.pop() ?? '').slice(0, LONGEST_LINE);
    yield lines;
  }
  if (rest !== '') yield [rest];
}
