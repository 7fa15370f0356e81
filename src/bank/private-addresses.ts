import { lookup as lookupByName } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { ipList } from './webhooks/verifier.ts';

/**
 * Addresses outside the public internet (IANA special-purpose registries) and multicast; also IPv6 addresses that embed an IPv4
 * one, which a tunnel or translator may lead to: 6to4, Teredo, NAT64, IPv4-compatible and IPv4-translated.
 */
export const isPrivateAddress = ipList([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4'],
  ...['::/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64', '2001:0::/32', '2002:0::/16'],
  ...['fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
]);

/** A host name with only private addresses. */
export class PrivateAddress extends Error {
  override readonly name = 'PrivateAddress';
}

/**
 * Resolves a name for `net.connect`, without its private addresses. The connection goes to the address returned here, so changing
 * the DNS record afterwards (rebinding) has no effect.
 */
export const lookupPublic: LookupFunction = (hostname, options, done) => {
  lookupByName(hostname, { ...options, all: true }, (error, found) => {
    if (error !== null) return done(error, []);
    const [first, ...others] = found.filter(({ address }) => !isPrivateAddress(address));
    if (first === undefined) return done(new PrivateAddress('private-address'), []);
    if (options.all === true) done(null, [first, ...others]);
    else done(null, first.address, first.family);
  });
};
