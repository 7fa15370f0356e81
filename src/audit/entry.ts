/** What somebody or something did, as it is handed in. It holds no secret, no name of a payee and no account number. */
export interface AuditEntry {
  /** Epoch milliseconds. */
  at: number;
  /** A person as they named themselves, or a part of the product. */
  actor: string;
  action: string;
  /** Reference, batch id, scope and key of a switch, merchant_request_id, `store` or the store's id, `pages`, `codec`, id of a foreign workflow. */
  subject: string;
  detail: Readonly<Record<string, string>>;
}

/** An entry as it is kept: what is hashed is made of these. */
export interface KeptEntry extends Omit<AuditEntry, 'detail'> {
  /** From 0, without a gap. */
  seq: number;
  /** Canonical JSON. */
  detail: string;
}

/** Longer ones are cut: an entry is a line. */
const LONGEST = 1_000;

/** What people wrote in their own words. */
const FREE_TEXT: ReadonlySet<string> = new Set(['reason', 'remark', 'evidence', 'why']);

/** Nine digits or more, blanks between them or not: an account number, an IBAN, a card number or a telephone number. */
const LONG_NUMBER = /(?:\b[A-Z]{2}\d{2} ?)?(?:[A-Z\d]{4} )*\d(?: ?\d){8,}/g;

/** An entry that every store keeps as it is. */
export function kept({ detail, ...entry }: AuditEntry, seq: number): KeptEntry {
  const members = Object.entries(detail).map(
    ([name, text]) => [name, FREE_TEXT.has(name) ? masked(plain(text)) : plain(text)] as const,
  );
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

/** The leaf: canonical JSON of RFC 8785. `docs/audit.md` says which bytes these are. */
export const leafText = ({ seq, at, actor, action, subject, detail }: KeptEntry): string =>
  `{"action":${JSON.stringify(action)},"actor":${JSON.stringify(actor)},"at":${at},"detail":${detail},` +
  `"seq":${seq},"subject":${JSON.stringify(subject)}}`;

/** PostgreSQL keeps no U+0000, and UTF-8 no half of a surrogate pair. */
function plain(text: string): string {
  const whole = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return whole.toWellFormed().replaceAll('\0', '\ufffd');
}

const masked = (text: string): string =>
  text.replace(LONG_NUMBER, (number) => `***${number.replaceAll(' ', '').slice(-4)}`);
