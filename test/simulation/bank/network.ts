import type { HttpAnswer, HttpRequest, Transport } from '../../../src/bank/transport.ts';
import type { Random } from '../random.ts';
import type { Host, VirtualTime } from '../virtual-time.ts';
import { drawFault, type FaultMix, type ReadFault, type WriteFault } from './faults.ts';
import type { BankProxy } from './proxy.ts';

/** How the product's transport fails: its class, given from outside so that nothing of the product is loaded here. */
type FailureClass = new (reason: string, sent: boolean, cause?: unknown) => Error;

export interface NetworkOptions {
  time: VirtualTime;
  random: Random;
  proxy: BankProxy;
  faults: FaultMix;
  /** Faults happen only while this says so. */
  isFaulty: () => boolean;
  fired: (kind: string) => void;
  failure: FailureClass;
}

/** The wire between worker processes and the bank: it loses, delays and breaks. */
export class Network {
  private readonly options: NetworkOptions;

  constructor(options: NetworkOptions) {
    this.options = options;
  }

  /** The transport of one process. */
  transportOf(host: Host): Transport {
    return { exchange: (request) => this.exchange(host, request), close: async () => {} };
  }

  private exchange(host: Host, request: HttpRequest): Promise<HttpAnswer> {
    const { time, random, failure } = this.options;
    const fault = this.faultFor(request);
    const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
    const state = { over: false, sent: false };
    const end = (how: () => void): void => {
      if (state.over) return;
      state.over = true;
      request.signal.removeEventListener('abort', stop);
      how();
    };
    const stop = (): void => end(() => reject(new failure('time limit reached', state.sent)));
    request.signal.addEventListener('abort', stop, { once: true });
    if (request.signal.aborted) stop();
    const connectMs = fault === 'slow-connect' ? random.between(4_000, 9_000) : random.between(1, 10);
    time.after(connectMs, () =>
      host.deliver(() => {
        if (state.over) return;
        if (fault === 'refuse-connect') {
          end(() => reject(new failure('no connection', false)));
          return;
        }
        try {
          request.beforeFirstByte?.();
        } catch (cause) {
          end(() => reject(new failure('stopped before the first byte', false, cause)));
          return;
        }
        state.sent = true;
        time.after(random.between(1, 20), () => this.atTheBank(host, request, fault, { end, resolve, reject }));
      }),
    );
    return promise;
  }

  private atTheBank(
    host: Host,
    request: HttpRequest,
    fault: WriteFault | ReadFault | undefined,
    {
      end,
      resolve,
      reject,
    }: { end(how: () => void): void; resolve(answer: HttpAnswer): void; reject(error: Error): void },
  ): void {
    const { time, random, proxy, failure } = this.options;
    const reply = proxy.receive(request, fault);
    const back = (ms: number, how: () => void): void => {
      time.after(ms, () => host.deliver(() => end(how)));
    };
    if (reply.kind === 'answer') back(random.between(1, 40), () => resolve(reply.answer));
    if (reply.kind === 'late') back(random.between(31_000, 40_000), () => resolve(reply.answer));
    if (reply.kind === 'dropped') back(random.between(1, 40), () => reject(new failure('incomplete answer', true)));
  }

  private faultFor(request: HttpRequest): WriteFault | ReadFault | undefined {
    const { random, faults, isFaulty, fired } = this.options;
    if (!isFaulty()) return undefined;
    const isToken = request.target.startsWith('/v1/auth');
    const fault = isToken
      ? drawFault(random, faults.token)
      : request.method === 'GET'
        ? drawFault(random, faults.read)
        : drawFault(random, faults.write);
    if (fault !== undefined) fired(`${isToken ? 'token' : request.method === 'GET' ? 'read' : 'write'} ${fault}`);
    return fault;
  }
}
