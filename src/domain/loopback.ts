/** Whether a URL's host is this machine, by name or by number. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);

/** Whether `host:port` or a complete address leads to this machine; false if it contains a user or cannot be parsed. */
export function leadsHere(address: string): boolean {
  const whole = address.includes('://') ? address : `tcp://${address}`;
  // "evil.example@127.0.0.1" leads here but looks like another host.
  const [, authority = ''] = /^\w+:\/\/([^/?#\\]*)/.exec(whole) ?? [];
  return !authority.includes('@') && isLoopback(URL.parse(whole)?.hostname ?? '');
}
