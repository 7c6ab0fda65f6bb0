import { parseArgs } from 'node:util';

/** An invalid command line. The program prints it in one line and exits with status 2. */
export class UsageError extends Error {}

type Flags = Record<string, { type: 'string' | 'boolean' }>;

const sharedFlags = { port: { type: 'string' }, 'data-dir': { type: 'string' } } as const satisfies Flags;

/** Parses the command line; an option takes precedence over its environment variable. */
export function parseArguments<F extends Flags>(
  args: string[],
  flags: F,
  environment: Record<string, string | undefined>,
) {
  const values = parseFlags(args, { ...sharedFlags, ...flags });
  const port = Number(values['port'] ?? environment['PORT'] ?? 8080);
  if (!Number.isInteger(port) || port < 1 || port > 65_000)
    throw new UsageError(
      `--port must be a number from 1 to 65000, not "${String(values['port'] ?? environment['PORT'])}".`,
    );
  const dataDir = String(values['data-dir'] ?? environment['DATA_DIR'] ?? '.service');
  return {
    port,
    dataDir,
    values: values as { [Name in keyof F]?: F[Name]['type'] extends 'boolean' ? boolean : string },
  };
}

function parseFlags(args: string[], options: Flags): Record<string, string | boolean | undefined> {
  try {
    return parseArgs({ args, options, allowPositionals: false }).values as Record<string, string | boolean | undefined>;
  } catch (error) {
    throw new UsageError(
      `${(error as Error).message} Known options: ${Object.keys(options)
        .map((name) => `--${name}`)
        .join(', ')}.`,
    );
  }
}
