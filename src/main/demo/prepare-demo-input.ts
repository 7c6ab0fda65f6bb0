import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { DemoState } from '../../clients/demo/demo-state.ts';
import { UsageError } from '../process/parse-arguments.ts';
import { chooseProduct } from './choose-product.ts';
import { type CodehostAccess, importRepository, isOnCodehost } from './import-repository.ts';
import type { Repository } from './inspect-repository.ts';

const org = 'acme';

/** The default issue of the demo. */
const sampleIssue =
  'Greet visitors by name\n\nhttp://…/?name=Ada should greet with "Hello, Ada". Without a name it stays "Hello, world".';

/** The body has the whole text of an issue whose first line is longer. */
const titleMax = 200;
/** The API accepts no longer body. */
const bodyMax = 60_000;

export type Issue = { title: string; body: string };
export type DemoInput = {
  org: string;
  product: string;
  repo: string;
  issue: Issue;
  /** The reason why the repo cannot be released as it is. */
  buildViolation: string | undefined;
};

/** Reads the issue before the platform starts, because a wrong one needs no platform. A file is relative to the folder. */
export async function parseIssue(option: string = sampleIssue, folder = '.'): Promise<Issue> {
  const text = (await readIssue(option, folder)).trim();
  if (text === '') throw new UsageError('--issue is empty: pass a text, or a file whose first line is the title.');
  if (text.includes('\0'))
    throw new UsageError('--issue is not text: pass a text, or a file whose first line is the title.');
  const [first = '', ...rest] = text.split('\n');
  const title = first.replace(/^#+\s*/, '');
  const body = title.length > titleMax ? text : rest.join('\n').trim();
  if (body.length > bodyMax)
    throw new UsageError(`--issue has ${body.length} characters, and ${bodyMax} are accepted: pass a shorter one.`);
  // The cut may go through a character of two code units, such as an emoji.
  return { title: title.slice(0, titleMax).replace(/[\uD800-\uDBFF]$/, ''), body };
}

/** A path that leads to no file is a mistake: as an issue, it would cost the work of agents. */
async function readIssue(option: string, folder: string): Promise<string> {
  const file = resolve(folder, option);
  const found = option === '' ? undefined : await stat(file).catch(() => undefined);
  if (found?.isDirectory()) throw new UsageError(`--issue names the folder ${option}: pass a text, or a file.`);
  if (found === undefined && isPath(option))
    throw new UsageError(`--issue names the file ${option}, which does not exist: pass a text, or a file.`);
  if (found === undefined) return option;
  return await readFile(file, 'utf8').catch((error: Error) => {
    throw new UsageError(`--issue names the file ${option}, which cannot be read (${error.message}): pass another.`);
  });
}

const isPath = (option: string): boolean => !/\s|:\/\//.test(option) && /\/|\.(md|markdown|txt)$/i.test(option);

type PrepareOptions = {
  repository: Repository | undefined;
  issue: Issue;
  state: DemoState;
  printLine: (line: string) => void;
};

/** Returns the sample Product, or copies the given repository to the embedded code host. */
export async function prepareDemoInput(
  codehost: CodehostAccess,
  { repository, issue, state, printLine }: PrepareOptions,
): Promise<DemoInput> {
  if (repository === undefined)
    return { org, product: 'hello', repo: `${org}/hello`, issue, buildViolation: undefined };
  const product = await chooseProduct(state, repository.source, isOnCodehost(codehost, org));
  const fullName = `${org}/${product}`;
  const { buildViolation } = await importRepository(codehost, { repository, fullName, printLine });
  return { org, product, repo: fullName, issue, buildViolation };
}
