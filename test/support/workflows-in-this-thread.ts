import v8 from 'node:v8';
import vm from 'node:vm';

/** How the SDK says under TEMPORAL_DEBUG that a step of a workflow may take as long as it likes, ms. */
const NO_LIMIT = 2 ** 32 - 1;

/**
 * What the SDK does for workflows costs a process more where they share its thread (TEMPORAL_DEBUG) than where they have one
 * of their own: a tenth of the CPU time of a test, which needs neither of the two. A worker that replays is one of these too, and
 * leaves what it does to the files that the process tests next. Call before the first worker is made.
 */
export function runWorkflowsLightly(): void {
  // It notes for each promise of the process, ours of stores and banks too, where it was made: for queries of stack traces.
  v8.promiseHooks.createHook = () => () => {};

  // A thread is made for each step of a workflow, to end it after 49 days.
  const { runInContext } = vm.Script.prototype;
  vm.Script.prototype.runInContext = function (this: vm.Script, context, options) {
    const { timeout, ...others } = options ?? {};
    return runInContext.call(this, context, timeout === NO_LIMIT ? others : options);
  };
}
