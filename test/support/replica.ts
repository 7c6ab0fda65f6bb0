import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '../../src/main/ports.ts';

type Line = { level: number; msg: string };

export type Replica = {
  /** Where it answers: the API, or a worker's probes. */
  url: string;
  pid: number;
  /** What it wrote of errors; an attempt that failed and is made again is none. */
  complaints(): string[];
  /** kill -9; it may have ended already. */
  kill(): Promise<void>;
  /** SIGTERM; answers its exit status. */
  stop(): Promise<number | null>;
};

/** One process of the service as a cluster runs it, on a port of its own, with nothing of this process's environment. */
export async function startReplica(
  program: 'serve' | 'work',
  environment: Record<string, string>,
  args: string[] = [],
): Promise<Replica> {
  const port = await freePort();
  const file = join(import.meta.dirname, '../../src/main', `${program}.ts`);
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [file, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH, HOME, PORT: String(port), ...environment },
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  let output = '';
  const ready = new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer): void => {
      output += chunk.toString();
      if (output.includes('"msg":"ready"')) resolve();
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}: ${output}`)));
  });
  await ready;
  const lines = (): Line[] => output.split('\n').flatMap((text) => (text === '' ? [] : [parse(text)]));
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return (await exited)[0];
  };
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    complaints: () =>
      lines()
        .filter(({ level }) => level >= 50)
        .map((line) => JSON.stringify(line)),
    kill: async () => void (await end('SIGKILL')),
    stop: async () => await end('SIGTERM'),
  };
}

/** What is no line of the log is an error that nobody caught. */
function parse(text: string): Line {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return { level: 60, msg: text };
  }
}
