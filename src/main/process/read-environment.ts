import { readFile } from 'node:fs/promises';
import { secretVariables } from '../../config.ts';

type Environment = Record<string, string | undefined>;

/** Returns the environment with each `<NAME>` secret read from the file that `<NAME>_FILE` names. */
export async function readEnvironment(environment: Environment): Promise<Environment> {
  const read = secretVariables.map(async (name) => {
    const path = environment[`${name}_FILE`];
    if (!path) return [];
    if (environment[name]) throw new Error(`Both ${name} and ${name}_FILE are set. Remove one of them.`);
    const text = await readFile(path, 'utf8').catch((error: Error) => {
      throw new Error(
        `${name}_FILE names a file that cannot be read (${error.message}). Set it to a file that this user can read.`,
      );
    });
    // An empty value would count as absent, so that for example workflow payloads would not be encrypted.
    if (text.trim() === '')
      throw new Error(`${name}_FILE names an empty file. Write the value into it, or remove the variable.`);
    return [[name, text.trim()] as const];
  });
  return { ...environment, ...Object.fromEntries((await Promise.all(read)).flat()) };
}
