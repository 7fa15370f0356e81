import { type ParseArgsConfig, parseArgs } from 'node:util';

/** The command line of a drill. With `--help` the process prints the usage and ends with 0, for what it does not know with 2. */
export function commandLine<Config extends ParseArgsConfig>(usage: string, config: Config) {
  if (process.argv.includes('--help')) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    return refuse(`${(error as Error).message}\n${usage}`);
  }
}

export function refuse(usage: string): never {
  console.error(usage);
  process.exit(2);
}
