import { glob, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, visitorKeys } from 'oxc-parser';

const root = fileURLToPath(new URL('../..', import.meta.url));

export type Import = { from: string; to: string; isType: boolean };
export type Comment = { file: string; line: number; text: string };
type Node = { type: string; start: number; end: number } & Record<string, unknown>;

export type SourceFile = {
  path: string;
  text: string;
  imports: Import[];
  comments: Comment[];
  /** Every node of the syntax tree, parents before children. */
  nodes: () => Generator<Node>;
};

const readText = (path: string): Promise<string> => readFile(join(root, path), 'utf8');

/** The paths, relative to the project, that match any of the patterns; sample repositories are not ours to check. */
export async function listFiles(...patterns: string[]): Promise<string[]> {
  const files = await Array.fromAsync(
    glob(patterns, { cwd: root, exclude: ['node_modules/**', 'src/emulators/sample/**'] }),
  );
  return files.toSorted();
}

export async function readTexts(...patterns: string[]): Promise<{ path: string; text: string }[]> {
  return await Promise.all((await listFiles(...patterns)).map(async (path) => ({ path, text: await readText(path) })));
}

/** Parses every source file that matches; a file that does not parse throws. */
export async function readSources(...patterns: string[]): Promise<SourceFile[]> {
  const files = await readTexts(...patterns);
  return files.filter(({ path }) => !path.endsWith('.d.mts')).map(({ path, text }) => parse(path, text));
}

function parse(path: string, text: string): SourceFile {
  const { module, errors, comments, program } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]?.message}`);
  const resolve = (specifier: string): string =>
    specifier.startsWith('.') ? posix.normalize(posix.join(posix.dirname(path), specifier)) : specifier;
  const imports = module.staticImports.map(({ entries, moduleRequest }) => ({
    from: path,
    to: resolve(moduleRequest.value),
    isType: entries.length > 0 && entries.every(({ isType }) => isType),
  }));
  const exports = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ isType, moduleRequest }) =>
      moduleRequest ? [{ from: path, to: resolve(moduleRequest.value), isType }] : [],
    ),
  );
  return {
    path,
    text,
    imports: [...imports, ...exports],
    comments: joinLines(path, text, comments),
    nodes: () => walk(program as unknown as Node),
  };
}

function* walk(node: Node): Generator<Node> {
  yield node;
  for (const key of visitorKeys[node.type] ?? []) {
    const child = node[key];
    for (const each of Array.isArray(child) ? child : [child])
      if (each && typeof each === 'object') yield* walk(each as Node);
  }
}

type RawComment = { type: 'Line' | 'Block'; value: string; start: number; end: number };

/** Line comments that follow each other are one comment. */
function joinLines(file: string, text: string, comments: RawComment[]): Comment[] {
  const joined: RawComment[] = [];
  for (const comment of comments) {
    const last = joined.at(-1);
    const between = last ? text.slice(last.end, comment.start) : '';
    if (last?.type === 'Line' && comment.type === 'Line' && /^\s*$/.test(between) && !/\n\s*\n/.test(between))
      joined.splice(-1, 1, { ...last, end: comment.end, value: `${last.value}\n${comment.value}` });
    else joined.push(comment);
  }
  return joined
    .map(({ value, start }) => ({
      file,
      line: text.slice(0, start).split('\n').length,
      text: value.replace(/^\s*\*/gm, '').trim(),
    }))
    .filter(({ text: written }) => !/^(oxlint|@ts|v8)-?/.test(written) && !file.endsWith('.d.mts'));
}
