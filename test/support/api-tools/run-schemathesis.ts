import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { listOperations, type OpenApiDocument } from '../../../api/reference/document-types.ts';
import { testSeed } from '../sample.ts';
import { createScratchFolder } from '../scratch-folder.ts';

const settingsFile = fileURLToPath(new URL('./schemathesis.toml', import.meta.url));
const hooks = fileURLToPath(new URL('./schemathesis_hooks.py', import.meta.url));
/** A reproduction can contain a URL of many kilobytes. */
const lineLengthMax = 600;

type SchemathesisRun = {
  url: string;
  /** The token of the caller; undefined for one without credentials. */
  token: string | undefined;
  /** A token that the run may revoke. */
  spareToken: string;
  /** Names that exist, by the parameter of paths that takes them. */
  names: Record<string, string[]>;
  examples: number;
  /** The operations to call; all of them by default. */
  operationIds?: string[];
};
export type SchemathesisReport = { tested: number; generated: number; findings: string };

/** Calls the operations of an API with generated requests. The findings are empty if all checks hold. */
export async function runSchemathesis(
  tools: string,
  { url, token, spareToken, names, examples, operationIds = [] }: SchemathesisRun,
): Promise<SchemathesisReport> {
  const folder = await createScratchFolder();
  const settings = await readFile(settingsFile, 'utf8');
  const dictionaries = Object.entries(names).map(([name, values]) => `${name}.values = ${JSON.stringify(values)}`);
  const file = join(folder, 'schemathesis.toml');
  const lists = toListSettings(await listPagedOperations(`${url}/api/openapi.json`));
  await writeFile(file, [settings, ...lists, '[dictionaries]', ...dictionaries, ''].join('\n'));
  const program = ['-c', 'from schemathesis.cli import schemathesis; schemathesis()', '--config-file', file];
  const options = ['--no-color', '--seed', String(testSeed), '--max-examples', String(examples)];
  const credentials = token === undefined ? [] : ['--header', `Authorization: Bearer ${token}`];
  const selection = operationIds.flatMap((id) => ['--include-operation-id', id]);
  const args = [...program, 'run', `${url}/api/openapi.json`, ...options, ...credentials, ...selection];
  const env = {
    ...process.env,
    PYTHONDONTWRITEBYTECODE: '1',
    SCHEMATHESIS_HOOKS: hooks,
    SPARE_AUTHORIZATION: `Bearer ${spareToken}`,
  };
  const child = spawn(join(tools, 'bin', 'python'), args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [output, code] = await Promise.all([text(child.stdout), exited]);
  const count = (pattern: RegExp): number => Number(pattern.exec(output)?.[1] ?? 0);
  return {
    tested: count(/Tested: (\d+)/),
    generated: count(/(\d+) generated/),
    findings: code === 0 ? '' : `TEST_SEED=${testSeed} repeats this run.\n${shortenLines(output)}`,
  };
}

async function listPagedOperations(url: string): Promise<string[]> {
  const document = (await (await fetch(url)).json()) as OpenApiDocument;
  return listOperations(document)
    .map(({ operation }) => operation)
    .filter(({ parameters = [] }) =>
      parameters.some((parameter) => 'name' in parameter && parameter.name === 'continue'),
    )
    .map(({ operationId }) => operationId);
}

/** A page token belongs to the list that returned it, which a schema cannot say. */
const toListSettings = (operations: string[]): string[] => [
  '[[operations]]',
  `include-operation-id = ${JSON.stringify(operations)}`,
  'checks.positive_data_acceptance.expected-statuses = ["2xx", "3xx", 401, 403, 404, 409, 412, 422, 428, 429, 503]',
];

const shortenLines = (output: string): string =>
  output
    .split('\n')
    .map((line) => (line.length > lineLengthMax ? `${line.slice(0, lineLengthMax)}…` : line))
    .join('\n');
