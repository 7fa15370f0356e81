import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { check } from './check.ts';
import type { Observation, ReportedRow } from './observation.ts';
import { expectedReference } from './references.ts';
import { EXCHANGE, parkedRun, REFERENCE, sampleOrder, samplePost, sampleRun } from './sample-run.ts';

/** The rules a run breaks, once each. */
const broken = (run: Observation): string[] => [...new Set(check(run).map(({ invariant }) => invariant))].sort();

/** The good run with parts exchanged. */
const having = (change: Partial<Observation>): Observation => ({ ...sampleRun(), ...change });

function row(change: Partial<ReportedRow>): Partial<Observation> {
  const { rows, results } = sampleRun();
  return {
    rows: rows.map((it) => ({ ...it, ...change })),
    results: results.map((it) => ({ ...it, state: change.state ?? it.state, orderId: change.orderId ?? it.orderId })),
    statesSeen: [],
  };
}

describe('the checker', () => {
  it('imports nothing of the product', () => {
    const folder = new URL('.', import.meta.url);
    const sources = readdirSync(folder).filter((name) => name.endsWith('.ts'));
    for (const name of sources) {
      const imports = [
        ...readFileSync(new URL(name, folder), 'utf8').matchAll(/^(?:import|export|\}) .*from '([^']+)';$/gm),
      ].map(([, from]) => from);
      expect(
        imports.filter((from) => !/^(\.\/|node:|vitest$)/.test(from ?? '')),
        name,
      ).toEqual([]);
    }
  });

  it('finds nothing in a run in which everything is right', () => {
    expect(check(sampleRun())).toEqual([]);
  });

  it('knows the reference of an instruction by itself', () => {
    // Computed with another implementation of UUID version 5.
    const instruction = { uid: 'u-1', id: 'doc-1', generation: 0 };
    expect(expectedReference(instruction, 'payment')).toBe('6b1e84ac-d22f-50a2-ae44-511a5239ed76');
  });
});

