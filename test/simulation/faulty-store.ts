import type { PayoutChange, Store } from '../../src/store/store.ts';
import type { WorkerProcess } from './temporal/worker-process.ts';
import type { World } from './world.ts';

/** The real store as one process reaches it: a moment away, sometimes not at all, sometimes without learning the answer. */
export function faultyStore(world: World, store: Store, process: WorkerProcess): Store {
  return new Proxy(store, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]): Promise<unknown> => {
        await process.wait(world.random.between(0, 3));
        if (world.strikes('store-before', 0.05)) throw new Error('the store cannot be reached');
        if (name === 'finishAttempt' && world.losesOutcome(String(args[0])))
          throw new Error('the store cannot be reached');
        const result: unknown = await method.apply(target, args);
        if (name === 'changePayout' && result === true)
          noteChange(world, process, ...(args as Parameters<Store['changePayout']>));
        if (name === 'recordAttempt' && result === 'begun') {
          const [{ reference, attempt }] = args as Parameters<Store['recordAttempt']>;
          world.recordedAt.set(`${reference} ${attempt}`, world.time.now);
        }
        if (name === 'finishAttempt') {
          const [reference, attempt] = args as Parameters<Store['finishAttempt']>;
          world.outcomesAt.set(`${reference} ${attempt}`, world.time.now);
        }
        if (name === 'noteOrder') {
          const [, { orderId }] = args as Parameters<Store['noteOrder']>;
          if (orderId != null) world.knownOrders.add(orderId);
        }
        if (name === 'closeUnpaid' && result === 'closed') {
          const [end] = args as Parameters<Store['closeUnpaid']>;
          noteChange(world, process, end.reference, end);
        }
        if (world.strikes('store-after', 0.05)) throw new Error('the store did not answer');
        return result;
      };
    },
  });
}

function noteChange(
  world: World,
  process: WorkerProcess,
  reference: string,
  { state, reason }: Pick<PayoutChange, 'state' | 'reason'>,
): void {
  world.statesSeen.push({ at: world.time.now, reference, state });
  world.trace.note(
    `${process.name} stores ${reference.slice(0, 8)}: ${state}${reason == null ? '' : ` (${reason.code})`}`,
  );
}
