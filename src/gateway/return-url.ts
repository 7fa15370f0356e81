import { leadsHere } from '../domain/loopback.ts';
import type { CardDeps } from './gateway-deps.ts';

type Allowed = Pick<CardDeps, 'returnHosts' | 'returnOrigins'>;

/**
 * The address that a cardholder is sent back to, as a browser reads it: `http://127.0.0.1\\@shop.example` names this
 * machine here and may name the shop elsewhere. Undefined for one that nobody may be sent to.
 */
export function returnUrlOf(text: string, allowed: Allowed): string | undefined {
  const url = URL.parse(text);
  return url !== null && url.username === '' && url.password === '' && isAllowed(url, allowed) ? url.href : undefined;
}

/** Which addresses those are, and what to change for others. */
export const addressRule = ({ returnHosts }: Allowed): string =>
  returnHosts === undefined
    ? 'an address on this machine, such as http://127.0.0.1/back, because PAYOUTS_CARD_RETURN_HOSTS is not set; ' +
      'for https://shop.example/back start the gateway with PAYOUTS_CARD_RETURN_HOSTS=shop.example'
    : 'https:// on a host of PAYOUTS_CARD_RETURN_HOSTS, without a user or a password; ' +
      'for another host start the gateway with it in that list';

function isAllowed(
  { protocol, origin, host, hostname, href }: URL,
  { returnHosts: hosts, returnOrigins }: Allowed,
): boolean {
  if (returnOrigins.includes(origin)) return true;
  if (hosts === undefined) return (protocol === 'http:' || protocol === 'https:') && leadsHere(href);
  return protocol === 'https:' && (hosts.includes(host) || hosts.includes(hostname));
}
