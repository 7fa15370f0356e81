import { randomBytes } from 'node:crypto';
import type { CardHandle } from '../../domain/card-payment.ts';
import { Problem } from '../../domain/problem.ts';
import type { Billing, CardDetails, DeviceInfo } from './cards.ts';
import { WipedEntries } from './wiped-entries.ts';

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
