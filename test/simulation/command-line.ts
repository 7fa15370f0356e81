import { parseArgs } from 'node:util';
import { HAZARDS, type Hazard } from './hazards/hazards.ts';

export interface Command {
  seeds: number;
  from: number;
  /** One seed, with its trace. */
  seed: number | undefined;
  /** Wall clock after which no further seed begins. */
  seconds: number | undefined;
  mutants: boolean;
  mutant: string | undefined;
  jobs: number;
  json: boolean;
  /** Every question is answered by many in the same moment. */
  atOnce: boolean;
  /** Only worlds with hazards, or with this one. */
  hazard: Hazard | 'any' | undefined;
}

export const USAGE = `npm run simulate -- [options]
  --seeds N       how many seeds (default 2000); with --mutants: at most so many for each (default 3000)
  --from S        the first of them (default 1)
  --seed S        one seed, with everything that happens in it
  --seconds T     begin no further seed after T seconds
  --mutants       plant every known bug, one at a time, and show which seed and rule catch it
  --mutant NAME   plant this one, and end with the first seed that catches it (of each process)
  --at-once       approve, reject, cancel, change and decide at the bank in one moment, again and again
  --hazard NAME   only worlds in which this happens; any: each of them. NAME is one of
                  ${HAZARDS.slice(0, 6).join(', ')},
                  ${HAZARDS.slice(6).join(', ')}
  --jobs J        processes side by side (default 2)
  --json          one JSON document on stdout`;

/** Throws for an option it does not know, or a number that is none. */
export function readCommand(args: readonly string[]): Command {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seeds: { type: 'string' },
      from: { type: 'string' },
      seed: { type: 'string' },
      seconds: { type: 'string' },
      mutants: { type: 'boolean' },
      mutant: { type: 'string' },
      jobs: { type: 'string' },
      json: { type: 'boolean' },
      'at-once': { type: 'boolean' },
      hazard: { type: 'string' },
    },
  });
  const number = (name: 'seeds' | 'from' | 'seed' | 'seconds' | 'jobs'): number | undefined => {
    const text = values[name];
    if (text !== undefined && !/^[1-9]\d*$/.test(text))
      throw new TypeError(`--${name} is not a whole number above 0: ${text}`);
    return text === undefined ? undefined : Number(text);
  };
  const mutants = values.mutants === true;
  const hazard = ([...HAZARDS, 'any'] as const).find((name) => name === values.hazard);
  if (hazard === undefined && values.hazard !== undefined) throw new TypeError(`no hazard is called ${values.hazard}`);
  return {
    seeds: number('seeds') ?? (mutants ? 3_000 : 2_000),
    from: number('from') ?? 1,
    seed: number('seed'),
    seconds: number('seconds'),
    mutants,
    mutant: values.mutant,
    jobs: number('jobs') ?? 2,
    json: values.json === true,
    atOnce: values['at-once'] === true,
    hazard,
  };
}
