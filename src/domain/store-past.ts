import { DAY_MS } from './time.ts';

/**
 * Claim time (epoch ms) from which a store is believed that nothing was sent earlier for a document; null: always. After the
 * store was replaced by an older copy, documents lost with it can be submitted again only during the days in which orders are
 * compared.
 */
export function believedFrom(
  restored: { at: number } | undefined,
  { reconcileDays }: { reconcileDays: number },
): number | null {
  return restored === undefined ? null : restored.at + reconcileDays * DAY_MS;
}

/**
 * Why senders began anew with a store: nobody had sent from it before (`new`), the last sender had ended (`restart`), was
 * suspended for longer than the proof window (`gap`), another machine used it last (`other-user`), its file was moved or is a copy
 * (`copied`), it knows less than it once did (`rolled-back`), or somebody restored it (`restored`).
 */
export type ResumptionReason = 'new' | 'restart' | 'gap' | 'other-user' | 'copied' | 'rolled-back' | 'restored';

/** Those after which the store may know less than was sent from it, or after which nobody watched for a while. */
export const UNUSUAL: ReadonlySet<ResumptionReason> = new Set([
  'gap',
  'other-user',
  'copied',
  'rolled-back',
  'restored',
]);

/** A process that may send, and where the store was as it saw it. */
export interface Sender {
  senderId: string;
  /** Digest that distinguishes machines. */
  machine: string;
  /** Of the machine's operating system. */
  boot: string;
  /** Path of the SQLite file, or name of the database, as people know it. */
  place: string;
  /** Distinguishes the file or database from its copies, under any name. */
  placeMark: string;
  pid: number;
  /** Distinguishes the process from a later one with the same id. */
  processMark: string;
}

/** Its signs of life, of which it writes down how many there were outside the store too. Epoch ms. */
export interface SenderSeen extends Sender {
  /** Grows with each sign of life. */
  pulses: number;
  /** Time of the last one. */
  aliveAt: number;
  /** When the process stopped sending by itself; null: it has not. */
  endedAt: number | null;
}

/** The last sign of life that a machine has written down outside the store, and where the store was. */
export type Witness = Pick<SenderSeen, 'senderId' | 'pulses' | 'aliveAt' | 'place'>;

/** What an opening means: others send already, senders begin anew, or the store counts as restored. */
export type Opening = { kind: 'joins' } | { kind: 'begins' | 'restored'; why: ResumptionReason; from: number };

export interface OpeningFacts {
  now: number;
  own: Sender;
  /** Last seen first. */
  senders: readonly SenderSeen[];
  /** Undefined: nothing is written down on this machine. */
  witness: Witness | undefined;
  /** When somebody last said that the store was restored. */
  restoredAt: number | undefined;
  /** How long an order may be under way unseen, the difference of the clocks included. */
  windowMs: number;
  /** A process without a sign of life for longer is suspended. */
  suspendedMs: number;
  isAlive(sender: SenderSeen): boolean;
}

/** What a process finds that opens a store to send from it. */
export function judgeOpening({
  now,
  own,
  senders,
  witness,
  restoredAt,
  windowMs,
  suspendedMs,
  isAlive,
}: OpeningFacts): Opening {
  const [last] = senders;
  const from = missingSince(last?.aliveAt ?? 0, now, windowMs);
  const isSaid = (at: number): boolean => restoredAt !== undefined && restoredAt >= at;
  if (witness !== undefined && !isSaid(witness.aliveAt) && !isRemembered(senders, witness)) {
    return { kind: 'restored', why: 'rolled-back', from };
  }
  if (last === undefined) return { kind: 'begins', why: 'new', from: 0 };
  if (last.placeMark !== own.placeMark && !isSaid(last.aliveAt)) {
    return { kind: 'restored', why: whyElsewhere(last, own), from };
  }
  if (senders.some((sender) => Math.abs(now - sender.aliveAt) < suspendedMs && isAlive(sender)))
    return { kind: 'joins' };
  const isLongUnused = now - last.aliveAt > windowMs;
  return { kind: 'begins', why: 'restart', from: isLongUnused ? 0 : from };
}

/** From when on orders may be missing in a store that was in use until `aliveAt`, which a wrong clock may have set in the future. */
export const missingSince = (aliveAt: number, now: number, windowMs: number): number =>
  Math.max(0, Math.min(aliveAt, now) - windowMs);

/** A store that went back in time lacks the sender, or some of its signs of life. */
const isRemembered = (senders: readonly SenderSeen[], { senderId, pulses }: Witness): boolean =>
  senders.some((sender) => sender.senderId === senderId && sender.pulses >= pulses);

/** Another file under the same name was put there; under another name it was moved or copied. */
function whyElsewhere(last: Sender, own: Sender): ResumptionReason {
  if (last.machine !== own.machine) return 'other-user';
  return last.place === own.place ? 'rolled-back' : 'copied';
}
