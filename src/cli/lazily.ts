/**
 * A function of a module that is loaded when the function is first called: a command loads what it does itself, and `--help`
 * nothing of what any command does.
 */
export function lazily<Arguments extends unknown[], Result>(
  load: () => Promise<(...args: Arguments) => Result | Promise<Result>>,
): (...args: Arguments) => Promise<Result> {
  return async (...args) => (await load())(...args);
}
