import { type Finding, inFileOrder } from '../../domain/finding.ts';

/** The most findings kept of a file: one with more is broken as a whole, and nobody reads on. */
const KEPT_MAX = 10_000;

/** Findings of one pass in bounded memory: the first ones are kept, all are counted. */
export class FindingList {
  /** Whether a finding is about the whole file: then the meaning of its rows is in doubt, and none of them is paid. */
  aboutFile = false;
  total = 0;
  /** Letters of the columns of a spreadsheet, by name: findings of a row then name their cell. */
  readonly letters = new Map<string, string>();
  private readonly kept: Finding[] = [];
  /** By rule, column and message: how many are kept, and how many more there are. */
  private readonly kinds = new Map<string, { kept: number; more: number; last: Finding }>();
  private readonly ofKindMax: number;

  /** `ofKindMax`: the most that are kept of one kind, so that many rows with the same mistake do not hide the other kinds. */
  constructor(ofKindMax = KEPT_MAX) {
    this.ofKindMax = ofKindMax;
  }

  add(...findings: readonly Finding[]): void {
    for (const finding of findings) {
      this.total += 1;
      this.aboutFile ||= finding.row === null;
      this.keep(finding);
    }
  }

  private keep(given: Finding): void {
    const letter = given.row === null ? undefined : this.letters.get(given.column ?? '');
    const finding = letter === undefined ? given : { ...given, cell: `${letter}${given.line}` };
    if (this.kept.length === KEPT_MAX) return;
    const key = `${finding.rule} ${finding.column} ${finding.message}`;
    const kind = this.kinds.get(key) ?? { kept: 0, more: 0, last: finding };
    this.kinds.set(key, kind);
    if (kind.kept === this.ofKindMax) {
      kind.more += 1;
      return;
    }
    kind.kept += 1;
    kind.last = finding;
    this.kept.push(finding);
  }

  /** In file order; the last one of a kind, and a final one, say how many more there are. */
  list(): Finding[] {
    const more = new Map([...this.kinds.values()].map((kind) => [kind.last, kind.more]));
    const counted = this.kept.map((finding) => {
      const others = more.get(finding) ?? 0;
      return others === 0 ? finding : { ...finding, more: others };
    });
    const listed = inFileOrder(counted);
    const last = listed.at(-1);
    const rest = this.total - this.kept.length - [...more.values()].reduce((sum, others) => sum + others, 0);
    if (last === undefined || rest === 0) return listed;
    const message = `${rest} more findings are not listed; correct these first`;
    const { more: _, ...about } = last;
    return [...listed, { ...about, row: null, column: null, value: null, rule: 'more-findings', message }];
  }
}

/**
 * Rules whose findings are corrected here (mapping file, payee directory, the bank's records), not by the sender of the bank
 * message: an RJCT for one of them would have to be taken back.
 */
const OURS: ReadonlySet<string> = new Set([
  'account-not-found',
  'account-not-own',
  'ambiguous-payee',
  'beneficiary-currency',
  'beneficiary-not-found',
  'debtor-currency',
  'no-beneficiary-type',
  'no-payment-type',
  'payment-type-not-offered',
  'required',
  'unmapped-account',
  'unmapped-clearing-system',
]);

export const isOurs = ({ rule }: { rule: string }): boolean => OURS.has(rule);
