import { leadsHere } from '../../domain/loopback.ts';
import type { App } from '../../platform/app.ts';
import { checkoutUrlOf } from './gateway-app.ts';

/**
 * The return URL in the form in which browsers read it: `http://127.0.0.1\\@shop.example` is this machine here, but may be the
 * shop elsewhere. Undefined if it is not allowed.
 */
export function returnUrlOf(text: string, app: App): string | undefined {
  const url = URL.parse(text);
  return url !== null && url.username === '' && url.password === '' && isAllowed(url, app) ? url.href : undefined;
}

/** Which return URLs are allowed, and how to allow others. */
export const addressRule = ({ config }: App): string =>
  config.cards.returnHosts === undefined
    ? 'an address on this machine, such as http://127.0.0.1/back, because PAYOUTS_CARD_RETURN_HOSTS is not set; ' +
      'for https://shop.example/back start the gateway with PAYOUTS_CARD_RETURN_HOSTS=shop.example'
    : 'https:// on a host of PAYOUTS_CARD_RETURN_HOSTS, without a user or a password; ' +
      'for another host start the gateway with it in that list';

function isAllowed({ protocol, origin, host, hostname, href }: URL, app: App): boolean {
  const own = checkoutUrlOf(app);
  if (own !== undefined && new URL(own).origin === origin) return true;
  const { returnHosts: hosts } = app.config.cards;
  if (hosts === undefined) return (protocol === 'http:' || protocol === 'https:') && leadsHere(href);
  return protocol === 'https:' && (hosts.includes(host) || hosts.includes(hostname));
}
