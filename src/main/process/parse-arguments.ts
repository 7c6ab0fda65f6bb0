import { parseArgs } from 'node:util';

/** An invalid command line. The program prints it in one line and exits with status 2. */
export class UsageError extends Error {}

/** `--help`: the program prints the message and exits with status 0. */
export class HelpRequest extends Error {}

/** `help` says what the option does; options with a value also name that value. */
type Flags = Record<string, { type: 'string' | 'boolean'; help: string; value?: string }>;

const sharedFlags = {
  port: { type: 'string', value: 'number', help: 'the port of the API; the next nine are used too (PORT, 8080)' },
  'data-dir': { type: 'string', value: 'folder', help: 'contains all state (DATA_DIR, .service)' },
  help: { type: 'boolean', help: 'prints this text' },
} as const satisfies Flags;

type Environment = Record<string, string | undefined>;
type Values = Record<string, string | boolean | undefined>;

/** Options that are settings of npm too, so that a person may have set them for every command. */
const npmSettings = ['yes', 'json'];

/** Parses the command line; an option takes precedence over its environment variable. */
export function parseArguments<F extends Flags>(args: string[], flags: F, environment: Environment) {
  const options: Flags = { ...flags, ...sharedFlags };
  const values = parseFlags(args, options, environment);
  if (values['help'] === true) throw new HelpRequest(formatHelp(options));
  const taken = listTaken(options, values, environment);
  const npmHint = taken.length > 0 ? describeTaken(taken, options, environment) : undefined;
  if (taken.some((name) => !npmSettings.includes(name))) throw new UsageError(npmHint);
  // An empty variable counts as absent, as in the configuration.
  const portText = String(values['port'] ?? (environment['PORT'] || 8080));
  const port = Number(portText);
  if (!Number.isInteger(port) || port < 1 || port > 65_000) {
    const setting = values['port'] === undefined ? 'PORT' : '--port';
    throw new UsageError(`${setting} must be a number from 1 to 65000, not "${portText}".`);
  }
  const dataDir = String(values['data-dir'] ?? (environment['DATA_DIR'] || '.service'));
  if (dataDir === '') throw new UsageError('--data-dir is empty: pass a folder.');
  return {
    port,
    dataDir,
    values: values as { [Name in keyof F]?: F[Name]['type'] extends 'boolean' ? boolean : string },
    /** Tells a person that npm may have taken an option that was meant for the program. */
    npmHint,
  };
}

function parseFlags(args: string[], options: Flags, environment: Environment): Values {
  const types = Object.fromEntries(Object.entries(options).map(([name, { type }]) => [name, { type }]));
  try {
    return parseArgs({ args, options: types, allowPositionals: false }).values as Values;
  } catch (error) {
    // npm passes on the value of an option that it takes.
    const taken = listTaken(options, {}, environment);
    if (taken.length > 0) throw new UsageError(describeTaken(taken, options, environment));
    const known = Object.keys(options).map((name) => `--${name}`);
    throw new UsageError(`${toSentence(error)} Known options: ${known.join(', ')}.`);
  }
}

/** Returns the first sentence of an error of `parseArgs`. The others are about options that no program here has. */
export const toSentence = (error: unknown): string => `${(error as Error).message.split(/\.(?:\s|$)/)[0]}.`;

/** Lists the options that npm takes, as its own settings, when no "--" is in front of them. */
const listTaken = (options: Flags, values: Values, environment: Environment): string[] =>
  Object.keys(options).filter(
    (name) => values[name] === undefined && environment[`npm_config_${name.replaceAll('-', '_')}`],
  );

function describeTaken(taken: string[], options: Flags, environment: Environment): string {
  const command = `npm run ${environment['npm_lifecycle_event'] ?? 'start'}`;
  const given = taken.map((name) => formatOption(name, options[name]?.value)).join(' ');
  return `npm took ${taken.map((name) => `--${name}`).join(', ')} for itself. Put "--" before the options: ${command} -- ${given}`;
}

const formatOption = (name: string, value: string | undefined): string => `--${name}${value ? ` <${value}>` : ''}`;

const formatHelp = (options: Flags): string =>
  Object.entries(options)
    .map(([name, { value, help }]) => `  ${formatOption(name, value).padEnd(22)} ${help}`)
    .join('\n');
