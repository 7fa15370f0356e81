import type { Config } from '../config.ts';
import { lastPorts } from '../embedded/ports.ts';

/**
 * Where people find the pages of a gateway; undefined: there are none. Without one that is up, where that of this home was last,
 * and will be again.
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