describe('an exchange that buys for rows of its batch', () => {
  const MINUTE = 60_000;
  const T = sampleRun().calm.from - 5 * MINUTE;
  const ofBatch = {
    ...{ kind: 'exchange' as const, uid: 'u-1', id: 'FX-1', generation: 0, maker: 'mia' },
    ...{ accountId: 'acc-eur', amount: '10.05', currency: 'USD' },
  };
  const reference = expectedReference(ofBatch, 'exchange');
  /** The exchange is completed at `boughtAt`; the payment leaves two minutes after `T`. */
  const bought = (boughtAt: number, change: Partial<ReportedRow> = {}): Observation => {
    const run = sampleRun();
    const [row] = run.rows as [ReportedRow];
    const [account] = run.accounts as [Observation['accounts'][number]];
    const order = { orderId: 'ord-2', reference, createdAt: T, listedAt: T, fee: '0' };
    const statuses = [{ at: boughtAt, status: change.state === 'failed' ? 'FAILED' : 'COMPLETED' }];
    const isBought = change.state !== 'failed';
    const ofExchange = { orderId: 'ord-2', at: boughtAt };
    const entries = (kind: 'bought' | 'sold', amount: string) => (isBought ? [{ ...ofExchange, kind, amount }] : []);
    return {
      ...run,
      settings: { ...run.settings, approvalRules: [] },
      accepted: [...run.accepted.map((it) => ({ ...it, boughtBy: reference })), ofBatch],
      orders: [
        ...run.orders,
        sampleOrder({ ...order, type: 'FX', accountId: 'acc-eur', statuses, moneyMoved: isBought }),
      ],
      posts: [
        samplePost({
          ...{ route: 'fx', receivedAt: T, committedAt: T, madeId: 'ord-2' },
          body: { reference, amount: '10.05', currency: 'USD', sell_account: 'acc-eur', buy_account: 'acc-1' },
        }),
        ...run.posts,
      ],
      attempts: [...run.attempts, { reference, attempt: 1, recordedAt: T - 50, outcome: 'accepted', orderId: 'ord-2' }],
      accounts: [
        {
          ...account,
          balance: isBought ? '98.75' : account.balance,
          entries: [...account.entries, ...entries('bought', '10.05')],
        },
        {
          ...{
            accountId: 'acc-eur',
            currency: 'EUR',
            opening: '9.00',
            balance: isBought ? '0.00' : '9.00',
            held: '0.00',
          },
          entries: entries('sold', '-9.00'),
        },
      ],
      rows: [
        row,
        { ...row, reference, id: 'FX-1', orderId: 'ord-2', fee: null, feeCurrency: null, endedAt: boughtAt, ...change },
      ],
    };
  };
  const decided = (action: 'approve' | 'reject') => ({
    at: T + 1.5 * MINUTE,
    reference: REFERENCE,
    by: 'alice',
    action,
    question: { kind: 'hold' as const, askedAt: T + MINUTE },
  });

  it('comes before the payment', () => {
    expect(check(bought(T + MINUTE))).toEqual([]);
    expect(broken(bought(T + 3 * MINUTE))).toEqual(['I7']);
  });

  it('that buys nothing lets no row pass but those that people let through', () => {
    const failed = bought(T + MINUTE, { state: 'failed', orderId: null });
    expect(broken(failed)).toEqual(['I7']);
    expect(broken({ ...failed, decisions: [decided('approve')] })).toEqual([]);
    expect(broken({ ...failed, decisions: [decided('reject')] })).toContain('I7');
  });

  it('I13: keeps its rows waiting only while people decide about it', () => {
    const waiting = { state: 'awaiting-funds', reasonCode: 'awaiting-exchange', orderId: null, endedAt: null };
    const left = (state: string): Observation => {
      const run = bought(T + MINUTE, { state, endedAt: null });
      const [, exchange] = run.rows as [ReportedRow, ReportedRow];
      const orders = run.orders
        .slice(1)
        .map((order) => ({ ...order, statuses: [{ at: T, status: 'SUBMITTED' }], moneyMoved: false }));
      const parked = parkedRun('');
      const rows = parked.rows.map((it) => ({ ...it, ...waiting }));
      return {
        ...run,
        accounts: [],
        results: [],
        statesSeen: [],
        rows: [...rows, exchange],
        orders,
        posts: run.posts.slice(0, 1),
      };
    };
    expect(broken(left('needs-operator'))).toEqual([]);
    expect(broken(left('rejected'))).toContain('I13');
  });

  it('buys the amount that was asked for, once, and instead of the rows', () => {
    const run = bought(T + MINUTE);
    const [fx, ...others] = run.posts as [Observation['posts'][number], ...Observation['posts']];
    const withBody = (change: object): Observation => ({
      ...run,
      posts: [{ ...fx, body: { ...fx.body, ...change } }, ...others],
    });
    expect(broken(withBody({ amount: '11.30' }))).toContain('I15');
    expect(broken(withBody({ reference: EXCHANGE }))).toContain('I1');
  });
});

