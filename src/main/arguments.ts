import { parseArgs } from 'node:util';

/** A mistake on the command line: said in one line, with status 2. */
export class UsageError extends Error {}

type Flags = Record<string, { type: 'string' | 'boolean' }>;

const shared = { port: { type: 'string' }, 'data-dir': { type: 'string' } } as const satisfies Flags;

/** Reads the command line; an option wins over its environment variable. */
export function readArguments<F extends Flags>(
  args: string[],
  flags: F,
  environment: Record<string, string | undefined>,
) {
  const values = parse(args, { ...shared, ...flags });
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

function parse(args: string[], options: Flags): Record<string, string | boolean | undefined> {
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

/** Runs a program's main part: any failure is one line with the fix, and a status that is not 0. */
export async function asProgram(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${message.trim().replaceAll(/\s*\n\s*/g, ' ')}\n`);
    process.exit(error instanceof UsageError ? 2 : 1);
  }
}

/** One Ctrl-C may reach a process several times: from the terminal, and from the wrapper that started it. */
const sameSignalMs = 1_000;

/** Resolves with the first signal that asks the process to stop; a second wish ends it at once. */
export async function untilStopped(): Promise<void> {
  await new Promise<void>((resolve) => {
    let askedAt: number | undefined;
    const stop = (): void => {
      if (askedAt !== undefined && performance.now() - askedAt > sameSignalMs) process.exit(130);
      askedAt ??= performance.now();
      resolve();
    };
    process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop);
  });
}
