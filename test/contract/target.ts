import { SANDBOX_KEY, SANDBOX_SECRET, startSandbox } from '../../src/sandbox/start-sandbox.ts';

/** The bank a contract run talks to. */
export interface ContractTarget {
  baseUrl: string;
  key: string;
  secret: string;
  uid: string;
  /** An account of `uid` with money, used by nobody else during the run; USD, with another-currency sibling accounts. */
  accountId: string;
  /** An amount in the account's currency that waits for approval. */
  auditAmount: string;
  /** Repeats `read` while time passes, until it answers. Throws at the limit. */
  until<T>(read: () => Promise<T | undefined>): Promise<T>;
  close(): Promise<void>;
}

/** `PAYOUTS_CONTRACT_URL` names a remote bank; without it the embedded sandbox is the target. Never both, never neither. */
export async function contractTarget(environment: NodeJS.ProcessEnv): Promise<ContractTarget> {
  return environment.PAYOUTS_CONTRACT_URL === undefined ? embeddedTarget() : remoteTarget(environment);
}

async function embeddedTarget(): Promise<ContractTarget> {
  const sandbox = await startSandbox({ file: ':memory:' });
  return {
    baseUrl: sandbox.url,
    key: SANDBOX_KEY,
    secret: SANDBOX_SECRET,
    uid: 'u-1001',
    accountId: 'acc-u1001-usd',
    auditAmount: '10000.00',
    until: (read) =>
      repeat(read, 40, () => {
        sandbox.clock.advance(100);
        return Promise.resolve();
      }),
    close: () => sandbox.close(),
  };
}

const POLL_MS = 1_000;
const POLLS_MAX = 60;

async function remoteTarget(environment: NodeJS.ProcessEnv): Promise<ContractTarget> {
  const need = (name: string): string => {
    const value = environment[`PAYOUTS_CONTRACT_${name}`];
    if (value === undefined) throw new Error(`PAYOUTS_CONTRACT_${name} is needed with PAYOUTS_CONTRACT_URL`);
    return value;
  };
  return {
    baseUrl: need('URL').replace(/\/$/, ''),
    key: need('KEY'),
    secret: need('SECRET'),
    uid: need('UID'),
    accountId: need('ACCOUNT'),
    auditAmount: environment.PAYOUTS_CONTRACT_AUDIT_AMOUNT ?? '10000.00',
    until: (read) => repeat(read, POLLS_MAX, () => new Promise((resolve) => setTimeout(resolve, POLL_MS))),
    close: () => Promise.resolve(),
  };
}

async function repeat<T>(read: () => Promise<T | undefined>, times: number, pass: () => Promise<void>): Promise<T> {
  for (let time = 0; time < times; time += 1) {
    const seen = await read();
    if (seen !== undefined) return seen;
    await pass();
  }
  throw new Error(`nothing was seen in ${times} reads`);
}
