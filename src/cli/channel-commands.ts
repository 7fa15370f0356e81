import { type Command, Option } from 'commander';
import type { Acts, Add } from './acts.ts';
import { duration, port, storableText } from './arguments.ts';

const schedules = () => import('./drop-folders.ts');

const taking = (command: Command): Command =>
  command
    .addOption(
      new Option('--invalid <how>', 'what to do with files that have findings')
        .choices(['stop', 'skip'])
        .default('stop'),
    )
    .option('--by <name>', 'name of the maker of the files', storableText);

/** Channels other than `run`: HTTP and drop folders. */
export function addChannels(command: Add, acts: Acts): void {
  command('gateway', 'accept files over HTTP, and show the pages')
    .addOption(new Option('--port <port>', 'port to listen on').argParser(port).default(0, 'a free one'))
    .option('--host <host>', 'address to listen on; another machine needs a token and TLS', '127.0.0.1')
    .action(acts(() => import('./gateway.ts'), 'gateway'));
  taking(command('intake <dir>', 'pay files dropped into DIR/in; reports appear in DIR/out'))
    .option('--once', 'process the files that are there, then end', false)
    .action(acts(() => import('./drop-folders.ts'), 'intake'));
}

export function addSchedules(command: Add, acts: Acts): void {
  taking(command('create', 'have the workers process a drop folder at intervals'))
    .requiredOption('--folder <dir>', 'path of the drop folder on the workers')
    .requiredOption('--every <duration>', 'e.g. 5m or 1h', duration)
    .option('--name <name>', 'name of the schedule (default: name of the folder)')
    .action(acts(schedules, 'createSchedule'));
  command('list', 'list the schedules and when they are due').action(acts(schedules, 'listSchedules'));
  const step = (name: 'delete' | 'pause' | 'resume' | 'trigger', description: string): void => {
    command(`${name} <name>`, description).action(acts(schedules, 'changeSchedule', name));
  };
  step('delete', 'delete a schedule; files in progress continue');
  step('pause', 'pause a schedule until it is resumed');
  step('resume', 'resume a paused schedule');
  step('trigger', 'process the folder now');
}
