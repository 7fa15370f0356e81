import { z } from 'zod';
import { draw, pick } from '../draw.ts';
import { isRefusalCode, REFUSAL_CODES } from '../requests.ts';

/** Requests that were received and will be executed later. In memory: a restart loses them. */
export class LateCommits {
  #waiting: { at: number; commit: (at: number) => void }[] = [];

  /** `at`: epoch milliseconds of the sandbox's clock. */
  add(at: number, commit: (at: number) => void): void {
    this.#waiting.push({ at, commit });
    this.#waiting.sort((a, b) => a.at - b.at);
  }

  /** Executes what is due, each at its own time. There are no timers, so only the clock decides what a request sees. */
  takeDue(now: number): void {
    for (let next = this.#waiting[0]; next !== undefined && next.at <= now; next = this.#waiting[0]) {
      this.#waiting.shift();
      next.commit(next.at);
    }
  }

  /** When the next one is due, epoch milliseconds. */
  get nextAt(): number | undefined {
    return this.#waiting[0]?.at;
  }

  get count(): number {
    return this.#waiting.length;
  }
}

/**
 * Faults can be requested by anyone (`POST /__sandbox/faults`): they change what happens to the next matching requests of an
 * operation. "Commit" means that the operation runs. F1 to F11 are the fault points of the failure table; F1 (no connection) is
 * `POST /__sandbox/outage`, F10 a SIGSTOP of the process. In memory.
 */

const scope = {
  /** Operation of `http/banking-routes.ts` or `acquirer/routes.ts` (`transactions.payment`, `cards.create`), or `auth`. */
  operation: z.string().min(1),
  match: z
    .strictObject({
      /** Only requests with this `reference` or `merchant_request_id` in their body. */
      reference: z.string().optional(),
      /** From the nth matching request on, counted from 1 when the fault is set. */
      nth: z.int().min(1).optional(),
    })
    .default({}),
  /** Number of requests to hit. */
  times: z.int().min(1).default(1),
};
const code = z.int().refine(isRefusalCode, `one of ${REFUSAL_CODES.join(', ')}`);
const errorStatus = z.int().min(400).max(599);
const milliseconds = z.int().min(0).max(3_600_000);

/** How an answer is spoilt; `cut` closes the connection before the announced length. */
const GARBAGE_FORMS = ['half', 'cut', 'no-utf8', 'no-data', 'text-code'] as const;

const fault = <Effect extends z.ZodRawShape>(effect: Effect) => z.strictObject({ ...scope, ...effect });

export const faultRequest = z.discriminatedUnion('kind', [
  /** The socket is closed before the body is read; cannot match a reference. */
  fault({ kind: z.literal('refuse-before') }),
  /** F2. The request is read, and the socket closed without a commit. */
  fault({ kind: z.literal('drop-before') }),
  /** F3. Commits, then closes the socket without an answer. */
  fault({ kind: z.literal('drop-after') }),
  /** F4. Commits, and answers `ms` later by the machine's clock. */
  fault({ kind: z.literal('delay-after'), ms: milliseconds }),
  /** F6, F7. An envelope code instead of the answer. */
  fault({
    kind: z.literal('code'),
    code,
    commit: z.boolean(),
    httpStatus: z.int().min(200).max(599).optional(),
  }),
  /** F8. Commits, and answers with something that is not a success envelope: half of one unless `form` says otherwise. */
  fault({ kind: z.literal('garbage-after'), form: z.enum(GARBAGE_FORMS).default('half') }),
  /** F5, F7. An HTML page with an HTTP error status instead of the answer, with `Retry-After` if one is given. */
  fault({
    kind: z.literal('http'),
    status: errorStatus,
    commit: z.boolean(),
    retryAfterSeconds: z.int().min(0).max(86_400).optional(),
  }),
  /** F9. Commits, and answers in small pieces over `ms`, by the machine's clock. */
  fault({ kind: z.literal('slow-after'), ms: milliseconds }),
  /**
   * F11. Reads the request, commits `ms` later by the sandbox's clock, and never answers: the socket is closed at once, or stays
   * open until the client gives up.
   */
  fault({ kind: z.literal('late-commit'), ms: milliseconds, hangUp: z.boolean().default(true) }),
]);
export type Fault = z.infer<typeof faultRequest>;

type WithoutScope<F> = F extends unknown ? Omit<F, keyof typeof scope> : never;
export type FaultEffect = WithoutScope<Fault>;

type FaultReport = Fault & {
  id: string;
  /** Requests that matched operation and reference. */
  seen: number;
  fired: number;
};

