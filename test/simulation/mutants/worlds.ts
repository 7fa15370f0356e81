import type { Mutant } from './mutant.ts';

const PROVEN_UNPAID = 'src/store/proven-unpaid.ts';
const PREPARE = 'src/activities/payout.ts';
const CLAIMED_ROW = 'src/store/claimed-row.ts';
const SEND_ORDER = 'src/activities/send.ts';

const RUN_NOT_COMPARED = { file: CLAIMED_ROW, find: ' || row.claimRunId !== runId', replace: '' };

/** Nothing tells that the store was replaced: its row, and what is known of it, are from before. */
const OLDER_COPY = { passes: true, olderCopy: 'unmarked' } as const;

/** Bugs that show only where there is more than one store, bank, clock or caller. */
export const WORLD_MUTANTS: readonly Mutant[] = [
  {
    number: 'P70',
    name: 'store-not-compared',
    what: 'a worker with another store goes on with a payout of the first one',
    edits: [
      { file: PREPARE, find: 'storeId !== undefined && storeId !== store.id', replace: "storeId === ''" },
      { file: PREPARE, find: 'if (batchId !== undefined) throw', replace: "if (batchId === '') throw" },
      { file: CLAIMED_ROW, find: 'if (storeId === store.id) return;', replace: "if (storeId !== '') return;" },
    ],
  },
  {
    number: 'P71',
    name: 'run-not-compared',
    what: 'a run that has read the claim of a payout acts for it',
    edits: [RUN_NOT_COMPARED],
  },
  {
    number: 'P72',
    name: 'generation-not-checked',
    what: 'a start may name a generation that is no whole number from 0',
    edits: [
      {
        file: 'src/domain/instruction.ts',
        find: 'generation: isWhole ? generation : undefined',
        replace: 'generation: isWhole ? generation : (generation as number)',
      },
      {
        file: PROVEN_UNPAID,
        find: 'if (generation === 0) return true;',
        replace: 'if (!(generation > 0)) return true;',
      },
    ],
  },
  {
    number: 'P73',
    name: 'terms-of-the-caller',
    what: 'a sender pays what its caller says, and does not ask who it is',
    edits: [
      RUN_NOT_COMPARED,
      {
        file: 'src/activities/send.ts',
        find: 'return { claim, orderKind, attempt, lastLeft };',
        replace: 'return { ...asked, claim, orderKind, attempt, lastLeft } as never;',
      },
      {
        file: 'src/activities/send.ts',
        find: '{ claim, attempt, lastLeft }: SubmitInput)',
        replace: '{ claim, attempt, lastLeft, ...asked }: SubmitInput)',
      },
      {
        file: SEND_ORDER,
        find: '  { claim, orderKind, attempt, lastLeft }: OrderAttempt,\n  now:',
        replace: '  { claim, orderKind, attempt, lastLeft, ...asked }: OrderAttempt,\n  now:',
      },
      {
        file: SEND_ORDER,
        find: 'const row = await claimedRow(store, claim, runId);',
        replace:
          'const kept = await claimedRow(store, claim, runId);\n  const row = { ...kept, instruction: { ...kept.instruction, ...asked } };',
      },
    ],
  },
  {
    number: 'P74',
    name: 'store-believed-over-memory',
    what: 'a run that has sent more than the store shows forgets it with the store',
    edits: [
      {
        file: 'src/domain/submission.ts',
        find: 'if (known.lastLeft <= stored.attempts && !isUnseen) return { ...stored, attempts };',
        replace: 'if (attempts >= 0 || isUnseen) return stored;',
      },
    ],
  },
  {
    number: 'P75',
    name: 'older-copy-believed',
    what: 'a run that takes a payout over believes its store, which may be an older copy',
    worlds: OLDER_COPY,
    edits: [
      {
        file: PREPARE,
        find: 'if (hadOther || (restored !== undefined && createdAt <= restored.at)) return',
        replace: 'if (createdAt < 0) return',
      },
    ],
  },
  {
    number: 'P76',
    name: 'completed-without-end-believed',
    what: 'a run that follows one that has returned believes a store without its end',
    worlds: OLDER_COPY,
    edits: [
      {
        file: PREPARE,
        find: "state === 'resolving' || (state === 'needs-operator' && SEARCHED_FOR.has(reason?.code ?? ''));",
        replace: "state === 'held' && reason?.code === 'nothing';",
      },
      { file: PREPARE, find: 'if (hadOther || (restored', replace: 'if ((restored' },
    ],
  },
  {
    number: 'P77',
    name: 'identity-not-asserted',
    what: "a worker with another customer's key reads and sends",
    edits: [
      { file: 'src/activities/send.ts', find: '    await assertIdentity();\n', replace: '' },
      { file: 'src/activities/find.ts', find: '  await deps.assertIdentity();\n', replace: '' },
    ],
  },
  {
    number: 'P78',
    name: 'read-in-another-world',
    what: "what another customer's key sees is what is sent",
    worlds: { otherTenant: true },
    edits: [
      { file: 'src/activities/assess.ts', find: '  await deps.assertIdentity();\n', replace: '' },
      { file: PREPARE, find: '  await deps.assertIdentity();\n', replace: '' },
    ],
  },
  {
    number: 'P80',
    name: 'generation-by-a-word',
    what: 'a higher generation asks only whether the one before is called completed',
    edits: [
      {
        file: PROVEN_UNPAID,
        find: 'return (await provenUnpaid(store, part, askedOf(row, part))).size === part.length;',
        replace: "return earlier.every(({ state }) => state !== 'completed');",
      },
    ],
  },
];
