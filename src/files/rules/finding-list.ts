import type { Finding } from '../../domain/finding.ts';
import { inFileOrder } from '../../domain/finding.ts';

/** The most findings kept of a file: one with more is broken as a whole, and nobody reads on. */
const KEPT_MAX = 10_000;

/** The most findings kept of one kind: many rows with the same mistake must not hide the other kinds. */
const KEPT_OF_KIND = 1_000;

/** Findings of one pass in bounded memory: the first ones are kept, all are counted. */
export class FindingList {
  /** Whether a finding is about the whole file: then the meaning of its rows is in doubt, and none of them is paid. */
  aboutFile = false;
  total = 0;
  private readonly kept: Finding[] = [];
  private readonly ofKind = new Map<string, number>();

  add(...findings: readonly Finding[]): void {
    for (const finding of findings) {
      this.total += 1;
      this.aboutFile ||= finding.row === null;
      if (this.kept.length === KEPT_MAX) continue;
      const kind = `${finding.rule} ${finding.column} ${finding.message}`;
      const known = this.ofKind.get(kind) ?? 0;
      if (known === KEPT_OF_KIND) continue;
      this.ofKind.set(kind, known + 1);
      this.kept.push(finding);
    }
  }

  /** In file order; a final one says how many more there are. */
  list(): Finding[] {
    const listed = inFileOrder(this.kept);
    const last = listed.at(-1);
    if (last === undefined || this.total === this.kept.length) return listed;
    const more = this.total - this.kept.length;
    const message = `${more} more findings are not listed; correct these first`;
    return [...listed, { ...last, row: null, column: null, value: null, rule: 'more-findings', message }];
  }
}
