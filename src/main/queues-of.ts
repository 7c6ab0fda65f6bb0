import { parseArgs } from 'node:util';
import { UsageError } from './arguments.ts';
import { type QueueName, queueNames } from './task-workers.ts';

/** The queues that the command line names; all of them when it names none. */
export function queuesOf(args: string[]): readonly QueueName[] {
  const given = read(args);
  if (given === undefined) return queueNames;
  const names = given.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !queueNames.some((known) => known === name));
  if (unknown !== undefined)
    throw new UsageError(`--queues: there is no queue "${unknown}", only ${queueNames.join(', ')}.`);
  return queueNames.filter((name) => names.includes(name));
}

function read(args: string[]): string | undefined {
  try {
    return parseArgs({ args, options: { queues: { type: 'string' } }, allowPositionals: false }).values.queues;
  } catch (error) {
    throw new UsageError(`${(error as Error).message} The only option is --queues=${queueNames.join(',')}.`);
  }
}
