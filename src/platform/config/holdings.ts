import type { Environment } from './key.ts';

/** What runs where, in words. A command is a person's with PAYOUTS_GATEWAY_URL; others run where a worker could. */
export const PROCESSES = {
  worker: 'a worker',
  gateway: 'a gateway',
  'card-gateway': 'a gateway that takes cards',
  person: "a person's command",
  migrate: 'payouts migrate',
} as const;
export type Process = keyof typeof PROCESSES;

interface Holding {
  /** What a holder can do. */
  allows: string;
  /** Processes that need it, if it is used at all. */
  needs: readonly Process[];
}

const SERVICES = ['worker', 'gateway', 'card-gateway'] as const;
const GATEWAYS = ['gateway', 'card-gateway'] as const;
const BANK = { allows: 'move money at the bank', needs: ['worker', 'card-gateway'] } as const;
const TEMPORAL = { allows: 'read and write workflows of the namespace', needs: SERVICES } as const;

/** Every setting that holds a secret, and who needs it: the table of docs/production.md, `payouts doctor` and ops follow it. */
export const HOLDINGS: Readonly<Record<string, Holding>> = {
  PAYOUTS_API_KEY: BANK,
  PAYOUTS_API_SECRET: BANK,
  PAYOUTS_BANK_READS_KEY: { allows: 'read balances, payees and orders through a worker', needs: ['worker', 'gateway'] },
  PAYOUTS_PROXY: { allows: 'go out through the proxy, if it asks for a password', needs: SERVICES },
  PAYOUTS_STORE_URL: { allows: 'what its role may do with the store', needs: [...SERVICES, 'migrate'] },
  PAYOUTS_CODEC_KEYS: { allows: 'read and write payloads in Temporal', needs: SERVICES },
  TEMPORAL_API_KEY: TEMPORAL,
  TEMPORAL_TLS_CLIENT_KEY_PATH: TEMPORAL,
  TEMPORAL_TLS_CLIENT_KEY_DATA: TEMPORAL,
  PAYOUTS_AUDIT_KEY: { allows: 'sign the audit log', needs: ['worker'] },
  PAYOUTS_CHECKS_SECRET: { allows: 'ask the provider of checks', needs: ['worker'] },
  PAYOUTS_EVENTS: { allows: 'sign events for their receivers', needs: ['worker'] },
  PAYOUTS_SMTP_URL: { allows: 'send mails', needs: ['worker'] },
  PAYOUTS_WEBHOOK_SECRET: { allows: "sign as the acquirer's webhooks", needs: GATEWAYS },
  PAYOUTS_OIDC_CLIENT_SECRET: { allows: 'ask the sign-in provider as the pages', needs: GATEWAYS },
  PAYOUTS_GATEWAY_TLS_KEY: { allows: 'pose as the gateway', needs: GATEWAYS },
  PAYOUTS_GATEWAY_TOKEN: { allows: 'what its person may at the gateway', needs: [...GATEWAYS, 'person'] },
  PAYOUTS_SIGNING_KEY: { allows: 'sign as its person', needs: ['person'] },
};

/** Names of the settings with a secret that an environment has, by value or by file. */
export const heldIn = (env: Environment): string[] =>
  Object.keys(HOLDINGS).filter((name) => env[name] || env[`${name}_FILE`]);

/** Those of them that such a process does not need. */
export const unneededBy = (process: Process, held: readonly string[]): string[] =>
  held.filter((name) => HOLDINGS[name]?.needs.includes(process) !== true);

/** Says so to people. */
export const notNeeded = (process: Process, settings: readonly string[]): string =>
  `${PROCESSES[process]} does not need ${settings.join(', ')}: unset them here (docs/production.md, "Who holds what")`;

/** What the environment is set up for, as far as it shows. */
export function processOf(env: Environment): Process {
  if (env.PAYOUTS_GATEWAY_URL) return 'person';
  return env.PAYOUTS_BANK_READS_FROM ? 'gateway' : 'worker';
}
