import { readFile } from 'node:fs/promises';
import { secretVariables } from '../config.ts';

type Environment = Record<string, string | undefined>;

/** The environment with what its secrets' files say: `<NAME>_FILE` names one that holds the value of `<NAME>`. */
export async function readEnvironment(environment: Environment): Promise<Environment> {
  const read = secretVariables.map(async (name) => {
    const path = environment[`${name}_FILE`];
    if (!path) return [];
    if (environment[name]) throw new Error(`Both ${name} and ${name}_FILE are set. Leave one of them out.`);
    const text = await readFile(path, 'utf8').catch((error: Error) => {
      throw new Error(`${name}_FILE names a file that cannot be read: ${error.message}.`);
    });
    return [[name, text.trim()] as const];
  });
  return { ...environment, ...Object.fromEntries((await Promise.all(read)).flat()) };
}
