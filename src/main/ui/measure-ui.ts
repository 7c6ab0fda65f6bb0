import { gzipSync } from 'node:zlib';
import { parseSync } from 'oxc-parser';
import type { UiFiles } from '../../../api/ui/ui-files.ts';

const firstLoadMax = 120_000;
const routeMax = 110_000;

export type Size = { name: string; bytes: number; bytesMax: number };

/** Measures the compressed scripts of the first load, and those that each page adds to it. */
export function measureUi(files: UiFiles): Size[] {
  const entry = /src="(\/assets\/[\w.-]+\.js)"/.exec(readText(files, '/index.html'))?.[1];
  if (entry === undefined) throw new Error('The start page of the web UI loads no script.');
  const first = listImports(files, [entry]);
  const pages = [...files.keys()].filter((path) => /\/[\w-]+-page-[\w-]+\.js$/.test(path));
  const sum = (paths: Iterable<string>): number =>
    [...paths].reduce((bytes, path) => bytes + gzipSync(files.get(path)?.body ?? '', { level: 9 }).length, 0);
  const routes = pages.map((path) => {
    const added = [...listImports(files, [path])].filter((script) => !first.has(script));
    const name = path.replace(/^.*\/|-page-[\w-]+\.js$/g, '');
    return { name, bytes: sum(added), bytesMax: routeMax };
  });
  return [{ name: 'first load', bytes: sum(first), bytesMax: firstLoadMax }, ...routes.toSorted(bySize)];
}

const bySize = (one: Size, other: Size): number => other.bytes - one.bytes;

/** Lists scripts with everything that they import before they run. */
function listImports(files: UiFiles, paths: string[]): Set<string> {
  const found = new Set(paths);
  for (const path of found) {
    const { module } = parseSync(path, readText(files, path));
    for (const { moduleRequest } of module.staticImports)
      found.add(new URL(moduleRequest.value, `http://ui${path}`).pathname);
    for (const { entries } of module.staticExports)
      for (const { moduleRequest } of entries)
        if (moduleRequest) found.add(new URL(moduleRequest.value, `http://ui${path}`).pathname);
  }
  return found;
}

const readText = (files: UiFiles, path: string): string => new TextDecoder().decode(files.get(path)?.body);

export const formatSizes = (sizes: readonly Size[]): string =>
  sizes
    .map(({ name, bytes, bytesMax }) => {
      const kilobytes = `${(bytes / 1000).toFixed(1)} kB of ${bytesMax / 1000}`;
      return `${name.padEnd(20)} ${kilobytes.padStart(16)}${bytes > bytesMax ? '  TOO LARGE' : ''}\n`;
    })
    .join('');
