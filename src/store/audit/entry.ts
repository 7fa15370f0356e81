import { leafHash, MerkleTree } from './merkle.ts';

/** What somebody or something did, as it is handed in. It contains no secret, no payee name and no account number. */
export interface AuditEntry {
  /** Epoch milliseconds. */
  at: number;
  /** A person, under the name they gave, or a part of the product. */
  actor: string;
  action: string;
  /**
   * Reference, batch id, scope and key of a switch, merchant_request_id, `store` or the store's id, `pages`, `codec`, id of a
   * foreign workflow.
   */
  subject: string;
  detail: Readonly<Record<string, string>>;
}

/** Action of the entry that a comment on a payout is. */
export const COMMENTED = 'commented';

/** An entry as it is stored; the hashed bytes are made of these members. */
export interface SerializedEntry extends Omit<AuditEntry, 'detail'> {
  /** Counts from 0, without gaps. */
  seq: number;
  /** Canonical JSON. */
  detail: string;
}

/** In characters. Longer texts are cut. */
const LONGEST = 1_000;

/** Kept whole: the text of a policy, without which its hash would say nothing. */
const WHOLE: ReadonlySet<string> = new Set(['policy']);

/** What people wrote in their own words. */
const FREE_TEXT: ReadonlySet<string> = new Set(['reason', 'remark', 'evidence', 'why']);

/** Nine digits or more, blanks between them or not: an account number, an IBAN, a card number or a telephone number. */
const LONG_NUMBER = /(?:\b[A-Z]{2}\d{2} ?)?(?:[A-Z\d]{4} )*\d(?: ?\d){8,}/g;

/** The entry as it is stored, in a form that no store changes. */
export function serializedEntry({ detail, ...entry }: AuditEntry, seq: number): SerializedEntry {
  const kept = (name: string, text: string): string =>
    WHOLE.has(name) ? wellFormed(text) : FREE_TEXT.has(name) ? masked(plain(text)) : plain(text);
  const members = Object.entries(detail).map(([name, text]) => [name, kept(name, text)] as const);
  const sorted = members.sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    seq,
    at: entry.at,
    actor: masked(plain(entry.actor)),
    action: plain(entry.action),
    subject: plain(entry.subject),
    detail: JSON.stringify(Object.fromEntries(sorted)),
  };
}

/** The leaf: canonical JSON of RFC 8785. `docs/report.md`, "Formats of the log", says which bytes these are. */
export const leafText = ({ seq, at, actor, action, subject, detail }: SerializedEntry): string =>
  `{"action":${JSON.stringify(action)},"actor":${JSON.stringify(actor)},"at":${at},"detail":${detail},` +
  `"seq":${seq},"subject":${JSON.stringify(subject)}}`;

/** Members of a leaf, or of another line of an export; none if it is not JSON. */
export function membersOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

const plain = (text: string): string => wellFormed(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

/** PostgreSQL cannot store U+0000, nor UTF-8 half a surrogate pair. */
const wellFormed = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');

/** For people: of the text of a policy only how long it is. */
export const detailShown = (detail: AuditEntry['detail']): (readonly [name: string, text: string])[] =>
  Object.entries(detail).map(([name, text]) => [name, WHOLE.has(name) ? `${text.length} characters` : text]);

const masked = (text: string): string =>
  text.replace(LONG_NUMBER, (number) => `***${number.replaceAll(' ', '').slice(-4)}`);

/**
 * The rows of a batch as they were claimed, in their order: the root of a Merkle tree (RFC 6962) whose leaves are
 * `["REFERENCE","DIGEST"]`, the digest what a maker signs of the instruction.
 */
export class ClaimedRows {
  readonly #tree = new MerkleTree();

  add(reference: string, digest: string): void {
    this.#tree.append(leafHash(JSON.stringify([reference, digest])));
  }

  /** 32 bytes in base64. */
  root(): string {
    return this.#tree.root();
  }
}