describe('one payment for one document', () => {
  const MINUTE = 60_000;
  const T = sampleRun().calm.from - 5 * MINUTE;
  const [first] = sampleRun().accepted as [Observation['accepted'][number]];
  const next = { ...first, generation: 1, askedAt: T + 30 * MINUTE };
  const reference = expectedReference(next, 'payment');
  const sentAt = T + 31 * MINUTE;
  const ofNext = sampleOrder({ orderId: 'ord-2', reference, createdAt: sentAt, listedAt: sentAt });
  const post = samplePost({
    receivedAt: sentAt,
    committedAt: sentAt,
    madeId: 'ord-2',
    body: { ...samplePost().body, reference },
  });
  /** The first order failed, and came back to life at `backAt`, `after` the next generation was asked for or before it. */
  const repaired = (backAt: number): Observation => {
    const statuses = [
      { at: T + 2 * MINUTE, status: 'FAILED' },
      { at: backAt, status: 'COMPLETED' },
    ];
    const run = sampleRun();
    const [row] = run.rows as [ReportedRow];
    const [result] = run.results;
    return {
      ...run,
      settings: { ...run.settings, approvalRules: [], noMoneyRecheckMs: MINUTE, readAgeMs: MINUTE },
      accepted: [first, next],
      orders: [sampleOrder({ statuses }), { ...ofNext, statuses: [{ at: sentAt, status: 'COMPLETED' }] }],
      posts: [samplePost(), post],
      attempts: [
        ...run.attempts,
        { reference, attempt: 1, recordedAt: sentAt - 50, outcome: 'accepted', orderId: 'ord-2' },
      ],
      rows: [
        { ...row, state: 'failed', reasonCode: 'order-failed' },
        { ...row, reference, generation: 1, orderId: 'ord-2', endedAt: sentAt + MINUTE },
      ],
      results: [{ ...result, state: 'failed' } as Observation['results'][number]],
      statesSeen: [],
      accounts: [],
      comparedAt: Number.MAX_SAFE_INTEGER,
    };
  };
  const reported = (run: Observation): Observation => ({ ...run, notedOrders: ['ord-1'] });
  const rules = (run: Observation): string[] => broken(run).filter((rule) => rule !== 'I7');

  it('I1: a generation that is paid although the list showed the order of the one before', () => {
    expect(rules(reported(repaired(T + 29 * MINUTE)))).toEqual(['I1']);
    expect(rules(reported(repaired(sentAt - 2 * MINUTE)))).toEqual(['I1']);
  });

  it('I1, I5: what nobody could know must be reported', () => {
    expect(rules(reported(repaired(sentAt + 1)))).toEqual([]);
    expect(rules(repaired(sentAt + 1))).toEqual(['I1', 'I5']);
  });

  it.each([
    ['refused by a code, once the list shows all that was done', { httpStatus: 200, code: 2010 }, 0, ['I1']],
    ['refused by a code, that the list shows later than that', { httpStatus: 200, code: 2010 }, 1, []],
    ['answered with 401, that the list shows at once', { httpStatus: 401, code: null }, -2 * MINUTE, ['I1']],
    ['answered with 401, that the list shows later', { httpStatus: 401, code: null }, -MINUTE, []],
  ])('I1: an order is sent again although the list shows it: one %s', (_, answered, shownAfter, expected) => {
    const run = sampleRun();
    const listedAt = T + 2 * MINUTE + run.settings.listLagMs + shownAfter;
    const again = { ...samplePost(), receivedAt: listedAt + MINUTE / 2, madeId: 'ord-2' };
    const [attempt] = run.attempts as [Observation['attempts'][number]];
    const attempts = [
      { ...attempt, outcome: 'refused', orderId: null },
      { ...attempt, attempt: 2, recordedAt: again.receivedAt - 50, orderId: 'ord-2' },
    ];
    const sentTwice: Observation = {
      ...run,
      settings: { ...run.settings, approvalRules: [], readAgeMs: MINUTE },
      orders: [sampleOrder({ listedAt }), sampleOrder({ orderId: 'ord-2', createdAt: again.receivedAt })],
      posts: [samplePost({ answered }), again],
      attempts,
      rows: run.rows.map((row) => ({ ...row, orderId: 'ord-2' })),
      results: run.results.map((result) => ({ ...result, orderId: 'ord-2' })),
      comparedAt: Number.MAX_SAFE_INTEGER,
    };
    expect(rules(reported(sentTwice))).toEqual(expected);
  });

  it('I1: a second home that was taken into use must know what the list has shown for longer than a read lasts', () => {
    const again = samplePost({ receivedAt: sentAt, committedAt: sentAt, madeId: 'ord-2', home: 1 });
    const run: Observation = {
      ...sampleRun(),
      settings: { ...sampleRun().settings, approvalRules: [], readAgeMs: MINUTE },
      orders: [sampleOrder(), { ...ofNext, reference: REFERENCE }],
      posts: [samplePost(), again],
      attempts: [
        ...sampleRun().attempts,
        { reference: REFERENCE, attempt: 1, recordedAt: sentAt - 50, outcome: 'accepted', orderId: 'ord-2', home: 1 },
      ],
      homes: [{ home: 1, from: sentAt - MINUTE }],
      comparedAt: Number.MAX_SAFE_INTEGER,
    };
    expect(rules(reported(run))).toEqual(['I1']);
    const soon = { ...run, orders: [sampleOrder({ listedAt: sentAt - MINUTE / 2 }), ...run.orders.slice(1)] };
    expect(rules(reported(soon))).toEqual([]);
    expect(rules(soon)).toEqual(['I1']);
  });

  const refused = samplePost({
    ...{ receivedAt: sentAt - 10 * MINUTE, committedAt: null, madeId: null },
    answered: { httpStatus: 200, code: 2010 },
  });
  it.each([
    ['for the first time may not know', [], []],
    ['again must know', [refused], ['I1']],
  ])('I1: a home that was there all the time and sends %s what another one has sent', (_, before, expected) => {
    const posts = [...before, samplePost({ receivedAt: sentAt, committedAt: sentAt, madeId: 'ord-2' })];
    const [attempt] = sampleRun().attempts as [Observation['attempts'][number]];
    const own = posts.map(({ receivedAt }, index) => ({ ...attempt, attempt: index + 1, recordedAt: receivedAt - 50 }));
    const run: Observation = {
      ...sampleRun(),
      settings: { ...sampleRun().settings, approvalRules: [], readAgeMs: MINUTE },
      orders: [sampleOrder(), { ...ofNext, reference: REFERENCE }],
      posts: [samplePost({ home: 1 }), ...posts],
      attempts: [{ ...attempt, home: 1 }, ...own],
      homes: [{ home: 1, from: T }],
      comparedAt: Number.MAX_SAFE_INTEGER,
    };
    expect(rules(reported(run))).toEqual(expected);
  });

  it('I1: so must a home that pays under a further generation', () => {
    const run = repaired(T + 3 * MINUTE);
    const homes = [{ home: 1, from: T }];
    const attempts = run.attempts.map((attempt, index) => (index === 0 ? { ...attempt, home: 1 } : attempt));
    const beside = { ...run, homes, attempts, orders: [sampleOrder(), ...run.orders.slice(1)] };
    expect(rules(reported({ ...beside, posts: [samplePost({ home: 1 }), post] }))).toContain('I1');
  });

  it('I1: an order from before a machine went back in time', () => {
    const again = samplePost({ receivedAt: sentAt, committedAt: sentAt, madeId: 'ord-2' });
    const at = T + 10 * MINUTE;
    const run: Observation = {
      ...sampleRun(),
      settings: { ...sampleRun().settings, approvalRules: [], readAgeMs: MINUTE },
      orders: [sampleOrder(), { ...ofNext, reference: REFERENCE }],
      posts: [samplePost(), again],
      attempts: sampleRun().attempts.flatMap((attempt) => [
        attempt,
        { ...attempt, attempt: 2, recordedAt: sentAt - 50, orderId: 'ord-2' },
      ]),
      restores: [at],
      rollbacks: [at],
      comparedAt: Number.MAX_SAFE_INTEGER,
    };
    expect(rules(reported(run))).toEqual(['I1']);
    const soon = { ...run, orders: [sampleOrder({ listedAt: sentAt - MINUTE / 2 }), ...run.orders.slice(1)] };
    expect(rules(reported(soon))).toEqual([]);
  });

  it('I7: a payment that is sent for another customer of the bank', () => {
    expect(broken(having({ posts: [samplePost({ isElsewhere: true })] }))).toEqual(['I7']);
  });

  it('I13: a spelling that the bank has shown is no reason to ask people', () => {
    const run = parkedRun('reference-conflict');
    const settings = { ...run.settings, isSpellingSame: true };
    const own = sampleOrder({ reference: REFERENCE.toUpperCase(), askedAs: REFERENCE });
    const other = sampleOrder({ orderId: 'ord-0', reference: 'ABC', askedAs: 'abc' });
    const lost = { ...run, settings, orders: [own, other], posts: [samplePost()], attempts: sampleRun().attempts };
    const accepted = { reference: 'abc', attempt: 1, recordedAt: T, outcome: 'accepted', orderId: 'ord-0' };
    const doubtful = lost.attempts.map((attempt) => ({ ...attempt, outcome: null, orderId: null }));
    expect(rules({ ...lost, attempts: doubtful })).toEqual([]);
    expect(rules({ ...lost, attempts: [...doubtful, accepted] })).toEqual(['I13']);
  });

  it('I5: an order that changes after its end must be reported', () => {
    const drifting = having({
      orders: [sampleOrder({ drift: { at: T, field: 'amount' } })],
      comparedAt: Number.MAX_SAFE_INTEGER,
    });
    expect(broken(drifting)).toEqual(['I5']);
    expect(broken({ ...drifting, notedOrders: ['ord-1'] })).toEqual([]);
  });
});

