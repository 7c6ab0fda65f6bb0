import type { UiFiles } from '../../../api/ui/ui-files.ts';
import { buildUi } from './build-ui.ts';
import { readUiFiles } from './read-ui-files.ts';

/** Builds the web UI once and reads it. The platform also starts without it, and says why it is missing. */
export async function openUi(onProgress: (message: string) => void): Promise<UiFiles | undefined> {
  const built = await buildUi(onProgress);
  if ('path' in built) return await readUiFiles(built.path);
  onProgress(`The web UI is not available, because its build failed: ${built.missing}`);
  return undefined;
}
