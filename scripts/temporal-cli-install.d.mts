/** By version, then by platform such as `linux_amd64`. */
type Digests = Readonly<Record<string, Readonly<Record<string, string>>>>;

export function installTemporalCli(
  env: Readonly<Record<string, string | undefined>>,
  options: { say: (line: string) => void; tried: string[]; downloads?: string; digests?: Digests },
): Promise<string | undefined>;
export function goInstall(
  source: string,
  folder: string,
  options: { name: string; env: Readonly<Record<string, string | undefined>>; say: (line: string) => void },
): Promise<string>;