describe('one order for one reference', () => {
  const second = sampleOrder({ orderId: 'ord-2', moneyMoved: false, statuses: [{ at: 0, status: 'SUBMITTED' }] });
  const again = samplePost({ madeId: 'ord-2' });
  const twice = sampleRun().attempts.flatMap((attempt) => [attempt, { ...attempt, attempt: 2 }]);

  it('I1: two orders that may take money', () => {
    expect(broken(having({ orders: [sampleOrder(), second], posts: [samplePost(), again], attempts: twice }))).toEqual([
      'I1',
    ]);
  });

  it('I1: a second one that nobody could prevent must be reported', () => {
    const { receivedAt } = samplePost();
    const executedAt = receivedAt + 11 * 60_000;
    const late = samplePost({ madeId: 'ord-2', receivedAt: receivedAt - 1, committedAt: executedAt });
    const run = having({
      orders: [sampleOrder(), { ...second, createdAt: executedAt, listedAt: executedAt }],
      posts: [late, samplePost()],
      attempts: twice,
      comparedAt: Number.MAX_SAFE_INTEGER,
    });
    expect(broken(run)).toEqual(['I1']);
    expect(broken({ ...run, notedOrders: ['ord-2'] })).toEqual([]);
    // Sent once more although the list has shown it.
    const shown = {
      ...run,
      orders: [sampleOrder(), { ...second, createdAt: receivedAt - 1, listedAt: receivedAt - 1 }],
    };
    expect(broken({ ...shown, notedOrders: ['ord-2'] })).toEqual(['I1']);
  });

  it('I1: more writes than the trust in the bank allows, or one after code 2003', () => {
    const none = { ...sampleRun().settings, referenceDedupe: 'none' as const };
    const lost = samplePost({ committedAt: null, madeId: null, answered: null });
    expect(broken(having({ settings: none, posts: [lost, samplePost()], attempts: twice }))).toEqual(['I1']);
    const [post, began] = [samplePost(), sampleRun().attempts[0]?.recordedAt ?? 0];
    const exists = (recordedAt: number) =>
      twice.map((attempt, index) => ({
        ...attempt,
        outcome: 'exists',
        recordedAt: index === 0 ? began : recordedAt,
        outcomeAt: began + 200,
      }));
    const second = { ...post, receivedAt: began + 300 };
    const posts = [post, second].map((it) => ({ ...it, madeId: it === second ? null : it.madeId, committedAt: null }));
    expect(broken(having({ posts, attempts: exists(began + 250) }))).toEqual(['I1']);
    // On its way when the first 2003 was recorded: another rule is broken, not this one.
    expect(broken(having({ posts, attempts: exists(began + 150) }))).toEqual(['I2']);
  });

  it('I2: a write without a record before it, long after it, or under a reference of nothing accepted', () => {
    expect(broken(having({ attempts: [] }))).toEqual(['I2']);
    const late = sampleRun().attempts.map((attempt) => ({ ...attempt, recordedAt: attempt.recordedAt - 60_000 }));
    expect(broken(having({ attempts: late }))).toEqual(['I2']);
    const body = { ...samplePost().body, reference: EXCHANGE };
    expect(broken(having({ posts: [samplePost(), samplePost({ body })] }))).toContain('I2');
  });

  it('I2: a sender that begins while another one is at work', () => {
    const [attempt] = sampleRun().attempts;
    if (attempt === undefined) throw new Error('the sample has an attempt');
    const second = { ...attempt, attempt: 2, recordedAt: attempt.recordedAt + 20, outcome: 'ambiguous' };
    const posts = [samplePost(), samplePost({ madeId: null, committedAt: null })];
    const until = (outcomeAt: number) => having({ posts, attempts: [{ ...attempt, outcomeAt }, second] });
    expect(broken(until(attempt.recordedAt + 30))).toEqual(['I2']);
    expect(broken(until(attempt.recordedAt + 10))).toEqual([]);
  });

  it('I3: other bytes, unless what came before was refused', () => {
    const body = { ...samplePost().body, expired_at: 1 };
    const lost = samplePost({ body, committedAt: null, madeId: null, answered: null });
    expect(broken(having({ posts: [lost, samplePost()], attempts: twice }))).toEqual(['I3']);
    const refused = { ...lost, answered: { httpStatus: 200, code: 2010 } };
    expect(broken(having({ posts: [refused, samplePost()], attempts: twice }))).toEqual([]);
    const byGateway = { ...lost, answered: { httpStatus: 502, code: 2010 } };
    expect(broken(having({ posts: [byGateway, samplePost()], attempts: twice }))).toEqual(['I3']);
  });
});

