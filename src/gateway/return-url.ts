import { Problem } from '../domain/problem.ts';
import { isLoopback } from './callers.ts';
import type { CardDeps } from './gateway-deps.ts';

/**
 * The address that a cardholder is sent back to, as a browser reads it: `http://127.0.0.1\@shop.example` names this
 * machine here and may name the shop elsewhere. Throws a `Problem` for one that nobody may be sent to.
 */
export function returnUrlOf(text: string, allowed: Pick<CardDeps, 'returnHosts' | 'returnOrigins'>): string {
  const url = URL.parse(text);
  if (url !== null && url.username === '' && url.password === '' && isAllowed(url, allowed)) return url.href;
  throw new Problem('usage', 'return-url-refused', 'No cardholder is sent back to this address.', {
    hint: 'return_url is https:// on a host of PAYOUTS_CARD_RETURN_HOSTS, or on this machine where that is not set.',
  });
}

function isAllowed(
  { protocol, origin, host, hostname, href }: URL,
  { returnHosts: hosts, returnOrigins }: Pick<CardDeps, 'returnHosts' | 'returnOrigins'>,
): boolean {
  if (returnOrigins.includes(origin)) return true;
  if (hosts === undefined) return (protocol === 'http:' || protocol === 'https:') && isLoopback(href);
  return protocol === 'https:' && (hosts.includes(host) || hosts.includes(hostname));
}