/** The active faults. The first one that matches a request takes it; later ones do not count it. */
export class FaultScript {
  #faults: FaultReport[] = [];
  #count = 0;

  add(fault: Fault): FaultReport {
    this.#count += 1;
    const report: FaultReport = { ...fault, id: `fault-${this.#count}`, seen: 0, fired: 0 };
    this.#faults.push(report);
    return { ...report };
  }

  /** The fault for a request before its body is read (`refuse-before`). */
  beforeBody(operation: string): Fault | undefined {
    return this.#take((fault) => fault.kind === 'refuse-before' && fault.operation === operation);
  }

  withBody(operation: string, body: string): Fault | undefined {
    const reference = referenceOf(body);
    return this.#take(
      (fault) =>
        fault.kind !== 'refuse-before' &&
        fault.operation === operation &&
        (fault.match.reference === undefined || fault.match.reference === reference),
    );
  }

  list(): FaultReport[] {
    return this.#faults.map((fault) => ({ ...fault }));
  }

  clear(): void {
    this.#faults = [];
  }

  #take(fits: (fault: FaultReport) => boolean): Fault | undefined {
    for (const fault of this.#faults) {
      if (fault.fired >= fault.times || !fits(fault)) continue;
      fault.seen += 1;
      if (fault.seen < (fault.match.nth ?? 1)) continue;
      fault.fired += 1;
      return fault;
    }
    return undefined;
  }
}

const withReference = z.object({ reference: z.string() }).or(z.object({ merchant_request_id: z.string() }));

/** The request's id in a body: `reference` of an order, `merchant_request_id` of a card payment. */
export function referenceOf(body: string): string | undefined {
  try {
    const named = withReference.parse(JSON.parse(body));
    return 'reference' in named ? named.reference : named.merchant_request_id;
  } catch {
    return undefined;
  }
}

/**
 * A seeded plan (`PUT /__sandbox/fault-plan`): each request of its operations is hit with a probability, by a fault that depends
 * only on (seed, operation, subject, how often this subject was seen). The subject is the reference (for a card payment its
 * merchant_request_id; for a decision that of the order), or else the body without card data; for a read it is the operation. So
 * the same requests get the same faults in any order. In memory.
 */

/** Returns a number in [0, 1) for each question about a request. */
type Draw = (question: string) => number;

interface PlannedKind {
  weight: number;
  /** Its weight for reads; absent: only writes have it. */
  readWeight?: number;
  effect(draw: Draw, times: { lateMs: number; clientLimitMs: number }): FaultEffect;
}

const oneOf = <T>(choices: readonly [T, ...T[]], at: number): T =>
  choices[Math.floor(at * choices.length)] ?? choices[0];

/** Codes that do not say whether the request was executed. */
const UNSURE_CODES = [2001, 2008, 2011] as const;
const SERVER_ERRORS = [500, 502, 504] as const;
/** How long after its own limit a client has certainly given up. */
const BEYOND_LIMIT_MS = 1_000;

const page =
  (commit: boolean) =>
  (draw: Draw): FaultEffect => ({
    kind: 'http',
    status: oneOf(SERVER_ERRORS, draw('status')),
    commit,
  });
const envelope =
  (commit: boolean) =>
  (draw: Draw): FaultEffect => ({
    kind: 'code',
    code: oneOf(UNSURE_CODES, draw('code')),
    commit,
    httpStatus: oneOf([200, 500], draw('status')),
  });

/** The first four commit but are never answered in time: two fifths of all. Reads commit nothing. */
const KINDS = {
  'drop-after': { weight: 5, effect: () => ({ kind: 'drop-after' }) },
  'delay-after': {
    weight: 1,
    effect: (_draw, { clientLimitMs }) => ({ kind: 'delay-after', ms: clientLimitMs + BEYOND_LIMIT_MS }),
  },
  'late-commit': {
    weight: 4,
    effect: (draw, { lateMs }) => ({ kind: 'late-commit', ms: Math.floor(draw('late') * lateMs), hangUp: true }),
  },
  /** The client gives up at its own limit; the commit follows after that. */
  'late-commit-held': {
    weight: 1,
    effect: (draw, { lateMs, clientLimitMs }) => ({
      kind: 'late-commit',
      ms: clientLimitMs + Math.floor(draw('late') * lateMs),
      hangUp: false,
    }),
  },
  'drop-before': { weight: 2, readWeight: 3, effect: () => ({ kind: 'drop-before' }) },
  'http-after': { weight: 2, effect: page(true) },
  'http-before': { weight: 1, readWeight: 2, effect: page(false) },
  'code-after': { weight: 2, effect: envelope(true) },
  'code-before': { weight: 2, readWeight: 2, effect: envelope(false) },
  'garbage-after': {
    weight: 2,
    readWeight: 2,
    effect: (draw) => ({ kind: 'garbage-after', form: oneOf(GARBAGE_FORMS, draw('form')) }),
  },
  'slow-after': {
    weight: 1,
    effect: (_draw, { clientLimitMs }) => ({ kind: 'slow-after', ms: clientLimitMs + BEYOND_LIMIT_MS }),
  },
  unauthorized: { weight: 1, readWeight: 1, effect: () => ({ kind: 'http', status: 401, commit: false }) },
  throttled: {
    weight: 1,
    readWeight: 1,
    effect: (draw) => ({
      kind: 'http',
      status: oneOf([429, 503], draw('status')),
      commit: false,
      retryAfterSeconds: 1,
    }),
  },
} as const satisfies Record<string, PlannedKind>;

