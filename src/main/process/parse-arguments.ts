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

/** Parses the command line; an option takes precedence over its environment variable. */
export function parseArguments<F extends Flags>(
  args: string[],
  flags: F,
  environment: Record<string, string | undefined>,
) {
  const options = { ...flags, ...sharedFlags };
  const values = parseFlags(args, options);
  if (values['help'] === true) throw new HelpRequest(formatHelp(options));
  // An empty variable counts as absent, as in the configuration.
  const portText = String(values['port'] ?? (environment['PORT'] || 8080));
  const port = Number(portText);
  if (!Number.isInteger(port) || port < 1 || port > 65_000)
    throw new UsageError(`--port must be a number from 1 to 65000, not "${portText}".`);
  const dataDir = String(values['data-dir'] ?? (environment['DATA_DIR'] || '.service'));
  if (dataDir === '') throw new UsageError('--data-dir is empty: pass a folder.');
  return {
    port,
    dataDir,
    values: values as { [Name in keyof F]?: F[Name]['type'] extends 'boolean' ? boolean : string },
  };
}

function parseFlags(args: string[], options: Flags): Record<string, string | boolean | undefined> {
  const types = Object.fromEntries(Object.entries(options).map(([name, { type }]) => [name, { type }]));
  try {
    return parseArgs({ args, options: types, allowPositionals: false }).values as Record<
      string,
      string | boolean | undefined
    >;
  } catch (error) {
    const known = Object.keys(options).map((name) => `--${name}`);
    throw new UsageError(`${(error as Error).message} Known options: ${known.join(', ')}.`);
  }
}

const formatHelp = (options: Flags): string =>
  Object.entries(options)
    .map(([name, { value, help }]) => `  ${`--${name}${value ? ` <${value}>` : ''}`.padEnd(22)} ${help}`)
    .join('\n');
