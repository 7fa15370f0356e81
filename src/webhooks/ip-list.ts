import { BlockList, isIP, isIPv4 } from 'node:net';

/**
 * Whether an address is in a list of addresses and CIDR ranges; an IPv4 address that a socket shows as IPv6 counts as what it
 * is. Throws for an entry that is no address.
 */
export function ipList(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    const family = familyOf(address);
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv4(address) ? 'ipv4' : 'ipv6');
