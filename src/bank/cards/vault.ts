import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { isCardNumber } from '../../domain/card-number.ts';
import type { CardHandle } from '../../domain/card-payment.ts';
import { Problem } from '../../domain/problem.ts';
import type { Billing, CardDetails, DeviceInfo } from './acquirer.ts';

interface Kept {
  bytes: Buffer;
  timer: NodeJS.Timeout;
  expiresAt: number;
}

/**
 * Values that are overwritten with zeros when they are deleted or expire. Between uses, a value exists only here, as bytes.
 * Strings decoded for a use cannot be overwritten; they go with the next garbage collection.
 */
class WipedEntries<Value> {
  readonly #kept = new Map<string, Kept>();
  readonly #lifeMs: number;
  readonly #now: () => number;
  readonly #onWiped: (key: string) => void;

  constructor(lifeMs: number, now: () => number, onWiped: (key: string) => void = () => {}) {
    this.#lifeMs = lifeMs;
    this.#now = now;
    this.#onWiped = onWiped;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** Returns the expiry time (epoch ms). */
  set(key: string, value: Value): number {
    this.delete(key);
    const text = JSON.stringify(value);
    // Not from the buffer pool, whose memory is shared.
    const bytes = Buffer.alloc(Buffer.byteLength(text));
    bytes.write(text);
    const timer = setTimeout(() => this.delete(key), this.#lifeMs).unref();
    const expiresAt = this.#now() + this.#lifeMs;
    this.#kept.set(key, { bytes, timer, expiresAt });
    return expiresAt;
  }

  get(key: string): Value | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    // After the machine has slept, timers fire late.
    if (this.#now() < kept.expiresAt) return JSON.parse(kept.bytes.toString());
    this.delete(key);
    return undefined;
  }

  delete(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    clearTimeout(kept.timer);
    kept.bytes.fill(0);
    this.#kept.delete(key);
    this.#onWiped(key);
  }

  deleteOldest(): void {
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined) this.delete(oldest);
  }

  clear(): void {
    for (const key of [...this.#kept.keys()]) this.delete(key);
  }
}

/** Data of a cardholder from the payment page, besides the card. */
export interface CardholderForm {
  returnUrl: string;
  billing?: Billing;
  deviceInfo?: DeviceInfo;
}

export interface CardEntry extends CardholderForm {
  card: CardDetails;
}

interface CardVaultOptions {
  /** Task queue of the worker with access to the cards. */
  taskQueue: string;
  /** The longest time that a card is kept, ms. */
  lifeMs: number;
  now?: () => number;
  entriesMax?: number;
}

const ENTRIES_MAX = 10_000;
/** How long a cardholder may take to find their card. A form contains no card. */
const FORM_LIFE_MS = 3_600_000;

/**
 * Cards in the memory of one process, and nowhere else: after its end they must be entered again. A card is for one payment, is
 * wiped at the latest when its life ends, and is returned only by `use`.
 */
export class CardVault {
  readonly taskQueue: string;
  readonly #cards: WipedEntries<CardEntry>;
  readonly #forms: WipedEntries<CardholderForm>;
  /** Handle -> the first payment that used it. */
  readonly #users = new Map<string, string>();
  readonly #entriesMax: number;

  constructor({ taskQueue, lifeMs, now = Date.now, entriesMax = ENTRIES_MAX }: CardVaultOptions) {
    this.taskQueue = taskQueue;
    this.#cards = new WipedEntries(lifeMs, now, (handle) => this.#users.delete(handle));
    this.#forms = new WipedEntries(FORM_LIFE_MS, now);
    this.#entriesMax = entriesMax;
  }

  /** Throws a `Problem` if the vault is full. */
  put(entry: CardEntry): CardHandle {
    if (this.#cards.size >= this.#entriesMax) {
      throw new Problem('unreachable', 'vault-full', 'No more cards can be kept at present.', {
        hint: 'The same request can be sent again in a minute.',
        retryAfterS: 60,
      });
    }
    const { number } = entry.card;
    const handle = randomBytes(32).toString('base64url');
    const expiresAt = this.#cards.set(handle, entry);
    return {
      handle,
      vault: this.taskQueue,
      bin: number.slice(0, 6),
      last_four: number.slice(-4),
      expires_at: expiresAt,
    };
  }

  /** The card for one payment, as often as it asks; undefined if it is gone or was used for another. */
  use(handle: string, merchantRequestId: string): CardEntry | undefined {
    const entry = this.#cards.get(handle);
    if (entry === undefined) return undefined;
    const user = this.#users.get(handle) ?? merchantRequestId;
    if (user !== merchantRequestId) return undefined;
    this.#users.set(handle, user);
    return entry;
  }

  forget(handle: string): void {
    this.#cards.delete(handle);
  }

  /** Keeps the form for when the card comes, one for each payment. Drops the oldest if there is no room. */
  keepForm(merchantRequestId: string, form: CardholderForm): void {
    this.#forms.delete(merchantRequestId);
    if (this.#forms.size >= this.#entriesMax) this.#forms.deleteOldest();
    this.#forms.set(merchantRequestId, form);
  }

  formOf(merchantRequestId: string): CardholderForm | undefined {
    return this.#forms.get(merchantRequestId);
  }

  /** Wipes everything. */
  close(): void {
    this.#cards.clear();
    this.#forms.clear();
  }
}

/** What is wrong with a card, without its value. */
interface CardFinding {
  column: 'number' | 'expiry_month' | 'expiry_year' | 'cvv' | 'holder_name';
  rule: 'card-number-invalid' | 'expiry-invalid' | 'card-expired' | 'cvv-invalid' | 'holder-name-invalid';
  message: string;
}

type CheckedCard = { ok: true; card: CardDetails } | { ok: false; findings: CardFinding[] };

/** A card is valid to the end of its month in every time zone; the last ones are 12 hours behind UTC. */
const LAST_ZONE_MS = 12 * 3_600_000;
const NAME_CHARACTERS_MAX = 100;

/**
 * Checks what can be checked without the acquirer. The card is as entered: its number with spaces or dashes, its month with one
 * digit, its year with two or four. `now`: epoch ms.
 */
export function checkCard(given: CardDetails, now: number): CheckedCard {
  const number = given.number.replace(/[\s-]/g, '');
  const month = given.expiry_month.padStart(2, '0');
  const year = given.expiry_year.length === 2 ? `20${given.expiry_year}` : given.expiry_year;
  const { cvv, holder_name } = given;
  const findings: CardFinding[] = [];
  const refuse = (column: CardFinding['column'], rule: CardFinding['rule'], message: string): void =>
    void findings.push({ column, rule, message });
  if (!isCardNumber(number)) refuse('number', 'card-number-invalid', 'The card number is not valid.');
  const monthFits = /^(0[1-9]|1[0-2])$/.test(month);
  const yearFits = /^20\d\d$/.test(year);
  if (!monthFits) refuse('expiry_month', 'expiry-invalid', 'A month is 01 to 12.');
  if (!yearFits) refuse('expiry_year', 'expiry-invalid', 'A year has two or four digits.');
  if (monthFits && yearFits && `${year}-${month}` < new Date(now - LAST_ZONE_MS).toISOString().slice(0, 7)) {
    refuse('expiry_year', 'card-expired', 'The card has expired.');
  }
  if (cvv !== undefined && !/^\d{3,4}$/.test(cvv)) refuse('cvv', 'cvv-invalid', 'A CVV has three or four digits.');
  if (holder_name !== undefined && (holder_name.length > NAME_CHARACTERS_MAX || /\p{Cc}/u.test(holder_name))) {
    refuse('holder_name', 'holder-name-invalid', 'The name on the card is not valid.');
  }
  if (findings.length > 0) return { ok: false, findings };
  return { ok: true, card: { number, expiry_month: month, expiry_year: year, cvv, holder_name } };
}

/**
 * An acquirer's answer may repeat what it was sent. `withoutCardData` returns the value without members that contain card data;
 * undefined if nothing is left.
 */
export function withoutCardData(value: unknown, entry: CardEntry): unknown {
  const held = cardDataIn(entry);
  const without = (it: unknown, key: string): unknown => {
    if (Array.isArray(it)) return it.map((item) => without(item, key)).filter((item) => item !== undefined);
    if (typeof it === 'object' && it !== null) {
      const kept = Object.entries(it).map(([name, member]): [string, unknown] => [name, without(member, name)]);
      return Object.fromEntries(kept.filter(([name, member]) => member !== undefined && !held(name)));
    }
    return held(`${key}=${String(it)}`) ? undefined : it;
  };
  return without(value, '');
}

/** Whether a text contains card data. A CVV is too short to be recognized unless its name precedes it. */
function cardDataIn({ card, billing }: CardEntry): (text: string) => boolean {
  const { number, cvv, holder_name: holderName } = card;
  const encoded = [0, 1, 2].map((offset) => base64Core(number, offset));
  const secrets = [holderName, billing?.email, billing?.line1].filter((it) => it !== undefined && it.length >= 5);
  const named =
    cvv === undefined ? undefined : new RegExp(`(cv[vcn2]\\d?|security.?code)["']?\\s*[:=]\\s*["']?${cvv}(?!\\d)`, 'i');
  return (text) => {
    const plain = decoded(text);
    const lower = plain.toLowerCase();
    return (
      plain.replace(/[\s-]/g, '').includes(number) ||
      encoded.some((core) => text.includes(core)) ||
      secrets.some((it) => it !== undefined && lower.includes(it.toLowerCase())) ||
      named?.test(plain) === true
    );
  };
}

/** The part of the number's base64 that does not depend on adjacent text, if it starts `offset` bytes after a group of three. */
function base64Core(number: string, offset: number): string {
  const text = Buffer.from(' '.repeat(offset) + number).toString('base64');
  return text.slice(offset === 0 ? 0 : 4, Math.floor((offset + number.length) / 3) * 4);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/**
 * Selects which memory of this process core dumps contain (core(5)). A limit of their size could only be set by the process that starts
 * the process.
 */
const FILTER = '/proc/self/coredump_filter';

/**
 * From now on, core dumps of this process and its children contain none of their memory. Returns `false` on systems without this
 * filter: there `ulimit -c 0` is needed before the start.
 */
export function leaveNoCoreDump(): boolean {
  try {
    writeFileSync(FILTER, '0');
    return true;
  } catch {
    return false;
  }
}
