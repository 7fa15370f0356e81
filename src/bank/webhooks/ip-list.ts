import { BlockList, isIP, isIPv4 } from 'node:net';

/**
 * Whether an address is in a list of addresses and CIDR ranges; an IPv4 address in IPv6 form counts as IPv4. Throws for an
 * invalid entry.
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
