/** Host of `host:port` or of a whole address; empty for one that cannot be read, or that has a user in it. */
export function hostOf(address: string): string {
  const url = URL.parse(address.includes('://') ? address : `tcp://${address}`);
  return url === null || url.username !== '' ? '' : url.hostname;
}

/** Whether a host as URLs have it is this machine, by name or by number. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