describe('what is reported', () => {
  it('I4: completed without, or with another, completed order', () => {
    const statuses = [{ at: 0, status: 'SUBMITTED' }];
    expect(broken(having({ orders: [sampleOrder({ statuses, moneyMoved: false })], accounts: [] }))).toEqual(['I4']);
    expect(broken(having({ orders: [sampleOrder({ uid: 'u-2' })] }))).toEqual(['I4']);
    expect(broken(having(row({ orderId: 'ord-9' })))).toEqual(['I4']);
    expect(broken(having(row({ fee: '1.30' })))).toEqual(['I4']);
  });

  it('I5: not paid, and the bank has a live or completed order', () => {
    expect(broken(having(row({ state: 'failed', reasonCode: 'bank-failed' })))).toEqual(['I5']);
    const live = sampleOrder({ statuses: [{ at: 0, status: 'WAIT_FOR_AUDIT' }], moneyMoved: false });
    expect(broken(having({ ...row({ state: 'cancelled' }), orders: [live], accounts: [] }))).toEqual(['I5']);
    const failed = sampleOrder({ statuses: [{ at: 0, status: 'FAILED' }], moneyMoved: false });
    expect(broken(having({ ...row({ state: 'failed' }), orders: [failed], accounts: [] }))).toEqual([]);
  });

  it('I6: a row that is missing, doubled, in no state, or of another amount', () => {
    const { rows } = sampleRun();
    expect(broken(having({ rows: [], results: [] }))).toEqual(['I6']);
    expect(broken(having({ rows: [...rows, ...rows] }))).toEqual(['I6']);
    expect(broken(having({ ...row({ state: 'paid' }), results: [] }))).toContain('I6');
    expect(broken(having(row({ amount: '10.50' })))).toEqual(['I6']);
    expect(broken(having({ results: sampleRun().results.map((it) => ({ ...it, state: 'failed' })) }))).toEqual(['I6']);
  });

  it('I9: an end that is left, and money that came back for nobody', () => {
    const { statesSeen } = sampleRun();
    expect(
      broken(having({ statesSeen: [...statesSeen, { at: 0, reference: REFERENCE, state: 'processing' }] })),
    ).toEqual(['I9']);
    const left = [
      { at: 10, reference: REFERENCE, state: 'failed' },
      { at: 20, reference: REFERENCE, state: 'processing' },
    ];
    expect(broken(having({ statesSeen: left, restores: [5] }))).toEqual(['I9']);
    expect(broken(having({ statesSeen: left, restores: [5, 15] }))).toEqual([]);
    expect(broken(having(row({ returns: [{ orderId: 'ord-7', amount: '1.00', currency: 'USD' }] })))).toEqual(['I9']);
  });
});

