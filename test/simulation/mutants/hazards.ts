import type { Mutant } from './mutant.ts';

const DEMANDED = 'src/domain/submission.ts';
const ASK_FIRST = 'src/activities/lists.ts';
const LIST_READS = 'src/activities/lists.ts';

/** Bugs that show only where the bank, a cache or a machine does what no protocol rules out. */
export const HAZARD_MUTANTS: readonly Mutant[] = [
  {
    number: 'P90',
    name: 'second-send-asks-nobody',
    what: 'what was refused, or proven absent, is sent again without a read of the list',
    hazard: 'executed-refusals',
    edits: [
      {
        file: DEMANDED,
        find: 'if (attempts.length === 0 && generation === 0 && !isOlder && begunAfter === 0) return undefined;',
        replace: 'if (attempts.length >= 0 && generation === 0) return undefined;',
      },
    ],
  },
  {
    number: 'P91',
    name: 'generation-asks-only-the-store',
    what: 'a further generation is sent by what the store knows of the ones before',
    hazard: 'late-execution',
    edits: [
      {
        file: DEMANDED,
        find: 'if (attempts.length === 0 && generation === 0 && !isOlder && begunAfter === 0) return undefined;',
        replace: 'if (generation > 0 || (attempts.length === 0 && !isOlder && begunAfter === 0)) return undefined;',
      },
    ],
  },
  {
    number: 'P92',
    name: 'look-before-the-attempt-counts',
    what: 'a read that began before the last attempt says that it came to nothing',
    hazard: 'executed-refusals',
    edits: [
      {
        file: DEMANDED,
        find: 'begunAfter, ...answered, ...ended)',
        replace: 'begunAfter, ...[answered, ended].flat().slice(0, 0))',
      },
    ],
  },
  {
    number: 'P93',
    name: 'orders-of-generations-ignored',
    what: 'an order under the reference of another generation forbids nothing',
    hazard: 'second-folder',
    edits: [
      {
        file: ASK_FIRST,
        find: '...others.filter((_, index) => alive[index]).map(({ orderId }) => orderId),',
        replace: '...others.filter((_, index) => alive[index] === undefined).map(({ orderId }) => orderId),',
      },
    ],
  },
  {
    number: 'P94',
    name: 'own-order-ignored',
    what: 'an order under the own reference that this store did not send forbids nothing',
    hazard: 'second-folder',
    edits: [{ file: ASK_FIRST, find: "if (shown.own.length > 0) return 'own';", replace: '' }],
  },
  {
    number: 'P95',
    name: 'exchanges-not-looked-for',
    what: 'orders that no attempt explains are searched for under the references of payments only',
    hazard: 'second-folder',
    edits: [
      {
        file: 'src/activities/lists.ts',
        find: 'orderKindsOf(kind).map((orderKind) => referenceOf(uid, documentId, orderKind, each)),',
        replace:
          "orderKindsOf(kind).filter((orderKind) => orderKind !== 'exchange').map((orderKind) => referenceOf(uid, documentId, orderKind, each)),",
      },
    ],
  },
  {
    number: 'P96',
    name: 'opened-anew-unasked',
    what: 'a store that is new, or was opened anew, sends without a read',
    hazard: 'second-folder',
    edits: [
      {
        file: LIST_READS,
        find: 'const isRead = readSince !== undefined && readSince >= at;',
        replace: 'const isRead = readSince !== undefined || at >= 0;',
      },
    ],
  },
  {
    number: 'P97',
    name: 'short-list-believed',
    what: 'a list without orders that are known to be in it proves absence',
    hazard: 'short-lists',
    edits: [
      {
        file: LIST_READS,
        find: "if (missing.some(({ isClosed }) => !isClosed)) return 'incomplete';",
        replace: '',
      },
      {
        file: LIST_READS,
        find: "if (await isOpenIn(deps, key, orderId)) return 'incomplete';",
        replace: 'await isOpenIn(deps, key, orderId);',
      },
    ],
  },
  {
    number: 'P99',
    name: 'changes-not-compared',
    what: 'an order that shows other amounts or accounts after its end is reported to nobody',
    hazard: 'drift',
    edits: [
      {
        file: 'src/domain/reconciliation.ts',
        find: 'if (terms === undefined || (reason?.code',
        replace: 'if (orders.length >= 0 || terms === undefined || (reason?.code',
      },
    ],
  },
  {
    number: 'P98',
    name: 'incident-forgotten',
    what: 'a document is paid again although an incident is recorded for the generation before',
    hazard: 'repairs',
    edits: [
      {
        file: 'src/store/proven-unpaid.ts',
        find: 'isUnpaid(state) && !about.has(reference)',
        replace: 'isUnpaid(state)',
      },
      {
        file: 'src/activities/assess.ts',
        find: 'if ((await contradictions(deps, payout)).length > 0) return true;',
        replace: '',
      },
    ],
  },
  {
    number: 'P100',
    name: 'foreign-list-believed',
    what: 'the list of another user, as its records say, proves absence',
    hazard: 'foreign-lists',
    edits: [
      {
        file: 'src/bank/as-asked.ts',
        find: 'page.records.map((order) => isForeign(order, query));',
        replace: 'page.records.map(() => undefined);',
      },
      {
        file: 'src/bank/as-asked.ts',
        find: 'foreign[index] ?? unlikeAsked(order, query)',
        replace: "foreign[index] ?? (order.order_id === '' ? unlikeAsked(order, query) : undefined)",
      },
    ],
  },
  {
    number: 'P101',
    name: 'spelling-not-learned',
    what: 'what the bank shows in the place of references is never learned',
    hazard: 'spelling',
    edits: [
      {
        file: 'src/activities/find.ts',
        find: 'expected.shownAs = await learnedForm(deps.store, reference);',
        replace: '',
      },
    ],
  },
  {
    number: 'P102',
    name: 'spelling-over-learned',
    what: 'a part of a reference counts for the whole, despite what the bank has shown',
    hazard: 'spelling',
    edits: [
      {
        file: 'src/activities/find.ts',
        find: 'if (shown === undefined) return undefined;',
        replace: 'if (shown !== "") return reference.slice(0, 12);',
      },
    ],
  },
  {
    number: 'P106',
    name: 'renumbered-not-followed',
    what: 'an order that the bank gives another id is a second one',
    hazard: 'renumbering',
    edits: [
      {
        file: 'src/workflows/payout/follow.ts',
        find: "if (search?.kind !== 'found' || search.orderId === placed.orderId) return false;",
        replace: 'if (search === undefined || search.kind.length > 0) return false;',
      },
    ],
  },
  {
    number: 'P107',
    name: 'earlier-id-reported',
    what: 'a run reports the id by which it read its order, not the one that the order has',
    hazard: 'renumbering',
    edits: [
      {
        file: 'src/workflows/payout/order-state.ts',
        find: "const orderId = end.kind === 'paid' ? end.read.orderId : this.orderId;",
        replace: 'const { orderId } = this;',
      },
    ],
  },
  {
    number: 'P108',
    name: 'own-order-only-by-notice',
    what: 'where the id of another order was returned, the own one is searched for only if it is reported',
    hazard: 'ids-of-others',
    edits: [
      {
        file: 'src/workflows/payout/follow.ts',
        find: 'if (!differences.includes(NO_REFERENCE) && !(isGone && isReported)) return false;',
        replace: 'if (!isReported) return false;',
      },
    ],
  },
  {
    number: 'P109',
    name: 'id-of-another-believed',
    what: 'an id that was returned counts, though the order has the reference of another payout',
    hazard: 'ids-of-others',
    edits: [
      {
        file: 'src/activities/find.ts',
        find: 'if (await isSentUnderAnother(deps, order, reference)) found.isOthers(orderId);\n    else found.add(order);',
        replace: 'found.add(order);',
      },
    ],
  },
  {
    number: 'P103',
    name: 'opening-joins',
    what: 'a process that opens a store counts as one of those who send from it already',
    hazard: 'rollback',
    edits: [
      {
        file: 'src/domain/store-past.ts',
        find: "return { kind: 'begins', why: 'restart', from: isLongUnused ? 0 : from };",
        replace: "return { kind: 'joins' };",
      },
      {
        file: 'src/domain/store-past.ts',
        find: "return { kind: 'restored', why: 'rolled-back', from };",
        replace: "return { kind: 'joins' };",
      },
    ],
  },
  {
    number: 'P104',
    name: 'new-key-counts-at-once',
    what: 'a key counts before the bank has shown an order of ours with it',
    hazard: 'coinciding-tenants',
    edits: [
      {
        file: 'src/platform/store-binding.ts',
        find: '  await assertKeyFits(store, bank);\n  await store.addKey(digest);',
        replace: '  await store.addKey(digest);',
      },
    ],
  },
  {
    number: 'P105',
    name: 'stale-list-believed',
    what: 'a list proves absence, however old it says that it is',
    hazard: 'stale-lists',
    edits: [
      {
        file: 'src/bank/bank-clock.ts',
        find: 'isStale: isBehind || ageMs(answer) > AGE_MAX_MS',
        replace: 'isStale: isBehind && ageMs(answer) < 0',
      },
    ],
  },
];