/** POSTs that create or decide something. */
const PLANNED_OPERATIONS: readonly string[] = [
  'beneficiaries.add',
  'transactions.payment',
  'transactions.transfer',
  'transactions.fx',
  'orders.approve',
  'orders.reject',
  'cards.setUp',
  'cards.create',
];

type WriteKind = keyof typeof KINDS;
export const WRITE_KIND_NAMES = Object.keys(KINDS) as [WriteKind, ...WriteKind[]];

const share = z.number().min(0).max(1);

export const faultPlanRequest = z.strictObject({
  seed: z.union([z.int(), z.string()]),
  /** Share of POSTs that are hit. */
  rate: share,
  operations: z
    .array(z.enum(PLANNED_OPERATIONS as [string, ...string[]]))
    .min(1)
    .default([...PLANNED_OPERATIONS]),
  /** Kinds of faults for POSTs; absent: all. */
  kinds: z.array(z.enum(WRITE_KIND_NAMES)).min(1).default(WRITE_KIND_NAMES),
  /** A late commit follows at most this long after the socket was closed, or after the client's limit. */
  lateMs: z.int().min(0).max(3_600_000).default(2_000),
  /** How long the client waits for an answer. */
  clientLimitMs: z.int().min(0).max(600_000).default(30_000),
  /** Share of GETs that are hit. */
  readRate: share.default(0),
});
type FaultPlanRequest = z.infer<typeof faultPlanRequest>;

interface Tally {
  seen: number;
  /** Number of requests hit, by kind. */
  fired: Record<string, number>;
}

export type FaultPlanReport = FaultPlanRequest & { writes: Tally; reads: Tally };

interface PlannedRequest {
  operation: string;
  read: boolean;
  subject: string;
}

interface PlannedFault {
  name: string;
  effect: FaultEffect;
}

export class FaultPlan {
  readonly #plan: FaultPlanRequest;
  readonly #timesSeen = new Map<string, number>();
  readonly #writes: Tally = { seen: 0, fired: {} };
  readonly #reads: Tally = { seen: 0, fired: {} };

  constructor(plan: FaultPlanRequest) {
    this.#plan = plan;
  }

  /** The fault for this request, which is counted; `undefined` for none. */
  faultFor({ operation, read, subject }: PlannedRequest): PlannedFault | undefined {
    const { seed, rate, readRate, operations } = this.#plan;
    if (!read && !operations.includes(operation)) return undefined;
    const tally = read ? this.#reads : this.#writes;
    tally.seen += 1;
    const key = JSON.stringify([operation, subject]);
    const seen = (this.#timesSeen.get(key) ?? 0) + 1;
    this.#timesSeen.set(key, seen);
    const ask: Draw = (question) => draw(seed, operation, subject, seen, question);
    if (ask('hit') >= (read ? readRate : rate)) return undefined;
    const { name, effect } = pick(this.#kinds(read), ask('kind'));
    tally.fired[name] = (tally.fired[name] ?? 0) + 1;
    return { name, effect: effect(ask, this.#plan) };
  }

  report(): FaultPlanReport {
    return structuredClone({ ...this.#plan, writes: this.#writes, reads: this.#reads });
  }

  #kinds(read: boolean): (PlannedKind & { name: string })[] {
    if (!read) return this.#plan.kinds.map((name) => ({ name, ...KINDS[name] }));
    return Object.entries<PlannedKind>(KINDS).flatMap(([name, { readWeight: weight, effect }]) =>
      weight === undefined ? [] : [{ name, weight, effect }],
    );
  }
}
