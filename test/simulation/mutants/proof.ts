import type { Mutant } from './mutant.ts';

const SUBMISSION = 'src/domain/submission.ts';
const ABSENCE = 'src/domain/absence.ts';

/** Bugs in how the absence of an order is proven, and in what follows from it. */
export const PROOF_MUTANTS: readonly Mutant[] = [
  {
    number: 'M6',
    name: 'page-drift-ignored',
    what: 'a list of which one page was read proves absence, despite the count',
    edits: [
      {
        file: 'src/bank/whole-lists.ts',
        find: 'if (count.add(ids, page.total)) return result(true);',
        replace: 'return result(true);',
      },
    ],
  },
  {
    number: 'P40',
    name: 'proof-after-one-look',
    what: 'one empty read at any time proves absence',
    edits: [
      {
        file: ABSENCE,
        find: 'return scans.filter((scan) => scan.isEmpty && scan.startedAt >= from).length >= 2;',
        replace: 'return from > 0 && scans.some((scan) => scan.isEmpty);',
      },
    ],
  },
  {
    number: 'P41',
    name: 'late-commit-ignored',
    what: 'the proof does not wait for a late commit',
    hazard: 'late-execution',
    edits: [
      {
        file: ABSENCE,
        find: 'since + lateCommitMs + listLagMs;',
        replace: 'since + 0 * lateCommitMs + listLagMs;',
      },
    ],
  },
  {
    number: 'P42',
    name: 'list-lag-ignored',
    what: 'the proof does not wait for the lag of the list',
    edits: [
      {
        file: ABSENCE,
        find: 'since + lateCommitMs + listLagMs;',
        replace: 'since + 0 * (lateCommitMs + listLagMs);',
      },
    ],
  },
  {
    number: 'P43',
    name: 'near-miss-ignored',
    what: 'an order under the reference in other letters counts as absent',
    edits: [{ file: 'src/activities/find.ts', find: 'this.altered.push(order);', replace: ';' }],
  },
  {
    number: 'P44',
    name: 'sent-again-though-it-exists',
    what: 'a reference that the bank says it has is sent again',
    edits: [
      { file: SUBMISSION, find: 'if (known.exists) return false;', replace: '' },
      {
        file: 'src/store/attempts.ts',
        find: "if (isFinal && made.some(({ outcome }) => outcome === 'accepted' || outcome === 'exists')) return 'notified';",
        replace: '',
      },
    ],
  },
  {
    number: 'P45',
    name: 'sent-again-without-trust',
    what: 'dedupe "none" sends again after a proof',
    edits: [
      { file: SUBMISSION, find: "case 'none':\n      return false;", replace: "case 'none':\n      return absent;" },
    ],
  },
  {
    number: 'P46',
    name: 'sent-again-without-end',
    what: 'dedupe "assumed" sends again as often as it likes',
    edits: [{ file: SUBMISSION, find: 'return absent && known.resends === 0;', replace: 'return absent;' }],
  },
  {
    number: 'P47',
    name: 'exchange-looked-for-in-one-list',
    what: 'an exchange is searched for in the currency bought only',
    // Where it is told that its exchange was refused, which has to be searched for before the next one.
    hazard: 'executed-refusals',
    edits: [
      {
        // The search for it, the watch and all reads before it is sent go by these.
        file: 'src/domain/sent-order.ts',
        find: 'lists.push({ uid, currency: sellCurrency })',
        replace: 'lists.slice()',
      },
    ],
  },
  {
    number: 'P48',
    name: 'operator-needs-no-proof',
    what: 'an operator may close or resend without proof of absence',
    edits: [
      {
        file: 'src/workflows/payout/resolve.ts',
        find: 'const { absent, isOpen } = seen;',
        replace: 'const { absent, isOpen } = { ...seen, absent: true };',
      },
    ],
  },
];