describe('the money', () => {
  it('I7: books that do not add up, and an order whose money is not in them', () => {
    const [account] = sampleRun().accounts;
    if (account === undefined) throw new Error('the sample has an account');
    expect(broken(having({ accounts: [{ ...account, balance: '88.71' }] }))).toEqual(['I7']);
    expect(broken(having({ accounts: [{ ...account, opening: '1.00', balance: '-10.30' }] }))).toEqual(['I7']);
    const halved = { ...account, balance: '98.75', entries: account.entries.slice(1) };
    expect(broken(having({ accounts: [halved] }))).toEqual(['I7']);
  });

  it.each([
    ['a number', 10.05],
    ['too many places', '10.050'],
    ['an exponent', '1.005e1'],
    ['another amount', '10.06'],
  ])('I15: an amount that is %s', (_what, amount) => {
    expect(broken(having({ posts: [samplePost({ body: { ...samplePost().body, amount } })] }))).toEqual(['I15']);
  });
});

describe('the people', () => {
  const [decision] = sampleRun().decisions;
  if (decision === undefined) throw new Error('the sample has a decision');

  it('I8: too few of them, the maker, or a person for another payee or fee', () => {
    expect(broken(having({ decisions: [] }))).toEqual(['I8']);
    expect(broken(having({ decisions: [{ ...decision, by: ' MIA' }] }))).toEqual(['I8']);
    expect(broken(having({ decisions: [{ ...decision, at: decision.at + 3_600_000 }] }))).toEqual(['I8']);
    const two = { ...sampleRun().settings, approvalRules: [{ approvals: 2 }] };
    expect(broken(having({ settings: two, decisions: [decision, { ...decision, by: 'Alice' }] }))).toEqual(['I8']);
    expect(broken(having({ settings: two, decisions: [decision, { ...decision, by: 'bob' }] }))).toEqual([]);
    const long = { ...decision, question: { kind: 'payout' as const, askedAt: decision.at - 3_600_000 } };
    const before = { from: 0, items: { account_no: '9999' } };
    const beneficiaries = sampleRun().beneficiaries.map((it) => ({ ...it, versions: [before, ...it.versions] }));
    expect(broken(having({ decisions: [long], beneficiaries }))).toEqual(['I8']);
  });

  it('I8, I17: an audit at the bank is decided by a person, and written down', () => {
    const approve = samplePost({ route: 'approve', orderId: 'ord-1', body: {}, madeId: null });
    const posts = [samplePost(), approve];
    expect(broken(having({ posts }))).toEqual(['I17', 'I8']);
    const decisions = [decision, { ...decision, question: { kind: 'bank' as const, askedAt: decision.at } }];
    expect(broken(having({ posts, decisions }))).toEqual(['I17']);
    const audits = [{ at: decision.at, actor: 'alice', action: 'approve at the bank', orderId: 'ord-1' }];
    expect(broken(having({ posts, decisions, audits }))).toEqual([]);
  });
});

