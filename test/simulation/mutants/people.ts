import type { Mutant } from './mutant.ts';

const APPROVAL = 'src/domain/authority.ts';
const SIGNED_PARTS = 'src/people/decisions/asked.ts';

/** Bugs in who must agree, and to what. */
export const PEOPLE_MUTANTS: readonly Mutant[] = [
  {
    number: 'M12',
    name: 'approval-not-bound',
    what: 'an approval counts for any payment in the end',
    edits: [
      {
        file: 'src/domain/gates.ts',
        find: 'approved.digest === digest &&',
        replace: 'approved.digest !== "" &&',
      },
    ],
  },
  {
    number: 'P60',
    name: 'payee-not-in-digest',
    what: 'an approval counts for a payee whose details were changed',
    edits: [{ file: SIGNED_PARTS, find: '...parts, payee: payee?.digest,', replace: '...parts,' }],
  },
  {
    number: 'P61',
    name: 'fee-not-in-digest',
    what: 'an approval counts for another fee',
    edits: [
      {
        file: SIGNED_PARTS,
        find: 'madeDigest(instruction), fee:',
        replace: "madeDigest(instruction), fee: '' &&",
      },
    ],
  },
  {
    number: 'P62',
    name: 'maker-may-approve',
    what: 'the maker counts among the approvers',
    edits: [
      {
        file: APPROVAL,
        find: "if (maker !== undefined && isAmong([maker])) return 'the maker may not approve';",
        replace: '',
      },
      {
        file: APPROVAL,
        find: "|| isSamePerson(person.name, maker ?? '')) return [];",
        replace: ') return [];',
      },
      {
        file: APPROVAL,
        find: "&& !isSamePerson(it.name, maker ?? '')",
        replace: '',
      },
      {
        file: APPROVAL,
        find: '![maker, ...people].some(',
        replace: '!people.some(',
      },
    ],
  },
  {
    number: 'P63',
    name: 'one-person-twice',
    what: 'one person counts twice',
    edits: [
      {
        file: APPROVAL,
        find: "if (approvedBy.some((other) => isSamePerson(by, other))) return 'this person has approved already';",
        replace: '',
      },
      {
        file: APPROVAL,
        find: 'if (isAmong([...approvedBy, ...approvedFor]))',
        replace: 'if (false)',
      },
    ],
  },
  {
    number: 'P64',
    name: 'audit-approved-by-nobody',
    what: "the bank's audit is approved without a person",
    edits: [
      {
        file: 'src/workflows/payout/audit.ts',
        find: 'placed.decision ??= await decide(order, expiredAt);',
        replace:
          "placed.decision ??= expiredAt === 0 ? await decide(order, expiredAt) : { decision: 'approve', by: 'policy', remark: '' };",
      },
    ],
  },
  {
    number: 'P65',
    name: 'decision-not-audited',
    what: 'a decision at the bank leaves no entry in the audit log',
    edits: [
      {
        file: 'src/activities/decide-order.ts',
        find: 'actor: by,\n        action',
        replace: "actor: '',\n        action",
      },
    ],
  },
  {
    number: 'P84',
    name: 'question-forgotten-afresh',
    what: 'a run that goes on with an empty history receives no rejection of what the run before has asked',
    hazard: 'short-lists',
    edits: [
      {
        file: 'src/workflows/payout/claim.ts',
        find: 'const unanswered = view.isSigned ? undefined : view.question.open;',
        replace: 'const unanswered = undefined;',
      },
    ],
  },
  {
    number: 'P81',
    name: 'said-during-a-look-unheard',
    what: 'what people say while a local activity reads the bank is received after the payout was sent',
    edits: [
      {
        file: 'src/workflows/payout/view.ts',
        find: "await sleep(1, { summary: 'takes in what arrived meanwhile' });",
        replace: '',
      },
    ],
  },
];
