import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nameTemplateText, type TemplateName } from '../../rules/products/templates.ts';
import type { SourceFile } from '../../rules/products/source-file.ts';

export const templatesFolder = fileURLToPath(new URL('../../templates', import.meta.url));

/** Folders that only exist where a person has run a template. */
const ignoredFolders = /(^|\/)(\.service|__pycache__|node_modules)\//;

/** Returns the files of a template for a Product, sorted by path. */
export async function readTemplate(template: TemplateName, product: string): Promise<SourceFile[]> {
  const folder = join(templatesFolder, template);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !ignoredFolders.test(path))
    .toSorted();
  return await Promise.all(
    paths.map(async (path) => {
      const file = join(folder, path);
      const [text, { mode }] = await Promise.all([readFile(file, 'utf8'), stat(file)]);
      const content = Buffer.from(nameTemplateText(text, template, product));
      return { path, content, executable: (mode & 0o100) !== 0 };
    }),
  );
}
