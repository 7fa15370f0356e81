interface InstallOptions {
  say: (line: string) => void;
  /** Gets one line for each way that did not work. */
  tried: string[];
  /** The current version when not said. */
  version?: string;
  downloads?: string;
  /** Digest of `checksums.txt`, by version. */
  checksums?: Readonly<Record<string, string>>;
  /** Digests of the wheels, by version. */
  wheels?: Readonly<Record<string, readonly string[]>>;
}

export function installTemporalCli(
  env: Readonly<Record<string, string | undefined>>,
  options: InstallOptions,
): Promise<string | undefined>;
