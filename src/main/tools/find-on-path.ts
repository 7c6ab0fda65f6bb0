import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

export async function findOnPath(name: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    if (isAbsolute(folder) && (await isExecutable(join(folder, name)))) return join(folder, name);
  }
  return undefined;
}

export async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
