import { z } from 'zod';
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
export const GARBAGE_FORMS = ['half', 'cut', 'no-utf8', 'no-data', 'text-code'] as const;

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
