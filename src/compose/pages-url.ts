import type { Config } from '../config.ts';
import { lastPorts } from '../embedded/ports.ts';

/**
 * URL of the pages; undefined if there are none. If no gateway is up, where this home's last one was and the next one will be.
 */
export function pagesUrl(
  { home, settings: { policy }, gateway }: Pick<Config, 'home' | 'settings' | 'gateway'>,
  gatewayUrl?: string | null,
): string | undefined {
  if (policy !== undefined) return policy.origin;
  if (gateway.tokens.reveal().length > 0) return undefined;
  const port = lastPorts(home)?.gateway;
  return gatewayUrl ?? (port === undefined ? undefined : `http://127.0.0.1:${port}`);
}
