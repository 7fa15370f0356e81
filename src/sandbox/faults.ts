import { z } from 'zod';
import { isRefusalCode, REFUSAL_CODES } from './refusal.ts';

/**
 * Faults are requests anyone can make (`POST /__sandbox/faults`): what happens to the next matching requests of an
 * operation. "Commit" means that the operation runs before the fault shows. Kept in memory.
 */

const scope = {
  /** Operation of `http/banking-routes.ts` (`transactions.payment`), or `auth`. */
  operation: z.string().min(1),
  match: z
    .strictObject({
      /** Only requests whose body has this `reference`. */
      reference: z.string().optional(),
      /** From the nth matching request on, counted from 1 since the fault was set. */
      nth: z.int().min(1).optional(),
    })
    .default({}),
  /** How many requests it hits. */
  times: z.int().min(1).default(1),
};
const code = z.int().refine(isRefusalCode, `one of ${REFUSAL_CODES.join(', ')}`);
const errorStatus = z.int().min(400).max(599);

export const faultRequest = z.discriminatedUnion('kind', [
  /** The socket closes before the body is read; cannot match a reference. */
  z.strictObject({ ...scope, kind: z.literal('refuse-before') }),
  /** Read, then closed without a commit. */
  z.strictObject({ ...scope, kind: z.literal('drop-before') }),
  /** Committed, then closed without an answer. */
  z.strictObject({ ...scope, kind: z.literal('drop-after') }),
  /** Committed, answered late. */
  z.strictObject({ ...scope, kind: z.literal('delay-after'), ms: z.int().min(0).max(3_600_000) }),
  /** An envelope code instead of the answer. */
  z.strictObject({
    ...scope,
    kind: z.literal('code'),
    code,
    commit: z.boolean(),
    httpStatus: z.int().min(200).max(599).optional(),
  }),
  /** Committed, answered with half an envelope. */
  z.strictObject({ ...scope, kind: z.literal('garbage-after') }),
  /** An HTML page with an HTTP error status instead of the answer. */
  z.strictObject({ ...scope, kind: z.literal('http'), status: errorStatus, commit: z.boolean() }),
]);
export type Fault = z.infer<typeof faultRequest>;

export type FaultReport = Fault & {
  id: string;
  /** Requests that matched operation and reference. */
  seen: number;
  /** Requests it hit. */
  fired: number;
};

/** The faults that are set. The first one that fits a request takes it; later ones do not count it. */
export class FaultScript {
  #faults: FaultReport[] = [];
  #count = 0;

  add(fault: Fault): FaultReport {
    this.#count += 1;
    const report: FaultReport = { ...fault, id: `fault-${this.#count}`, seen: 0, fired: 0 };
    this.#faults.push(report);
    return { ...report };
  }

  /** The fault for a request whose body has not been read (`refuse-before`). */
  beforeBody(operation: string): Fault | undefined {
    return this.#take((fault) => fault.kind === 'refuse-before' && fault.operation === operation);
  }

  /** The fault for a request with this body text. */
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

const withReference = z.object({ reference: z.string() });

function referenceOf(body: string): string | undefined {
  try {
    return withReference.parse(JSON.parse(body)).reference;
  } catch {
    return undefined;
  }
}