describe('the end', () => {
  it('I13: a row that never ended, a workflow that failed, a run that did not settle', () => {
    expect(
      broken({ ...parkedRun(''), rows: parkedRun('').rows.map((it) => ({ ...it, state: 'processing' })) }),
    ).toEqual(['I13']);
    expect(broken(having({ results: sampleRun().results.map((it) => ({ ...it, failure: 'a bug' })) }))).toEqual([
      'I13',
    ]);
    expect(broken(having({ calm: { ...sampleRun().calm, settled: false } }))).toEqual(['I13']);
  });

  it('I13: people are asked only for what the bank cannot show', () => {
    expect(broken(parkedRun('outcome-unknown'))).toEqual(['I13']);
    const attempts = sampleRun().attempts.map((attempt) => ({ ...attempt, outcome: 'exists' }));
    expect(broken({ ...parkedRun('order-not-found'), attempts })).toEqual([]);
    const interruptions = [{ at: 0, reference: REFERENCE, kind: 'terminated' as const, whileParked: true }];
    expect(broken({ ...parkedRun('workflow-closed'), interruptions })).toEqual([]);
    const closed = { at: 0, reference: REFERENCE, kind: 'terminated' as const, whileParked: false };
    expect(broken({ ...parkedRun('workflow-closed'), interruptions: Array(4).fill(closed) })).toEqual(['I13']);
    expect(broken({ ...parkedRun('workflow-closed'), interruptions: Array(5).fill(closed) })).toEqual([]);
    expect(broken({ ...parkedRun('workflow-closed'), interruptions: Array(4).fill(closed), restores: [1] })).toEqual(
      [],
    );
    const found = { ...sampleRun(), rows: parkedRun('outcome-unknown').rows, results: [], statesSeen: [] };
    expect(broken(found)).toEqual(['I13']);
    const odd = sampleOrder({ statuses: [{ at: 0, status: 'NO_SUCH_STATUS' }], moneyMoved: false });
    expect(broken({ ...found, orders: [odd], accounts: [] })).toEqual([]);
  });

  it('I16: a bank that is asked without measure', () => {
    expect(broken(having({ traffic: [{ minute: 1, requests: 10_000 }] }))).toEqual(['I16']);
  });
});

describe('somebody else', () => {
  it('I19: is refused for any request', () => {
    const call = { at: 0, reference: REFERENCE, name: 'closePayout' };
    expect(broken(having({ foreignCalls: [{ ...call, done: true }] }))).toEqual(['I19']);
    expect(broken(having({ foreignCalls: [{ ...call, done: false }] }))).toEqual([]);
  });
});

describe('an older copy of the store', () => {
  it('I1: what was sent before it was put in place counts by itself', () => {
    const settings = { ...sampleRun().settings, referenceDedupe: 'none' as const };
    const [attempt] = sampleRun().attempts;
    if (attempt === undefined) throw new Error('the sample has an attempt');
    const lost = samplePost({ receivedAt: attempt.recordedAt - 900, committedAt: null, madeId: null, answered: null });
    const attempts = [{ ...attempt, recordedAt: attempt.recordedAt - 1_000 }, attempt];
    const run = having({ settings, posts: [lost, samplePost()], attempts });
    expect(broken(run)).toEqual(['I1']);
    expect(broken({ ...run, restores: [attempt.recordedAt - 500] })).toEqual([]);
  });
});

