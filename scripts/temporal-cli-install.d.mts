export function installTemporalCli(
  env: Readonly<Record<string, string | undefined>>,
  options: { say: (line: string) => void; tried: string[]; downloads?: string },
): Promise<string | undefined>;
export function fileOfTar(archive: Buffer, name: string): Buffer;
