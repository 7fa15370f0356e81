import { randomBytes } from 'node:crypto';
import type { Billing, CardDetails, DeviceInfo } from '../api/cards.ts';
import type { CardHandle } from '../domain/card-payment.ts';
import { Problem } from '../domain/problem.ts';
import { WipedEntries } from './wiped-entries.ts';

/** What a payment page knows of its cardholder beside the card. */
export interface CardholderForm {
  returnUrl: string;
  billing?: Billing;
  deviceInfo?: DeviceInfo;
}

export interface CardEntry extends CardholderForm {
  card: CardDetails;
}

interface CardVaultOptions {
  /** Task queue of the worker that may use the cards. */
  taskQueue: string;
  /** How long a card is kept at most. */
  lifeMs: number;
  now?: () => number;
  entriesMax?: number;
}

const ENTRIES_MAX = 10_000;
/** As long as somebody may need to find their card. No card is in a form. */
const FORM_LIFE_MS = 3_600_000;

/**
 * Cards in the memory of one process, and nowhere else: what is lost with the process is entered again. A card is for one
 * payment, goes at the latest when its life ends, and is shown by nothing but `use`.
 */
export class CardVault {
  readonly taskQueue: string;
  readonly #cards: WipedEntries<CardEntry>;
  readonly #forms: WipedEntries<CardholderForm>;
  /** Handle -> the payment that it was first used for. */
  readonly #users = new Map<string, string>();
  readonly #entriesMax: number;

  constructor({ taskQueue, lifeMs, now = Date.now, entriesMax = ENTRIES_MAX }: CardVaultOptions) {
    this.taskQueue = taskQueue;
    this.#cards = new WipedEntries(lifeMs, now, (handle) => this.#users.delete(handle));
    this.#forms = new WipedEntries(FORM_LIFE_MS, now);
    this.#entriesMax = entriesMax;
  }

  /** Throws a `Problem` when no further card is kept until others have gone. */
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

  /** The card for one payment, the same one each time; undefined when it is gone or was used for another. */
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

  /** Keeps what a payment page will need when the card comes; one form for a payment. The oldest makes room. */
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