describe('a sender that died without a record before an older copy was put in place', () => {
  it('I13: is in doubt for ever where a reference may be sent once', () => {
    const settings = { ...sampleRun().settings, referenceDedupe: 'none' as const };
    const run = { ...parkedRun('order-not-found'), settings, attempts: [] };
    expect(broken({ ...run, restores: [2] })).toEqual(['I13']);
    expect(broken({ ...run, restores: [2], senders: [{ at: 3, begunAt: null, reference: REFERENCE }] })).toEqual([
      'I13',
    ]);
    expect(broken({ ...run, restores: [2], senders: [{ at: 1, begunAt: null, reference: REFERENCE }] })).toEqual([]);
  });
});

describe('a payout that was rejected in time', () => {
  it('I8: is not sent, unless something was in doubt, or the run that received it was closed', () => {
    const [attempt] = sampleRun().attempts;
    if (attempt === undefined) throw new Error('the sample has an attempt');
    const at = attempt.recordedAt - 1_000;
    const question = { kind: 'hold' as const, askedAt: at - 1_000 };
    const rejected = { at, reference: REFERENCE, by: 'bob', action: 'reject' as const, question, wasInTime: true };
    const decisions = [...sampleRun().decisions, rejected];
    expect(broken(having({ decisions }))).toEqual(['I8']);
    expect(broken(having({ decisions: [...sampleRun().decisions, { ...rejected, wasInTime: false }] }))).toEqual([]);
    const earlier = { ...attempt, attempt: 0, recordedAt: at - 1, outcome: 'not-sent' };
    expect(broken(having({ decisions, attempts: [earlier, attempt] }))).toEqual(['I8']);
    expect(broken(having({ decisions, attempts: [{ ...earlier, outcome: null }, attempt] }))).not.toContain('I8');
    const interruptions = [{ at, reference: REFERENCE, kind: 'reset' as const, whileParked: false }];
    expect(broken(having({ decisions, interruptions }))).toEqual([]);
  });
});

describe('people who answer one question', () => {
  it('I8: are not answered both approved and rejected, unless the run that answered was closed', () => {
    const [decision] = sampleRun().decisions;
    if (decision === undefined) throw new Error('the sample has a decision');
    const approved = { ...decision, reported: 'approved' };
    const rejected = { ...decision, by: 'bob', action: 'reject' as const, reported: 'rejected' };
    expect(broken(having({ decisions: [approved, rejected] }))).toEqual(['I8']);
    expect(broken(having({ decisions: [approved, { ...rejected, reported: undefined }] }))).toEqual([]);
    const asked = { kind: 'payout' as const, askedAt: decision.at - 5 };
    expect(broken(having({ decisions: [approved, { ...rejected, question: asked }] }))).toEqual([]);
    const reset = { at: decision.at, reference: REFERENCE, kind: 'reset' as const, whileParked: false };
    expect(broken(having({ decisions: [approved, rejected], interruptions: [reset] }))).toEqual([]);
  });
});

describe('clocks too far apart', () => {
  it('I13: people are asked about what no list can prove', () => {
    const attempts = sampleRun().attempts.map((attempt) => ({ ...attempt, outcome: 'ambiguous' }));
    const run = { ...parkedRun('outcome-unknown'), attempts };
    expect(broken(run)).toEqual(['I13']);
    expect(broken({ ...run, settings: { ...run.settings, provesAbsence: false } })).toEqual([]);
  });
});

describe('a kill switch', () => {
  const [attempt] = sampleRun().attempts;
  const off = (from: number, to: number | null, key = 'USD') => ({ scope: 'currency' as const, key, from, to });
  const began = attempt?.recordedAt ?? 0;

  it('I18: an order sent by a sender that began while it was off', () => {
    expect(broken(having({ switches: [off(began - 1, null)] }))).toEqual(['I18']);
  });

  it('set too late for the sender, on again before the order came, or about something else is none', () => {
    const switches = [off(began + 1, null), off(began - 1, began + 1), off(began - 1, null, 'EUR')];
    expect(broken(having({ switches }))).toEqual([]);
  });
});
