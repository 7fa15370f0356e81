import { Argument, Command, Option } from 'commander';

/** A program with everything a completion has to know: nested commands, choices, files, and words that need quotes. */
export function smallProgram(): Command {
  const program = new Command('payouts').version('1');
  program
    .command('run <file>')
    .description("pay a file, whoever's it is")
    .option('--yes', 'skip the confirmation')
    .option('-t, --timeout <duration>', 'at most this long')
    .option('--books <path>', 'a file too')
    .addOption(new Option('--invalid <how>', 'rows: stop or skip').choices(['stop', 'skip']));
  program.command('template').addArgument(new Argument('[kind]', 'which').choices(['csv', 'json']));
  program.command('status <id>').description('its state');
  const off = program.command('switch').description('stop things');
  off.command('off <scope> [key]').description('stop [it]: now').option('--reason <text>', 'why');
  off.command('list').description('list what is switched off');
  return program;
}
