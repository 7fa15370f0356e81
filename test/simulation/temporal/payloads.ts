/** A value as it is after its way through the server: JSON, and nothing shared with the sender. */
export function copyOf<T>(value: T): T {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T);
}
