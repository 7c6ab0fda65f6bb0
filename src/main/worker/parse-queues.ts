import { parseArgs } from 'node:util';
import { toSentence, UsageError } from '../process/parse-arguments.ts';
import { type QueueName, queueNames } from './queue-names.ts';

/** Returns the queues named on the command line, or all of them when none is named. */
export function parseQueues(args: string[]): readonly QueueName[] {
  const given = readQueuesFlag(args);
  if (given === undefined) return queueNames;
  const names = given.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !queueNames.some((known) => known === name));
  if (unknown !== undefined)
    throw new UsageError(`--queues: unknown queue "${unknown}". Use one or more of ${queueNames.join(', ')}.`);
  return queueNames.filter((name) => names.includes(name));
}

function readQueuesFlag(args: string[]): string | undefined {
  try {
    return parseArgs({ args, options: { queues: { type: 'string' } }, allowPositionals: false }).values.queues;
  } catch (error) {
    throw new UsageError(`${toSentence(error)} The only option is --queues=${queueNames.join(',')}.`);
  }
}
