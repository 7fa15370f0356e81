/** What a cluster is made of: a process that stays up, or a job that has to have ended well before the next part starts. */
export interface Part {
  readonly name: string;
  /** Resolves once it is healthy, or, of a job, done. Throws a `ClusterError`. */
  start(): Promise<void>;
}

/** What people can put right: what is wrong, and how. */
export class ClusterError extends Error {
  readonly fix: string | undefined;

  constructor(message: string, fix?: string) {
    super(message);
    this.name = 'ClusterError';
    this.fix = fix;
  }
}
