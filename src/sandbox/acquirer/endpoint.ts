import { z } from 'zod';
import { isLoopback } from '../../domain/loopback.ts';
import type { Database } from '../database.ts';

/** Where and how webhooks are sent (`PUT /__sandbox/webhooks`, the "dashboard"). Stored in the database, like the deliveries. */
const share = z.number().min(0).max(1).default(0);

export const SCHEMES = ['standard-webhooks', 'hmac-sha256', 'none'] as const;

export const endpointBody = z.strictObject({
  url: z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .refine((text) => isLoopback(URL.parse(text)?.hostname ?? ''), 'on this machine'),
  /** `whsec_` and base64: those bytes; otherwise the UTF-8 bytes of the text. */
  secret: z.string().min(1).max(512),
  scheme: z.enum(SCHEMES).default('standard-webhooks'),
  /** Share of events that are sent a second time with the same id. */
  duplicate: share,
  /** Share of deliveries that are held back, so that later ones overtake them. */
  reorder: share,
  /** Share of events that are never sent. */
  drop: share,
  /** With the same seed, the same events are treated alike. */
  seed: z.union([z.int(), z.string()]).default(0),
  /** Wait before the second attempt; doubled for each further one, minus a random part of up to half. */
  firstRetryMs: z.int().min(1).max(3_600_000).default(1_000),
  /** Number of attempts after the first. */
  retries: z.int().min(0).max(50).default(12),
});
export type Endpoint = z.infer<typeof endpointBody>;

export function saveEndpoint(db: Database, endpoint: Endpoint): void {
  db.run(
    `INSERT INTO webhook_endpoint (id, settings) VALUES (1, :settings)
     ON CONFLICT (id) DO UPDATE SET settings = excluded.settings`,
    { settings: JSON.stringify(endpoint) },
  );
}

export function endpointOf(db: Database): Endpoint | undefined {
  const row = db.one<{ settings: string }>('SELECT settings FROM webhook_endpoint');
  return row === undefined ? undefined : endpointBody.parse(JSON.parse(row.settings));
}

export function withoutSecret({ secret: _, ...shown }: Endpoint): Omit<Endpoint, 'secret'> {
  return shown;
}
