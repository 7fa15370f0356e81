/** Whether a host as URLs have it is this machine, by name or by number. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);

/** Whether `host:port`, or a whole address, leads to this machine; not one with a user in it, or that cannot be read. */
export function leadsHere(address: string): boolean {
  const whole = address.includes('://') ? address : `tcp://${address}`;
  // "evil.example@127.0.0.1" leads here under another name.
  const [, authority = ''] = /^\w+:\/\/([^/?#\\]*)/.exec(whole) ?? [];
  return !authority.includes('@') && isLoopback(URL.parse(whole)?.hostname ?? '');
}
