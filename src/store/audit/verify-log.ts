import { createReadStream } from 'node:fs';
import {
  KEY_ROTATED,
  LogKeys,
  type LogVerifier,
  parseCheckpoint,
  parseVerifier,
  type Rotation,
  rotationIn,
  type SignedCheckpoint,
} from './checkpoint.ts';
import { membersOf } from './entry.ts';
import { type Hash, leafHash, MerkleTree, type TreeState } from './merkle.ts';

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

/** An entry as it was read. */
export interface Leaf {
  /** The sequence number that the entry itself contains. */
  seq: number;
  text: string;
  /** As stored beside the entry; absent if none was stored. */
  hash?: Hash;
}

type LogFault =
  | 'missing'
  | 'out-of-order'
  | 'edited'
  | 'added'
  /** Entries within a signed size differ from those that were signed. */
  | 'rewritten'
  /** Entries that a checkpoint covers are missing at the end. */
  | 'cut'
  /** Not a checkpoint, or one signed with another key or for another log. */
  | 'forged-checkpoint'
  | 'no-entry';

/** The first problem found. */
interface LogProblem {
  fault: LogFault;
  /** The first wrong entry is this one, or a later one before `to`. */
  from: number;
  to?: number;
  message: string;
}

export interface LogVerdict {
  problem: LogProblem | undefined;
  /** Number of entries read, up to the first problem. */
  size: number;
  root: Hash;
  /** Number of checkpoints that these entries agree with. */
  checkpoints: number;
  /** Size of the largest of them. */
  signedSize: number;
}

interface LogReading {
  /** In stored order, in pages. */
  leaves: AsyncIterable<readonly Leaf[]>;
  /** The key that is trusted; undefined: no key is. */
  verifier: LogVerifier | undefined;
  /** The changes of keys that its entries record. */
  rotations?: readonly Rotation[];
  /** Of any size, in any order. */
  checkpoints: readonly (SignedCheckpoint | { note: string })[];
  /** As stored; absent if none was stored. */
  tree?: TreeState;
  /** Sequence number of an entry that is stored, but outside the tree. */
  stray?: number;
}

/**
 * Recomputes every leaf and the tree, and compares them with what is stored and what was signed. Reads up to the end or the first
 * problem, a page at a time; only the checkpoints are all in memory.
 */
export async function verifyLog(reading: LogReading): Promise<LogVerdict> {
  const { leaves, verifier, rotations = [], checkpoints, tree: stored, stray } = reading;
  const keys = verifier && new LogKeys(verifier, rotations, checkpoints);
  const signed = checkpoints.flatMap((it) => ('root' in it && keys?.hasSigned(it) === true ? it : []));
  const sorted = signed.toSorted((a, b) => a.size - b.size);
  const check = new LogCheck(sorted, keys?.rotations ?? []);
  const forged = checkpoints.length - signed.length;
  const problem =
    (await check.read(leaves)) ??
    check.end(stored) ??
    (stray === undefined ? undefined : problemAt('added', stray, `entry ${stray} was not appended by the log`)) ??
    (forged === 0 ? undefined : notSigned(check.signedSize, check.size, forged));
  return { problem, size: check.size, root: check.root, checkpoints: check.agreed, signedSize: check.signedSize };
}

const notSigned = (from: number, to: number, count: number): LogProblem => ({
  fault: 'forged-checkpoint',
  from,
  to,
  message: `${count} of the checkpoints are not signed by the key that was valid at their size`,
});

class LogCheck {
  readonly #tree = new MerkleTree();
  readonly #signed: readonly SignedCheckpoint[];
  readonly #rotations: readonly Rotation[];
  agreed = 0;
  signedSize = 0;

  constructor(signed: readonly SignedCheckpoint[], rotations: readonly Rotation[]) {
    this.#signed = signed;
    this.#rotations = rotations;
  }

  get size(): number {
    return this.#tree.size;
  }

  get root(): Hash {
    return this.#tree.root();
  }

  async read(leaves: AsyncIterable<readonly Leaf[]>): Promise<LogProblem | undefined> {
    let problem = this.#compare();
    for await (const page of leaves) {
      for (const leaf of page) {
        problem ??= this.#next(leaf) ?? this.#compare();
        if (problem !== undefined) return problem;
      }
    }
    return problem;
  }

  #next({ seq, text, hash }: Leaf): LogProblem | undefined {
    const expected = this.size;
    if (Number.isNaN(seq)) return problemAt('no-entry', expected, `entry ${expected} is not a valid entry`);
    if (seq > expected) return problemAt('missing', expected, `entry ${expected} is missing: entry ${seq} follows`);
    if (seq < expected) {
      return problemAt('out-of-order', expected, `entry ${seq} is where entry ${expected} belongs`);
    }
    const computed = leafHash(text);
    const rotation = this.#rotations.find((it) => it.seq === seq);
    if (rotation !== undefined && rotation.text !== text) {
      return problemAt('edited', seq, `entry ${seq} is not the one that was read as introducing a key`);
    }
    if (hash !== undefined && hash !== computed) {
      return problemAt('edited', seq, `entry ${seq} was changed: its hash differs`);
    }
    this.#tree.append(computed);
    return undefined;
  }

  /** Compares the root with every checkpoint of the current size. */
  #compare(): LogProblem | undefined {
    for (; this.#signed[this.agreed]?.size === this.size; this.agreed += 1) {
      if (this.#signed[this.agreed]?.root !== this.root) return this.#rewritten(`the checkpoint of size ${this.size}`);
      this.signedSize = this.size;
    }
    return undefined;
  }

  /** To be called after the last entry. */
  end(stored: TreeState | undefined): LogProblem | undefined {
    const { size } = this;
    const signedBeyond = this.#signed.at(-1)?.size ?? 0;
    if (signedBeyond > size || (stored !== undefined && stored.size > size)) {
      const known = Math.max(signedBeyond, stored?.size ?? 0);
      return { ...problemAt('cut', size, `entries ${size} to ${known - 1} are missing at the end`), to: known };
    }
    if (stored === undefined) return undefined;
    const same = stored.edge.length === this.#tree.edge.length;
    if (same && stored.edge.every((hash, at) => hash === this.#tree.edge[at])) return undefined;
    return this.#rewritten('the state of the tree');
  }

  #rewritten(by: string): LogProblem {
    const { size, signedSize: from } = this;
    const message = `${by} covers other entries: an entry from ${from} to ${size - 1} was changed together with its hash`;
    return { fault: 'rewritten', from, to: size, message };
  }
}

const problemAt = (fault: LogFault, from: number, message: string): LogProblem => ({ fault, from, message });

/** A line of an export: an entry, or a checkpoint. */
function readLine(line: string): Leaf | { checkpoint: SignedCheckpoint | { note: string }; verifier: string } {
  const value = membersOf(line);
  if (typeof value.checkpoint === 'string') {
    const note = value.checkpoint;
    return { checkpoint: parseCheckpoint(note) ?? { note }, verifier: String(value.verifier) };
  }
  return { seq: Number.isSafeInteger(value.seq) ? Number(value.seq) : Number.NaN, text: line };
}

/** A checkpoint as a line of an export. */
export const checkpointLine = (note: string, verifier: string): string =>
  JSON.stringify({ checkpoint: note, verifier });
