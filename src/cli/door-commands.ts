import { type Command, Option } from 'commander';
import { duration, keptText, port } from './arguments.ts';
import { lazily } from './lazily.ts';
import type { Add, Perform } from './perform.ts';

const gateway = lazily(async () => (await import('./commands/gateway.ts')).gateway);
const intake = lazily(async () => (await import('./commands/intake.ts')).intake);
const changeSchedule = lazily(async () => (await import('./commands/schedule.ts')).changeSchedule);
const createSchedule = lazily(async () => (await import('./commands/schedule.ts')).createSchedule);
const listSchedules = lazily(async () => (await import('./commands/schedule.ts')).listSchedules);

const taking = (command: Command): Command =>
  command
    .addOption(
      new Option('--invalid <how>', 'what to do with files that have rows that break a rule')
        .choices(['stop', 'skip'])
        .default('stop'),
    )
    .option('--by <name>', 'who hands over the files (the maker)', keptText);

/** The ways in besides `run`: HTTP, and folders. */
export function addDoors(command: Add, perform: Perform): void {
  command('gateway', 'take files over HTTP')
    .option('--port <port>', 'port to listen on (default: a free one)', port, 0)
    .option('--host <host>', 'address to listen on; another machine needs a token and TLS', '127.0.0.1')
    .action((options) => perform((s) => gateway(s, options)));
  taking(command('intake <dir>', 'take the files dropped into DIR/in, reports come out in DIR/out'))
    .option('--once', 'take what is there, then end', false)
    .action((dir, options) => perform((s) => intake(s, dir, options)));
}

export function addSchedules(command: Add, perform: Perform): void {
  taking(command('create', 'let the workers sweep a drop folder again and again'))
    .requiredOption('--folder <dir>', 'the drop folder, as the workers see it')
    .requiredOption('--every <duration>', 'e.g. 5m or 1h', duration)
    .option('--name <name>', 'name of the schedule (default: of the folder)')
    .action((options) => perform((s) => createSchedule(s, options)));
  command('list', 'the schedules and when they are due').action(() => perform((s) => listSchedules(s)));
  const step = (name: 'delete' | 'pause' | 'resume' | 'trigger', description: string): void => {
    command(`${name} <name>`, description).action((schedule) => perform((s) => changeSchedule(s, schedule, name)));
  };
  step('delete', 'end a schedule; files under way go on');
  step('pause', 'start no sweep until it is resumed');
  step('resume', 'sweep again');
  step('trigger', 'sweep now');
}
