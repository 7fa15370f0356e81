import { isLoopback } from './callers.ts';
import { GatewayError } from './gateway-error.ts';

/**
 * Throws a `GatewayError` for an address that no cardholder may be sent back to. `hosts`: of PAYOUTS_CARD_RETURN_HOSTS,
 * with the port where one is meant; undefined: this machine only.
 */
export function assertReturnUrl(text: string, hosts: readonly string[] | undefined): void {
  const url = URL.parse(text);
  if (url !== null && url.username === '' && url.password === '' && isAllowed(url, hosts)) return;
  throw new GatewayError(400, 'return-url-refused', 'No cardholder is sent back to this address.', {
    hint: 'return_url is https:// on a host of PAYOUTS_CARD_RETURN_HOSTS, or on this machine where that is not set.',
  });
}

function isAllowed({ protocol, host, hostname, href }: URL, hosts: readonly string[] | undefined): boolean {
  if (hosts === undefined) return (protocol === 'http:' || protocol === 'https:') && isLoopback(href);
  return protocol === 'https:' && (hosts.includes(host) || hosts.includes(hostname));
}
