/** A request that is refused before anything is done for it. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly status: number;
  /** kebab-case, as the documents show it. */
  readonly code: string;
  /** What to do. */
  readonly hint: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    more: { hint: string; headers?: Readonly<Record<string, string>> },
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = more.hint;
    this.headers = more.headers ?? {};
  }
}
