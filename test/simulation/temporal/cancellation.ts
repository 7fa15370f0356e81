import { AsyncLocalStorage } from 'node:async_hooks';
import { CancelledFailure } from '@temporalio/common';
import type { Execution } from './execution.ts';

/** The execution and the scope whose code runs now. */
interface Place {
  execution: Execution;
  scope: CancellationScope;
}

const places = new AsyncLocalStorage<Place>();

/** Runs workflow code inside its execution. */
export function inWorkflow<T>(execution: Execution, scope: CancellationScope, work: () => T): T {
  return places.run({ execution, scope }, work);
}

export function place(): Place {
  const current = places.getStore();
  if (current === undefined) throw new Error('workflow code runs outside an execution');
  return current;
}

interface ScopeOptions {
  cancellable?: boolean;
  /** Null for the root of an execution. */
  parent?: CancellationScope | null;
}

/** As in the SDK: a tree, cancelled downwards, and stopped by scopes that are not cancellable. */
export class CancellationScope {
  readonly cancellable: boolean;
  readonly cancelRequested: Promise<never>;
  private requested = false;
  private readonly reject: (failure: CancelledFailure) => void;

  constructor({ cancellable = true, parent }: ScopeOptions = {}) {
    this.cancellable = cancellable;
    const { promise, reject } = Promise.withResolvers<never>();
    this.cancelRequested = promise;
    this.reject = reject;
    promise.catch(() => {});
    const above = parent === undefined ? place().scope : parent;
    if (above?.cancellable !== true) return;
    this.requested = above.requested;
    above.cancelRequested.catch((failure: CancelledFailure) => this.request(failure));
  }

  /** Whether what runs inside is cancelled. */
  get consideredCancelled(): boolean {
    return this.requested && this.cancellable;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    return inWorkflow(place().execution, this, async () => work());
  }

  cancel(): void {
    this.request(new CancelledFailure('Cancellation scope cancelled'));
  }

  static current(): CancellationScope {
    return place().scope;
  }

  static cancellable<T>(work: () => Promise<T>): Promise<T> {
    return new CancellationScope().run(work);
  }

  static nonCancellable<T>(work: () => Promise<T>): Promise<T> {
    return new CancellationScope({ cancellable: false }).run(work);
  }

  private request(failure: CancelledFailure): void {
    this.requested = true;
    this.reject(failure);
  }
}

/** Rejects `operation` when the scope it was begun in is cancelled. */
export function whenCancelled(operation: (failure: CancelledFailure) => void): void {
  const { scope } = place();
  if (!scope.cancellable) return;
  scope.cancelRequested.catch(operation);
}
